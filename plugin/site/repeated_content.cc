#include "plugin/site/repeated_content.h"

#include "plugin/fingerprint/checksum.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace crawlsieve::site {
namespace {

constexpr std::uint32_t kMaxUrls = 1U << 30;

}  // namespace

void RepeatedContent::Add(std::uint32_t content, std::string_view path_pattern, bool is_home) {
  Content* place = contents_.Find(content);
  if (place == nullptr) {
    Content added;
    if (const Content* const weakest = contents_.Weakest(kMaxContents)) {
      added.inherited = weakest->urls + weakest->inherited;
    }
    place = &contents_.Add(content, std::move(added), kMaxContents);
  }
  Content& known = *place;
  if (known.urls + known.inherited < kMaxUrls) ++known.urls;
  known.is_home = known.is_home || is_home;
  const auto hash = static_cast<std::uint32_t>(RawChecksum(path_pattern).low);
  const auto at = std::lower_bound(known.paths.begin(), known.paths.end(), hash);
  if (known.paths.size() < kMinPaths && (at == known.paths.end() || *at != hash)) {
    known.paths.insert(at, hash);
  }
}

bool RepeatedContent::IsSoftError(std::uint32_t content) const {
  const Content* const known = contents_.Find(content);
  return known != nullptr && known->urls >= kMinUrls && known->paths.size() >= kMinPaths &&
         !known->is_home;
}

std::vector<std::uint32_t> RepeatedContent::UrlsOfSoftErrors() const {
  std::vector<std::uint32_t> urls;
  for (const auto& [content, known] : contents_) {
    if (IsSoftError(content)) urls.push_back(known.urls);
  }
  std::sort(urls.begin(), urls.end(), std::greater<>());
  return urls;
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
  contents_.Clear();
  const std::uint64_t count = in.Varint();
  if (count > kMaxContents) return false;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto content = static_cast<std::uint32_t>(in.Fixed(4));
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
    if (!contents_.Append(content, std::move(known))) return false;
  }
  return in.ok();
}

}  // namespace crawlsieve::site
