// Folds a made-up admission log into the judge's state, RocksDB and index included, as a judge does
// that follows the log: how many entries a second with so many kept pages, and how long a restart
// takes beside folding everything again. With --checkpoints: what the fold loses while checkpoints
// are made, what they copy, and what a start from one takes. With --remove: what a purge gives back
// of memory and disk, and what the fold loses meanwhile.
#include "plugin/base/result.h"
#include "plugin/base/thread_priority.h"
#include "plugin/checkpoint/create.h"
#include "plugin/checkpoint/restore.h"
#include "plugin/fingerprint/sketch.h"
#include "plugin/index/sharded_index.h"
#include "plugin/judge/asked_url.h"
#include "plugin/judge/detector.h"
#include "plugin/judge/known_sites.h"
#include "plugin/judge/live_state.h"
#include "plugin/log/links.h"
#include "plugin/score/url_score.h"
#include "plugin/state/store.h"
#include "plugin/verdict/item.h"
#include "plugin/verdict/reason.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <time.h>

namespace crawlsieve {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kScheme = "fold_bench";

struct Options {
  std::uint64_t kept = 1'000'000;
  std::uint64_t entries = 300'000;
  std::uint64_t batch = 1'000;
  std::size_t threads = 8;
  StoreOptions store;
  std::uint64_t cache_mib = 256;
  std::uint64_t snapshot_entries = 1'000'000;
  std::uint64_t fill = ~std::uint64_t{0};
  bool restart = false;
  std::filesystem::path checkpoints;  ///< repository; empty: none are made
  int pairs = 2;
  std::uint64_t remove = 0;                     ///< percent of the kept pages
  std::uint32_t sweep_rows = 0;                 ///< 0: as by default
  std::uint64_t meanwhile = ~std::uint64_t{0};  ///< revisits measured while pages go
  bool without_sketch = false;
  std::uint64_t hosts = 100'000;
  std::uint64_t max_sites = SiteParameters().max;
  std::uint64_t links = 0;
  std::size_t askers = 0;
  bool json = false;
};

/// SplitMix64: a bijection whose outputs look random, so that nothing made up needs memory.
std::uint64_t Mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

/// Processor time of this thread, or of the whole process: what a busy machine leaves of the wall
/// clock.
double CpuSeconds(clockid_t clock = CLOCK_THREAD_CPUTIME_ID) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

struct Cost {
  double seconds = 0;
  double cpu_seconds = 0;          // of the folding thread
  double process_cpu_seconds = 0;  // reading ahead and RocksDB's own threads included
  std::uint64_t scores = 0;        // of the pages and their links
  std::uint64_t log_bytes = 0;
};

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Of a page, by its number.
std::string HostOf(std::uint64_t url, std::uint64_t hosts) {
  return fmt::format("host{}.example", Mix(url) % hosts);
}

std::string UrlOf(std::uint64_t url, std::uint64_t hosts) {
  return fmt::format("https://{}/archive/{:016x}/page.html", HostOf(url, hosts), Mix(url));
}

/// The log: `kept` pages of their own content first, then a mix as of a crawl that goes on.
class MadeUpLog {
 public:
  /// From the entry with this number on.
  MadeUpLog(const Options& options, std::uint64_t begin)
      : kept_(options.kept),
        hosts_(options.hosts),
        links_(options.links),
        remove_(options.remove),
        with_sketch_(!options.without_sketch),
        offset_(begin) {}

  log::Entry Next() {
    const std::uint64_t i = offset_++;
    if (i < kept_) return Page(i, i, 0);
    if (remove_ > 0) return Revisit(i);
    const std::uint64_t random = Mix(~i);
    const std::uint64_t old = Mix(random) % kept_;
    const std::uint64_t percent = random % 100;
    if (percent < 60) return Page(i, i, 0);          // new content
    if (percent < 75) return Page(i, old, 0);        // an exact duplicate on a new URL
    if (percent < 85) return Page(i, old, 0b10010);  // a near duplicate on a new URL
    if (percent < 95) return Page(old, old, 0);      // a revisit: unchanged
    return Page(old, i, 0);                          // a revisit: updated
  }

  /// The crawl of the pages that are to go. The others are of another.
  static constexpr const char* kGoes = "goes";

  /// From now on they aren't visited any more.
  void StopVisitsOfGoing() { with_going_ = false; }

 private:
  [[nodiscard]] bool Goes(std::uint64_t url) const { return Mix(url ^ 0x60e5) % 100 < remove_; }

  /// Unchanged, or one in twenty updated. Nothing new, which would take the room of what goes.
  log::Entry Revisit(std::uint64_t i) {
    std::uint64_t random = Mix(~i);
    while (!with_going_ && Goes(random % kept_)) random = Mix(random);
    return Page(random % kept_, Mix(random) % 20 == 0 ? i : random % kept_, 0);
  }

  log::Entry Page(std::uint64_t url, std::uint64_t content, std::uint64_t flips) {
    const std::uint64_t simhash = Mix(content) ^ flips;
    log::Entry entry;
    log::Page& page = *entry.mutable_page();
    page.mutable_source()->set_topic("crawl.pages");
    page.mutable_source()->set_offset(static_cast<std::int64_t>(offset_));
    page.mutable_source()->set_previous_offset(static_cast<std::int64_t>(offset_) - 1);
    page.set_scheme(kScheme);
    if (remove_ > 0) page.set_crawl_id(Goes(url) ? kGoes : "stays");
    page.set_url(UrlOf(url, hosts_));
    page.set_host(HostOf(url, hosts_));
    page.set_final_url(page.url());
    page.set_canonical_url(page.url());
    page.set_path_depth(3);
    page.set_outcome(log::OUTCOME_TEXT);
    const std::array<std::uint64_t, 2> checksum{Mix(content), Mix(~content) ^ flips};
    page.set_content_checksum(checksum.data(), sizeof checksum);
    page.set_raw_checksum(page.content_checksum());
    page.set_simhash(simhash);
    page.set_features(200);
    if (with_sketch_) {
      page.set_shingles(400);
      page.set_title(TitleClass(Mix(content)));
      for (std::size_t i = 0; i < Sketch::kWords; ++i) {
        page.add_sketch(Mix(content ^ i << 56) ^ (flips != 0 ? 0b1001 : 0));
      }
    }
    page.set_text_length(4'000);
    page.set_fetch_time_ms(1'700'000'000'000 + static_cast<std::int64_t>(offset_));
    if (links_ > 0) page.set_links(LinksOf(url, page.url()));
    return entry;
  }

  /// Of the page's host all but one in ten. Half of them were fetched, about.
  [[nodiscard]] std::string LinksOf(std::uint64_t url, const std::string& page_url) const {
    std::vector<std::string> links;
    for (std::uint64_t i = 0; i < links_; ++i) {
      const std::uint64_t random = Mix(url * 1'000 + i);
      const std::uint64_t other = random % (2 * std::max<std::uint64_t>(offset_, 1));
      links.push_back(random % 10 == 0 ? UrlOf(other, hosts_)
                                       : fmt::format("https://{}/archive/{:016x}/page.html",
                                                     HostOf(url, hosts_), Mix(other)));
    }
    const std::size_t half = links.size() / 2;
    return log::PackLinks(std::span(links).first(half), std::span(links).subspan(half), page_url)
        .bytes;
  }

  const std::uint64_t kept_;
  const std::uint64_t hosts_;
  const std::uint64_t links_;
  const std::uint64_t remove_;
  const bool with_sketch_;
  bool with_going_ = true;
  std::uint64_t offset_;
};

/// Without sketches the simhash alone decides.
JudgeParameters ParametersOf(const Options& options) {
  JudgeParameters parameters;
  parameters.sites.max = options.max_sites;
  if (options.sweep_rows > 0) parameters.retention.sweep_rows = options.sweep_rows;
  if (options.without_sketch) {
    parameters.min_similarity = parameters.short_text_similarity = Score{};
    parameters.other_item_similarity = parameters.other_item_short_similarity = Score{};
  }
  return parameters;
}

[[noreturn]] void Die(const Error& error) {
  fmt::print(stderr, "fold_bench: {}\n", error.message);
  std::exit(3);
}

template <typename T>
T OrDie(Result<T> result) {
  if (!result) Die(result.error());
  return std::move(*result);
}

void OrDie(const Status& status) {
  if (!status) Die(status.error());
}

std::unique_ptr<Detector> OpenDetector(Store& store, std::uint64_t expected,
                                       const RestartOptions& restart) {
  const auto make_index = [expected](int max_distance) -> Result<std::unique_ptr<HammingIndex>> {
    IndexOptions options;
    options.max_distance = max_distance;
    options.expected_entries = expected;
    CRAWLSIEVE_ASSIGN_OR_RETURN(auto index, ShardedIndex::Create(options));
    return std::unique_ptr<HammingIndex>(std::move(index));
  };
  return OrDie(Detector::Open(store, make_index, kScheme, restart));
}

/// What a long run is at, for whoever waits for it.
template <typename... Args>
void Say(fmt::format_string<Args...> format, Args&&... args) {
  fmt::print(stderr, "fold_bench: {}\n", fmt::format(format, std::forward<Args>(args)...));
}

/// As many pages as the service has scored together.
constexpr std::size_t kScoresTogether = 256;

/// How many were wanted.
std::uint64_t TakeScores(Detector& detector, std::size_t threads) {
  const std::vector<std::vector<UrlScore>> scores = OrDie(detector.TakeScores(threads));
  std::uint64_t count = 0;
  for (const std::vector<UrlScore>& of_page : scores) count += of_page.size();
  return count;
}

/// Folds `count` entries in batches; what it took without making up the entries.
Cost Fold(Detector& detector, MadeUpLog& log, std::uint64_t count, const Options& options,
          std::array<std::uint64_t, kReasonCount>* reasons) {
  std::int64_t offset = detector.position().offset;
  Cost cost;
  std::vector<log::Entry> entries;
  for (std::uint64_t done = 0; done < count;) {
    entries.clear();
    for (; entries.size() < options.batch && done < count; ++done) entries.push_back(log.Next());
    const auto start = Clock::now();
    const double cpu_start = CpuSeconds();
    const double process_start = CpuSeconds(CLOCK_PROCESS_CPUTIME_ID);
    const bool with_scores = options.links > 0 && reasons != nullptr;
    detector.ReadAheadFor(entries, options.threads,
                          with_scores ? Purpose::kVerdictsAndScores : Purpose::kVerdicts);
    std::size_t wanted = 0;
    for (const log::Entry& entry : entries) {
      const Folded folded = OrDie(detector.Fold(entry));
      if (reasons != nullptr) ++(*reasons)[static_cast<std::size_t>(folded.verdict->reason)];
      if (!with_scores) continue;
      detector.WantScores(entry.page(), *folded.verdict);
      if (++wanted % kScoresTogether == 0) cost.scores += TakeScores(detector, options.threads);
    }
    cost.scores += TakeScores(detector, options.threads);
    offset += static_cast<std::int64_t>(entries.size());
    OrDie(detector.Commit({offset, std::string(16, 'x')}));
    cost.seconds += SecondsSince(start);
    cost.cpu_seconds += CpuSeconds() - cpu_start;
    cost.process_cpu_seconds += CpuSeconds(CLOCK_PROCESS_CPUTIME_ID) - process_start;
    for (const log::Entry& entry : entries) cost.log_bytes += entry.ByteSizeLong();
    if (done % 1'000'000 < options.batch) {
      Say("{} entries folded, {:.0f} a second", done, static_cast<double>(done) / cost.seconds);
    }
  }
  return cost;
}

/// Threads that ask for the scores of a few hundred URLs at a time, as over HTTP, until they are
/// destroyed.
class Askers {
 public:
  static constexpr std::uint64_t kUrls = 300;

  Askers(const Store& store, const Options& options) {
    for (std::size_t i = 0; i < options.askers; ++i) {
      threads_.emplace_back([this, &store, &options, i](const std::stop_token& stop) {
        for (std::uint64_t round = i; !stop.stop_requested(); round += options.askers) {
          Ask(store, options, round);
        }
      });
    }
  }

  [[nodiscard]] std::uint64_t answers() const { return answers_; }
  [[nodiscard]] double longest_seconds() const { return longest_; }

 private:
  void Ask(const Store& store, const Options& options, std::uint64_t round) {
    const auto start = Clock::now();
    const auto state = OrDie(LiveState::Of(store));
    KnownSites sites;
    UrlScorer scorer(state->progress(), sites, *state);
    for (std::uint64_t i = 0; i < kUrls; ++i) {
      const std::uint64_t url = Mix(round * kUrls + i) % (2 * options.kept);
      AskedUrl asked;
      asked.url = UrlOf(url, options.hosts);
      asked.host = HostOf(url, options.hosts);
      asked.path_depth = 3;
      asked.as_of = Timestamp{std::chrono::milliseconds(1'700'000'000'000)};
      static_cast<void>(OrDie(scorer.ScoreOf(asked)));
    }
    ++answers_;
    const double seconds = SecondsSince(start);
    double longest = longest_;
    while (seconds > longest && !longest_.compare_exchange_weak(longest, seconds)) {
    }
  }

  std::atomic<std::uint64_t> answers_{0};
  std::atomic<double> longest_{0};
  std::vector<std::jthread> threads_;
};

std::uint64_t BytesIn(const std::filesystem::path& directory) {
  std::uint64_t bytes = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(directory)) {
    if (file.is_regular_file()) bytes += file.file_size();
  }
  return bytes;
}

/// What a start takes, from opening the store until the judge could go on.
double Restart(const Options& options, const RestartOptions& restart,
               nlohmann::ordered_json& result, const char* name) {
  Say("starts anew: {}", name);
  const auto start = Clock::now();
  const double cpu_start = CpuSeconds();
  const auto store = OrDie(Store::Open(options.store));
  const auto detector = OpenDetector(*store, options.kept + options.entries, restart);
  const double seconds = SecondsSince(start);
  result[name] = seconds;
  result[std::string(name) + "_cpu"] = CpuSeconds() - cpu_start;
  const RestartReport& report = detector->restart_report();
  for (const Error& error : report.refused) fmt::print(stderr, "{}\n", error.message);
  if (report.loaded.has_value()) {
    result["restart_documents"] = detector->index_stats().documents;
    result["restart_entries_since_snapshot"] = detector->position().offset - *report.loaded;
  }
  return seconds;
}

void FoldAll(const Options& options, const RestartOptions& restart,
             nlohmann::ordered_json& result) {
  Say("opens the state in {}", options.store.directory.string());
  const auto store = OrDie(Store::Open(options.store));
  const auto detector = OpenDetector(*store, options.kept + options.entries, restart);
  if (!detector->parameters().has_value()) {
    OrDie(detector->Fold(ParametersEntry(ParametersOf(options), kScheme)));
    OrDie(detector->Commit({0, std::string(16, 'x')}));
  }
  const auto begun = static_cast<std::uint64_t>(detector->position().offset);
  if (begun > options.kept) {
    Die({ErrorCode::kInvalidInput, options.store.directory.string() + " holds a state of " +
                                       std::to_string(begun) + " entries: fill it no further"});
  }
  MadeUpLog log(options, begun);
  const std::uint64_t fill_count = std::min(options.fill, options.kept - begun);
  Say("folds new pages from {} to {}", begun, begun + fill_count);
  const Cost fill = Fold(*detector, log, fill_count, options, nullptr);
  result["filled"] = fill_count;
  if (fill_count > 0) {
    result["fill_per_s"] = static_cast<double>(fill_count) / fill.seconds;
    result["fill_s"] = fill.seconds;
    result["fill_cpu_us"] = fill.cpu_seconds * 1e6 / static_cast<double>(fill_count);
    result["fill_process_cpu_us"] =
        fill.process_cpu_seconds * 1e6 / static_cast<double>(fill_count);
  }
  OrDie(store->Flush());
  result["snapshots_written"] = detector->restart_report().written;
  if (begun + fill_count < options.kept) return;
  Say("folds a mix of {} entries", options.entries);
  const LookupWork before = detector->lookup_work();
  std::array<std::uint64_t, kReasonCount> reasons{};
  auto askers = std::make_unique<Askers>(*store, options);
  const Cost fold = Fold(*detector, log, options.entries, options, &reasons);
  if (options.askers > 0) {
    result["answers_of_300_urls"] = askers->answers();
    result["longest_answer_s"] = askers->longest_seconds();
  }
  askers.reset();
  Say("folded them, {:.0f} a second", static_cast<double>(options.entries) / fold.seconds);
  OrDie(store->Flush());
  const LookupWork after = detector->lookup_work();

  result["fold_per_s"] = static_cast<double>(options.entries) / fold.seconds;
  result["fold_cpu_us"] = fold.cpu_seconds * 1e6 / static_cast<double>(options.entries);
  result["fold_process_cpu_us"] =
      fold.process_cpu_seconds * 1e6 / static_cast<double>(options.entries);
  result["log_bytes_per_entry"] =
      static_cast<double>(fold.log_bytes) / static_cast<double>(options.entries);
  if (options.links > 0) {
    result["scores_per_entry"] =
        static_cast<double>(fold.scores) / static_cast<double>(options.entries);
  }
  result["candidates_per_entry"] = static_cast<double>(after.candidates - before.candidates) /
                                   static_cast<double>(options.entries);
  result["refold_s"] = fill.seconds + fold.seconds;
  result["refold_cpu_s"] = fill.cpu_seconds + fold.cpu_seconds;
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    if (reasons[i] > 0) {
      result["reasons"][std::string(RuleFor(static_cast<Reason>(i)).name)] = reasons[i];
    }
  }
}

/// Folds so many entries alone, and then as long as a checkpoint is being made, as often as
/// `options.pairs` says. Then starts from the newest.
void MeasureCheckpoints(const Options& options, const RestartOptions& restart,
                        nlohmann::ordered_json& result) {
  std::int64_t last = 0;
  double alone_rates = 0;
  {
    const auto store = OrDie(Store::Open(options.store));
    const auto detector = OpenDetector(*store, options.kept + options.entries, restart);
    MadeUpLog log(options, static_cast<std::uint64_t>(detector->position().offset));
    CheckpointManifest known;
    (void)Fold(*detector, log, options.entries, options, nullptr);  // rows come to the cache
    for (int pair = 0; pair < options.pairs; ++pair) {
      const Cost alone = Fold(*detector, log, options.entries, options, nullptr);
      const double alone_rate = static_cast<double>(options.entries) / alone.seconds;
      alone_rates += alone_rate;
      OrDie(store->BeginFlush());
      const auto begin = Clock::now();
      std::atomic<bool> is_done{false};
      CheckpointReport report;
      std::jthread maker([&] {
        LowerThreadPriority();
        const StateCopy copy = OrDie(StateCopy::Take(*store, options.store.directory));
        report = OrDie(CreateCheckpoint(
            copy, {.repository = options.checkpoints, .rests = CheckpointOptions::kBesideAJudge},
            known));
        is_done = true;
      });
      std::uint64_t folded = 0;
      Cost beside;
      while (!is_done) {
        const Cost cost = Fold(*detector, log, options.batch, options, nullptr);
        beside.seconds += cost.seconds;
        folded += options.batch;
      }
      maker.join();
      known = report.made.manifest;
      const double rate = static_cast<double>(folded) / beside.seconds;
      result["checkpoints"].push_back({{"seconds", SecondsSince(begin)},
                                       {"bytes", known.bytes()},
                                       {"new_bytes", report.new_bytes},
                                       {"alone_per_s", alone_rate},
                                       {"beside_per_s", rate},
                                       {"beside_to_alone", rate / alone_rate}});
      Say("checkpoint {}: {}", pair + 1, result["checkpoints"].back().dump());
    }
    last = known.log_offset;
  }
  Options restored = options;
  restored.store.directory = options.checkpoints.string() + ".restored";
  std::filesystem::remove_all(restored.store.directory);
  const auto repository = OrDie(CheckpointRepository::Open(options.checkpoints));
  const StoredCheckpoint newest = OrDie(repository.Find(""));
  const auto begin = Clock::now();
  OrDie(RestoreCheckpoint(repository, newest, restored.store.directory));
  result["restore_s"] = SecondsSince(begin);
  const RestartOptions from{restored.store.directory, options.snapshot_entries};
  (void)Restart(restored, from, result, "start_s");
  const double judging = SecondsSince(begin);
  const double refold = static_cast<double>(last) / (alone_rates / options.pairs);
  result["restore_to_judging_s"] = judging;
  result["refold_at_the_rate_alone_s"] = refold;
  result["restore_to_refold"] = judging / refold;
  std::filesystem::remove_all(restored.store.directory);
}

/// Merges the files of a state, as a judge does when much has gone. The two newest restart
/// snapshots are of this state then, as after any other entries.
void MergeFiles(Store& store, Detector& detector, MadeUpLog& log, const Options& options) {
  for (int i = 0; i < 2; ++i) {
    (void)Fold(detector, log, options.batch, options, nullptr);
    OrDie(detector.Flush());
  }
  store.GiveRoomBack();
  OrDie(store.Flush());
  store.WaitForRoom();
  Say("files are merged: {} documents", detector.index_stats().documents);
}

constexpr std::uint32_t kMostSweepRows = 1'000'000;

/// Folds revisits alone, then the same while the pages of one crawl go, to the end of that.
void MeasureRemoval(const Options& options, const RestartOptions& restart,
                    nlohmann::ordered_json& result) {
  const auto store = OrDie(Store::Open(options.store));
  const auto detector = OpenDetector(*store, options.kept + options.entries, restart);
  if (!detector->parameters().has_value()) {
    OrDie(detector->Fold(ParametersEntry(ParametersOf(options), kScheme)));
    OrDie(detector->Commit({0, std::string(16, 'x')}));
  }
  const auto begun = static_cast<std::uint64_t>(detector->position().offset);
  MadeUpLog log(options, begun);
  if (begun < options.kept) {
    (void)Fold(*detector, log, options.kept - begun, options, nullptr);
  }
  Say("folds {} revisits alone", options.entries);
  (void)Fold(*detector, log, options.entries, options, nullptr);  // rows come to the cache
  const Cost alone = Fold(*detector, log, options.entries, options, nullptr);
  MergeFiles(*store, *detector, log, options);
  const IndexStats full = detector->index_stats();
  const std::uint64_t full_disk = BytesIn(options.store.directory);

  log::Entry purge;
  purge.mutable_purge()->set_id("fold_bench");
  purge.mutable_purge()->set_crawl_id(MadeUpLog::kGoes);
  log.StopVisitsOfGoing();
  const auto begin = Clock::now();
  OrDie(detector->Fold(purge));
  result["purge_entry_s"] = SecondsSince(begin);
  Cost beside;
  std::uint64_t folded = 0;
  double longest = 0;
  while (detector->is_removing() && folded < options.meanwhile) {
    const Cost cost = Fold(*detector, log, options.batch, options, nullptr);
    beside.seconds += cost.seconds;
    beside.cpu_seconds += cost.cpu_seconds;
    longest = std::max(longest, cost.seconds);
    folded += options.batch;
    if (folded % 1'000'000 < options.batch) {
      Say("{} revisits while pages go, {:.1f} us each; alone {:.1f} us", folded,
          beside.seconds * 1e6 / static_cast<double>(folded),
          alone.seconds * 1e6 / static_cast<double>(options.entries));
    }
  }
  if (detector->is_removing()) {
    JudgeParameters at_once = ParametersOf(options);
    at_once.retention.sweep_rows = kMostSweepRows;
    OrDie(detector->Fold(ParametersEntry(at_once, kScheme)));
    while (detector->is_removing()) (void)Fold(*detector, log, options.batch, options, nullptr);
  }
  const IndexStats left = detector->index_stats();
  const Cost alone_after = Fold(*detector, log, options.entries, options, nullptr);
  MergeFiles(*store, *detector, log, options);
  const std::uint64_t left_disk = BytesIn(options.store.directory);

  const auto fall = [](std::uint64_t before, std::uint64_t after) {
    return 1 - static_cast<double>(after) / static_cast<double>(before);
  };
  // Rows of hosts and patterns grow with revisits, so the fold alone is measured on both sides.
  const double alone_us =
      (alone.seconds + alone_after.seconds) * 1e6 / static_cast<double>(2 * options.entries);
  const double beside_us = beside.seconds * 1e6 / static_cast<double>(folded);
  result["entries_meanwhile"] = folded;
  result["alone_us"] = alone_us;
  const auto each = static_cast<double>(options.entries);
  result["alone_before_us"] = alone.seconds * 1e6 / each;
  result["alone_before_cpu_us"] = alone.cpu_seconds * 1e6 / each;
  result["alone_after_us"] = alone_after.seconds * 1e6 / static_cast<double>(options.entries);
  result["meanwhile_us"] = beside_us;
  result["slower_by"] = beside_us / alone_us - 1;
  result["alone_cpu_us"] = (alone.cpu_seconds + alone_after.cpu_seconds) * 1e6 /
                           static_cast<double>(2 * options.entries);
  result["meanwhile_cpu_us"] = beside.cpu_seconds * 1e6 / static_cast<double>(folded);
  result["longest_batch_s"] = longest;
  result["documents"] = {full.documents, left.documents};
  result["documents_fall_by"] = fall(full.documents, left.documents);
  result["index_bytes"] = {full.bytes, left.bytes};
  result["index_falls_by"] = fall(full.bytes, left.bytes);
  result["disk_bytes"] = {full_disk, left_disk};
  result["disk_falls_by"] = fall(full_disk, left_disk);
  result["tables_merged"] = store->room_report().merged;
  result["tables_passed_over"] = store->room_report().passed_over;
}

int Print(const Options& options, const nlohmann::ordered_json& result) {
  if (options.json) {
    fmt::print("{}\n", result.dump());
  } else {
    for (const auto& [name, value] : result.items()) fmt::print("{:32} {}\n", name, value.dump());
  }
  return 0;
}

int Run(const Options& options) {
  const RestartOptions restart{options.store.directory, options.snapshot_entries};
  nlohmann::ordered_json result;
  result["kept"] = options.kept;
  result["entries"] = options.entries;
  if (!options.checkpoints.empty()) {
    MeasureCheckpoints(options, restart, result);
    return Print(options, result);
  }
  if (options.remove > 0) {
    MeasureRemoval(options, restart, result);
    return Print(options, result);
  }
  if (!options.restart) FoldAll(options, restart, result);
  if (result.contains("filled") && !result.contains("fold_per_s")) return Print(options, result);
  Restart(options, {}, result, "restart_from_rows_s");
  const double seconds = Restart(options, restart, result, "restart_s");
  if (result.contains("refold_s")) {
    result["restart_to_refold"] = seconds / result["refold_s"].get<double>();
  }
  result["state_bytes_per_kept"] =
      static_cast<double>(BytesIn(options.store.directory)) / static_cast<double>(options.kept);
  return Print(options, result);
}

int Main(int argc, char** argv) {
  Options options;
  CLI::App app("Measures how fast the judge folds the admission log.");
  app.add_option("directory", options.store.directory,
                 "for the state; where it holds one, the fill goes on from there")
      ->required();
  app.add_option("--kept", options.kept, "kept pages before the measurement")
      ->check(CLI::PositiveNumber);
  app.add_option("--fill", options.fill, "of these, at most so many in this run");
  app.add_option("--entries", options.entries, "entries folded after that, a mix")
      ->check(CLI::PositiveNumber);
  app.add_option("--batch", options.batch, "entries a commit")->check(CLI::PositiveNumber);
  app.add_option("--hosts", options.hosts, "that the pages are of")->check(CLI::PositiveNumber);
  app.add_option("--max-sites", options.max_sites,
                 "judge.sites.max; 0: nothing is learned of sites");
  app.add_option("--links", options.links, "of each page; scores of them are made");
  app.add_option("--askers", options.askers,
                 "threads that ask for the scores of 300 URLs again and again during the mix");
  app.add_option("--threads", options.threads, "that read ahead of the fold, and make scores")
      ->check(CLI::PositiveNumber);
  app.add_option("--cache-mib", options.cache_mib, "RocksDB's block cache");
  app.add_option("--snapshot-entries", options.snapshot_entries,
                 "entries from one restart snapshot to the next; 0: none");
  app.add_flag("--restart", options.restart,
               "fold nothing: measure restarts on the state that an earlier run left");
  app.add_option("--checkpoints", options.checkpoints,
                 "repository: measure checkpoints on the state that an earlier run left, with "
                 "--entries folded alone before each");
  app.add_option(
         "--remove", options.remove,
         "percent of the kept pages: has them purged, and measures what that gives back and "
         "what it costs the fold of --entries revisits")
      ->check(CLI::Range(1, 99));
  app.add_option("--sweep-rows", options.sweep_rows, "judge.retention.sweep_rows; 0: the default");
  app.add_option("--meanwhile", options.meanwhile,
                 "at most so many revisits are measured while pages go; the rest of the pages goes "
                 "at once");
  app.add_option("--pairs", options.pairs, "checkpoints that are made")->check(CLI::PositiveNumber);
  app.add_flag("--without-sketch", options.without_sketch,
               "pages have no sketch and no title: the simhash alone decides");
  app.add_flag("--json", options.json, "print one JSON object");
  CLI11_PARSE(app, argc, argv);
  options.store.block_cache_bytes = options.cache_mib << 20;
  return Run(options);
}

}  // namespace
}  // namespace crawlsieve

int main(int argc, char** argv) {
  try {
    return crawlsieve::Main(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fold_bench: %s\n", error.what());
    return 1;
  }
}
