#include "evaluation/crawl/steps.h"

namespace crawlsieve::consumer {

std::int64_t Steps::BeginOf(std::int64_t place) const {
  std::int64_t rest = place % width_;
  if (rest < 0) rest += width_;
  return place - rest;
}

void Steps::Add(std::int64_t place, bool is_kept) {
  Count& count = counts_[BeginOf(place)];
  ++(is_kept ? count.kept : count.dropped);
  while (counts_.size() > kMost) Widen();
}

void Steps::Widen() {
  width_ = next_ < widths_.size() ? widths_[next_] : 2 * width_;
  ++next_;
  std::map<std::int64_t, Count> wider;
  for (const auto& [begin, count] : counts_) {
    Count& sum = wider[BeginOf(begin)];
    sum.kept += count.kept;
    sum.dropped += count.dropped;
  }
  counts_ = std::move(wider);
}

StepRange MainRange(const Steps& steps) {
  constexpr std::uint64_t kLeftOut = 200;
  StepRange range;
  if (steps.counts().empty()) return range;
  std::uint64_t pages = 0;
  for (const auto& [begin, count] : steps.counts()) pages += count.pages();
  const std::uint64_t most = pages / kLeftOut;
  auto first = steps.counts().begin();
  while (range.before + first->second.pages() <= most) {
    range.before += first->second.pages();
    ++first;
  }
  auto last = steps.counts().rbegin();
  while (range.after + last->second.pages() <= most) {
    range.after += last->second.pages();
    ++last;
  }
  range.begin = first->first;
  range.end = last->first + steps.width();
  return range;
}

}  // namespace crawlsieve::consumer
