#include "plugin/state/row_iterator.h"

namespace crawlsieve {

void RowIterator::Seek(std::string_view key) {
  for (FamilyIterator& family : families_) family.Seek(key);
  Choose();
}

void RowIterator::Next() {
  families_[*at_].Next();
  Choose();
}

rocksdb::Status RowIterator::status() const {
  for (const FamilyIterator& family : families_) {
    rocksdb::Status status = family.status();
    if (!status.ok()) return status;
  }
  return rocksdb::Status::OK();
}

void RowIterator::Choose() {
  at_.reset();
  for (std::size_t i = 0; i < families_.size(); ++i) {
    const FamilyIterator& family = families_[i];
    if (family.Valid()) {
      if (!at_.has_value() || family.key() < key()) at_ = i;
    } else if (!family.status().ok()) {
      // Rows of the others would come in the place of those that can't be read.
      at_.reset();
      return;
    }
  }
}

}  // namespace crawlsieve
