#include "plugin/index/design.h"

#include "plugin/index/base/line.h"
#include "plugin/index/base/radius.h"
#include "plugin/index/bucket/document_ref.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace crawlsieve {
namespace {

constexpr int kFingerprintBits = 64;
// What BucketTable makes of its memory: of the lines of a table so many are in use, not counting
// what lies between old and new cells while they move, some 5 % of it,
constexpr double kFill = 31.0 / 32;
constexpr double kMoving = 1.05;
// and buckets are split, or get a longer run, when they have so many beyond their run.
constexpr double kMostOverflow = 18.0 / 16;
constexpr double kMostOverflowUnsplit = 24.0 / 16;
constexpr int kMaxRun = 32;

double Choose(int n, int k) {
  double result = 1;
  for (int i = 0; i < k; ++i) result = result * (n - i) / (i + 1);
  return result;
}

/// Mean number of overflow lines of a bucket whose number of keys has the Poisson distribution.
double MeanOverflow(double mean_keys, double slots, double run) {
  // Of long buckets the last line is half full.
  if (mean_keys > 300) return std::max(0.0, mean_keys / slots - run + 0.5);
  double lines = 0;
  double probability = std::exp(-mean_keys);
  const double most = mean_keys + 12 * std::sqrt(mean_keys) + 12;
  for (double keys = 0; keys < most; keys += 1) {
    lines += probability * std::max(0.0, std::ceil(keys / slots) - run);
    probability *= mean_keys / (keys + 1);
  }
  return lines;
}

/// Cuts `bits` into `blocks` widths, the wider ones first.
void AppendWidths(int bits, int blocks, std::vector<int>& widths) {
  for (int i = 0; i < blocks; ++i) widths.push_back(bits / blocks + (i < bits % blocks ? 1 : 0));
}

IndexDesign Evaluate(int max_distance, std::uint64_t entries, bool keep_documents,
                     std::vector<int> widths) {
  IndexDesign design;
  const int blocks = static_cast<int>(widths.size());
  for (int i = 0; i < blocks; ++i) {
    const TableCost cost = CostOfTable(widths[static_cast<std::size_t>(i)], entries);
    const int radius = BlockRadius(max_distance, blocks, i);
    for (int flips = 0; flips <= radius; ++flips) {
      design.reads_per_lookup += Choose(cost.address_bits, flips) * cost.reads_per_bucket;
    }
    // The first table may have document numbers, of four bytes while the log has less than 2^32
    // entries.
    const bool wide = entries >> 8 * DocumentRef::kNarrow != 0;
    const auto slots = static_cast<int>(SlotCount(FormatFor(kFingerprintBits - cost.address_bits)));
    const int documents =
        i == 0 && keep_documents ? slots * (wide ? DocumentRef::kWide : DocumentRef::kNarrow) : 0;
    design.bytes_per_entry += (kLineBytes + documents) * cost.lines_per_bucket * kMoving / kFill /
                              cost.entries_per_bucket;
  }
  design.block_bits = std::move(widths);
  return design;
}

/// Cuts the bits of `mask` into `parts` runs, the longer ones first.
std::vector<std::uint64_t> Cut(std::uint64_t mask, int parts) {
  const int bits = std::popcount(mask);
  std::vector<std::uint64_t> runs;
  for (int i = 0; i < parts; ++i) {
    std::uint64_t run = 0;
    for (int count = bits / parts + (i < bits % parts ? 1 : 0); count > 0; --count) {
      const std::uint64_t highest = std::bit_floor(mask);
      run |= highest;
      mask ^= highest;
    }
    runs.push_back(run);
  }
  return runs;
}

void AddTables(std::uint64_t in_front, std::uint64_t rest, int max_distance,
               std::span<const int> splits, std::vector<std::uint64_t>& tables) {
  if (splits.empty()) {
    tables.push_back(in_front);
    return;
  }
  const std::vector<std::uint64_t> blocks = Cut(rest, splits.front());
  for (std::uint64_t choice = 0; choice < std::uint64_t{1} << blocks.size(); ++choice) {
    if (std::popcount(choice) + max_distance != splits.front()) continue;
    std::uint64_t chosen = 0;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      if ((choice >> i & 1) != 0) chosen |= blocks[i];
    }
    AddTables(in_front | chosen, rest & ~chosen, max_distance, splits.subspan(1), tables);
  }
}

}  // namespace

TableCost CostOfTable(int block_bits, std::uint64_t entries) {
  TableCost cost;
  const auto keys = static_cast<double>(entries);
  const int max_bits = std::min(block_bits, 32);
  cost.address_bits = kMinBlockBits;
  double overflow = 0;
  // `most` is what cells have room for; a 32nd of their lines are idle.
  const auto is_full = [&](double most) {
    const auto slots =
        static_cast<double>(SlotCount(FormatFor(kFingerprintBits - cost.address_bits)));
    cost.entries_per_bucket = keys / std::exp2(cost.address_bits);
    overflow = MeanOverflow(cost.entries_per_bucket, slots, cost.lines_per_run);
    return cost.lines_per_run + overflow > kFill * (cost.lines_per_run + most);
  };
  while (is_full(kMostOverflow) && cost.address_bits < max_bits) ++cost.address_bits;
  if (cost.address_bits == max_bits) {
    while (is_full(kMostOverflowUnsplit) && cost.lines_per_run < kMaxRun) ++cost.lines_per_run;
  }
  cost.lines_per_bucket = cost.lines_per_run + overflow;
  // Beyond eight lines it is no longer the waiting that takes the time, but the comparing.
  cost.reads_per_bucket = 1 + (cost.lines_per_run - 1) / 4.0 + overflow / 2 +
                          std::max(0.0, cost.lines_per_bucket - 8) * 3 / 4;
  return cost;
}

IndexDesign ChooseDesign(int max_distance, std::uint64_t expected_entries,
                         double max_bytes_per_entry, bool keep_documents) {
  const std::uint64_t entries = std::max<std::uint64_t>(expected_entries, 1);
  IndexDesign best;
  const auto consider = [&](std::vector<int> widths) {
    if (std::ranges::min(widths) < kMinBlockBits) return;
    IndexDesign design = Evaluate(max_distance, entries, keep_documents, std::move(widths));
    const bool fits = design.bytes_per_entry <= max_bytes_per_entry;
    const bool best_fits = best.bytes_per_entry <= max_bytes_per_entry;
    const bool better = fits && best_fits ? design.reads_per_lookup < best.reads_per_lookup
                                          : design.bytes_per_entry < best.bytes_per_entry;
    if (best.block_bits.empty() || better) best = std::move(design);
  };
  for (int blocks = 1; blocks <= max_distance + 1; ++blocks) {
    if (BlockRadius(max_distance, blocks, 0) > kMaxRadius) continue;
    std::vector<int> equal;
    AppendWidths(kFingerprintBits, blocks, equal);
    consider(std::move(equal));
    // The first blocks may have a larger radius. Wider ones have shorter buckets, which pays as
    // they are probed most.
    const int wide = (max_distance + 1) % blocks;
    for (int bits = kFingerprintBits / blocks + 1; wide * bits < kFingerprintBits; ++bits) {
      if (wide == 0) break;
      std::vector<int> widths;
      AppendWidths(wide * bits, wide, widths);
      AppendWidths(kFingerprintBits - wide * bits, blocks - wide, widths);
      consider(std::move(widths));
    }
  }
  return best;
}

std::vector<std::uint64_t> LeadingBitsOfTables(int fingerprint_bits, int max_distance,
                                               std::span<const int> splits) {
  std::vector<std::uint64_t> tables;
  const std::uint64_t all = ~std::uint64_t{0} >> (64 - fingerprint_bits);
  AddTables(0, all, max_distance, splits, tables);
  return tables;
}

std::uint64_t OptimalPermutedTables(double fingerprint_bits, int max_distance, double log2_entries,
                                    double min_prefix_bits) {
  // d - tau, which falls by the bits put in front until it is zero.
  constexpr double kRounding = 1e-9;
  if (min_prefix_bits <= kRounding) return 1;
  std::uint64_t best = std::numeric_limits<std::uint64_t>::max();
  for (int blocks = max_distance + 1; blocks <= fingerprint_bits; ++blocks) {
    const double in_front = (blocks - max_distance) * fingerprint_bits / blocks;
    const double tables = Choose(blocks, max_distance);
    if (tables >= static_cast<double>(best)) break;  // it only grows with the number of blocks
    const std::uint64_t below =
        OptimalPermutedTables(fingerprint_bits - in_front, max_distance, log2_entries - in_front,
                              min_prefix_bits - in_front);
    if (below != std::numeric_limits<std::uint64_t>::max() &&
        tables * static_cast<double>(below) < static_cast<double>(best)) {
      best = static_cast<std::uint64_t>(tables) * below;
    }
  }
  return best;
}

}  // namespace crawlsieve
