#include "plugin/site/latest_pages.h"

#include "plugin/schedule/byte_writer.h"

#include <algorithm>
#include <array>
#include <utility>

namespace crawlsieve::site {
namespace {

// Of a page's first byte; the answer is in the two bits above kKnownWords.
constexpr std::uint64_t kFirstFetch = 1;
constexpr std::uint64_t kWholeNovelty = 2;
constexpr std::uint64_t kStandsFor = 4;
constexpr std::uint64_t kShort = 8;
constexpr std::uint64_t kKnownWords = 16;
constexpr unsigned kAnswerShift = 5;
constexpr std::uint64_t kAnswerBits = 3;
constexpr std::uint64_t kTitled = 128;  // the byte of the title follows

// Of the byte of the title.
constexpr std::uint64_t kOutsideForms = 128;
static_assert(kTitles <= kOutsideForms);

/// What a URL begins with, before the name of the host; none: it is written as it is.
constexpr std::array<std::string_view, 3> kBeginnings{"", "http://", "https://"};

/// Added to the beginning of what the page stands for: PageObservation::is_alias.
constexpr std::uint64_t kAlias = kBeginnings.size();

void Write(std::string_view url, std::string_view host, bool is_alias, schedule::ByteWriter& out) {
  std::size_t beginning = kBeginnings.size() - 1;
  for (; beginning > 0; --beginning) {
    const std::string_view scheme = kBeginnings[beginning];
    if (url.starts_with(scheme) && url.substr(scheme.size()).starts_with(host)) {
      url.remove_prefix(scheme.size() + host.size());
      break;
    }
  }
  out.Fixed(beginning + (is_alias ? kAlias : 0), 1);
  out.Text(url);
}

/// False: not what Write writes.
bool Read(schedule::ByteReader& in, std::string_view host, std::string& url, bool& is_alias) {
  std::uint64_t beginning = in.Fixed(1);
  is_alias = beginning >= kAlias;
  if (is_alias) beginning -= kAlias;
  const std::string_view rest = in.Text();
  if (!in.ok() || beginning >= kBeginnings.size()) return false;
  if (beginning == 0) host = {};
  url.reserve(kBeginnings[beginning].size() + host.size() + rest.size());
  url.append(kBeginnings[beginning]).append(host).append(rest);
  return url.size() <= kMaxUrlBytes;
}

}  // namespace

std::size_t LatestPages::MaxParts(LatestLayout layout, std::size_t host_bytes) {
  constexpr std::size_t kOfKeyBesides = 5;
  const LatestLimits limits = LimitsOf(layout);
  return std::min(limits.pages, limits.key_bytes / (host_bytes + kOfKeyBesides));
}

std::size_t LatestPages::PartBytes(LatestLayout layout, std::size_t host_bytes) {
  constexpr std::size_t kNever = ~std::size_t{0};
  switch (layout) {
    case LatestLayout::kInHost:
      break;
    case LatestLayout::kParts:
      return std::max<std::size_t>(128, 2 * host_bytes);
    case LatestLayout::kPages:
    case LatestLayout::kMorePages: {
      const LatestLimits limits = LimitsOf(layout);
      const std::size_t parts = MaxParts(layout, host_bytes);
      if (parts == limits.pages) return 1;
      if (parts >= 2) return limits.bytes / (parts - 1);
      break;
    }
  }
  return kNever;
}

bool LatestPages::HaveRoomFor(std::size_t page_bytes, LatestLayout layout) const {
  const LatestLimits limits = LimitsOf(layout);
  if (pages >= limits.pages) return false;
  if (!limits.is_strict) return bytes <= limits.bytes;
  return bytes + page_bytes <= limits.bytes;
}

std::size_t ExpectedPageBytes(std::string_view host, std::string_view url,
                              std::string_view target) {
  constexpr std::size_t kBesideUrls = 20;
  constexpr std::size_t kSchemeBytes = 8;
  std::size_t bytes = kBesideUrls;
  for (const std::string_view each : {url, target}) {
    bytes += each.size() - std::min(each.size(), kSchemeBytes + host.size());
  }
  return std::min(bytes, kMaxPageBytes);
}

std::string EncodePage(std::string_view host, const PageObservation& page) {
  const Share novelty = std::min(page.novelty, kWhole);
  const std::string_view url = page.url.substr(0, kMaxUrlBytes);
  const std::string_view target = page.stands_for.substr(0, kMaxUrlBytes - url.size());
  const std::uint64_t title = page.title | (page.simhash_outside_forms != 0 ? kOutsideForms : 0);
  schedule::ByteWriter out;
  out.Fixed((page.first_fetch ? kFirstFetch : 0) | (novelty == kWhole ? kWholeNovelty : 0) |
                (target.empty() ? 0 : kStandsFor) | (page.is_short ? kShort : 0) |
                (page.has_known_words ? kKnownWords : 0) | (title != 0 ? kTitled : 0) |
                static_cast<std::uint64_t>(page.answer) << kAnswerShift,
            1);
  // A Site looks at no more of a time.
  out.Varint(page.time / kHalfLifeSeconds);
  if (novelty != kWhole) out.Varint(novelty);
  out.Fixed(page.content, 4);
  out.Fixed(page.simhash, 8);
  if (title != 0) out.Fixed(title, 1);
  if (page.simhash_outside_forms != 0) out.Fixed(page.simhash_outside_forms, 8);
  Write(url, host, false, out);
  if (!target.empty()) Write(target, host, page.is_alias, out);
  return std::move(out).Take();
}

namespace {

/// False: not what EncodePage writes.
bool AddPage(schedule::ByteReader& in, std::string_view host, Site& site,
             std::vector<Brought>& brought) {
  const std::uint64_t flags = in.Fixed(1);
  PageObservation page;
  page.first_fetch = (flags & kFirstFetch) != 0;
  page.is_short = (flags & kShort) != 0;
  page.has_known_words = (flags & kKnownWords) != 0;
  const std::uint64_t answer = flags >> kAnswerShift & kAnswerBits;
  page.answer = static_cast<Answer>(answer);
  const std::uint64_t half_lives = in.Varint();
  page.time = half_lives * kHalfLifeSeconds;
  const std::uint64_t novelty = (flags & kWholeNovelty) != 0 ? kWhole : in.Varint();
  page.novelty = static_cast<Share>(novelty);
  page.content = static_cast<ContentMark>(in.Fixed(4));
  page.simhash = in.Fixed(8);
  const std::uint64_t title = (flags & kTitled) != 0 ? in.Fixed(1) : 0;
  page.title = static_cast<std::uint32_t>(title % kOutsideForms);
  if (title >= kOutsideForms) page.simhash_outside_forms = in.Fixed(8);
  std::string url;
  std::string target;
  bool is_own_alias = false;
  if (!Read(in, host, url, is_own_alias) || is_own_alias ||
      ((flags & kStandsFor) != 0 && !Read(in, host, target, page.is_alias)) || answer >= kAnswers ||
      novelty > kWhole || page.title >= kTitles ||
      half_lives > ~std::uint64_t{0} / kHalfLifeSeconds) {
    return false;
  }
  page.url = url;
  page.stands_for = target;
  if (const auto taken = site.AddPage(page)) brought.push_back(*taken);
  return true;
}

}  // namespace

Status AddPages(std::string_view host, std::string_view bytes, Site& site,
                std::vector<Brought>& brought) {
  schedule::ByteReader in(bytes);
  while (!in.at_end()) {
    if (!AddPage(in, host, site, brought)) {
      return MakeError(ErrorCode::kCorruption, "a latest page of a site");
    }
  }
  return {};
}

}  // namespace crawlsieve::site
