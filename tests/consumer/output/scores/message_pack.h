#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace crawlsieve::consumer {

/// A value of MessagePack, of the kinds that Frontera's messages have. Byte strings and text are
/// told apart: that is what the reader of the JSON library can't do for names.
struct PackedValue {
  enum class Kind { kBytes, kText, kNumber, kBool, kList, kMap };
  Kind kind = Kind::kBool;
  std::string text;
  double number = 0;
  std::vector<PackedValue> items;  ///< of a map: name, value, name, value

  /// The value of a name in bytes; null: there is none.
  [[nodiscard]] const PackedValue* Find(std::string_view name) const {
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
      if (items[i].kind == Kind::kBytes && items[i].text == name) return &items[i + 1];
    }
    return nullptr;
  }
};

/// Takes one value off the front of `bytes`; nullopt: it isn't one of these kinds, or cut off.
[[nodiscard]] std::optional<PackedValue> TakePacked(std::string_view& bytes);

}  // namespace crawlsieve::consumer
