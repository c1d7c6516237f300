#include "plugin/judge/mark.h"

#include <algorithm>

namespace crawlsieve {
namespace {

/// Samples of what was folded that a mark keeps; half of them are thinned out when there are more.
constexpr int kMaxSamples = 8;

/// Whether the record at a known offset is another one than was folded there. Time 0 is unknown.
bool Differs(std::int64_t known_ms, std::int64_t timestamp_ms) {
  return known_ms != 0 && timestamp_ms != 0 && known_ms != timestamp_ms;
}

bool IsOfOtherTopic(const state::Mark& mark, const log::Source& source) {
  if (source.offset() == mark.offset()) return Differs(mark.timestamp_ms(), source.timestamp_ms());
  const auto found =
      std::lower_bound(mark.sample_offset().begin(), mark.sample_offset().end(), source.offset());
  if (found == mark.sample_offset().end() || *found != source.offset()) return false;
  const auto index = static_cast<int>(found - mark.sample_offset().begin());
  return index < mark.sample_timestamp_ms_size() &&
         Differs(mark.sample_timestamp_ms(index), source.timestamp_ms());
}

/// Remembers the record if it is far enough behind the sample before it.
void Sample(const log::Source& source, state::Mark& mark) {
  auto& offsets = *mark.mutable_sample_offset();
  auto& times = *mark.mutable_sample_timestamp_ms();
  const std::int64_t stride = std::max<std::int64_t>(1, mark.sample_stride());
  if (!offsets.empty() && source.offset() - *offsets.rbegin() < stride) return;
  offsets.Add(source.offset());
  times.Add(source.timestamp_ms());
  if (offsets.size() <= kMaxSamples) return;
  // The first one stays: it is the first that a recreated topic delivers.
  const int half = (offsets.size() + 1) / 2;
  for (int i = 0; i < half; ++i) {
    offsets.Set(i, offsets.Get(2 * i));
    times.Set(i, times.Get(2 * i));
  }
  offsets.Truncate(half);
  times.Truncate(half);
  mark.set_sample_stride(stride * 2);
}

/// Takes the offsets behind `previous` up to `offset` out of the gap that `offset` lies in. False:
/// it lies in none.
bool FillGap(std::int64_t previous, std::int64_t offset, state::Mark& mark) {
  auto& gaps = *mark.mutable_gap();
  for (int i = 0; i < gaps.size(); ++i) {
    const std::int64_t from = gaps.Get(i).from();
    const std::int64_t to = gaps.Get(i).to();
    if (offset < from || offset > to) continue;
    const bool has_left = previous >= from && previous < offset;
    const bool has_right = offset < to;
    if (!has_left && !has_right) {
      gaps.DeleteSubrange(i, 1);
      return true;
    }
    if (has_left) gaps.Mutable(i)->set_to(previous);
    if (!has_right) return true;
    state::Mark::Gap* const right = has_left ? gaps.Add() : gaps.Mutable(i);
    right->set_from(offset + 1);
    right->set_to(to);
    for (int at = gaps.size() - 1; has_left && at > i + 1; --at) gaps.SwapElements(at, at - 1);
    return true;
  }
  return false;
}

/// Where more gaps are open than a mark remembers, the oldest is forgotten.
std::optional<OffsetRange> GiveUpOldestGap(state::Mark& mark) {
  if (static_cast<std::size_t>(mark.gap_size()) <= kMaxGaps) return std::nullopt;
  const OffsetRange oldest{mark.gap(0).from(), mark.gap(0).to()};
  mark.mutable_gap()->DeleteSubrange(0, 1);
  return oldest;
}

void OpenGap(std::int64_t from, std::int64_t to, MarkStep& step) {
  step.opened = OffsetRange{from, to};
  state::Mark::Gap& gap = *step.mark.add_gap();
  gap.set_from(from);
  gap.set_to(to);
  step.given_up = GiveUpOldestGap(step.mark);
}

/// What the group was done with and the log has no entry for is a gap, up to and with the offset
/// itself. A position never fills one.
MarkStep AdvanceToPosition(const state::Mark* before, const log::Source& source) {
  MarkStep step;
  step.refused = FoldOutcome::kPosition;
  const bool is_known = before != nullptr && source.generation() <= before->generation();
  if (is_known) {
    step.mark = *before;
    if (source.generation() < before->generation()) {
      step.refused = FoldOutcome::kStaleGeneration;
      return step;
    }
    if (source.offset() <= before->offset()) return step;
  }
  const std::int64_t last = is_known ? before->offset() : -1;
  step.mark.set_generation(source.generation());
  step.mark.set_offset(source.offset());
  step.mark.set_timestamp_ms(source.timestamp_ms());
  OpenGap(last + 1, source.offset(), step);
  return step;
}

}  // namespace

MarkStep AdvanceMark(const state::Mark* before, const log::Source& source,
                     std::uint32_t fold_version) {
  if (fold_version >= kFoldVersionOfPositions && source.is_position()) {
    return AdvanceToPosition(before, source);
  }
  MarkStep step;
  const bool remembers = fold_version >= kFoldVersionOfGaps;
  const bool is_known = before != nullptr && source.generation() <= before->generation();
  if (is_known) {
    step.mark = *before;
    if (source.generation() < before->generation()) {
      step.refused = FoldOutcome::kStaleGeneration;
      return step;
    }
    if (source.offset() <= before->offset()) {
      if (remembers && FillGap(source.previous_offset(), source.offset(), step.mark)) {
        step.fills_gap = true;
        step.given_up = GiveUpOldestGap(step.mark);
        return step;
      }
      step.refused = remembers && IsOfOtherTopic(*before, source) ? FoldOutcome::kOtherTopic
                                                                  : FoldOutcome::kRedelivered;
      return step;
    }
    if (!remembers && source.previous_offset() > before->offset()) {
      step.refused = FoldOutcome::kRanAhead;
      return step;
    }
  }
  const std::int64_t last = is_known ? before->offset() : -1;
  step.mark.set_generation(source.generation());
  step.mark.set_offset(source.offset());
  if (!remembers) return step;
  step.mark.set_timestamp_ms(source.timestamp_ms());
  Sample(source, step.mark);
  // What lies before a partition's first entry is missed only if the group was done with it.
  const bool is_missed = is_known || !source.begins_unclaimed();
  const std::int64_t previous = std::min(source.previous_offset(), source.offset() - 1);
  if (previous > last && is_missed) {
    OpenGap(last + 1, previous, step);
  }
  return step;
}

}  // namespace crawlsieve
