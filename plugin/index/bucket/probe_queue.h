#pragma once

#include "plugin/index/base/kernel.h"
#include "plugin/index/base/line.h"
#include "plugin/index/bucket/document_ref.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace crawlsieve {

class BucketTable;

/// A key within reach of a query.
struct Hit {
  std::uint32_t query;   ///< which query of the ProbeQueue
  std::uint64_t key;     ///< in the query's bit order
  DocumentRef document;  ///< nowhere if the table doesn't say
};

/// Number of buckets looked into, of their lines and of keys compared.
struct ProbeWork {
  std::uint64_t probes = 0;
  std::uint64_t lines = 0;
  std::uint64_t candidates = 0;
};

/// The lines a lookup is going to read. A line is prefetched when it comes in and compared when
/// dozens more have been asked for, so the memory latencies of all the probes of a lookup overlap;
/// the lines that continue a full bucket queue up behind.
///
/// Thread-compatible; lives on the stack of one lookup.
class ProbeQueue {
 public:
  /// Where a line comes from.
  struct Probe {
    const BucketTable* table;
    std::uint32_t address;  ///< of its bucket
    std::uint16_t query;
    bool old_layout;  ///< whether its cell is still laid out as the table's old ones
  };

  /// Appends to `hits` the keys that differ from queries[q] in at most `max_distance` bits, a key
  /// once for each time it is come across. Keeps references to all its arguments.
  ProbeQueue(std::span<const std::uint64_t> queries, int max_distance, std::vector<Hit>& hits)
      : kernel_(BestKernel().run), queries_(queries), max_distance_(max_distance), hits_(hits) {}

  /// Queues a line if it is `wanted`: asking that here takes no branch. `word` is the low 32 of the
  /// bits that its keys are stored with, of the query, and `budget` the number of stored bits in
  /// which a key may differ.
  void Push(const Probe& probe, const Line* line, std::uint32_t word, std::uint32_t budget,
            bool wanted = true) {
    Append(probe, line, word, budget, wanted);
    while (end_ - begin_ >= kCapacity - kBatch) ProcessBatch(kBatch);
  }

  /// Compares what is still queued.
  void Drain() {
    while (begin_ != end_) ProcessBatch(kLastBatch);
  }

  [[nodiscard]] const ProbeWork& work() const { return work_; }
  void CountProbes(std::uint64_t probes) { work_.probes += probes; }

 private:
  // Fewer than kCapacity - kBatch are queued but within Push, so a batch has room for what
  // continues its lines.
  static constexpr std::size_t kCapacity = 128;
  static constexpr std::size_t kBatch = 16;
  // When nothing else is to be asked for, what continues a bucket is asked for sooner.
  static constexpr std::size_t kLastBatch = 4;
  static_assert(kLastBatch <= kBatch && 2 * kBatch <= kCapacity);

  void Append(const Probe& probe, const Line* line, std::uint32_t word, std::uint32_t budget,
              bool wanted) {
    const std::size_t i = end_ % kCapacity;
    probes_[i] = probe;
    lines_[i] = line;
    words_[i] = word;
    budgets_[i] = budget;
    // To the second cache, which has room for more lines on their way than the first.
    __builtin_prefetch(line, 0, 2);
    end_ += wanted ? 1 : 0;
  }

  void ProcessBatch(std::size_t most);
  /// Collects what a line has within reach, whose slots are in `mask`.
  void Collect(std::size_t at, unsigned mask);
  void CollectFromNest(std::size_t at);

  const LineKernel kernel_;
  const std::span<const std::uint64_t> queries_;
  const int max_distance_;
  std::vector<Hit>& hits_;
  ProbeWork work_;
  // Counted on and on: line i is in place i % kCapacity.
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::array<Probe, kCapacity> probes_;
  std::array<const Line*, kCapacity> lines_;
  std::array<std::uint32_t, kCapacity> words_;
  std::array<std::uint32_t, kCapacity> budgets_;
};

}  // namespace crawlsieve
