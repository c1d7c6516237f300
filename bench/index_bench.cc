// Fills a Hamming index, looks up, and compares with FAISS on the same fingerprints. Prints one
// JSON object with --json, lines of text otherwise. With --snapshots DIR: snapshots and batches.
#include "plugin/index/base/kernel.h"
#include "plugin/index/batch_query.h"
#include "plugin/index/sharded_index.h"
#include "plugin/index/snapshot/file.h"
#include "plugin/index/snapshot/writer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <faiss/IndexBinaryFlat.h>
#include <faiss/IndexBinaryHash.h>
#include <faiss/impl/AuxIndexStructures.h>
#include <malloc.h>
#include <nlohmann/json.hpp>
#include <omp.h>
#include <sys/mman.h>
#include <time.h>

namespace crawlsieve {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

/// Processor time of this thread, in microseconds: what a busy machine leaves of the wall clock.
double CpuMicros() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
}

double MicrosSince(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

/// SplitMix64: a bijection whose outputs look random, so that the bench needs no memory for them.
std::uint64_t Mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

std::uint64_t Flip(std::uint64_t bits, int count, std::uint64_t seed) {
  std::uint64_t mask = 0;
  for (; std::popcount(mask) < count; seed = Mix(seed)) mask |= std::uint64_t{1} << (seed & 63);
  return bits ^ mask;
}

enum class Distribution { kUniform, kClustered, kAdversarial };
const std::map<std::string, Distribution> kDistributions{
    {"uniform", Distribution::kUniform},
    {"clustered", Distribution::kClustered},
    {"adversarial", Distribution::kAdversarial}};

/// The i-th fingerprint.
std::uint64_t FingerprintAt(Distribution distribution, std::uint64_t i) {
  if (distribution == Distribution::kClustered) {  // 64 pages around each centre, up to 4 bits off
    return Flip(Mix(i / 64), static_cast<int>(i % 5), i);
  }
  if (distribution == Distribution::kAdversarial &&
      i % 10 == 0) {  // every tenth in one bucket of the first table
    return Mix(i) & 0xffff'ffff;
  }
  return Mix(i);
}

struct Options {
  std::uint64_t entries = 1'000'000;
  int max_distance = 3;
  Distribution distribution = Distribution::kUniform;
  std::uint64_t queries = 20'000;
  std::uint64_t recall_queries = 32;
  std::uint64_t faiss_limit = 10'000'000;
  std::uint32_t max_bytes_per_entry = IndexOptions{}.max_bytes_per_entry;
  bool keep_documents = true;
  std::filesystem::path snapshots;  // a folder; empty: only the index in memory
  std::uint64_t batch_queries = 1'000'000;
  bool json = false;
};

/// Half of them max_distance bits off a stored one, half random.
std::vector<std::uint64_t> MakeQueries(const Options& options) {
  std::vector<std::uint64_t> queries;
  std::mt19937_64 random(1);
  for (std::uint64_t i = 0; i < options.queries; ++i) {
    const std::uint64_t stored = FingerprintAt(options.distribution, random() % options.entries);
    queries.push_back(i % 2 == 0 ? Flip(stored, options.max_distance, i) : random());
  }
  return queries;
}

void BenchIndex(const Options& options, const std::vector<std::uint64_t>& queries,
                nlohmann::ordered_json& report) {
  const auto created = ShardedIndex::Create({.max_distance = options.max_distance,
                                             .expected_entries = options.entries,
                                             .max_bytes_per_entry = options.max_bytes_per_entry,
                                             .keep_documents = options.keep_documents});
  if (!created) throw std::runtime_error(created.error().message);
  ShardedIndex& index = **created;
  report["kernel"] = BestKernel().name;
  report["block_bits"] = index.block_bits();

  // In turns one by one and many at a time, so that both meet the index at every size.
  constexpr std::uint64_t kTurn = 1000;
  struct Inserts {
    std::uint64_t count = 0;
    double micros = 0;
    double worst = 0;
  };
  Inserts one_by_one;
  Inserts last_tenth;
  Inserts at_once;
  std::vector<IndexEntry> turn;
  const double cpu_start = CpuMicros();
  for (std::uint64_t first = 0; first < options.entries; first += kTurn) {
    const std::uint64_t end = std::min(first + kTurn, options.entries);
    turn.clear();
    for (std::uint64_t i = first; i < end; ++i) {
      turn.push_back({{FingerprintAt(options.distribution, i)}, {i + 1}});
    }
    const Clock::time_point start = Clock::now();
    if (first / kTurn % 2 == 1) {
      index.InsertAll(turn);
      at_once.count += turn.size();
      at_once.micros += MicrosSince(start);
      continue;
    }
    Clock::time_point previous = start;
    for (const IndexEntry& entry : turn) {
      index.Insert(entry.fingerprint, entry.document);
      const Clock::time_point now = Clock::now();
      one_by_one.worst = std::max(
          one_by_one.worst, std::chrono::duration<double, std::micro>(now - previous).count());
      previous = now;
    }
    const double micros = MicrosSince(start);
    one_by_one.count += turn.size();
    one_by_one.micros += micros;
    if (first < options.entries / 10 * 9) continue;
    last_tenth.count += turn.size();
    last_tenth.micros += micros;
  }
  const auto mean = [](const Inserts& inserts) {
    return inserts.micros / static_cast<double>(std::max<std::uint64_t>(inserts.count, 1));
  };
  report["insert_cpu_us"] = (CpuMicros() - cpu_start) / static_cast<double>(options.entries);
  const IndexStats stats = index.Stats();
  report["insert_mean_us"] = mean(one_by_one);
  report["insert_last_tenth_mean_us"] = mean(last_tenth);
  report["insert_all_mean_us"] = mean(at_once);
  report["insert_max_us"] = one_by_one.worst;
  report["fingerprints"] = stats.fingerprints;
  report["bytes_per_entry"] =
      static_cast<double>(stats.bytes) / static_cast<double>(stats.fingerprints);

  std::vector<Match> matches;
  LookupWork work;
  const double find_cpu = CpuMicros();
  const Clock::time_point find_start = Clock::now();
  for (const std::uint64_t query : queries) {
    index.Find({query}, options.max_distance, kAll, matches, &work);
  }
  const auto count = static_cast<double>(queries.size());
  report["find_mean_us"] = MicrosSince(find_start) / count;
  report["find_cpu_us"] = (CpuMicros() - find_cpu) / count;
  report["probes_per_find"] = static_cast<double>(work.probes) / count;
  report["candidates_per_find"] = static_cast<double>(work.candidates) / count;

  std::vector<double> times;
  for (const std::uint64_t query : queries) {
    const Clock::time_point one = Clock::now();
    index.Find({query}, options.max_distance, kAll, matches);
    times.push_back(MicrosSince(one));
  }
  std::ranges::sort(times);
  report["find_p50_us"] = times[times.size() / 2];
  report["find_p99_us"] = times[times.size() * 99 / 100];

  std::vector<Fingerprint> batch;
  for (const std::uint64_t query : queries) batch.push_back({query});
  std::vector<std::vector<Match>> answers;
  const Clock::time_point batch_start = Clock::now();
  index.FindBatch(batch, options.max_distance, kAll, answers);
  report["find_batch_mean_us"] = MicrosSince(batch_start) / count;

  // The oracle: everything that was inserted, compared with a few queries.
  const std::size_t sampled = std::min<std::size_t>(options.recall_queries, queries.size());
  std::vector<std::set<IndexEntry>> expected(sampled);
  for (std::uint64_t i = 0; i < options.entries; ++i) {
    const std::uint64_t bits = FingerprintAt(options.distribution, i);
    for (std::size_t q = 0; q < sampled; ++q) {
      if (std::popcount(bits ^ queries[q]) > options.max_distance) continue;
      expected[q].insert(IndexEntry{{bits}, DocId{options.keep_documents ? i + 1 : 0}});
    }
  }
  std::uint64_t wanted = 0;
  std::uint64_t right = 0;
  std::uint64_t wrong = 0;
  for (std::size_t q = 0; q < sampled; ++q) {
    index.Find({queries[q]}, options.max_distance, kAll, matches);
    wanted += expected[q].size();
    for (const Match& match : matches) {
      expected[q].erase(IndexEntry{match.fingerprint, match.document}) == 1 ? ++right : ++wrong;
    }
  }
  report["recall"] = wanted == 0 ? 1.0 : static_cast<double>(right) / static_cast<double>(wanted);
  report["recall_pairs"] = wanted;
  report["false_positives"] = wrong;
}

/// A kind of snapshot written, read and, where it can be, searched.
void BenchSnapshot(const Options& options, SnapshotKind kind, std::vector<IndexEntry>& entries,
                   const std::vector<std::uint64_t>& queries, nlohmann::ordered_json& report) {
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

void BenchSnapshots(const Options& options, const std::vector<std::uint64_t>& queries,
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
  BatchQuery batch(asked, options.max_distance);
  if (!store->ForEach([&](std::span<const IndexEntry> piece) { batch.Compare(piece); })) {
    throw std::runtime_error("a snapshot can't be read back");
  }
  std::uint64_t found = 0;
  for (const std::vector<Match>& matches : batch.TakeMatches()) found += matches.size();
  report["batch_queries"] = options.batch_queries;
  report["batch_cpu_s"] = (CpuMicros() - start) / 1e6;
  report["batch_found"] = found;
}

/// The simplest exact index for k = 3, to compare figures of different machines by: a table by each
/// half of the fingerprint, a line of eight slots a bucket, three of them in use on average, and
/// lookups that read all the lines whose address differs in one bit at most. What a bucket has no
/// room for is left out, some 0.3 % at the worst.
class PlainTables {
 public:
  explicit PlainTables(std::uint64_t entries) {
    while (entries >> address_bits_ >= 3) ++address_bits_;
    bytes_ = (std::uint64_t{2} * kLineBytes) << address_bits_;
    lines_ = static_cast<Line*>(std::aligned_alloc(kHugePage, std::max(bytes_, kHugePage)));
    if (lines_ == nullptr) throw std::bad_alloc();
    madvise(lines_, bytes_, MADV_HUGEPAGE);
    std::fill_n(lines_, std::uint64_t{2} << address_bits_, Line{});
  }
  ~PlainTables() { std::free(lines_); }
  PlainTables(const PlainTables&) = delete;
  PlainTables& operator=(const PlainTables&) = delete;

  void Prefetch(std::uint64_t bits) const {
    for (const int table : {0, 1}) __builtin_prefetch(&LineOf(table, AddressOf(table, bits)));
  }

  void Insert(std::uint64_t bits) {
    for (const int table : {0, 1}) {
      for (std::uint64_t& slot : LineOf(table, AddressOf(table, bits))) {
        if (slot != 0) continue;
        slot = bits;
        break;
      }
    }
  }

  [[gnu::target("popcnt")]] std::uint64_t CountWithin3(std::uint64_t query) const {
    for (const int table : {0, 1}) {
      const std::uint64_t address = AddressOf(table, query);
      __builtin_prefetch(&LineOf(table, address));
      for (int bit = 0; bit < address_bits_; ++bit) {
        __builtin_prefetch(&LineOf(table, address ^ std::uint64_t{1} << bit));
      }
    }
    std::uint64_t found = 0;
    for (const int table : {0, 1}) {
      const std::uint64_t address = AddressOf(table, query);
      for (int bit = -1; bit < address_bits_; ++bit) {
        const Line& line = LineOf(table, bit < 0 ? address : address ^ std::uint64_t{1} << bit);
        for (const std::uint64_t slot : line) {
          if (slot == 0) break;
          if (__builtin_popcountll(slot ^ query) <= 3) ++found;
        }
      }
    }
    return found;
  }

  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  using Line = std::array<std::uint64_t, 8>;
  static constexpr std::uint64_t kHugePage = 2 << 20;

  [[nodiscard]] std::uint64_t AddressOf(int table, std::uint64_t bits) const {
    return std::rotl(bits, table * 32) >> (64 - address_bits_);
  }
  [[nodiscard]] Line& LineOf(int table, std::uint64_t address) const {
    return lines_[(static_cast<std::uint64_t>(table) << address_bits_) + address];
  }

  int address_bits_ = 1;
  std::uint64_t bytes_ = 0;
  Line* lines_ = nullptr;
};

void BenchPlainTables(const Options& options, const std::vector<std::uint64_t>& queries,
                      nlohmann::ordered_json& report) {
  PlainTables tables(options.entries);
  constexpr std::uint64_t kAhead = 16;
  const double insert_start = CpuMicros();
  for (std::uint64_t i = 0; i < options.entries; ++i) {
    tables.Prefetch(FingerprintAt(options.distribution, i + kAhead));
    tables.Insert(FingerprintAt(options.distribution, i));
  }
  const auto entries = static_cast<double>(options.entries);
  report["plain_insert_cpu_us"] = (CpuMicros() - insert_start) / entries;
  report["plain_bytes_per_entry"] = static_cast<double>(tables.bytes()) / entries;
  std::uint64_t found = 0;
  const double find_start = CpuMicros();
  for (const std::uint64_t query : queries) found += tables.CountWithin3(query);
  report["plain_find_cpu_us"] =
      (CpuMicros() - find_start) / static_cast<double>(std::max<std::size_t>(queries.size(), 1));
  report["plain_found"] = found;
  for (const char* what : {"find", "insert"}) {
    const std::string name(what);
    report[name + "_ratio_to_plain"] =
        report[name + "_cpu_us"].get<double>() / report["plain_" + name + "_cpu_us"].get<double>();
  }
}

std::uint64_t HeapBytes() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

/// Of a lookup, asked for `batch` at a time until so many seconds have passed.
template <typename Index>
double MeanFaissMicros(const Index& index, const std::vector<std::uint64_t>& queries,
                       int max_distance, double seconds, std::size_t batch = 1) {
  const Clock::time_point start = Clock::now();
  std::size_t done = 0;
  while (done < queries.size() && MicrosSince(start) < seconds * 1e6) {
    const std::size_t count = std::min(batch, queries.size() - done);
    faiss::RangeSearchResult result(count);
    // FAISS answers distance < radius.
    index.range_search(static_cast<faiss::IndexBinary::idx_t>(count),
                       reinterpret_cast<const std::uint8_t*>(&queries[done]), max_distance + 1,
                       &result);
    done += count;
  }
  return MicrosSince(start) / static_cast<double>(done);
}

void BenchFaiss(const Options& options, const std::vector<std::uint64_t>& queries,
                nlohmann::ordered_json& report) {
  omp_set_num_threads(1);
  std::vector<std::uint64_t> data(options.entries);
  for (std::uint64_t i = 0; i < options.entries; ++i) {
    data[i] = FingerprintAt(options.distribution, i);
  }
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(data.data());
  const auto entries = static_cast<faiss::IndexBinary::idx_t>(options.entries);
  double best = std::numeric_limits<double>::infinity();
  double best_batch = std::numeric_limits<double>::infinity();
  double best_bytes = 0;
  nlohmann::ordered_json all;
  {
    faiss::IndexBinaryFlat flat(64);
    flat.add(entries, bytes);
    all["flat"]["find_mean_us"] = MeanFaissMicros(flat, queries, options.max_distance, 2);
    all["flat"]["bytes_per_entry"] = 8;
  }
  for (const int blocks : {2, 3, 4}) {
    // Every configuration that is exact: a block with at most `flips` differing bits exists.
    const int flips = (options.max_distance + blocks) / blocks - 1;
    const int bits = 64 / blocks;
    malloc_trim(0);
    const std::uint64_t before = HeapBytes();
    faiss::IndexBinaryMultiHash index(64, blocks, bits);
    index.nflip = flips;
    index.add(entries, bytes);
    const double size =
        static_cast<double>(HeapBytes() - before) / static_cast<double>(options.entries);
    const double micros = MeanFaissMicros(index, queries, options.max_distance, 5);
    const std::string name =
        std::to_string(blocks) + "x" + std::to_string(bits) + " nflip " + std::to_string(flips);
    const double batch = MeanFaissMicros(index, queries, options.max_distance, 5, 1'000);
    all[name]["find_mean_us"] = micros;
    all[name]["find_batch_mean_us"] = batch;
    all[name]["bytes_per_entry"] = size;
    if (batch < best_batch) {
      best_batch = batch;
      report["faiss_batch_best"] = name;
    }
    if (micros < best) {
      best = micros;
      best_bytes = size;
      report["faiss_best"] = name;
    }
  }
  report["faiss"] = all;
  report["faiss_best_find_mean_us"] = best;
  report["faiss_best_bytes_per_entry"] = best_bytes;
  report["find_ratio_vs_faiss"] = best / report["find_mean_us"].get<double>();
  report["faiss_best_find_batch_mean_us"] = best_batch;
  report["find_batch_ratio_vs_faiss"] = best_batch / report["find_batch_mean_us"].get<double>();
}

void Print(const nlohmann::ordered_json& report, bool json) {
  if (json) {
    std::puts(report.dump().c_str());
    return;
  }
  for (const auto& [name, value] : report.items()) {
    std::printf("%-30s %s\n", name.c_str(), value.dump().c_str());
  }
}

int Run(int argc, char** argv) {
  Options options;
  CLI::App app("Speed, memory and exactness of the Hamming index, beside FAISS");
  app.add_option("--entries", options.entries, "Fingerprints to store")->check(CLI::PositiveNumber);
  app.add_option("--max-distance", options.max_distance, "Bits")->check(CLI::Range(0, 7));
  std::string distribution = "uniform";
  app.add_option("--dist", distribution, "Of the fingerprints")
      ->check(CLI::IsMember(kDistributions));
  app.add_option("--queries", options.queries, "Lookups to time")->check(CLI::PositiveNumber);
  app.add_option("--recall-queries", options.recall_queries, "Lookups to check by linear scan");
  app.add_option("--max-bytes-per-entry", options.max_bytes_per_entry,
                 "Memory the design may take");
  app.add_flag("!--without-documents", options.keep_documents,
               "Store fingerprints only, as where documents are looked up elsewhere");
  app.add_option("--faiss-limit", options.faiss_limit,
                 "Leave FAISS out above this many entries: it needs up to 250 bytes for each");
  app.add_option("--snapshots", options.snapshots,
                 "Measure snapshots, in this folder, and a batch of queries instead")
      ->check(CLI::ExistingDirectory);
  app.add_option("--batch-queries", options.batch_queries, "Of the batch");
  app.add_flag("--json", options.json, "Print one JSON object");
  CLI11_PARSE(app, argc, argv);
  options.distribution = kDistributions.at(distribution);

  nlohmann::ordered_json report{{"entries", options.entries},
                                {"max_distance", options.max_distance},
                                {"distribution", distribution},
                                {"max_bytes_per_entry", options.max_bytes_per_entry},
                                {"keep_documents", options.keep_documents}};
  const std::vector<std::uint64_t> queries = MakeQueries(options);
  if (!options.snapshots.empty()) {
    BenchSnapshots(options, queries, report);
    Print(report, options.json);
    return 0;
  }
  BenchIndex(options, queries, report);
  BenchPlainTables(options, queries, report);
  if (options.entries <= options.faiss_limit) {
    BenchFaiss(options, queries, report);
  } else {
    for (const char* field :
         {"faiss_best_find_mean_us", "faiss_best_bytes_per_entry", "find_ratio_vs_faiss",
          "faiss_best_find_batch_mean_us", "find_batch_ratio_vs_faiss"}) {
      report[field] = nullptr;
    }
  }
  Print(report, options.json);
  return 0;
}

}  // namespace
}  // namespace crawlsieve

int main(int argc, char** argv) {
  try {
    return crawlsieve::Run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "index_bench: %s\n", e.what());
    return 3;
  }
}
