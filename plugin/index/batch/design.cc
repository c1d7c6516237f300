#include "plugin/index/batch/design.h"

#include "plugin/index/base/line.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <utility>

namespace crawlsieve {
namespace {

constexpr int kFingerprintBits = 64;
constexpr int kMinBits = 4;
constexpr int kMaxBits = 32;  // the comparison of lines looks at the 32 others

/// How many values are within `radius` bits of one of `bits` bits.
double BallSize(int bits, int radius) {
  double size = 1;
  double at_distance = 1;
  for (int distance = 1; distance <= std::min(radius, bits); ++distance) {
    at_distance *= static_cast<double>(bits - distance + 1) / distance;
    size += at_distance;
  }
  return size;
}

constexpr double kPerLine = 16;

// What the steps take, in nanoseconds, measured on one core of a few years of age. They decide
// between designs that differ by far more than machines do.
constexpr double kCompareLine = 2.5;
constexpr double kKeepCandidate = 3;
constexpr double kReadNearBucket = 6;  ///< of a table that the last cache holds, or nearly
constexpr double kReadFarBucket = 18;  ///< somewhere in memory
constexpr double kNearBytes = 32 << 20;
constexpr double kEnterQuery = 80;    ///< into a bucket
constexpr double kMaxPerBucket = 10;  ///< on average, so that few need a second line

/// Queries within the radius of a value of so many bits, on average.
double PerValue(double queries, int bits, int radius) {
  return queries * BallSize(bits, radius) / std::exp2(bits);
}

/// Filtering lists level by level, and comparing each stored fingerprint with its list.
double LeadingCost(const BatchBlock& block, double queries, double stored) {
  double cost = 0;
  double before = queries;
  for (const int depth : PrefixDepths(block.bits)) {
    const double lists = std::min(std::exp2(depth), stored);
    const double kept = PerValue(queries, depth, block.radius);
    cost += lists * ((before / kPerLine + 1) * kCompareLine + kept * kKeepCandidate);
    before = kept;
  }
  return cost + stored * (before / kPerLine + 1) * kCompareLine;
}

double TableCost(const BatchBlock& block, double queries, double stored) {
  const double in_bucket = PerValue(queries, block.bits, block.radius);
  const double entered = queries * BallSize(block.bits, block.radius);
  const double bytes = entered / kMaxPerBucket * sizeof(Line);
  return entered * kEnterQuery + stored * ((bytes < kNearBytes ? kReadNearBucket : kReadFarBucket) +
                                           (in_bucket / kPerLine + 1) * kCompareLine);
}

/// The fewest bits of a table whose buckets are one line mostly.
int TableBits(double queries, int radius) {
  int bits = kMinBits;
  while (bits < kMaxBits && PerValue(queries, bits, radius) > kMaxPerBucket) ++bits;
  return bits;
}

/// With `tables` tables behind `leading_bits`, of which the first `wide` have a radius of 1.
BatchDesign MakeDesign(const BatchBlock& leading, int tables, int wide, double queries,
                       double stored) {
  BatchDesign design{.blocks = {leading}, .nanoseconds = LeadingCost(leading, queries, stored)};
  int first_bit = leading.bits;
  for (int table = 0; table < tables; ++table) {
    const int radius = table < wide ? 1 : 0;
    const int room = (kFingerprintBits - first_bit) / (tables - table);
    const int bits = std::min(TableBits(queries, radius), room);
    design.blocks.push_back({.first_bit = first_bit, .bits = bits, .radius = radius});
    design.nanoseconds += TableCost(design.blocks.back(), queries, stored);
    first_bit += bits;
  }
  return design;
}

}  // namespace

bool BatchBlock::Holds(std::uint64_t differences) const {
  return std::popcount(std::rotl(differences, first_bit) >> (kFingerprintBits - bits)) <= radius;
}

std::vector<int> PrefixDepths(int bits) {
  constexpr int kStep = 4;
  constexpr int kFirst = 8;  // at most: the list of all queries is filtered for each of its values
  std::vector<int> depths;
  for (int depth = bits; depth > 0; depth -= kStep) {
    depths.push_back(depth);
    if (depth <= kFirst) break;
  }
  std::ranges::reverse(depths);
  return depths;
}

BatchDesign ChooseBatchDesign(int max_distance, std::uint64_t queries, std::uint64_t stored) {
  assert(max_distance >= 0 && max_distance <= 7);
  const auto query_count = static_cast<double>(queries);
  const auto stored_count = static_cast<double>(stored);
  BatchDesign best;
  for (int radius = 0; radius <= max_distance; ++radius) {
    // What the tables have to add up to.
    const int rest = max_distance - radius;
    for (int wide = 0; 2 * wide <= rest; ++wide) {
      const int tables = rest - wide;
      for (int bits = kMinBits; bits <= std::min(kMaxBits, kFingerprintBits - tables * kMinBits);
           ++bits) {
        BatchDesign design = MakeDesign({.first_bit = 0, .bits = bits, .radius = radius}, tables,
                                        wide, query_count, stored_count);
        const bool better = best.blocks.empty() || design.nanoseconds < best.nanoseconds;
        if (better) best = std::move(design);
      }
    }
  }
  return best;
}

}  // namespace crawlsieve
