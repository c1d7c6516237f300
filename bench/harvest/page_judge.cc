#include "bench/harvest/page_judge.h"

#include "plugin/fingerprint/checksum.h"
#include "plugin/index/sharded_index.h"
#include "plugin/verdict/reason.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve::bench {
namespace {

constexpr std::int64_t kEntriesPerCommit = 500;
constexpr std::int64_t kStartMs = 1'700'000'000'000;

[[noreturn]] void Die(const Error& error) {
  fmt::print(stderr, "harvest: {}\n", error.message);
  std::exit(EXIT_FAILURE);
}

std::uint64_t ContentOf(const log::Page& page) {
  const Result<Checksum> checksum = ChecksumFromBytes(page.content_checksum());
  return checksum ? checksum->low : 0;
}

}  // namespace

Result<std::unique_ptr<PageJudge>> PageJudge::Create(const CrawlSet& set) {
  std::unique_ptr<PageJudge> judge(new PageJudge(set));
  StoreOptions options;
  options.directory = judge->directory_.path();
  auto store = Store::Open(options);
  if (!store) return tl::unexpected(store.error());
  judge->store_ = *std::move(store);
  const auto make_index = [](int max_distance) -> Result<std::unique_ptr<HammingIndex>> {
    IndexOptions index_options;
    index_options.max_distance = max_distance;
    auto index = ShardedIndex::Create(index_options);
    if (!index) return tl::unexpected(index.error());
    return std::unique_ptr<HammingIndex>(*std::move(index));
  };
  auto detector = Detector::Open(*judge->store_, make_index, set.scheme);
  if (!detector) return tl::unexpected(detector.error());
  judge->detector_ = *std::move(detector);
  auto begun = judge->detector_->Fold(ParametersEntry(JudgeParameters(), set.scheme));
  if (!begun) return tl::unexpected(begun.error());
  return judge;
}

site::PageObservation PageJudge::Judge(std::size_t page) {
  log::Entry entry = set_.pages[page].entry;
  log::Page& fetched = *entry.mutable_page();
  ++offset_;
  fetched.mutable_source()->set_offset(offset_);
  fetched.mutable_source()->set_previous_offset(offset_ - 1);
  fetched.set_fetch_time_ms(kStartMs + 1000 * offset_);
  const auto folded = detector_->Fold(entry);
  if (!folded) Die(folded.error());
  const Verdict& verdict = *folded->verdict;
  if (offset_ % kEntriesPerCommit == 0) {
    const Status committed = detector_->Commit({offset_, std::string(16, 'x')});
    if (!committed) Die(committed.error());
  }

  site::PageObservation observation;
  observation.url = set_.pages[page].url;
  observation.time = static_cast<std::uint64_t>(kStartMs / 1000 + offset_);
  observation.is_error = verdict.reason == Reason::kErrorStatus;
  observation.content =
      verdict.cluster.has_value() ? verdict.cluster->id.sequence : ContentOf(fetched);
  observation.simhash = fetched.simhash();
  observation.features = fetched.features();
  observation.title = fetched.title();
  bool is_new = RuleFor(verdict.reason).decision == Decision::kKeep;
  if (!verdict.cluster.has_value()) is_new = seen_.insert(observation.content).second;
  observation.novelty = is_new && !observation.is_error ? site::kWhole : 0;
  CompareWithSite(fetched, observation);
  return observation;
}

void PageJudge::CompareWithSite(const log::Page& page, site::PageObservation& observation) {
  if (observation.is_error) return;
  Seen own{site::MarkOf(observation), observation.content, Sketch(),
           page.sketch_size() == Sketch::kWords};
  if (own.has_sketch)
    std::copy(page.sketch().begin(), page.sketch().end(), own.sketch.words.begin());
  std::vector<Seen>& seen = seen_pages_[std::string(site::SiteOf(observation.url))];
  const auto max_distance = static_cast<int>(JudgeParameters().max_distance);
  for (const Seen& other : seen) {
    if (observation.novelty == 0) break;
    if (std::popcount(other.mark.simhash ^ own.mark.simhash) > max_distance) continue;
    if (site::IsSameContent(other.mark, own.mark)) {
      observation.novelty = 0;
      own.content = observation.content = other.content;
    } else if (own.has_sketch && other.has_sketch) {
      const auto lacks = 10'000 - EstimateResemblance(own.sketch, other.sketch);
      observation.novelty =
          std::min<site::Share>(observation.novelty, lacks * site::kWhole / 10'000);
    }
  }
  seen.push_back(own);
}

}  // namespace crawlsieve::bench
