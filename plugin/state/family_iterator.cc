#include "plugin/state/family_iterator.h"

#include "plugin/state/database.h"
#include "plugin/state/latest_page_key.h"

#include <utility>

namespace crawlsieve {

void FamilyIterator::Seek(std::string_view key) {
  damage_ = rocksdb::Status::OK();
  if (!has_groups_) {
    it_->Seek(ToSlice(key));
    return;
  }
  it_->Seek(ToSlice(FirstGroupFrom(key)));
  EnterGroup();
  while (Valid() && key_ < key) Next();
}

void FamilyIterator::Next() {
  if (has_groups_ && member_ + 1 < group_.members().size()) {
    ++member_;
    SetKey();
    return;
  }
  it_->Next();
  if (has_groups_) EnterGroup();
}

void FamilyIterator::EnterGroup() {
  for (; it_->Valid(); it_->Next()) {
    std::optional<RowGroup> group = RowGroup::Decode(it_->value().ToStringView());
    if (!group.has_value()) {
      damage_ = NoGroup();
      return;
    }
    if (group->members().empty()) continue;
    group_ = *std::move(group);
    member_ = 0;
    SetKey();
    return;
  }
}

void FamilyIterator::SetKey() {
  key_.assign(it_->key().ToStringView());
  key_.push_back(group_.members()[member_].last_byte);
}

}  // namespace crawlsieve
