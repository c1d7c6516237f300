#include "plugin/index/base/radius.h"
#include "plugin/index/snapshot/file.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <memory>
#include <tuple>

namespace crawlsieve {
namespace {

// How many ranges wait for memory at each of the two stages of a lookup.
constexpr std::size_t kRangesAhead = 12;

}  // namespace

Status SnapshotFile::Scan(const SnapshotTable& table, const Range& range, Fingerprint query,
                          int max_distance, DecodedBlock& block, std::vector<Neighbour>& found,
                          LookupWork& work) const {
  ++work.probes;
  const std::uint64_t wanted = std::rotl(query.bits, table.rotation);
  const std::uint64_t start = table.BlockOf(range.first, range.place);
  for (std::uint64_t i = start; i < table.block_count; ++i) {
    if (Status decoded = block.Decode(table.Block(i), i, 0, range.last); !decoded) {
      return Refuse(decoded.error().code, decoded.error().message);
    }
    // The search went by first keys that nobody had checked.
    if (i == start && i != 0 && block.entries().front().key >= range.first) {
      return Refuse(ErrorCode::kCorruption, "blocks before block " + std::to_string(i));
    }
    work.candidates += block.entries().size();
    for (const BlockEntry& entry : block.entries()) {
      if (entry.key > range.last) return {};
      if (entry.key < range.first) continue;
      const int distance = std::popcount(entry.key ^ wanted);
      if (distance <= max_distance) {
        found.push_back({{std::rotr(entry.key, table.rotation)}, distance});
      }
    }
  }
  return {};
}

void SnapshotFile::RangesToScan(std::size_t table, Fingerprint query, int max_distance,
                                std::vector<Range>& ranges) const {
  ranges.clear();
  // Ranges a quarter of a block long: shorter ones are more of them, in longer ones more is read.
  const int address_bits =
      std::clamp(static_cast<int>(std::bit_width(info_.fingerprints)) - 3, 1, 32);
  const std::uint64_t rest = ~std::uint64_t{0} >> address_bits;
  const int radius =
      BlockRadius(max_distance, static_cast<int>(tables_.size()), static_cast<int>(table));
  const std::uint64_t key = std::rotl(query.bits, tables_[table].rotation);
  for (int flips = 0; flips <= std::min(radius, address_bits); ++flips) {
    for (const std::uint32_t mask : MasksOfWeight(address_bits, flips)) {
      const std::uint64_t first = (key & ~rest) ^ std::uint64_t{mask} << (64 - address_bits);
      ranges.push_back({first, first | rest, {}});
    }
  }
}

Status SnapshotFile::Find(Fingerprint query, int max_distance, std::vector<Neighbour>& found,
                          LookupWork* work) const {
  assert(max_distance >= 0 && max_distance <= 7);
  found.clear();
  if (info_.kind != SnapshotKind::kSearchable) {
    return Refuse(ErrorCode::kInvalidInput,
                  std::string(SnapshotKindName(info_.kind)) + " snapshots can't be searched");
  }
  LookupWork done;
  thread_local const auto block = std::make_unique<DecodedBlock>();
  thread_local std::vector<Range> ranges;
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    const SnapshotTable& table = tables_[t];
    if (table.block_count == 0) continue;
    RangesToScan(t, query, max_distance, ranges);
    // Each range waits for the directory, then for a block: all of them wait together.
    for (std::size_t i = 0; i < ranges.size() + 2 * kRangesAhead; ++i) {
      if (i < ranges.size()) table.PrefetchDirectory(ranges[i].first);
      if (i >= kRangesAhead && i - kRangesAhead < ranges.size()) {
        Range& range = ranges[i - kRangesAhead];
        range.place = table.Guess(range.first);
        const std::byte* guessed = table.Block(range.place.guess).data();
        for (std::size_t at = 0; at <= kBlockBytes; at += 64) __builtin_prefetch(guessed + at);
      }
      if (i >= 2 * kRangesAhead) {
        const Range& range = ranges[i - 2 * kRangesAhead];
        Status scanned = Scan(table, range, query, max_distance, *block, found, done);
        if (!scanned) return scanned;
      }
    }
  }
  std::ranges::sort(found, [](const Neighbour& a, const Neighbour& b) {
    return std::tuple(a.distance, a.fingerprint) < std::tuple(b.distance, b.fingerprint);
  });
  found.erase(std::unique(found.begin(), found.end()), found.end());
  if (work != nullptr) {
    work->probes += done.probes;
    work->candidates += done.candidates;
  }
  return {};
}

}  // namespace crawlsieve
