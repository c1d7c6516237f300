#include "plugin/state/row_iterator.h"

#include "plugin/state/database.h"

#include <utility>

namespace crawlsieve {

RowIterator::RowIterator(std::vector<std::unique_ptr<rocksdb::Iterator>> families)
    : families_(std::move(families)) {}

void RowIterator::Seek(std::string_view key) {
  for (const auto& family : families_) family->Seek(ToSlice(key));
  Choose();
}

void RowIterator::Next() {
  at_->Next();
  Choose();
}

rocksdb::Status RowIterator::status() const {
  for (const auto& family : families_) {
    rocksdb::Status status = family->status();
    if (!status.ok()) return status;
  }
  return rocksdb::Status::OK();
}

void RowIterator::Choose() {
  at_ = nullptr;
  for (const auto& family : families_) {
    if (family->Valid()) {
      if (at_ == nullptr || family->key().compare(at_->key()) < 0) at_ = family.get();
    } else if (!family->status().ok()) {
      // Rows of the others would come in the place of those that can't be read.
      at_ = nullptr;
      return;
    }
  }
}

}  // namespace crawlsieve
