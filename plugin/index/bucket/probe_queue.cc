#include "plugin/index/bucket/probe_queue.h"

#include "plugin/index/bucket/bucket_table.h"
#include "plugin/index/bucket/nest.h"

#include <algorithm>
#include <bit>

namespace crawlsieve {
namespace {

constexpr std::array<std::uint16_t, 16> kSlotMasks = [] {
  std::array<std::uint16_t, 16> masks{};
  for (std::uint32_t count = 0; count <= 12; ++count) {
    masks[count] = static_cast<std::uint16_t>((1u << count) - 1);
  }
  return masks;
}();

}  // namespace

void ProbeQueue::ProcessBatch(std::size_t most) {
  const std::size_t first = begin_ % kCapacity;
  const std::size_t count = std::min({most, end_ - begin_, kCapacity - first});
  std::array<std::uint16_t, kBatch> masks;
  kernel_(&lines_[first], &words_[first], &budgets_[first], count, masks.data());
  // Which lines have something, and which go on elsewhere, is as good as random: it is found out
  // without branches, and then those lines are gone through.
  std::array<std::uint8_t, kBatch> with_hits;
  std::array<std::uint8_t, kBatch> continued;
  std::size_t hits = 0;
  std::size_t continuations = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t keys = Count(*lines_[first + i]);
    masks[i] &= kSlotMasks[keys];
    work_.candidates += keys == kNested ? 0 : keys;
    with_hits[hits] = static_cast<std::uint8_t>(i);
    hits += masks[i] != 0 || keys == kNested ? 1 : 0;
    continued[continuations] = static_cast<std::uint8_t>(i);
    continuations += Next(*lines_[first + i]) != 0 ? 1 : 0;
  }
  for (std::size_t i = 0; i < hits; ++i) {
    const std::size_t at = first + with_hits[i];
    Count(*lines_[at]) == kNested ? CollectFromNest(at) : Collect(at, masks[with_hits[i]]);
  }
  begin_ += count;
  work_.lines += count;
  for (std::size_t i = 0; i < continuations; ++i) {
    const std::size_t at = first + continued[i];
    const Probe probe = probes_[at];
    const BucketTable& table = *probe.table;
    const Bucket bucket = table.cells_.BucketAt(table.LayoutOf(probe.old_layout), probe.address);
    // There is room: each line of the batch brings one more at most.
    Append(probe, table.cells_.OverflowLine(bucket, Next(*lines_[at])), words_[at], budgets_[at],
           true);
  }
}

void ProbeQueue::Collect(std::size_t at, unsigned mask) {
  const Probe& probe = probes_[at];
  const BucketTable& table = *probe.table;
  const Line& line = *lines_[at];
  const CellLayout& layout = table.LayoutOf(probe.old_layout);
  const std::uint64_t prefix = table.prefix_ | std::uint64_t{probe.address} << layout.stored_bits;
  for (; mask != 0; mask &= mask - 1) {
    const auto slot = static_cast<std::size_t>(std::countr_zero(mask));
    const std::uint64_t key = prefix | LoadKey(line, layout.format, slot);
    if (std::popcount(key ^ queries_[probe.query]) > max_distance_) continue;
    DocumentRef document;
    if (table.with_documents_) {
      document = table.cells_.DocumentAt(layout, &line, slot);
      document.Prefetch();
    }
    hits_.push_back({probe.query, key, document});
  }
}

void ProbeQueue::CollectFromNest(std::size_t at) {
  const Probe& probe = probes_[at];
  const BucketTable& table = *probe.table;
  const CellLayout& layout = table.LayoutOf(probe.old_layout);
  const std::uint64_t first_key = std::uint64_t{probe.address} << layout.stored_bits;
  const Nest& nest = table.NestOf(first_key);
  const std::uint64_t prefix = table.prefix_ | (first_key - nest.OwnPart(first_key));
  std::vector<std::uint64_t> found;
  nest.Collect(nest.OwnPart(queries_[probe.query]), static_cast<int>(budgets_[at]), found, work_);
  for (const std::uint64_t key : found) hits_.push_back({probe.query, prefix | key, {}});
}

}  // namespace crawlsieve
