#include "plugin/site/mirrors.h"

#include "plugin/fingerprint/checksum.h"
#include "plugin/schedule/byte_writer.h"
#include "plugin/site/url_parts.h"

#include <algorithm>
#include <utility>

namespace crawlsieve::site {
namespace {

constexpr std::uint32_t kMaxCount = 1U << 30;

std::uint64_t HashOf(std::string_view text) { return RawChecksum(text).low; }

std::string_view HostOf(std::string_view origin) { return PartsOf(origin).host; }

}  // namespace

std::string_view OriginOf(std::string_view url) {
  const std::string_view host = HostOf(url);
  if (host.empty()) return {};
  return {url.data(), static_cast<std::size_t>(host.data() + host.size() - url.data())};
}

std::string_view PathOf(std::string_view url) { return url.substr(OriginOf(url).size()); }

Share MirrorEvidence::coverage() const {
  if (pages == 0) return 0;
  return static_cast<Share>((std::min(same, pages) << 16) / pages);
}

bool MirrorEvidence::IsMirror(bool in_use) const {
  const Share least = in_use ? kMirrorUntil : kMirrorAt;
  return pairs.pairs() >= kMinMirrorPairs && lower_bound() >= least && coverage() >= least;
}

void Add(Likewise likewise, Mirror& mirror) {
  mirror.pairs.Add(likewise == Likewise::kSameBytes);
  mirror.misses = 0;
}

void AddMiss(Mirror& mirror) {
  if (mirror.misses < Mirror::kMaxMisses) ++mirror.misses;
}

MirrorEvidence EvidenceOf(const Mirror& own, const Mirror& other, std::uint64_t pages) {
  MirrorEvidence evidence;
  evidence.pairs = {own.pairs.same + other.pairs.same, own.pairs.different + other.pairs.different};
  evidence.same = std::uint64_t{own.same} + other.same;
  evidence.pages = pages;
  return evidence;
}

Mirror* Mirrors::Find(std::string_view origin) { return mirrors_.Find(HashOf(origin)); }

Mirror* Mirrors::FindOrAdd(std::string_view origin) {
  if (Mirror* const known = Find(origin)) return known;
  if (origin.size() > kMaxOriginBytes) return nullptr;
  Mirror added;
  added.origin = origin;
  const auto inherit = [](Mirror& mirror, const Mirror& weakest) {
    mirror.inherited = std::min(weakest.same + weakest.inherited, kMaxCount);
  };
  return &mirrors_.Add(HashOf(origin), std::move(added), kMaxMirrors, inherit);
}

Mirror Mirrors::SumOf(std::string_view host) const {
  Mirror sum;
  for (const auto& [hash, mirror] : mirrors_) {
    if (HostOf(mirror.origin) != host) continue;
    sum.pairs.same += mirror.pairs.same;
    sum.pairs.different += mirror.pairs.different;
    sum.same += mirror.same;
  }
  return sum;
}

std::string Mirrors::Encode() const {
  if (mirrors_.size() == 0) return {};
  schedule::ByteWriter out;
  out.Fixed(mirrors_.size(), 1);
  for (const auto& [hash, mirror] : mirrors_) {
    out.Text(mirror.origin);
    out.Varint(mirror.pairs.same);
    out.Varint(mirror.pairs.different);
    out.Varint(mirror.same);
    out.Varint(mirror.inherited);
    out.Fixed(mirror.misses << 1 | (mirror.in_use ? 1U : 0U), 1);
  }
  return std::move(out).Take();
}

bool Mirrors::Decode(std::string_view bytes) {
  mirrors_.Clear();
  if (bytes.empty()) return true;
  schedule::ByteReader in(bytes);
  const std::uint64_t count = in.Fixed(1);
  if (count == 0 || count > kMaxMirrors) return false;
  for (std::uint64_t i = 0; i < count; ++i) {
    Mirror mirror;
    mirror.origin = in.Text();
    const std::uint64_t same_bytes = in.Varint();
    const std::uint64_t others = in.Varint();
    const std::uint64_t same = in.Varint();
    const std::uint64_t inherited = in.Varint();
    const std::uint64_t last = in.Fixed(1);
    if (!in.ok() || mirror.origin.size() > kMaxOriginBytes || same_bytes > PairCounts::kLimit ||
        others > PairCounts::kLimit - same_bytes || same > kMaxCount || inherited > kMaxCount ||
        last >> 1 > Mirror::kMaxMisses) {
      return false;
    }
    mirror.pairs = {static_cast<std::uint32_t>(same_bytes), static_cast<std::uint32_t>(others)};
    mirror.same = static_cast<std::uint32_t>(same);
    mirror.inherited = static_cast<std::uint32_t>(inherited);
    mirror.misses = static_cast<std::uint32_t>(last >> 1);
    mirror.in_use = (last & 1) != 0;
    const std::uint64_t hash = HashOf(mirror.origin);
    if (!mirrors_.Append(hash, std::move(mirror))) return false;
  }
  return in.at_end();
}

}  // namespace crawlsieve::site
