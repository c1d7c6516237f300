#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace crawlsieve::config {

/// Where something stands in a file. Lines and columns count from 1; 0:0 is the file as a whole.
struct Position {
  int line = 0;
  int column = 0;

  friend auto operator<=>(const Position&, const Position&) = default;
};

/// A YAML value with its position. Scalars are kept as written: the option that reads one decides
/// what it means, so `no` is text where text is wanted and never turns into a boolean.
///
/// Immutable once parsed; a node reached through an alias is shared.
struct YamlNode {
  enum class Kind { kNull, kScalar, kList, kMap };

  struct Entry {
    std::string key;
    Position position;  ///< of the key
    std::shared_ptr<const YamlNode> value;
  };

  Kind kind = Kind::kNull;
  Position position;
  std::string text;                                    ///< of a scalar
  std::vector<std::shared_ptr<const YamlNode>> items;  ///< of a list
  /// Of a map, in file order, repeated keys included. What merge keys (`<<`) bring follows, without
  /// the keys that the map gives itself.
  std::vector<Entry> entries;
};

struct YamlProblem {
  Position position;
  std::string message;
};

/// Reads the one document of `text`; a null node where there is none.
///
/// Any bytes will do. Refused: more than 1 MiB, anything but UTF-8, control characters, more than
/// 32 levels or 10,000 values (aliases and merges counted), tags, keys that aren't scalars, a
/// second document. Never throws.
[[nodiscard]] tl::expected<std::shared_ptr<const YamlNode>, YamlProblem> ParseYaml(
    std::string_view text);

inline constexpr std::size_t kMaxYamlBytes = 1 << 20;

}  // namespace crawlsieve::config
