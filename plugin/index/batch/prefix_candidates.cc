#include "plugin/index/batch/prefix_candidates.h"

#include <algorithm>

namespace crawlsieve {
void CandidateList::MakeRoom(std::size_t more) {
  if (numbers_.size() - size_ >= more) return;
  std::size_t room = std::max<std::size_t>(2 * numbers_.size(), size_ + more);
  room = (room + kPerLine - 1) / kPerLine * kPerLine;
  lines_.resize(room / kPerLine);
  bits_.resize(room);
  numbers_.resize(room);
}

PrefixLevels::PrefixLevels(std::span<const Fingerprint> queries, const BatchBlock& leading)
    : depths_(PrefixDepths(leading.bits)), radius_(leading.radius) {
  all_.MakeRoom(queries.size());
  for (std::uint32_t number = 0; number < queries.size(); ++number) {
    const std::uint64_t bits = queries[number].bits;
    all_.Add(PrefixWord(bits, 0), bits, number);
  }
}

std::uint32_t PrefixLevels::WordOf(std::uint64_t bits, std::size_t level) const {
  return level + 1 == depths_.size() ? static_cast<std::uint32_t>(bits)
                                     : PrefixWord(bits, level + 1);
}

std::uint32_t PrefixLevels::PrefixWord(std::uint64_t bits, std::size_t level) const {
  const std::uint64_t mask = ~(~std::uint64_t{0} >> depths_[level]);
  return static_cast<std::uint32_t>((bits & mask) >> 32);
}

PrefixCandidates::PrefixCandidates(const PrefixLevels& levels)
    : levels_(levels),
      last_shift_(64 - levels.depth(levels.count() - 1)),
      lists_(levels.count()),
      window_(levels.radius()) {}

void PrefixCandidates::MoveTo(Fingerprint stored) {
  std::size_t level = 0;
  const auto prefix = [&] { return stored.bits >> (64 - levels_.depth(level)); };
  while (level < lists_.size() && lists_[level].prefix == prefix()) ++level;
  for (; level < lists_.size(); ++level) {
    lists_[level].prefix = prefix();
    Filter(level, stored.bits);
  }
}

void PrefixCandidates::Filter(std::size_t level, std::uint64_t bits) {
  const CandidateList& from = level == 0 ? levels_.all() : lists_[level - 1].list;
  CandidateList& to = lists_[level].list;
  to.Clear();
  const std::uint32_t prefix = levels_.PrefixWord(bits, level);
  const auto take = [&](const Line* line, std::size_t slot, std::uint32_t) {
    const std::size_t index = from.IndexOf(line, slot);
    if (index >= from.size()) return;
    const std::uint64_t query = from.bits(index);
    to.Add(levels_.WordOf(query, level), query, from.number(index));
  };
  const auto compare = [&] {
    to.MakeRoom(LineWindow::kLines * CandidateList::kPerLine);
    window_.Compare(take);
  };
  for (const Line& line : from.lines()) {
    window_.Add(&line, prefix, 0);
    if (window_.is_full()) compare();
  }
  compare();
}

}  // namespace crawlsieve
