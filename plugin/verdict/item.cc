#include "plugin/verdict/item.h"

#include <algorithm>
#include <cstddef>

namespace crawlsieve {
namespace {

/// Parts of a canonical URL; views into it.
struct UrlParts {
  std::string_view host;  ///< with the port; empty where a URL has none
  std::string_view path;
  std::string_view query;  ///< with its question mark
};

UrlParts PartsOf(std::string_view url) {
  url = url.substr(0, url.find('#'));
  UrlParts parts;
  const std::size_t query = std::min(url.find('?'), url.size());
  parts.query = url.substr(query);
  url = url.substr(0, query);
  if (const std::size_t scheme = url.find("://"); scheme != std::string_view::npos) {
    url.remove_prefix(scheme + 3);
    parts.host = url.substr(0, url.find('/'));
    url.remove_prefix(parts.host.size());
  }
  parts.path = url;
  return parts;
}

bool IsIndex(std::string_view segment) {
  return segment == "index" || segment.starts_with("index.");
}

ItemName NameOf(const UrlParts& parts) {
  std::string_view path = parts.path;
  while (!path.empty()) {
    const std::size_t slash = path.rfind('/');
    const std::size_t begin = slash == std::string_view::npos ? 0 : slash + 1;
    const std::string_view segment = path.substr(begin);
    if (!segment.empty() && !IsIndex(segment)) return {segment, parts.query};
    path = path.substr(0, begin == 0 ? 0 : slash);
  }
  return {{}, parts.query};
}

/// How many digits `text` begins with.
std::size_t LeadingDigits(std::string_view text) {
  const auto end =
      std::find_if(text.begin(), text.end(), [](char c) { return c < '0' || c > '9'; });
  return static_cast<std::size_t>(end - text.begin());
}

/// Whether two paths differ in numbers of one or two digits alone, as versions have. Longer ones
/// count items.
bool DifferInVersionsAlone(std::string_view a, std::string_view b) {
  constexpr std::size_t kVersionDigits = 2;
  while (!a.empty() && !b.empty()) {
    const std::size_t a_digits = LeadingDigits(a);
    const std::size_t b_digits = LeadingDigits(b);
    const bool versions =
        a_digits > 0 && b_digits > 0 && a_digits <= kVersionDigits && b_digits <= kVersionDigits;
    const std::size_t a_step = std::max<std::size_t>(a_digits, 1);
    const std::size_t b_step = std::max<std::size_t>(b_digits, 1);
    if (!versions && a.substr(0, a_step) != b.substr(0, b_step)) return false;
    a.remove_prefix(a_step);
    b.remove_prefix(b_step);
  }
  return a.empty() && b.empty();
}

}  // namespace

std::uint32_t TitleClass(std::uint64_t hash) {
  return hash == 0 ? 0 : static_cast<std::uint32_t>(hash % kTitleClasses) + 1;
}

ItemName NameOf(std::string_view url) { return NameOf(PartsOf(url)); }

ItemEvidence CompareItems(const ItemTraits& a, const ItemTraits& b) {
  if (a.url == b.url) return ItemEvidence::kNone;
  const UrlParts a_parts = PartsOf(a.url);
  const UrlParts b_parts = PartsOf(b.url);
  const ItemName a_name = NameOf(a_parts);
  const ItemName b_name = NameOf(b_parts);
  const bool names = a_name.is_known() && b_name.is_known();
  const bool titles = a.title != 0 && b.title != 0;
  const bool one_host = !a_parts.host.empty() && a_parts.host == b_parts.host;
  if (names && a_name == b_name) {
    const bool same = titles && a.title == b.title &&
                      (!one_host || DifferInVersionsAlone(a_parts.path, b_parts.path));
    return same ? ItemEvidence::kSame : ItemEvidence::kNone;
  }
  const bool other = (names && one_host) || (titles && a.title != b.title);
  return other ? ItemEvidence::kOther : ItemEvidence::kNone;
}

}  // namespace crawlsieve
