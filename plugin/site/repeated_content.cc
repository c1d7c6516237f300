#include "plugin/site/repeated_content.h"

#include "plugin/fingerprint/checksum.h"

#include <algorithm>
#include <utility>

namespace crawlsieve::site {
namespace {

constexpr std::uint32_t kMaxUrls = 1U << 30;

}  // namespace

void RepeatedContent::Add(std::uint32_t content, std::string_view path_pattern, bool is_home) {
  auto place = contents_.find(content);
  if (place == contents_.end()) {
    Content added;
    if (contents_.size() >= kMaxContents) {
      // The home page's stays: it must never be taken for a soft error.
      const auto rank = [](const auto& entry) {
        const Content& of = entry.second;
        return std::tuple(of.is_home, of.urls + of.inherited, entry.first);
      };
      const auto weakest =
          std::min_element(contents_.begin(), contents_.end(),
                           [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
      added.inherited = weakest->second.urls + weakest->second.inherited;
      contents_.erase(weakest);
    }
    place = contents_.emplace(content, std::move(added)).first;
  }
  Content& known = place->second;
  if (known.urls + known.inherited < kMaxUrls) ++known.urls;
  known.is_home = known.is_home || is_home;
  const auto hash = static_cast<std::uint32_t>(RawChecksum(path_pattern).low);
  const auto at = std::lower_bound(known.paths.begin(), known.paths.end(), hash);
  if (known.paths.size() < kMinPaths && (at == known.paths.end() || *at != hash)) {
    known.paths.insert(at, hash);
  }
}

bool RepeatedContent::IsSoftError(std::uint32_t content) const {
  const auto place = contents_.find(content);
  return place != contents_.end() && place->second.urls >= kMinUrls &&
         place->second.paths.size() >= kMinPaths && !place->second.is_home;
}

void RepeatedContent::Encode(schedule::ByteWriter& out) const {
  out.Varint(contents_.size());
  for (const auto& [content, known] : contents_) {
    out.Fixed(content, 4);
    out.Varint(known.urls);
    out.Varint(known.inherited);
    out.Fixed(known.is_home ? 1 : 0, 1);
    out.Varint(known.paths.size());
    for (const std::uint32_t path : known.paths) out.Fixed(path, 4);
  }
}

bool RepeatedContent::Decode(schedule::ByteReader& in) {
  contents_.clear();
  const std::uint64_t count = in.Varint();
  if (count > kMaxContents) return false;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto content = static_cast<std::uint32_t>(in.Fixed(4));
    if (!contents_.empty() && content <= contents_.rbegin()->first) return false;
    Content known;
    const std::uint64_t urls = in.Varint();
    const std::uint64_t inherited = in.Varint();
    const std::uint64_t is_home = in.Fixed(1);
    const std::uint64_t paths = in.Varint();
    if (!in.ok() || urls > kMaxUrls || inherited > kMaxUrls || is_home > 1 || paths > kMinPaths) {
      return false;
    }
    known.urls = static_cast<std::uint32_t>(urls);
    known.inherited = static_cast<std::uint32_t>(inherited);
    known.is_home = is_home == 1;
    for (std::uint64_t j = 0; j < paths; ++j) {
      const auto path = static_cast<std::uint32_t>(in.Fixed(4));
      if (!known.paths.empty() && path <= known.paths.back()) return false;
      known.paths.push_back(path);
    }
    contents_.emplace(content, std::move(known));
  }
  return in.ok();
}

}  // namespace crawlsieve::site
