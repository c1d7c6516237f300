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
  pages_ += std::move(out).Take();
  ++count_;
}

std::vector<Brought> LatestPages::AddTo(Site& site) const {
  std::vector<Brought> all;
  schedule::ByteReader in(pages_);
  for (std::size_t i = 0; i < count_; ++i) {
    PageObservation page;
    if (!Read(in, page)) break;
    if (const auto brought = site.AddPage(page)) all.push_back(*brought);
  }
  return all;
}

std::vector<Brought> LatestPages::MoveTo(Site& site) {
  std::vector<Brought> all = AddTo(site);
  count_ = 0;
  pages_.clear();
  return all;
}

bool LatestPages::IsFull(std::string_view encoded) {
  return encoded.size() > kFullBytes ||
         (!encoded.empty() && static_cast<unsigned char>(encoded.front()) >= kMaxPages);
}

std::string LatestPages::Encode() const {
  std::string bytes(1, static_cast<char>(count_));
  return bytes += pages_;
}

Result<LatestPages> LatestPages::Decode(std::string_view bytes) {
  const auto damaged = [] { return MakeError(ErrorCode::kCorruption, "latest pages of a site"); };
  if (bytes.empty() || bytes.size() > kMaxEncodedBytes) return damaged();
  LatestPages latest;
  latest.count_ = static_cast<unsigned char>(bytes.front());
  latest.pages_ = bytes.substr(1);
  if (latest.count_ > kMaxPages) return damaged();
  schedule::ByteReader in(latest.pages_);
  for (std::size_t i = 0; i < latest.count_; ++i) {
    PageObservation page;
    if (!Read(in, page)) return damaged();
  }
  if (!in.at_end()) return damaged();
  return latest;
}

}  // namespace crawlsieve::site
