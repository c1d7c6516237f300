#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include <rocksdb/iterator.h>

namespace crawlsieve {

/// Goes over the rows of a table in byte order of their keys, in whichever of its families they
/// are. For this folder alone. Thread-compatible.
class RowIterator {
 public:
  /// Of one family or several, which share no key.
  explicit RowIterator(std::vector<std::unique_ptr<rocksdb::Iterator>> families);

  /// To the first row with a key of `key` or more.
  void Seek(std::string_view key);
  /// To the next row; needs Valid.
  void Next();

  /// Whether there is a row here. Not where a family couldn't be read, which `status` says.
  [[nodiscard]] bool Valid() const { return at_ != nullptr; }
  /// Of the row here, valid until the next move.
  [[nodiscard]] std::string_view key() const { return at_->key().ToStringView(); }
  [[nodiscard]] std::string_view value() const { return at_->value().ToStringView(); }

  [[nodiscard]] rocksdb::Status status() const;

 private:
  void Choose();

  std::vector<std::unique_ptr<rocksdb::Iterator>> families_;
  rocksdb::Iterator* at_ = nullptr;  // the one whose row comes first
};

}  // namespace crawlsieve
