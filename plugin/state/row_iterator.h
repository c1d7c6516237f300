#pragma once

#include "plugin/state/family_iterator.h"

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace crawlsieve {

/// Goes over the rows of a table in byte order of their keys, in whichever of its families they
/// are. For this folder alone. Thread-compatible.
class RowIterator {
 public:
  /// Of one family or several, which share no key.
  explicit RowIterator(std::vector<FamilyIterator> families) : families_(std::move(families)) {}

  /// To the first row with a key of `key` or more.
  void Seek(std::string_view key);
  /// To the next row; needs Valid.
  void Next();

  /// Whether there is a row here. Not where a family couldn't be read, which `status` says.
  [[nodiscard]] bool Valid() const { return at_.has_value(); }
  /// Of the row here, valid until the next move.
  [[nodiscard]] std::string_view key() const { return families_[*at_].key(); }
  [[nodiscard]] std::string_view value() const { return families_[*at_].value(); }

  [[nodiscard]] rocksdb::Status status() const;

 private:
  void Choose();

  std::vector<FamilyIterator> families_;
  std::optional<std::size_t> at_;  // the one whose row comes first
};

}  // namespace crawlsieve
