// Folds a log and prints a verdict record for each entry that gets one, a line of JSON each; with
// `scores`, the records of URL scores in their place.
//
//   chaos_fold_log LOG SCRATCH [scores]
//
// LOG as for chaos_state_hash. Exit 1 when the log can't be read or folded.

#include "consumer/output/scores/score_record.h"
#include "consumer/output/verdict_record.h"
#include "plugin/base/result.h"
#include "plugin/fingerprint/checksum.h"
#include "plugin/judge/detector.h"
#include "plugin/score/url_score.h"
#include "plugin/state/store.h"
#include "tests/support/make_flat_index.h"

#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace crawlsieve {
namespace {

/// The scores that come with an entry.
Result<std::vector<UrlScore>> ScoresOf(Detector& detector, const log::Entry& entry,
                                       const Folded& folded) {
  if (folded.outcome == FoldOutcome::kQuestion) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(auto answer, detector.AnswerTo(entry.question()));
    return std::vector{std::move(answer)};
  }
  if (!folded.verdict.has_value()) return std::vector<UrlScore>();
  return detector.ScoresOf(entry.page(), *folded.verdict);
}

Status Run(const std::string& log_path, const std::string& scratch, bool wants_scores) {
  auto store = Store::Open({.directory = scratch});
  if (!store) return tl::unexpected(store.error());
  std::ifstream log(log_path, std::ios::binary);
  std::unique_ptr<Detector> detector;
  std::int64_t offset = 0;
  std::uint32_t size = 0;
  std::string bytes;
  log::Entry entry;
  while (log.read(reinterpret_cast<char*>(&offset), sizeof(offset)) &&
         log.read(reinterpret_cast<char*>(&size), sizeof(size))) {
    bytes.resize(size);
    if (!log.read(bytes.data(), size) || !entry.ParseFromString(bytes)) {
      return MakeError(ErrorCode::kInvalidInput, fmt::format("{} is no entry", offset));
    }
    if (detector == nullptr) {
      auto opened =
          Detector::Open(*store.value(), testing::MakeFlatIndex, entry.parameters().scheme());
      if (!opened) return tl::unexpected(opened.error());
      detector = std::move(*opened);
    }
    const auto folded = detector->Fold(entry);
    if (!folded) return tl::unexpected(folded.error());
    if (wants_scores) {
      CRAWLSIEVE_ASSIGN_OR_RETURN(const auto scores, ScoresOf(*detector, entry, *folded));
      for (const UrlScore& score : scores) fmt::print("{}\n", consumer::UrlScoreRecord(score));
    } else if (folded->verdict.has_value()) {
      fmt::print("{}\n", consumer::VerdictRecord(entry.page(), *folded->verdict, {"test", {}}));
    }
    // Some batches are larger than others.
    if (offset % 17 != 0) continue;
    auto committed = detector->Commit({offset, ToBytes(RawChecksum(bytes))});
    if (!committed) return committed;
  }
  return {};
}

}  // namespace
}  // namespace crawlsieve

int main(int argc, char** argv) {
  const bool wants_scores = argc == 4 && std::string_view(argv[3]) == "scores";
  if (argc != 3 && !wants_scores) {
    fmt::print(stderr, "usage: chaos_fold_log LOG SCRATCH [scores]\n");
    return 2;
  }
  const auto done = crawlsieve::Run(argv[1], argv[2], wants_scores);
  if (!done) {
    fmt::print(stderr, "chaos_fold_log: {}\n", done.error().message);
    return 1;
  }
  return 0;
}
