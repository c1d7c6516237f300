#include "plugin/site/latest_pages.h"

#include <algorithm>
#include <utility>

namespace crawlsieve::site {
namespace {

// Of a page's first byte; the answer is in the bits above.
constexpr std::uint64_t kFirstFetch = 1;
constexpr std::uint64_t kWholeNovelty = 2;
constexpr std::uint64_t kStandsFor = 4;
constexpr std::uint64_t kShort = 8;
constexpr std::uint64_t kKnownWords = 16;
constexpr unsigned kAnswerShift = 5;

static_assert(LatestPages::kMaxEncodedBytes + Site::kMaxEncodedBytes < 64 * 1024);

/// False: not what LatestPages writes. Views are into the bytes.
bool Read(schedule::ByteReader& in, PageObservation& page) {
  const std::uint64_t flags = in.Fixed(1);
  page.first_fetch = (flags & kFirstFetch) != 0;
  page.is_short = (flags & kShort) != 0;
  page.has_known_words = (flags & kKnownWords) != 0;
  page.answer = static_cast<Answer>(flags >> kAnswerShift);
  page.time = in.Varint();
  const std::uint64_t novelty = (flags & kWholeNovelty) != 0 ? kWhole : in.Varint();
  page.novelty = static_cast<Share>(novelty);
  page.content = in.Fixed(8);
  page.simhash = in.Fixed(8);
  page.url = in.Text();
  if ((flags & kStandsFor) != 0) page.stands_for = in.Text();
  return in.ok() && flags >> kAnswerShift < kAnswers && novelty <= kWhole &&
         page.url.size() <= kMaxUrlBytes && page.stands_for.size() <= kMaxUrlBytes;
}

}  // namespace

void LatestPages::Add(const PageObservation& page) {
  const Share novelty = std::min(page.novelty, kWhole);
  schedule::ByteWriter out;
  out.Fixed((page.first_fetch ? kFirstFetch : 0) | (novelty == kWhole ? kWholeNovelty : 0) |
                (page.stands_for.empty() ? 0 : kStandsFor) | (page.is_short ? kShort : 0) |
                (page.has_known_words ? kKnownWords : 0) |
                static_cast<std::uint64_t>(page.answer) << kAnswerShift,
            1);
  out.Varint(page.time);
  if (novelty != kWhole) out.Varint(novelty);
  out.Fixed(page.content, 8);
  out.Fixed(page.simhash, 8);
  out.Text(page.url.substr(0, kMaxUrlBytes));
  if (!page.stands_for.empty()) out.Text(page.stands_for.substr(0, kMaxUrlBytes));
  if (bytes_.empty()) bytes_.push_back(0);
  bytes_ += std::move(out).Take();
  bytes_.front() = static_cast<char>(CountOf(bytes_) + 1);
}

Result<std::vector<Brought>> LatestPages::AddTo(Site& site) const {
  const auto damaged = [] { return MakeError(ErrorCode::kCorruption, "latest pages of a site"); };
  std::vector<Brought> all;
  if (bytes_.empty()) return all;
  if (bytes_.size() > kMaxEncodedBytes || CountOf(bytes_) > kMaxPages) return damaged();
  schedule::ByteReader in(bytes_);
  const std::uint64_t count = in.Fixed(1);
  all.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    PageObservation page;
    if (!Read(in, page)) return damaged();
    if (const auto brought = site.AddPage(page)) all.push_back(*brought);
  }
  if (!in.at_end()) return damaged();
  return all;
}

bool LatestPages::IsFull(std::string_view encoded) {
  return encoded.size() > kFullBytes || (!encoded.empty() && CountOf(encoded) >= kMaxPages);
}

LatestPages LatestPages::Decode(std::string bytes) {
  LatestPages latest;
  latest.bytes_ = std::move(bytes);
  return latest;
}

}  // namespace crawlsieve::site
