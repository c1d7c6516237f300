#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <rocksdb/merge_operator.h>

// For this folder alone.
namespace crawlsieve {

/// Rows whose keys differ in the last byte alone, as one row of RocksDB: its key is what theirs
/// have in common, its value says of each the last byte, the length of its value and that, in the
/// order of the last bytes (docs/decisions/0037).
///
/// What it was made of must outlive it. Thread-compatible.
class RowGroup {
 public:
  struct Member {
    char last_byte;  ///< of its key
    std::string_view value;
  };

  /// Of a value as Encode gives it; nullopt: it is another one.
  [[nodiscard]] static std::optional<RowGroup> Decode(std::string_view bytes);

  /// In place of a member that is there, if any.
  void Put(char last_byte, std::string_view value);
  void Remove(char last_byte);

  /// Puts all members of another.
  void PutAll(const RowGroup& other);

  /// The value of a member; nullopt: there is none.
  [[nodiscard]] std::optional<std::string_view> Find(char last_byte) const;

  /// By last byte, as in keys: 0 to 255.
  [[nodiscard]] const std::vector<Member>& members() const { return members_; }

  [[nodiscard]] std::string Encode() const;

 private:
  std::vector<Member> members_;
};

/// For a family of groups: what is merged into a row are groups too, whose members are put.
[[nodiscard]] std::shared_ptr<rocksdb::MergeOperator> MergeOfRowGroups();

}  // namespace crawlsieve
