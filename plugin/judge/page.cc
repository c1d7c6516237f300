#include "plugin/judge/page.h"

#include "plugin/fingerprint/checksum.h"
#include "plugin/fingerprint/scheme.h"
#include "plugin/fingerprint/sha256.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace crawlsieve {

Sketch SketchOf(const google::protobuf::RepeatedField<std::uint64_t>& words) {
  Sketch sketch;
  std::copy_n(words.begin(), std::min<std::size_t>(words.size(), Sketch::kWords),
              sketch.words.begin());
  return sketch;
}

PageTraits TraitsOf(const log::Page& page) {
  return {.content_checksum = page.content_checksum(),
          .is_text = page.outcome() == log::OUTCOME_TEXT,
          .features = page.features(),
          .simhash = Fingerprint{page.simhash()},
          .shingles = page.shingles(),
          .sketch = SketchOf(page.sketch()),
          .item = {page.canonical_url(), page.title()}};
}

bool HasContent(const log::Page& page) {
  return page.outcome() == log::OUTCOME_TEXT || page.outcome() == log::OUTCOME_NOT_HTML;
}

Timestamp FetchTime(const log::Page& page) {
  constexpr std::int64_t kYear10000 = 253'402'300'800'000;
  return Timestamp{
      std::chrono::milliseconds(std::clamp<std::int64_t>(page.fetch_time_ms(), 0, kYear10000))};
}

std::string_view HostOfUrl(std::string_view canonical_url) {
  if (!canonical_url.starts_with("http://") && !canonical_url.starts_with("https://")) return {};
  std::string_view host = canonical_url.substr(canonical_url.find("://") + 3);
  host = host.substr(0, host.find_first_of("/?#"));
  if (const std::size_t at = host.rfind('@'); at != std::string_view::npos) {
    host.remove_prefix(at + 1);
  }
  const std::size_t end = host.starts_with('[') ? host.find(']') + 1 : host.find(':');
  return host.substr(0, end);
}

std::uint64_t ScopeOf(const log::Page& page, Scope scope) {
  std::string_view name;
  switch (scope) {
    case Scope::kGlobal:
      return 0;
    case Scope::kCrawl:
      name = page.crawl_id();
      break;
    case Scope::kRegisteredDomain:
      name = page.host();
      if (page.registered_domain_bytes() > 0 && page.registered_domain_bytes() <= name.size()) {
        name.remove_prefix(name.size() - page.registered_domain_bytes());
      }
      break;
    case Scope::kHost:
      name = page.host();
      break;
  }
  // Host names are chosen by strangers: none may have the scope of another one.
  const std::string label = fmt::format("{} {}", static_cast<int>(scope), name);
  const Checksum checksum = VersionOfScheme(page.scheme()) == SchemeVersion::k1
                                ? RawChecksum(label)
                                : Sha256().Add(label).FinishChecksum();
  return checksum.low | 1;
}

}  // namespace crawlsieve
