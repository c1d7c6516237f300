#include "plugin/index/snapshot/split.h"

#include "plugin/index/snapshot/writer.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>

namespace crawlsieve {
namespace {

/// Takes entries off a snapshot, block by block.
class BlockReader {
 public:
  explicit BlockReader(const SnapshotFile& store) : store_(store) {}

  /// What wasn't taken of the block that comes; empty: there are no more, or see status().
  [[nodiscard]] std::span<const IndexEntry> Peek() {
    while (begin_ == entries_.size() && block_ < store_.blocks() && status_) {
      entries_.clear();
      begin_ = 0;
      const auto read = store_.ForEachIn(block_, block_ + 1, [this](auto entries) {
        entries_.insert(entries_.end(), entries.begin(), entries.end());
      });
      ++block_;
      if (!read) status_ = tl::unexpected(read.error());
    }
    return status_ ? std::span(entries_).subspan(begin_) : std::span<const IndexEntry>();
  }

  void Take(std::size_t count) { begin_ += count; }

  [[nodiscard]] const Status& status() const { return status_; }

 private:
  const SnapshotFile& store_;
  std::uint64_t block_ = 0;
  std::vector<IndexEntry> entries_;
  std::size_t begin_ = 0;  ///< of those not taken
  Status status_;
};

/// The entries of one chunk: `least` of them, and those of the last one's fingerprint.
class ChunkSource {
 public:
  ChunkSource(BlockReader& reader, std::uint64_t least) : reader_(reader), left_(least) {}

  bool operator()(std::vector<IndexEntry>& piece) {
    piece.clear();
    const std::span<const IndexEntry> next = reader_.Peek();
    std::size_t count = static_cast<std::size_t>(std::min<std::uint64_t>(left_, next.size()));
    if (count > 0) last_ = next[count - 1].fingerprint;
    while (count < next.size() && last_ == next[count].fingerprint) ++count;
    left_ -= std::min<std::uint64_t>(left_, count);
    piece.assign(next.begin(), next.begin() + static_cast<std::ptrdiff_t>(count));
    reader_.Take(count);
    return count > 0;
  }

 private:
  BlockReader& reader_;
  std::uint64_t left_;
  std::optional<Fingerprint> last_;
};

}  // namespace

Result<std::vector<SnapshotChunk>> SplitSnapshot(
    const SnapshotFile& store, std::uint64_t count,
    const std::function<std::filesystem::path(std::uint64_t number)>& file_of) {
  const SnapshotInfo& whole = store.info();
  const SnapshotRequest request{.kind = whole.kind,
                                .origin = whole.origin,
                                .max_document = (std::uint64_t{1} << whole.document_bits) - 1};
  BlockReader reader(store);
  std::vector<SnapshotChunk> chunks;
  std::uint64_t done = 0;
  while (chunks.empty() || !reader.Peek().empty()) {
    SnapshotChunk& chunk = chunks.emplace_back();
    const std::span<const IndexEntry> next = reader.Peek();
    if (!next.empty()) chunk.first = next.front().fingerprint;
    chunk.file = file_of(chunks.size());
    const std::uint64_t chunks_left = count - std::min(count - 1, chunks.size() - 1);
    const std::uint64_t left = whole.entries - std::min(done, whole.entries);
    const std::uint64_t share = std::max<std::uint64_t>((left + chunks_left - 1) / chunks_left, 1);
    CRAWLSIEVE_ASSIGN_OR_RETURN(chunk.info,
                                WriteSnapshot(chunk.file, request, ChunkSource(reader, share)));
    CRAWLSIEVE_RETURN_IF_ERROR(reader.status());
    done += chunk.info.entries;
  }
  CRAWLSIEVE_RETURN_IF_ERROR(reader.status());
  if (done != whole.entries) {
    return MakeError(
        ErrorCode::kCorruption,
        std::to_string(done) + " entries, where the header says " + std::to_string(whole.entries));
  }
  return chunks;
}

}  // namespace crawlsieve
