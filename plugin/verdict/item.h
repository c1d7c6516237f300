#pragma once

#include <cstdint>
#include <string_view>

namespace crawlsieve {

/// What a page says of which item it is about, beside its text. Borrows the URL.
struct ItemTraits {
  std::string_view url;     ///< canonical
  std::uint32_t title = 0;  ///< of TitleClass; 0: unknown
};

/// Whether two pages say that they are about one item.
enum class ItemEvidence {
  kNone,   ///< they don't tell
  kSame,   ///< as pages of one item in two versions, or of a copy
  kOther,  ///< as pages of two items under one template
};

/// How many classes titles are in: one byte of a record holds one, with 0 for unknown.
inline constexpr std::uint32_t kTitleClasses = 127;

/// The class, 1..kTitleClasses, of a title with this hash; 0 of hash 0, which stands for no title.
/// One in kTitleClasses pairs of different titles share theirs: evidence, never proof.
[[nodiscard]] std::uint32_t TitleClass(std::uint64_t hash);

/// The last segment of a URL's path that isn't `index` or `index.` and an ending, and the query.
/// Both are empty where a URL names nothing.
struct ItemName {
  std::string_view segment;
  std::string_view query;  ///< with its question mark

  [[nodiscard]] bool is_known() const { return !segment.empty() || !query.empty(); }
  friend bool operator==(const ItemName&, const ItemName&) = default;
};

/// The name that a canonical URL gives its page. The views are into `url`.
[[nodiscard]] ItemName NameOf(std::string_view url);

/// Weighs names, hosts and titles, by the table in docs/verdicts.md. Two pages of one URL are
/// kNone: the URL doesn't tell whether what it shows has changed. Pure and symmetric.
[[nodiscard]] ItemEvidence CompareItems(const ItemTraits& a, const ItemTraits& b);

}  // namespace crawlsieve
