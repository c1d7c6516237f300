#include "bench/index/workload.h"
#include "plugin/index/batch/batch_query.h"
#include "plugin/index/snapshot/file.h"
#include "plugin/index/snapshot/writer.h"

#include <algorithm>
#include <stdexcept>

namespace crawlsieve::bench {
namespace {

using Clock = std::chrono::steady_clock;

/// A kind of snapshot written, read and, where it can be, searched.
void BenchSnapshot(const IndexBenchOptions& options, SnapshotKind kind,
                   std::vector<IndexEntry>& entries, const std::vector<std::uint64_t>& queries,
                   nlohmann::ordered_json& report) {
  const auto megabytes = static_cast<double>(entries.size()) * 8 / 1e6;
  const std::filesystem::path path = options.snapshots / SnapshotKindName(kind);
  std::size_t next = 0;
  const EntrySource source = [&](std::vector<IndexEntry>& piece) {
    const std::size_t end = std::min<std::size_t>(next + 100'000, entries.size());
    piece.assign(entries.begin() + static_cast<std::ptrdiff_t>(next),
                 entries.begin() + static_cast<std::ptrdiff_t>(end));
    next = end;
    return !piece.empty();
  };
  const double write_start = CpuMicros();
  const Clock::time_point wall_start = Clock::now();
  const auto info =
      WriteSnapshot(path, {.kind = kind, .origin = {}, .max_document = options.entries}, source);
  if (!info) throw std::runtime_error(info.error().message);
  report["write_mb_per_cpu_s"] = megabytes / (CpuMicros() - write_start) * 1e6;
  report["write_seconds"] = MicrosSince(wall_start) / 1e6;
  report["bytes_per_entry"] = static_cast<double>(info->bytes) / static_cast<double>(info->entries);
  const auto file = SnapshotFile::Open(path);
  if (!file) throw std::runtime_error(file.error().message);
  std::uint64_t count = 0;
  const double read_start = CpuMicros();
  if (!file->ForEach([&](std::span<const IndexEntry> piece) { count += piece.size(); })) {
    throw std::runtime_error("a snapshot can't be read back");
  }
  report["read_mb_per_cpu_s"] = megabytes / (CpuMicros() - read_start) * 1e6;
  if (kind != SnapshotKind::kSearchable) return;
  // It also maps all pages, once.
  if (!file->Verify()) throw std::runtime_error("a snapshot is damaged");
  std::vector<Neighbour> found;
  std::uint64_t near = 0;
  const double find_start = CpuMicros();
  for (const std::uint64_t query : queries) {
    if (!file->Find({query}, options.max_distance, found)) {
      throw std::runtime_error("a snapshot can't be searched");
    }
    near += found.size();
  }
  report["find_mean_cpu_us"] =
      (CpuMicros() - find_start) / static_cast<double>(std::max<std::size_t>(queries.size(), 1));
  report["found"] = near;
}

}  // namespace

void BenchSnapshots(const IndexBenchOptions& options, const std::vector<std::uint64_t>& queries,
                    nlohmann::ordered_json& report) {
  std::vector<IndexEntry> entries(options.entries);
  for (std::uint64_t i = 0; i < options.entries; ++i) {
    entries[i] = {{FingerprintAt(options.distribution, i)}, {i + 1}};
  }
  std::ranges::sort(entries);
  for (const SnapshotKind kind :
       {SnapshotKind::kArchive, SnapshotKind::kSearchable, SnapshotKind::kRestart}) {
    BenchSnapshot(options, kind, entries, queries, report[SnapshotKindName(kind)]);
  }
  std::vector<Fingerprint> asked;
  for (std::uint64_t i = 0; i < options.batch_queries; ++i) {
    const std::uint64_t stored = FingerprintAt(options.distribution, Mix(i) % options.entries);
    asked.push_back({i % 2 == 0 ? Flip(stored, options.max_distance, i) : Mix(~i)});
  }
  const auto store = SnapshotFile::Open(options.snapshots / "archive");
  if (!store) throw std::runtime_error(store.error().message);
  const double start = CpuMicros();
  const BatchQueries batch(asked, options.max_distance, options.entries);
  BatchQuery pass(batch);
  report["batch_tables_cpu_s"] = (CpuMicros() - start) / 1e6;
  if (!store->ForEach([&](std::span<const IndexEntry> piece) { pass.Compare(piece); })) {
    throw std::runtime_error("a snapshot can't be read back");
  }
  const std::size_t found = pass.TakeMatches().size();
  report["batch_queries"] = options.batch_queries;
  report["batch_cpu_s"] = (CpuMicros() - start) / 1e6;
  report["batch_found"] = found;
}

}  // namespace crawlsieve::bench
