#include "plugin/base/hex.h"
#include "plugin/index/batch/clusters.h"
#include "plugin/index/batch/near_pairs.h"
#include "plugin/index/batch/snapshot_pass.h"
#include "plugin/index/distribution.h"
#include "plugin/index/snapshot/file.h"
#include "plugin/index/snapshot/writer.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/common.h"
#include "cli/pair_line.h"
#include "cli/progress.h"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

using Json = nlohmann::ordered_json;

std::optional<std::uint64_t> ParseFingerprint(std::string_view digits) {
  std::uint64_t bits = 0;
  const char* const end = digits.data() + digits.size();
  const auto [next, error] = std::from_chars(digits.data(), end, bits, 16);
  if (digits.size() != 16 || error != std::errc() || next != end) return std::nullopt;
  return bits;
}

/// Reads lines of a fingerprint, 16 hexadecimal digits, and, after a blank, a document number;
/// where there is none it is the number of the line. Errors: kIo, kInvalidInput with file and line.
Result<std::vector<IndexEntry>> ReadFingerprints(const std::filesystem::path& path) {
  std::ifstream in(path);
  if (!in) return MakeError(ErrorCode::kIo, "can't read " + path.string());
  std::error_code unknown;
  const std::uintmax_t size = std::filesystem::file_size(path, unknown);
  std::uint64_t done = 0;
  Progress progress("read fingerprints");
  std::vector<IndexEntry> entries;
  std::string line;
  for (std::uint64_t number = 1; std::getline(in, line); ++number) {
    done += line.size() + 1;
    if (progress.IsDue()) {
      progress.Show(done, unknown ? 0 : size, fmt::format("{} lines", number));
    }
    IndexEntry entry{.fingerprint = {}, .document = {number}};
    const std::optional<std::uint64_t> bits =
        ParseFingerprint(std::string_view(line).substr(0, 16));
    bool valid = bits.has_value();
    if (valid) entry.fingerprint.bits = *bits;
    if (valid && line.size() > 16) {
      const char* const end = line.data() + line.size();
      const auto [after, error] = std::from_chars(line.data() + 17, end, entry.document.sequence);
      valid = (line[16] == ' ' || line[16] == '\t') && error == std::errc() && after == end;
    }
    if (!valid) {
      return MakeError(ErrorCode::kInvalidInput,
                       fmt::format("{}:{}: not 16 hexadecimal digits and a document number",
                                   path.string(), number));
    }
    entries.push_back(entry);
  }
  if (in.bad()) return MakeError(ErrorCode::kIo, "can't read " + path.string());
  return entries;
}

Json InfoJson(const SnapshotInfo& info) {
  const auto entries = static_cast<double>(std::max<std::uint64_t>(info.entries, 1));
  return {{"kind", SnapshotKindName(info.kind)},
          {"scheme", info.origin.scheme},
          {"log_offset", info.origin.log_offset},
          {"entries", info.entries},
          {"fingerprints", info.fingerprints},
          {"bytes", info.bytes},
          {"bytes_per_entry", static_cast<double>(info.bytes) / entries}};
}

/// Values as JSON (one object), or as lines of a name and a value.
void Print(const Json& report, bool json) {
  constexpr auto kReplace = Json::error_handler_t::replace;
  if (json) {
    fmt::print("{}\n", report.dump(-1, ' ', false, kReplace));
    return;
  }
  for (const auto& [name, value] : report.items()) {
    if (value.is_structured()) continue;
    fmt::print("{:<24}{}\n", name,
               value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', false, kReplace));
  }
}

/// Calls `visit` for all entries, as SnapshotFile::ForEach, and shows how far that is.
Status ForEachShown(const SnapshotFile& store, const char* task,
                    const std::function<void(std::span<const IndexEntry>)>& visit) {
  Progress progress(task);
  std::uint64_t done = 0;
  return store.ForEach([&](std::span<const IndexEntry> entries) {
    visit(entries);
    done += entries.size();
    if (progress.IsDue()) {
      progress.Show(done, store.info().entries,
                    fmt::format("{} of {} entries", done, store.info().entries));
    }
  });
}

/// A source that reads a snapshot block by block would run ForEach inside out; the entries of the
/// stores this command rewrites fit in memory.
Result<std::vector<IndexEntry>> ReadEntries(const SnapshotFile& store) {
  std::vector<IndexEntry> entries;
  const Status read = ForEachShown(store, "read", [&entries](std::span<const IndexEntry> piece) {
    entries.insert(entries.end(), piece.begin(), piece.end());
  });
  if (!read) return tl::unexpected(read.error());
  return entries;
}

int WriteEntries(const std::filesystem::path& file, SnapshotKind kind, const SnapshotOrigin& origin,
                 std::vector<IndexEntry> entries, bool json) {
  std::ranges::sort(entries);
  std::uint64_t max_document = 0;
  for (const IndexEntry& entry : entries) {
    max_document = std::max(max_document, entry.document.sequence);
  }
  const EntrySource source = [&entries, done = false](std::vector<IndexEntry>& piece) mutable {
    if (std::exchange(done, true)) return false;
    piece.swap(entries);
    return !piece.empty();
  };
  const Result<SnapshotInfo> info =
      WriteSnapshot(file, {.kind = kind, .origin = origin, .max_document = max_document}, source);
  if (!info) {
    return PrintError(info.error(),
                      info.error().code == ErrorCode::kIo ? kExitFailed : kExitWrongInput);
  }
  Print(InfoJson(*info), json);
  return kExitDone;
}

SnapshotKind KindOf(const std::string& name) {
  if (name == "archive") return SnapshotKind::kArchive;
  return name == "searchable" ? SnapshotKind::kSearchable : SnapshotKind::kRestart;
}

/// Bars of '#' beside the values.
void PrintBars(std::string_view title, std::span<const std::uint64_t> values) {
  constexpr double kWidth = 60;
  fmt::print("\n{}\n", title);
  const auto most =
      static_cast<double>(std::max<std::uint64_t>(*std::ranges::max_element(values), 1));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto length =
        static_cast<std::size_t>(std::lround(static_cast<double>(values[i]) / most * kWidth));
    fmt::print("{:>4} {:>12} {}\n", i, values[i], std::string(length, '#'));
  }
}

/// One JSON line for a query and its matches.
std::string MatchesLine(Fingerprint query, std::span<const Match> matches) {
  Json answers = Json::array();
  for (const Match& match : matches) {
    Json& answer = answers.emplace_back();
    answer = {{"fingerprint", Hex(match.fingerprint.bits)}, {"distance", match.distance}};
    if (match.document.sequence != 0) answer["sequence"] = match.document.sequence;
  }
  return Json{{"fingerprint", Hex(query.bits)}, {"matches", std::move(answers)}}.dump();
}

/// For each query its matches, in the order of HammingIndex::Find.
using AllMatches = std::vector<std::vector<Match>>;

/// Looks every query up in a searchable snapshot, of which only the blocks near it are read.
Result<AllMatches> SearchEachQuery(const SnapshotFile& store, std::span<const Fingerprint> queries,
                                   int max_distance) {
  Progress progress("query");
  AllMatches matches(queries.size());
  std::vector<Neighbour> found;
  for (std::size_t q = 0; q < queries.size(); ++q) {
    if (Status searched = store.Find(queries[q], max_distance, found); !searched) {
      return tl::unexpected(searched.error());
    }
    for (const Neighbour& neighbour : found) {
      matches[q].push_back({{}, neighbour.fingerprint, neighbour.distance});
    }
    if (progress.IsDue()) {
      progress.Show(q + 1, queries.size(),
                    fmt::format("{} of {} queries answered", q + 1, queries.size()));
    }
  }
  return matches;
}

/// Reads a snapshot of any kind once, or one chunk of it, and compares all queries with everything
/// in it.
Result<AllMatches> ComparePassingOnce(const SnapshotFile& store,
                                      std::span<const Fingerprint> queries,
                                      const IndexArguments& arguments) {
  const std::uint64_t total = store.info().entries / arguments.chunk.count;
  const BatchQueries batch(queries, arguments.max_distance, total);
  Progress progress("query");
  std::uint64_t done = 0;
  const auto show = [&](std::uint64_t entries) {
    done += entries;
    if (progress.IsDue()) progress.Show(done, total, fmt::format("{} entries compared", done));
  };
  const auto pass = PassOverSnapshot(
      store, SnapshotPart::Chunk(store, arguments.chunk.number, arguments.chunk.count), batch,
      {.threads = arguments.threads, .read = show});
  if (!pass) return tl::unexpected(pass.error());
  return MatchesByQuery(queries.size(), pass->found);
}

/// Whether looking each query up, which reads few blocks, takes less time than to read them all.
bool IsSearchQuicker(const SnapshotFile& store, std::size_t queries,
                     const IndexArguments& arguments) {
  if (store.info().kind != SnapshotKind::kSearchable || arguments.chunk.count > 1) return false;
  // Entries that one thread compares in the time of a lookup: measured at 3, 5 and 6 bits with 20 M
  // stored, the others in between.
  constexpr std::uint64_t kEntriesForLookup[] = {100, 200, 400, 700, 1'300, 2'300, 5'700, 6'000};
  const auto k = static_cast<std::size_t>(arguments.max_distance);
  return queries * kEntriesForLookup[k] < store.info().entries;
}

/// Joins what stands in lines of pairs.
class PairReader {
 public:
  /// Errors: kIo, kInvalidInput with file and line.
  Status Read(const std::filesystem::path& path) {
    std::ifstream in(path);
    if (!in) return MakeError(ErrorCode::kIo, "can't read " + path.string());
    std::error_code unknown;
    const std::uintmax_t size = std::filesystem::file_size(path, unknown);
    std::uint64_t done = 0;
    Progress progress("clusters");
    std::string line;
    for (std::uint64_t number = 1; std::getline(in, line); ++number) {
      const auto pair = Json::parse(line, nullptr, false);
      const std::optional<std::uint64_t> a = IdOf(pair, "a");
      const std::optional<std::uint64_t> b = IdOf(pair, "b");
      if (!a || !b) {
        return MakeError(ErrorCode::kInvalidInput,
                         fmt::format("{}:{}: not a pair as index pairs writes them, or one without "
                                     "documents among others with them",
                                     path.string(), number));
      }
      clusters_.Join(*a, *b);
      done += line.size() + 1;
      if (progress.IsDue()) {
        progress.Show(done, unknown ? 0 : size, fmt::format("{} pairs", number));
      }
    }
    if (in.bad()) return MakeError(ErrorCode::kIo, "can't read " + path.string());
    return {};
  }

  [[nodiscard]] Clusters& clusters() { return clusters_; }
  /// The document's number, or the fingerprint's digits.
  [[nodiscard]] Json Name(std::uint64_t id) const { return documents_ ? Json(id) : Json(Hex(id)); }

 private:
  /// All ends are documents or none is.
  std::optional<std::uint64_t> IdOf(const Json& pair, const char* end) {
    if (!pair.is_object() || !pair.contains(end) || !pair[end].is_object()) return std::nullopt;
    const Json& entry = pair[end];
    const bool is_document = entry.contains("sequence");
    if (known_ && is_document != documents_) return std::nullopt;
    known_ = true;
    documents_ = is_document;
    if (is_document) {
      if (!entry["sequence"].is_number_unsigned()) return std::nullopt;
      return entry["sequence"].get<std::uint64_t>();
    }
    if (!entry.contains("fingerprint") || !entry["fingerprint"].is_string()) return std::nullopt;
    return ParseFingerprint(entry["fingerprint"].get_ref<const std::string&>());
  }

  Clusters clusters_;
  bool known_ = false;  ///< whether ends are documents
  bool documents_ = false;
};

}  // namespace

int IndexBuildCommand(const IndexArguments& arguments) {
  Result<std::vector<IndexEntry>> entries = ReadFingerprints(arguments.input);
  if (!entries) return PrintError(entries.error());
  return WriteEntries(arguments.out, KindOf(arguments.kind),
                      {.scheme = arguments.scheme, .log_offset = arguments.log_offset},
                      *std::move(entries), arguments.json);
}

int IndexExportCommand(const IndexArguments& arguments) {
  const Result<SnapshotFile> store = SnapshotFile::Open(arguments.store);
  if (!store) return PrintError(store.error());
  if (!arguments.kind.empty()) {
    const SnapshotKind kind = KindOf(arguments.kind);
    if (kind == SnapshotKind::kRestart && store->info().kind != kind) {
      return PrintError({ErrorCode::kInvalidInput, arguments.store.string() + " has no documents"});
    }
    Result<std::vector<IndexEntry>> entries = ReadEntries(*store);
    if (!entries) return PrintError(entries.error());
    return WriteEntries(arguments.out, kind, store->info().origin, *std::move(entries),
                        arguments.json);
  }
  Result<OutputFile> out = OutputFile::Open(arguments.out);
  if (!out) return PrintError(out.error());
  Status written;
  const Status read = ForEachShown(*store, "export", [&](std::span<const IndexEntry> entries) {
    for (const IndexEntry& entry : entries) {
      if (!written) return;
      const std::string bits = Hex(entry.fingerprint.bits);
      const std::uint64_t document = entry.document.sequence;
      written = out->WriteLine(document == 0 ? bits : fmt::format("{} {}", bits, document));
    }
  });
  if (!read) return PrintError(read.error());
  if (written) written = out->Flush();
  return written ? kExitDone : PrintError(written.error(), kExitFailed);
}

int IndexVerifyCommand(const IndexArguments& arguments) {
  const Result<SnapshotFile> store = SnapshotFile::Open(arguments.store);
  if (!store) return PrintError(store.error());
  if (const Status intact = store->Verify(); !intact) return PrintError(intact.error());
  Print(InfoJson(store->info()), arguments.json);
  return kExitDone;
}

int IndexStatsCommand(const IndexArguments& arguments) {
  const Result<SnapshotFile> store = SnapshotFile::Open(arguments.store);
  if (!store) return PrintError(store.error());
  Distribution distribution(store->info().fingerprints);
  const Status read = ForEachShown(
      *store, "stats",
      [&distribution](std::span<const IndexEntry> entries) { distribution.Add(entries); });
  if (!read) return PrintError(read.error());
  const Distribution::Occupancy occupancy = distribution.occupancy();
  const std::size_t shown = std::min<std::uint64_t>(occupancy.fullest + 1, occupancy.with.size());
  const std::span<const std::uint64_t> with(occupancy.with.data(), shown);
  Json report = InfoJson(store->info());
  report["buckets"] = occupancy.buckets;
  report["fullest_bucket"] = occupancy.fullest;
  report["bucket_occupancy"] = with;
  report["leading_differences"] = distribution.leading_differences();
  report["intervals"] = distribution.intervals();
  Print(report, arguments.json);
  struct Chart {
    const char* file;
    const char* title;
    const char* axis;
    std::span<const std::uint64_t> values;
  };
  const Chart charts[] = {
      {"leading-differences.svg", "First differing bit of neighbours in sorted order",
       "bit, from the leading one", distribution.leading_differences()},
      {"intervals.svg", "Fingerprints in 128 equal intervals", "interval",
       distribution.intervals()},
      {"buckets.svg", "Buckets by number of fingerprints", "fingerprints in the bucket", with},
  };
  for (const Chart& chart : charts) {
    if (!arguments.json) PrintBars(fmt::format("{} ({})", chart.title, chart.axis), chart.values);
    if (arguments.svg.empty()) continue;
    Result<OutputFile> out = OutputFile::Open(arguments.svg / chart.file);
    if (!out) return PrintError(out.error());
    Status written = out->WriteLine(BarChartSvg(chart.title, chart.axis, chart.values));
    if (written) written = out->Flush();
    if (!written) return PrintError(written.error(), kExitFailed);
  }
  return kExitDone;
}

int IndexQueryCommand(const IndexArguments& arguments) {
  const Result<SnapshotFile> store = SnapshotFile::Open(arguments.store);
  if (!store) return PrintError(store.error());
  const Result<std::vector<IndexEntry>> asked = ReadFingerprints(arguments.input);
  if (!asked) return PrintError(asked.error());
  std::vector<Fingerprint> queries;
  for (const IndexEntry& entry : *asked) queries.push_back(entry.fingerprint);

  const Result<AllMatches> matches = IsSearchQuicker(*store, queries.size(), arguments)
                                         ? SearchEachQuery(*store, queries, arguments.max_distance)
                                         : ComparePassingOnce(*store, queries, arguments);
  if (!matches) return PrintError(matches.error());

  Result<OutputFile> out = OutputFile::Open(arguments.out);
  if (!out) return PrintError(out.error());
  for (std::size_t q = 0; q < queries.size(); ++q) {
    if (Status written = out->WriteLine(MatchesLine(queries[q], (*matches)[q])); !written) {
      return PrintError(written.error(), kExitFailed);
    }
  }
  const Status flushed = out->Flush();
  return flushed ? kExitDone : PrintError(flushed.error(), kExitFailed);
}

int IndexPairsCommand(const IndexArguments& arguments) {
  const Result<SnapshotFile> store = SnapshotFile::Open(arguments.store);
  if (!store) return PrintError(store.error());
  Result<OutputFile> out = OutputFile::Open(arguments.out);
  if (!out) return PrintError(out.error());
  Progress progress("pairs");
  const std::uint64_t total = store->info().fingerprints / arguments.chunk.count;
  std::uint64_t written = 0;
  const auto show = [&](std::uint64_t done) {
    if (!progress.IsDue()) return;
    progress.Show(done, total, fmt::format("{} fingerprints, {} pairs", done, written));
  };
  const auto write = [&](std::span<const NearPair> pairs) -> Status {
    for (const NearPair& pair : pairs) {
      CRAWLSIEVE_RETURN_IF_ERROR(out->WriteLine(PairLine(pair)));
    }
    written += pairs.size();
    return {};
  };
  Status visited = ForEachNearPair(
      *store, SnapshotPart::Chunk(*store, arguments.chunk.number, arguments.chunk.count),
      {.max_distance = arguments.max_distance, .threads = arguments.threads, .done = show}, write);
  if (visited) visited = out->Flush();
  if (visited) return kExitDone;
  return PrintError(visited.error(),
                    visited.error().code == ErrorCode::kIo ? kExitFailed : kExitWrongInput);
}

int IndexClustersCommand(const IndexArguments& arguments) {
  PairReader reader;
  for (const std::filesystem::path& file : arguments.pairs) {
    if (const Status read = reader.Read(file); !read) return PrintError(read.error());
  }
  Result<OutputFile> out = OutputFile::Open(arguments.out);
  if (!out) return PrintError(out.error());
  Status written;
  for (const auto& [id, root] : reader.clusters().Members()) {
    written = out->WriteLine(Json{{"id", reader.Name(id)}, {"root", reader.Name(root)}}.dump());
    if (!written) break;
  }
  if (written) written = out->Flush();
  if (!written) return PrintError(written.error(), kExitFailed);
  fmt::print(stderr, "{} in {} clusters\n", reader.clusters().ids(), reader.clusters().sets());
  return kExitDone;
}

}  // namespace crawlsieve::consumer
