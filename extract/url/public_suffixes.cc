#include "extract/url/public_suffixes.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>

namespace crawlsieve::extract {
namespace {

#include "extract/url/public_suffixes.inc"

/// Immutable.
class SuffixRules {
 public:
  static const SuffixRules& Get() {
    static const SuffixRules instance;
    return instance;
  }

  [[nodiscard]] bool IsPublicSuffix(std::string_view name) const {
    // Behind an empty label, or several.
    if (name.starts_with('.')) name.remove_prefix(1);
    if (name.starts_with('.')) return true;
    const std::size_t dot = name.find('.');
    if (dot == std::string_view::npos) return true;  // by the rule "*"
    if (const auto rule = rules_.find(name); rule != rules_.end()) {
      return (rule->second & kException) == 0;
    }
    const auto parent = rules_.find(name.substr(dot + 1));
    return parent != rules_.end() && (parent->second & kWildcard) != 0;
  }

 private:
  enum Kind : std::uint8_t { kPlain = 1, kWildcard = 2, kException = 4 };

  SuffixRules() {
    for (std::string_view line : kRules) {
      while (!line.empty()) {
        const std::size_t size = std::min(line.find(' '), line.size());
        Add(line.substr(0, size));
        line.remove_prefix(std::min(size + 1, line.size()));
      }
    }
  }

  void Add(std::string_view rule) {
    Kind kind = kPlain;
    if (rule.starts_with("*.")) {
      kind = kWildcard;
      rule.remove_prefix(2);
    } else if (rule.starts_with('!')) {
      kind = kException;
      rule.remove_prefix(1);
    }
    std::uint8_t& kinds = rules_[rule];
    kinds = static_cast<std::uint8_t>(kinds | kind);
  }

  std::unordered_map<std::string_view, std::uint8_t> rules_;
};

}  // namespace

std::string_view RegistrableDomain(std::string_view host) {
  if (host.starts_with('.')) return {};
  const SuffixRules& rules = SuffixRules::Get();
  std::string_view registrable;
  while (!rules.IsPublicSuffix(host)) {
    registrable = host;
    host.remove_prefix(host.find('.') + 1);
  }
  return registrable;
}

std::string_view PublicSuffixListSha1() { return kListSha1; }

}  // namespace crawlsieve::extract
