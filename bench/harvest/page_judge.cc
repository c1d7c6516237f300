#include "bench/harvest/page_judge.h"

#include "plugin/index/sharded_index.h"
#include "plugin/verdict/reason.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve::bench {
namespace {

constexpr std::int64_t kEntriesPerCommit = 500;
constexpr std::uint64_t kMaxSites = 1'000'000;
constexpr std::int64_t kStartMs = 1'700'000'000'000;

[[noreturn]] void Die(const Error& error) {
  fmt::print(stderr, "judge: {}\n", error.message);
  std::exit(EXIT_FAILURE);
}

}  // namespace

Result<std::unique_ptr<PageJudge>> PageJudge::Create(const std::string& scheme) {
  std::unique_ptr<PageJudge> judge(new PageJudge);
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
  auto detector = Detector::Open(*judge->store_, make_index, scheme);
  if (!detector) return tl::unexpected(detector.error());
  judge->detector_ = *std::move(detector);
  JudgeParameters parameters;
  parameters.sites.max = kMaxSites;
  auto begun = judge->detector_->Fold(ParametersEntry(parameters, scheme));
  if (!begun) return tl::unexpected(begun.error());
  return judge;
}

std::string PageJudge::Judge(log::Entry entry) {
  log::Page& fetched = *entry.mutable_page();
  ++offset_;
  fetched.mutable_source()->set_offset(offset_);
  fetched.mutable_source()->set_previous_offset(offset_ - 1);
  fetched.set_fetch_time_ms(kStartMs + 1000 * offset_);
  const auto folded = detector_->Fold(entry);
  if (!folded) Die(folded.error());
  if (offset_ % kEntriesPerCommit == 0) {
    const Status committed = detector_->Commit({offset_, std::string(16, 'x')});
    if (!committed) Die(committed.error());
  }
  page_ = std::move(*entry.mutable_page());
  verdict_ = folded->verdict;
  return verdict_.has_value() ? std::string(RuleFor(verdict_->reason).name) : std::string();
}

std::vector<UrlScore> PageJudge::Scores() {
  if (!verdict_.has_value()) return {};
  auto scores = detector_->ScoresOf(page_, *verdict_);
  if (!scores) Die(scores.error());
  return *std::move(scores);
}

std::string PageJudge::ReasonOfScore() {
  std::vector<UrlScore> scores = Scores();
  return scores.empty() ? std::string() : std::move(scores.front().reason);
}

site::Site PageJudge::SiteAt(std::string_view name) {
  auto site = detector_->SiteAt(name);
  if (!site) Die(site.error());
  return site->has_value() ? *std::move(*site) : site::Site();
}

std::optional<SiteReport> PageJudge::ReportOn(std::string_view name) {
  auto report = detector_->ReportOn(name);
  if (!report) Die(report.error());
  return *std::move(report);
}

site::Expected PageJudge::Average() const { return detector_->sites().Expect({}); }

}  // namespace crawlsieve::bench
