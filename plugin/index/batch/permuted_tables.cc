#include "plugin/index/batch/permuted_tables.h"

#include <algorithm>
#include <numeric>

namespace crawlsieve {
namespace {

/// Blocks that agree, by k. More make fewer fingerprints neighbours, and more tables: 1, 3, 10, 20,
/// 35, 21, 28 and 36 of them.
constexpr int kAgreeing[] = {1, 2, 3, 3, 3, 2, 2, 2};

/// Steps to the next choice of `count` blocks, in order; false after the last one.
bool Next(std::vector<int>& blocks, int count) {
  int end = count;
  for (auto block = blocks.rbegin(); block != blocks.rend(); ++block, --end) {
    if (*block + 1 == end) continue;
    int next = *block + 1;
    for (auto behind = block.base() - 1; behind != blocks.end(); ++behind) *behind = next++;
    return true;
  }
  return false;
}

}  // namespace

PermutedTables::PermutedTables(int max_distance, std::uint32_t ranges)
    : max_distance_(max_distance), ranges_(std::max<std::uint32_t>(ranges, 1)) {
  const int agreeing = kAgreeing[max_distance];
  const int count = max_distance + agreeing;
  int end = 64;
  for (int i = 0; i < count; ++i) {
    const int bits = 64 / count + (i < 64 % count ? 1 : 0);
    const std::uint64_t ones = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    end -= bits;
    blocks_.push_back({end, bits, ones << end});
  }
  std::vector<int> chosen(static_cast<std::size_t>(agreeing));
  std::iota(chosen.begin(), chosen.end(), 0);
  do {
    Table& table = tables_.emplace_back();
    table.blocks = chosen;
    for (const int block : chosen) table.mask |= blocks_[static_cast<std::size_t>(block)].mask;
  } while (Next(chosen, count));
}

std::size_t PermutedTables::PartitionOf(std::size_t table, Fingerprint fingerprint) const {
  // The leading 32 bits of the blocks side by side, or all they have.
  std::uint64_t key = 0;
  int bits = 0;
  for (const int number : tables_[table].blocks) {
    const Block& block = blocks_[static_cast<std::size_t>(number)];
    std::uint64_t value = (fingerprint.bits & block.mask) >> block.shift;
    const int taken = std::min(block.bits, 32 - bits);
    value >>= block.bits - taken;
    key = key << taken | value;
    bits += taken;
    if (bits == 32) break;
  }
  return table * ranges_ + static_cast<std::size_t>(key * ranges_ >> bits);
}

bool PermutedTables::IsFirst(std::size_t table, std::uint64_t differences) const {
  if ((differences & tables_[table].mask) != 0) return false;
  // No block before the last one may agree but those of the table.
  const std::vector<int>& agreeing = tables_[table].blocks;
  for (int block = 0; block < agreeing.back(); ++block) {
    if (std::ranges::binary_search(agreeing, block)) continue;
    if ((differences & blocks_[static_cast<std::size_t>(block)].mask) == 0) return false;
  }
  return true;
}

}  // namespace crawlsieve
