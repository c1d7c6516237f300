#include "bench/harvest/site_order.h"

#include "plugin/log/links.h"
#include "plugin/score/url_score.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve::bench {
namespace {

constexpr std::size_t kReconsiderEvery = 100;

double ValueOf(site::Share share) { return share / static_cast<double>(site::kWhole); }

}  // namespace

Result<std::unique_ptr<SiteOrder>> SiteOrder::Create(const CrawlSet& set, bool suppresses) {
  auto judge = PageJudge::Create(set.scheme);
  if (!judge) return tl::unexpected(judge.error());
  return std::unique_ptr<SiteOrder>(new SiteOrder(set, suppresses, *std::move(judge)));
}

void SiteOrder::Discovered(std::size_t page, std::uint32_t depth) {
  const std::string& url = set_.pages[page].url;
  site::Site& of = sites_[std::string(site::SiteOf(url))];
  frontier_.push_back({page, depth, &of, of.PatternsOf(url), site::IsExplored(url)});
  static_cast<void>(LookAt(frontier_.back()));
}

site::Share SiteOrder::WorthBeforeRules(const Waiting& waiting) const {
  return waiting.of->StepsOf(waiting.patterns, waiting.depth, waiting.explore, judge_->Average())
      .worth;
}

site::Advice SiteOrder::LookAt(Waiting& waiting) const {
  const std::string& url = set_.pages[waiting.page].url;
  site::Advice advice = waiting.of->AdviceFor(url, waiting.depth, judge_->Average());
  if (advice.action == site::Action::kSchedule && copies_.contains(url)) {
    advice.action = site::Action::kSuppress;
    advice.ground = site::Ground::kCopies;
  }
  const site::Share before = WorthBeforeRules(waiting);
  waiting.left = before == 0
                     ? site::kWhole
                     : static_cast<site::Share>((std::uint64_t{advice.worth} << 16) / before);
  return advice;
}

std::vector<SiteOrder::Waiting>::iterator SiteOrder::Best() {
  auto best = frontier_.end();
  std::uint64_t best_worth = 0;
  for (auto waiting = frontier_.begin(); waiting != frontier_.end(); ++waiting) {
    const std::uint64_t worth = std::uint64_t{WorthBeforeRules(*waiting)} * waiting->left;
    if (best != frontier_.end() && worth <= best_worth) continue;
    best = waiting;
    best_worth = worth;
  }
  return best;
}

std::optional<Step> SiteOrder::Next() {
  for (bool reconsidered = false;;) {
    const auto best = Best();
    if (best == frontier_.end()) {
      if (reconsidered || suppressed_.empty()) return std::nullopt;
      Reconsider();
      reconsidered = true;
      continue;
    }
    const std::size_t page = best->page;
    const site::Share left_before = best->left;
    site::Advice advice = LookAt(*best);
    if (best->left < left_before) continue;  // others may be worth more
    const bool fetch = !suppresses_ || advice.action == site::Action::kSchedule ||
                       advice.action == site::Action::kProbe;
    if (!fetch) {
      best->ground = site::NameOf(advice.ground);
      suppressed_.push_back(std::move(*best));
    }
    frontier_.erase(best);
    if (fetch) return Step{page, true, {}, ValueOf(advice.chance)};
    if (advice.action == site::Action::kRewrite) {
      return Step{page, false, std::move(advice.rewrite_to)};
    }
  }
}

std::string SiteOrder::Fetched(std::size_t page) {
  std::string judged = judge_->Judge(EntryOf(page));
  const std::string_view name = site::SiteOf(set_.pages[page].url);
  site::Site& of = sites_[std::string(name)];
  site::Site now = judge_->SiteAt(name);
  const bool makes_others = now.pattern_epoch() != of.pattern_epoch();
  of = std::move(now);
  if (makes_others) SetPatterns(of);
  TakeScores();
  if (++fetches_ % kReconsiderEvery == 0) Reconsider();
  return judged;
}

log::Entry SiteOrder::EntryOf(std::size_t page) const {
  log::Entry entry = set_.pages[page].entry;
  std::vector<std::string> links;
  links.reserve(set_.pages[page].links.size());
  for (const std::size_t link : set_.pages[page].links) links.push_back(set_.pages[link].url);
  entry.mutable_page()->set_links(log::PackLinks(links, {}, set_.pages[page].url).bytes);
  return entry;
}

void SiteOrder::TakeScores() {
  for (UrlScore& score : judge_->Scores()) {
    const bool is_copy = score.reason == site::NameOf(site::Ground::kCopies);
    if (is_copy && score.action == ScoreAction::kSuppress) {
      copies_.insert(std::move(score.url));
    } else {
      copies_.erase(score.url);
    }
  }
}

void SiteOrder::SetPatterns(const site::Site& of) {
  for (std::vector<Waiting>* const list : {&frontier_, &suppressed_}) {
    for (Waiting& waiting : *list) {
      if (waiting.of == &of) waiting.patterns = of.PatternsOf(set_.pages[waiting.page].url);
    }
  }
}

void SiteOrder::Reconsider() {
  std::vector<Waiting> still;
  for (Waiting& waiting : suppressed_) {
    const site::Action action = LookAt(waiting).action;
    const bool is_lifted = action == site::Action::kSchedule || action == site::Action::kProbe;
    (is_lifted ? frontier_ : still).push_back(std::move(waiting));
  }
  suppressed_ = std::move(still);
}

std::map<std::size_t, std::string> SiteOrder::Suppressed() const {
  std::map<std::size_t, std::string> pages;
  for (const Waiting& waiting : suppressed_) pages.emplace(waiting.page, waiting.ground);
  return pages;
}

std::vector<std::string> SiteOrder::Describe() const {
  std::vector<std::string> lines;
  for (const auto& [name, of] : sites_) {
    lines.push_back(fmt::format("site {}: {} bytes", name, of.Encode().size()));
    for (const auto& [hash, pattern] : of.patterns().patterns()) {
      constexpr std::uint32_t kFetch = site::FetchCounts::kFetch;
      const site::FetchCounts& counts = pattern.counts;
      if (counts.fetched < 20 * kFetch) continue;
      lines.push_back(fmt::format(
          "pattern {}: {} fetched, {} new, {} aliases, {} errors, {} soft errors", pattern.text,
          counts.fetched / kFetch, counts.with_new / kFetch, counts.aliases / kFetch,
          counts.errors / kFetch, counts.soft_errors / kFetch));
    }
    for (const auto& [hash, rule] : of.rules().rules()) {
      if (!rule.suppresses && !rule.rewrites) continue;
      const site::PairCounts& counts = rule.rewrites ? rule.without : rule.siblings;
      lines.push_back(fmt::format("rule {} {} '{}' in {}: {} of {} pairs, at least {:.3f}",
                                  rule.rewrites ? "rewrite" : "suppress", site::NameOf(rule.kind),
                                  rule.name, rule.pattern.empty() ? "all URLs" : rule.pattern,
                                  counts.same, counts.pairs(), ValueOf(counts.lower_bound())));
    }
  }
  return lines;
}

}  // namespace crawlsieve::bench
