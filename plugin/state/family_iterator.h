#pragma once

#include "plugin/state/row_group.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <rocksdb/iterator.h>

namespace crawlsieve {

/// Goes over the rows of one family in byte order of their keys, be they rows of RocksDB or members
/// of groups. For this folder alone. Thread-compatible.
class FamilyIterator {
 public:
  /// `has_groups`: each row of the family is a RowGroup, and no key of one begins with another's.
  FamilyIterator(std::unique_ptr<rocksdb::Iterator> it, bool has_groups)
      : it_(std::move(it)), has_groups_(has_groups) {}

  /// To the first row with a key of `key` or more.
  void Seek(std::string_view key);
  /// To the next row; needs Valid.
  void Next();

  /// Whether there is a row here. Not where the family couldn't be read, which `status` says.
  [[nodiscard]] bool Valid() const { return it_->Valid() && damage_.ok(); }
  /// Of the row here, valid until the next move.
  [[nodiscard]] std::string_view key() const {
    return has_groups_ ? std::string_view(key_) : it_->key().ToStringView();
  }
  [[nodiscard]] std::string_view value() const {
    return has_groups_ ? group_.members()[member_].value : it_->value().ToStringView();
  }

  [[nodiscard]] rocksdb::Status status() const { return damage_.ok() ? it_->status() : damage_; }

 private:
  void EnterGroup();
  void SetKey();

  std::unique_ptr<rocksdb::Iterator> it_;
  bool has_groups_;
  rocksdb::Status damage_;
  // Of a family of groups, where it is valid: the group here, which has members, and where in it.
  RowGroup group_;
  std::size_t member_ = 0;
  std::string key_;
};

}  // namespace crawlsieve
