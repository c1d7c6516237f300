#include "plugin/index/batch/near_pairs.h"

#include "plugin/index/batch/batch_query.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace crawlsieve {
namespace {

auto InOrder(const NearPair& pair) { return std::tuple(pair.a, pair.b); }

/// Goes through a part of a store once, some blocks at a time.
class PairFinder {
 public:
  PairFinder(const SnapshotFile& store, const NearPairOptions& options,
             const std::function<Status(std::span<const NearPair>)>& visit)
      : store_(store), options_(options), visit_(visit) {}

  Status Run(const SnapshotPart& part) {
    if (part.first_block > 0 && part.first_block < part.last_block) {
      const Result<std::optional<IndexEntry>> before = LastOf(part.first_block - 1);
      if (!before) return tl::unexpected(before.error());
      last_ = *before;
    }
    for (std::uint64_t block = part.first_block; block < part.last_block;) {
      const std::uint64_t first = block;
      // The round before has linked the first entry with the one before it.
      bool is_linked = true;
      const auto take = [&](std::span<const IndexEntry> entries) { Take(entries, is_linked); };
      while (block < part.last_block &&
             first_documents_.size() + chains_.size() < options_.at_once) {
        if (auto read = store_.ForEachIn(block, block + 1, take); !read) {
          return tl::unexpected(read.error());
        }
        ++block;
      }
      CRAWLSIEVE_RETURN_IF_ERROR(LinkTo(block));
      chains_left_ = chains_;
      CRAWLSIEVE_RETURN_IF_ERROR(Compare(first, first_documents_, std::nullopt));
      done_ += first_documents_.size();
      options_.done(done_);
      first_documents_.clear();
      chains_.clear();
    }
    return {};
  }

 private:
  Result<std::optional<IndexEntry>> LastOf(std::uint64_t block) const {
    std::optional<IndexEntry> last;
    const auto read = store_.ForEachIn(block, block + 1, [&](std::span<const IndexEntry> entries) {
      if (!entries.empty()) last = entries.back();
    });
    if (!read) return tl::unexpected(read.error());
    return last;
  }

  /// Sorts entries into first documents of a fingerprint and links of chains.
  void Take(std::span<const IndexEntry> entries, bool& is_linked) {
    for (const IndexEntry& entry : entries) {
      if (!last_ || last_->fingerprint != entry.fingerprint) {
        first_documents_.push_back(entry);
      } else if (!is_linked) {
        chains_.push_back({*last_, entry, 0});
      }
      is_linked = false;
      last_ = entry;
    }
  }

  /// Links the last entry with the first one of the block behind, if they are of a chain.
  Status LinkTo(std::uint64_t block) {
    if (block == store_.blocks()) return {};
    const auto link = [this](std::span<const IndexEntry> entries) {
      if (entries.empty() || !last_ || last_->fingerprint != entries.front().fingerprint) return;
      chains_.push_back({*last_, entries.front(), 0});
    };
    const auto read = store_.ForEachIn(block, block + 1, link);
    return read ? Status() : tl::unexpected(read.error());
  }

  /// Visits the pairs of these, which begin in block `first` or behind, and the links of chains
  /// that begin before `end`.
  Status Compare(std::uint64_t first, std::span<const IndexEntry> entries,
                 std::optional<IndexEntry> end) {
    std::vector<NearPair> pairs;
    if (!entries.empty()) {
      Result<PassResult> pass = PassOver({first, store_.blocks()}, entries);
      if (!pass) return tl::unexpected(pass.error());
      if (!pass->complete) {
        pass->found.clear();  // the halves need the memory
        const auto left = entries.first(entries.size() / 2);
        const auto right = entries.subspan(left.size());
        CRAWLSIEVE_RETURN_IF_ERROR(Compare(first, left, right.front()));
        return Compare(first, right, end);
      }
      std::size_t found = 0;
      for (const std::vector<BatchMatch>& matches : pass->found) found += matches.size();
      pairs.reserve(found + chains_left_.size());
      for (std::vector<BatchMatch>& matches : pass->found) {
        for (const auto& [query, match] : matches) {
          pairs.push_back({entries[query], {match.fingerprint, match.document}, match.distance});
        }
        matches = {};
      }
    }
    const auto is_before_end = [&](const NearPair& link) { return !end || link.a < *end; };
    while (!chains_left_.empty() && is_before_end(chains_left_.front())) {
      pairs.push_back(chains_left_.front());
      chains_left_ = chains_left_.subspan(1);
    }
    std::ranges::sort(pairs, {}, InOrder);
    // Threads that met documents of one fingerprint have found it once each; the first one counts.
    const auto is_again = [](const NearPair& left, const NearPair& right) {
      return left.a == right.a && left.b.fingerprint == right.b.fingerprint;
    };
    pairs.erase(std::unique(pairs.begin(), pairs.end(), is_again), pairs.end());
    return visit_(pairs);
  }

  Result<PassResult> PassOver(const SnapshotPart& part, std::span<const IndexEntry> entries) {
    std::vector<Fingerprint> queries;
    queries.reserve(entries.size());
    for (const IndexEntry& entry : entries) queries.push_back(entry.fingerprint);
    const double share = static_cast<double>(part.last_block - part.first_block) /
                         static_cast<double>(store_.blocks());
    const auto stored =
        static_cast<std::uint64_t>(share * static_cast<double>(store_.info().entries));
    const BatchQueries batch(queries, options_.max_distance, stored, BatchScope::kGreater);
    PassOptions options{.threads = options_.threads};
    if (entries.size() > 1) options.most_matches = options_.most_pairs;
    return PassOverSnapshot(store_, part, batch, options);
  }

  const SnapshotFile& store_;
  const NearPairOptions& options_;
  const std::function<Status(std::span<const NearPair>)>& visit_;
  std::optional<IndexEntry> last_;
  std::vector<IndexEntry> first_documents_;
  std::vector<NearPair> chains_;
  std::span<const NearPair> chains_left_;  ///< that weren't visited yet
  std::uint64_t done_ = 0;
};

}  // namespace

Status ForEachNearPair(const SnapshotFile& store, const SnapshotPart& part,
                       const NearPairOptions& options,
                       const std::function<Status(std::span<const NearPair>)>& visit) {
  return PairFinder(store, options, visit).Run(part);
}

}  // namespace crawlsieve
