#include "plugin/index/batch_query.h"

#include "plugin/index/kernel.h"
#include "plugin/index/nearest.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <utility>

namespace crawlsieve {
namespace {

// Lines that are compared in one go; while they are, those of the next go are on their way.
constexpr std::size_t kWindow = 64;

}  // namespace

BatchQuery::BatchQuery(std::span<const Fingerprint> queries, int max_distance)
    : queries_(queries), max_distance_(max_distance), matches_(queries.size()) {
  assert(max_distance >= 0 && max_distance <= 7);
  assert(queries.size() < kNone);
  // Three at least, so that an array has all values of one; of more than max_distance + 1 the
  // others aren't needed.
  const int blocks = std::max(max_distance + 1, 3);
  for (int i = 0; i <= max_distance; ++i) {
    const int first = 64 * i / blocks;
    AddTable(first, 64 * (i + 1) / blocks - first);
  }
}

void BatchQuery::AddTable(int first_bit, int bits) {
  Table& table = tables_.emplace_back();
  table.rotation = first_bit;
  table.bits = bits;
  const std::size_t values = std::size_t{1} << bits;
  const auto value = [&](Fingerprint query) {
    return std::rotl(query.bits, first_bit) >> (64 - bits);
  };
  std::vector<std::uint32_t> counts(values);
  for (const Fingerprint query : queries_) ++counts[value(query)];
  table.first_line.resize(values + 1);
  for (std::size_t v = 0; v < values; ++v) {
    table.first_line[v + 1] =
        table.first_line[v] +
        static_cast<std::uint32_t>((counts[v] + kQueriesPerLine - 1) / kQueriesPerLine);
  }
  table.lines.resize(table.first_line.back());
  table.queries.assign(table.lines.size() * kQueriesPerLine, kNone);
  std::ranges::fill(counts, 0);
  for (std::uint32_t q = 0; q < queries_.size(); ++q) {
    const std::uint64_t v = value(queries_[q]);
    const std::size_t slot = table.first_line[v] * kQueriesPerLine + counts[v]++;
    table.lines[slot / kQueriesPerLine].words[slot % kQueriesPerLine] =
        static_cast<std::uint32_t>(std::rotl(queries_[q].bits, first_bit));
    table.queries[slot] = q;
  }
}

void BatchQuery::Compare(std::span<const IndexEntry> stored) {
  const LineKernel kernel = BestKernel().run;
  std::array<const Line*, kWindow> lines;
  std::array<std::uint32_t, kWindow> words;
  std::array<std::uint32_t, kWindow> owners;  // numbers in `stored`
  std::array<std::uint8_t, kWindow> limits;
  std::array<std::uint16_t, kWindow> masks;
  limits.fill(static_cast<std::uint8_t>(max_distance_));
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    const Table& table = tables_[t];
    std::size_t size = 0;
    const auto compare = [&] {
      kernel(lines.data(), words.data(), limits.data(), size, masks.data());
      for (std::size_t i = 0; i < size; ++i) {
        for (unsigned mask = masks[i]; mask != 0; mask &= mask - 1) {
          const auto line = static_cast<std::size_t>(lines[i] - table.lines.data());
          const std::uint32_t query =
              table.queries[line * kQueriesPerLine +
                            static_cast<std::size_t>(std::countr_zero(mask))];
          if (query == kNone) continue;
          const IndexEntry& entry = stored[owners[i]];
          const int distance = HammingDistance(queries_[query], entry.fingerprint);
          if (distance > max_distance_) continue;
          // Found once for each block that agrees; the first one counts.
          const std::uint64_t differences = queries_[query].bits ^ entry.fingerprint.bits;
          const bool found_before =
              std::any_of(tables_.begin(), tables_.begin() + static_cast<std::ptrdiff_t>(t),
                          [differences](const Table& other) {
                            return std::rotl(differences, other.rotation) >> (64 - other.bits) == 0;
                          });
          if (found_before) continue;
          matches_[query].push_back({entry.document, entry.fingerprint, distance});
        }
      }
      size = 0;
    };
    for (std::uint32_t i = 0; i < stored.size(); ++i) {
      const std::uint64_t rotated = std::rotl(stored[i].fingerprint.bits, table.rotation);
      const std::uint64_t value = rotated >> (64 - table.bits);
      for (std::uint32_t line = table.first_line[value]; line != table.first_line[value + 1];
           ++line) {
        lines[size] = &table.lines[line];
        __builtin_prefetch(lines[size]);
        words[size] = static_cast<std::uint32_t>(rotated);
        owners[size] = i;
        if (++size == kWindow) compare();
      }
    }
    compare();
  }
}

std::vector<std::vector<Match>> BatchQuery::TakeMatches() {
  for (std::vector<Match>& matches : matches_) KeepNearest(matches, matches.size());
  return std::exchange(matches_, {});
}

}  // namespace crawlsieve
