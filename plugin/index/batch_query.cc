#include "plugin/index/batch_query.h"

#include "plugin/index/nearest.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <utility>

namespace crawlsieve {
BatchQuery::BatchQuery(std::span<const Fingerprint> queries, int max_distance)
    : queries_(queries),
      max_distance_(max_distance),
      kernel_(BestKernel().run),
      matches_(queries.size()) {
  assert(max_distance >= 0 && max_distance <= 7);
  assert(queries.size() < kNone);
  limits_.fill(static_cast<std::uint32_t>(max_distance));
  pending_.reserve(kPiece);
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
  const std::size_t lines = table.first_line.back();
  table.lines.Grow(lines);
  table.queries.assign(lines * kQueriesPerLine, kNone);
  std::ranges::fill(counts, 0);
  for (std::uint32_t q = 0; q < queries_.size(); ++q) {
    const std::uint64_t v = value(queries_[q]);
    const std::size_t slot = table.first_line[v] * kQueriesPerLine + counts[v]++;
    table.lines.data()[slot / kQueriesPerLine].words[slot % kQueriesPerLine] =
        static_cast<std::uint32_t>(std::rotl(queries_[q].bits, first_bit));
    table.queries[slot] = q;
  }
}

void BatchQuery::Compare(std::span<const IndexEntry> stored) {
  for (std::size_t done = 0; done < stored.size();) {
    const std::size_t taken = std::min(kPiece - pending_.size(), stored.size() - done);
    const auto piece = stored.subspan(done, taken);
    pending_.insert(pending_.end(), piece.begin(), piece.end());
    done += taken;
    if (pending_.size() == kPiece) ComparePending();
  }
}

void BatchQuery::ComparePending() {
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    const Table& table = tables_[t];
    const auto value = [&table](const IndexEntry& entry) {
      return std::rotl(entry.fingerprint.bits, table.rotation) >> (64 - table.bits);
    };
    // Two windows take turns: when one is compared, its lines were asked for a window ago.
    std::array<Window, 2> windows;
    std::size_t filling = 0;
    for (std::uint32_t i = 0; i < pending_.size(); ++i) {
      if (i + kEntriesAhead < pending_.size()) {
        __builtin_prefetch(&table.first_line[value(pending_[i + kEntriesAhead])]);
      }
      const std::uint64_t own = value(pending_[i]);
      const auto word =
          static_cast<std::uint32_t>(std::rotl(pending_[i].fingerprint.bits, table.rotation));
      const std::uint32_t end = table.first_line[own + 1];
      for (std::uint32_t line = table.first_line[own]; line != end; ++line) {
        Window& window = windows[filling];
        window.lines[window.size] = table.lines.data() + line;
        __builtin_prefetch(window.lines[window.size]);
        window.words[window.size] = word;
        window.owners[window.size] = i;
        if (++window.size < kWindow) continue;
        filling = 1 - filling;
        CompareWindow(t, windows[filling]);
      }
    }
    CompareWindow(t, windows[1 - filling]);
    CompareWindow(t, windows[filling]);
  }
  pending_.clear();
}

void BatchQuery::CompareWindow(std::size_t table_number, Window& window) {
  const Table& table = tables_[table_number];
  std::array<std::uint16_t, kWindow> masks;
  kernel_(window.lines.data(), window.words.data(), limits_.data(), window.size, masks.data());
  for (std::size_t i = 0; i < window.size; ++i) {
    for (unsigned mask = masks[i]; mask != 0; mask &= mask - 1) {
      const auto line = static_cast<std::size_t>(window.lines[i] - table.lines.data());
      const std::uint32_t query =
          table.queries[line * kQueriesPerLine + static_cast<std::size_t>(std::countr_zero(mask))];
      if (query == kNone) continue;
      const IndexEntry& entry = pending_[window.owners[i]];
      const int distance = HammingDistance(queries_[query], entry.fingerprint);
      if (distance > max_distance_) continue;
      // Found once for each block that agrees; the first one counts.
      const std::uint64_t differences = queries_[query].bits ^ entry.fingerprint.bits;
      const bool found_before =
          std::any_of(tables_.begin(), tables_.begin() + static_cast<std::ptrdiff_t>(table_number),
                      [differences](const Table& other) {
                        return std::rotl(differences, other.rotation) >> (64 - other.bits) == 0;
                      });
      if (found_before) continue;
      matches_[query].push_back({entry.document, entry.fingerprint, distance});
    }
  }
  window.size = 0;
}

std::vector<std::vector<Match>> BatchQuery::TakeMatches() {
  ComparePending();
  for (std::vector<Match>& matches : matches_) KeepNearest(matches, matches.size());
  return std::exchange(matches_, {});
}

}  // namespace crawlsieve
