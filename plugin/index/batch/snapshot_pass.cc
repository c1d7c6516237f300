#include "plugin/index/batch/snapshot_pass.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <utility>

namespace crawlsieve {
namespace {

/// Of some 200,000 entries: threads take one after the other.
constexpr std::uint64_t kBlocksAtATime = 4'096;

/// What the threads of a pass share.
class Pass {
 public:
  Pass(const SnapshotFile& store, const SnapshotPart& part, const PassOptions& options)
      : store_(store), part_(part), options_(options), next_(part.first_block) {}

  std::vector<BatchMatch> Run(const BatchQueries& queries) {
    BatchQuery query(queries, options_.most_matches);
    std::size_t found = 0;
    const auto compare = [&](std::span<const IndexEntry> entries) {
      if (!complete()) return;
      query.Compare(entries);
      found_ += query.found() - std::exchange(found, query.found());
    };
    while (!failed_ && complete()) {
      const std::uint64_t first = next_.fetch_add(kBlocksAtATime);
      if (first >= part_.last_block) break;
      const std::uint64_t last = std::min(first + kBlocksAtATime, part_.last_block);
      Report(store_.ForEachIn(first, last, compare));
    }
    std::vector<BatchMatch> matches = query.TakeMatches();
    found_ += matches.size() - found;
    return matches;
  }

  [[nodiscard]] bool complete() const { return found_ < options_.most_matches; }

  [[nodiscard]] Status End() const {
    if (error_) return tl::unexpected(*error_);
    const bool whole = part_.first_block == 0 && part_.last_block == store_.blocks();
    if (whole && complete() && entries_ != store_.info().entries) {
      return MakeError(ErrorCode::kCorruption, "entries are missing in a snapshot");
    }
    return {};
  }

 private:
  void Report(const Result<std::uint64_t>& entries) {
    const std::lock_guard lock(mutex_);
    if (entries) {
      entries_ += *entries;
      options_.read(*entries);
    } else {
      error_ = entries.error();
      failed_ = true;
    }
  }

  const SnapshotFile& store_;
  const SnapshotPart part_;
  const PassOptions& options_;
  std::atomic<std::uint64_t> next_;
  std::atomic<std::size_t> found_ = 0;
  std::atomic<bool> failed_ = false;
  std::mutex mutex_;
  std::uint64_t entries_ = 0;
  std::optional<Error> error_;
};

}  // namespace

SnapshotPart SnapshotPart::Chunk(const SnapshotFile& store, std::uint64_t number,
                                 std::uint64_t count) {
  const std::uint64_t each = store.blocks() / count;
  const std::uint64_t more = store.blocks() % count;  // the first ones have one block more
  const auto begin = [&](std::uint64_t chunk) { return chunk * each + std::min(chunk, more); };
  return {begin(number - 1), begin(number)};
}

Result<PassResult> PassOverSnapshot(const SnapshotFile& store, const SnapshotPart& part,
                                    const BatchQueries& queries, const PassOptions& options) {
  Pass pass(store, part, options);
  PassResult result{
      .found = std::vector<std::vector<BatchMatch>>(static_cast<std::size_t>(options.threads))};
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < result.found.size(); ++i) {
      others.emplace_back([&, i] { result.found[i] = pass.Run(queries); });
    }
    result.found[0] = pass.Run(queries);
  }
  if (Status end = pass.End(); !end) return tl::unexpected(end.error());
  result.complete = pass.complete();
  return result;
}

}  // namespace crawlsieve
