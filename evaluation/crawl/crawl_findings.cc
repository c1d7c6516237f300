#include "evaluation/crawl/crawl_findings.h"

#include "consumer/html/bounded_text.h"
#include "plugin/judge/page.h"
#include "plugin/schedule/path_pattern.h"
#include "plugin/verdict/comparison.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

namespace crawlsieve::consumer {
namespace {

constexpr std::size_t kHosts = 4'096;  ///< counted apart at a time
constexpr std::size_t kPatterns = 16'384;
constexpr std::size_t kDetails = 256;
constexpr std::size_t kMaxUrlBytes = 200;  ///< of those that are only shown

constexpr std::array<std::int64_t, 1> kOrderWidths{1};
// A minute, 5 and 15; an hour, 6; a day, a week, four weeks, a year of 52 weeks.
constexpr std::array<std::int64_t, 9> kTimeWidths{60,     300,     900,       3'600,     21'600,
                                                  86'400, 604'800, 2'419'200, 31'449'600};

/// What of an entry comparisons and reports need, bounded.
log::Page ForComparison(const log::Page& page) {
  log::Page part = page;
  part.clear_source();
  part.clear_key();
  part.clear_attrs();
  part.clear_headers();
  part.clear_links();
  part.clear_final_url();
  part.clear_redirect_target();
  part.clear_redirect_host();
  part.clear_omitted();
  return part;
}

}  // namespace

CrawlFindings::CrawlFindings(const JudgeParameters& parameters)
    : parameters_(parameters),
      details_(kDetails),
      by_order_(kOrderWidths),
      by_time_(kTimeWidths),
      hosts_(kHosts),
      patterns_(kPatterns),
      pairs_(kMaxDistance + 1, Reservoir<DroppedPair>(kPairs)) {}

void CrawlFindings::Add(const log::Page& page, const Verdict& verdict) {
  if (pages_ == 0) first_sequence_ = verdict.sequence - std::min(verdict.sequence, records_);
  ++pages_;
  const Rule& rule = RuleFor(verdict.reason);
  const bool is_kept = rule.decision == Decision::kKeep;
  if (!is_kept) ++dropped_;
  ReasonCount& count = reasons_[static_cast<std::size_t>(verdict.reason)];
  ++count.pages;
  count.bytes += page.body_bytes();
  if (!page.detail().empty()) details_.Add(std::string(rule.name) + " " + page.detail());
  by_order_.Add(static_cast<std::int64_t>(records_), is_kept);
  by_time_.Add(std::chrono::floor<std::chrono::seconds>(FetchTime(page)).time_since_epoch().count(),
               is_kept);
  ++records_;

  if (rule.match == MatchRule::kOtherPage && !page.host().empty()) {
    hosts_.Add(page.host());
    patterns_.Add(page.host() + schedule::PathPattern(page.canonical_url()));
  }
  AddToClusters(page, verdict);

  const PageTraits traits = TraitsOf(page);
  if (traits.is_text && traits.features > 0) {
    ++texts_;
    for (std::size_t bit = 0; bit < bits_.size(); ++bit) {
      bits_[bit] += traits.simhash.bits >> bit & 1U;
    }
  }
  if (verdict.reason == Reason::kNearDuplicate && verdict.match.has_value()) {
    const VerdictMatch& match = *verdict.match;
    const auto distance = static_cast<std::size_t>(std::clamp(match.distance, 0, 64));
    ++distances_[distance];
    ++similarities_[std::min<std::size_t>(
        match.similarity.ten_thousandths * (kSimilarities - 1) / Score::kOne, kSimilarities - 1)];
    if (distance < pairs_.size()) {
      pairs_[distance].Offer([&] {
        return DroppedPair{{verdict.sequence, page.url(), page.id()},
                           {match.document.sequence, match.url, match.id},
                           match.distance,
                           match.similarity};
      });
    }
  }
  if (is_kept && rule.inserts && traits.is_text && !IsTooShort(traits, parameters_)) {
    kept_.Offer([&] { return KeptPage{verdict.sequence, ForComparison(page)}; });
  }
}

void CrawlFindings::AddToClusters(const log::Page& page, const Verdict& verdict) {
  // A cluster's size only grows, and each of its verdicts tells it: those that are among the
  // largest in the end are here from the verdict that makes them so.
  if (!verdict.cluster.has_value() || verdict.cluster->size < 2) return;
  const std::uint64_t id = verdict.cluster->id.sequence;
  auto found = clusters_.find(id);
  if (found == clusters_.end()) {
    if (clusters_.size() >= kClusters) {
      const auto least = std::ranges::min_element(
          clusters_, {}, [](const auto& entry) { return entry.second.size; });
      if (least->second.size >= verdict.cluster->size) return;
      clusters_.erase(least);
    }
    found = clusters_.emplace(id, FoundCluster{.id = id}).first;
  }
  FoundCluster& cluster = found->second;
  cluster.size = verdict.cluster->size;
  const std::string url = BoundedText(page.url(), kMaxUrlBytes);
  if (cluster.representative.empty() && verdict.match.has_value() &&
      verdict.match->document.sequence == id) {
    cluster.representative = BoundedText(verdict.match->url, kMaxUrlBytes);
  }
  if (verdict.sequence != id && cluster.members.size() < FoundCluster::kMembers &&
      url != cluster.representative &&
      std::ranges::find(cluster.members, url) == cluster.members.end()) {
    cluster.members.push_back(url);
  }
}

std::vector<FoundCluster> CrawlFindings::Clusters() const {
  std::vector<FoundCluster> clusters;
  clusters.reserve(clusters_.size());
  for (const auto& [id, cluster] : clusters_) clusters.push_back(cluster);
  std::ranges::stable_sort(clusters, std::ranges::greater(), &FoundCluster::size);
  return clusters;
}

}  // namespace crawlsieve::consumer
