#pragma once

#include "consumer/status/heavy_hitters.h"
#include "plugin/log/entry.pb.h"
#include "plugin/verdict/parameters.h"
#include "plugin/verdict/reason.h"
#include "plugin/verdict/score.h"
#include "plugin/verdict/verdict.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "evaluation/crawl/reservoir.h"
#include "evaluation/crawl/steps.h"

namespace crawlsieve::consumer {

/// A page as a report names it.
struct NamedPage {
  std::uint64_t sequence = 0;  ///< of its verdict
  std::string url{};
  std::string id{};  ///< empty: none
};

/// A page that was dropped as near another one.
struct DroppedPair {
  NamedPage page;
  NamedPage match;
  int distance = 0;
  Score similarity;
};

/// A page that was kept and that others are compared with. Of the entry only what that takes.
struct KeptPage {
  std::uint64_t sequence = 0;
  log::Page page;
};

/// Pages that were judged to have one content.
struct FoundCluster {
  static constexpr std::size_t kMembers = 4;

  std::uint64_t id = 0;
  std::uint64_t size = 0;
  std::string representative{};        ///< URL, as far as it was seen; empty: it wasn't
  std::vector<std::string> members{};  ///< URLs of some others, the first that were seen
};

/// What a scan's verdicts come to: counts, and samples to judge by eye.
///
/// Bounded memory, some 30 MB with URLs of up to 1 KiB and 140 MB with the longest ones: counts
/// have fixed places or are those of HeavyHitters and Steps, samples are reservoirs. The same
/// verdicts in the same order give the same findings. Thread-compatible.
class CrawlFindings {
 public:
  static constexpr int kMaxDistance = 7;       ///< that can be configured
  static constexpr std::size_t kPairs = 10;    ///< sampled at each distance
  static constexpr std::size_t kKept = 2'000;  ///< sampled
  static constexpr std::size_t kClusters = 50;
  static constexpr std::size_t kSimilarities = 21;  ///< in steps of 0.05

  struct ReasonCount {
    std::uint64_t pages = 0;
    std::uint64_t bytes = 0;
  };

  explicit CrawlFindings(const JudgeParameters& parameters);

  void Add(const log::Page& page, const Verdict& verdict);
  /// A record without a URL came: it has a sequence, and no verdict.
  void AddDeadLetter() { ++records_; }

  [[nodiscard]] std::uint64_t dead_letters() const { return records_ - pages_; }

  [[nodiscard]] std::uint64_t pages() const { return pages_; }
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }
  [[nodiscard]] const std::array<ReasonCount, kReasonCount>& reasons() const { return reasons_; }
  /// Codes of verdicts that have one, behind the name of their reason.
  [[nodiscard]] const HeavyHitters& details() const { return details_; }
  /// By the order of the scan.
  [[nodiscard]] const Steps& by_order() const { return by_order_; }
  /// By the time of the fetch, in seconds since 1970.
  [[nodiscard]] const Steps& by_time() const { return by_time_; }
  /// Pages that repeat another one, by host, and by host and pattern of the path.
  [[nodiscard]] const HeavyHitters& hosts() const { return hosts_; }
  [[nodiscard]] const HeavyHitters& patterns() const { return patterns_; }
  /// The largest first; the older first where they are as large.
  [[nodiscard]] std::vector<FoundCluster> Clusters() const;
  /// Near duplicates, by distance and by similarity.
  [[nodiscard]] const std::array<std::uint64_t, 65>& distances() const { return distances_; }
  [[nodiscard]] const std::array<std::uint64_t, kSimilarities>& similarities() const {
    return similarities_;
  }
  /// In how many pages with text each bit of the simhash is set, the least significant first.
  [[nodiscard]] const std::array<std::uint64_t, 64>& bits() const { return bits_; }
  [[nodiscard]] std::uint64_t texts() const { return texts_; }

  /// Near duplicates at one distance, at most kMaxDistance.
  [[nodiscard]] const std::vector<DroppedPair>& PairsAt(int distance) const {
    return pairs_[static_cast<std::size_t>(distance)].values();
  }
  /// Of the pages that were kept and that others are compared with.
  [[nodiscard]] const Reservoir<KeptPage>& kept() const { return kept_; }

  /// Which record of the scan, from 0 on, the page of a sequence was; of none of this scan where
  /// the sequence is below first_sequence().
  [[nodiscard]] std::uint64_t first_sequence() const { return first_sequence_; }
  [[nodiscard]] std::uint64_t records() const { return records_; }

 private:
  void AddToClusters(const log::Page& page, const Verdict& verdict);

  const JudgeParameters parameters_;
  std::uint64_t records_ = 0;
  std::uint64_t first_sequence_ = 0;
  std::uint64_t pages_ = 0;
  std::uint64_t dropped_ = 0;
  std::array<ReasonCount, kReasonCount> reasons_{};
  HeavyHitters details_;
  Steps by_order_;
  Steps by_time_;
  HeavyHitters hosts_;
  HeavyHitters patterns_;
  std::map<std::uint64_t, FoundCluster> clusters_;
  std::array<std::uint64_t, 65> distances_{};
  std::array<std::uint64_t, kSimilarities> similarities_{};
  std::array<std::uint64_t, 64> bits_{};
  std::uint64_t texts_ = 0;
  std::vector<Reservoir<DroppedPair>> pairs_;  ///< by distance
  Reservoir<KeptPage> kept_{kKept};
};

}  // namespace crawlsieve::consumer
