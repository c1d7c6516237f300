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
  Pass(const SnapshotFile& store, const SnapshotPart& part,
       const std::function<void(std::uint64_t)>& read)
      : store_(store), part_(part), read_(read), next_(part.first_block) {}

  std::vector<BatchMatch> Run(const BatchQueries& queries) {
    BatchQuery query(queries);
    const auto compare = [&query](std::span<const IndexEntry> entries) { query.Compare(entries); };
    while (!failed_) {
      const std::uint64_t first = next_.fetch_add(kBlocksAtATime);
      if (first >= part_.last_block) break;
      const std::uint64_t last = std::min(first + kBlocksAtATime, part_.last_block);
      Report(store_.ForEachIn(first, last, compare));
    }
    return query.TakeMatches();
  }

  [[nodiscard]] Status End() const {
    if (error_) return tl::unexpected(*error_);
    const bool whole = part_.first_block == 0 && part_.last_block == store_.blocks();
    if (whole && entries_ != store_.info().entries) {
      return MakeError(ErrorCode::kCorruption, "entries are missing in a snapshot");
    }
    return {};
  }

 private:
  void Report(const Result<std::uint64_t>& entries) {
    const std::lock_guard lock(mutex_);
    if (entries) {
      entries_ += *entries;
      read_(*entries);
    } else {
      error_ = entries.error();
      failed_ = true;
    }
  }

  const SnapshotFile& store_;
  const SnapshotPart part_;
  const std::function<void(std::uint64_t)>& read_;
  std::atomic<std::uint64_t> next_;
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

Result<std::vector<std::vector<BatchMatch>>> PassOverSnapshot(
    const SnapshotFile& store, const SnapshotPart& part, const BatchQueries& queries, int threads,
    const std::function<void(std::uint64_t entries)>& read) {
  Pass pass(store, part, read);
  std::vector<std::vector<BatchMatch>> found(static_cast<std::size_t>(threads));
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < found.size(); ++i) {
      others.emplace_back([&, i] { found[i] = pass.Run(queries); });
    }
    found[0] = pass.Run(queries);
  }
  if (Status end = pass.End(); !end) return tl::unexpected(end.error());
  return found;
}

}  // namespace crawlsieve
