#include "plugin/judge/page_scores.h"

#include "plugin/judge/fold_version.h"
#include "plugin/judge/page.h"
#include "plugin/judge/page_fetch.h"
#include "plugin/judge/page_site.h"
#include "plugin/judge/rows.h"
#include "plugin/log/links.h"
#include "plugin/site/site.h"
#include "plugin/site/url_parts.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace crawlsieve {
namespace {

/// In place of the verdict's reason.
constexpr std::string_view kSoftError = "soft_error";

/// The scores of one page, one after the other.
class PageScores {
 public:
  PageScores(const log::Page& page, const Verdict& verdict, const ScoreContext& context)
      : page_(page),
        verdict_(verdict),
        context_(context),
        as_of_(AsOf(page)),
        site_(site::SiteOf(page.canonical_url())),
        is_followed_(RuleFor(verdict.reason).follow_links ||
                     context.fold_version < kFoldVersionOfUnfollowedLinks) {}

  [[nodiscard]] Result<std::vector<UrlScore>> Take() && {
    CRAWLSIEVE_RETURN_IF_ERROR(AddOwn());
    if (!page_.links().empty()) {
      CRAWLSIEVE_ASSIGN_OR_RETURN(const auto links,
                                  log::UnpackLinks(page_.links(), page_.canonical_url()));
      CRAWLSIEVE_RETURN_IF_ERROR(Sort(links));
      scores_.reserve(scores_.size() + unfetched_.size());
      for (const std::string* const url : unfetched_) {
        CRAWLSIEVE_RETURN_IF_ERROR(AddLink(*url));
      }
    }
    return std::move(scores_);
  }

 private:
  using Copies = std::unordered_map<std::string, site::Beside>;

  /// What is known of a site.
  struct Known {
    const site::Site* site = nullptr;  ///< nullptr: nothing
    site::Expected expected;           ///< of a fetch from it, apart from that
  };

  static Timestamp AsOf(const log::Page& page) {
    return Timestamp{std::chrono::seconds(static_cast<std::int64_t>(FetchOf(page).time))};
  }

  /// What all scores of the page share.
  [[nodiscard]] UrlScore Begin(std::string_view url) const {
    UrlScore score;
    score.url = url;
    score.host = HostOfUrl(url);
    if (score.host == page_.host()) {
      score.registered_domain = page_.host().substr(
          page_.host().size() -
          std::min<std::size_t>(page_.registered_domain_bytes(), page_.host().size()));
    }
    score.as_of = as_of_;
    score.crawl_id = page_.crawl_id();
    score.sequence = verdict_.sequence;
    return score;
  }

  /// Whether all that is known of a site counts: a page that leads to many others needn't have the
  /// latest pages of each read.
  [[nodiscard]] bool CountsInWhole(std::string_view site) const {
    return site == site_ || context_.fold_version < kFoldVersionOfOtherSites;
  }

  /// Valid until the next call.
  [[nodiscard]] Result<Known> KnownOf(std::string_view site) {
    if (site == last_site_) return last_known_;  // links that follow one another often have one
    const std::uint64_t max_sites = context_.parameters.sites.max;
    const auto found = CountsInWhole(site)
                           ? context_.sites.Find(site, max_sites, context_.rows)
                           : context_.sites.FindLearned(site, max_sites, context_.rows);
    if (!found) return tl::unexpected(found.error());
    last_known_ = {*found, context_.average};
    if (*found == nullptr && max_sites > 0 && !CountsInWhole(site)) {
      CRAWLSIEVE_ASSIGN_OR_RETURN(last_known_.expected,
                                  ExpectedOfHosts(site, context_.average, context_.rows));
    }
    last_site_ = site;
    return last_known_;
  }

  /// A page that was fetched just now has nothing new yet: what counts is when it will.
  Status AddOwn() {
    CRAWLSIEVE_ASSIGN_OR_RETURN(const Known known, KnownOf(site_));
    const bool is_soft_error = known.site != nullptr && IsSoftError(page_, verdict_, *known.site);
    UrlScore score = Begin(page_.canonical_url());
    score.reason = is_soft_error ? kSoftError : RuleFor(verdict_.reason).name;
    score.fetched = true;
    score.next_fetch = verdict_.recrawl->next_fetch;
    const int status = StatusOf(page_);
    if (status >= 100 && status <= 599) score.last_status = static_cast<std::uint32_t>(status);
    scores_.push_back(std::move(score));
    return {};
  }

  /// Whether links of the page may lead to copies of it: it is one, or has stayed what it was.
  [[nodiscard]] bool is_copy() const {
    return context_.fold_version >= kFoldVersionOfCopies && verdict_.cluster.has_value() &&
           (verdict_.reason == Reason::kExactDuplicate ||
            verdict_.reason == Reason::kNearDuplicate || verdict_.reason == Reason::kUnchanged);
  }

  /// Puts links among those to score, or counts what their fetches found.
  Status Sort(const log::Links& links) {
    std::vector<const std::string*> urls;
    std::vector<std::string> keys;  // of their rows
    urls.reserve(links.main_text.size() + links.elsewhere.size());
    keys.reserve(urls.capacity());
    for (const auto* const list : {&links.main_text, &links.elsewhere}) {
      for (const std::string& url : *list) {
        urls.push_back(&url);
        keys.push_back(UrlRow::Key(url, page_, context_.parameters.scope));
      }
    }
    const std::vector<std::string_view> views(keys.begin(), keys.end());
    CRAWLSIEVE_ASSIGN_OR_RETURN(const RowValues rows, context_.rows.Rows(Table::kUrls, views));
    for (std::size_t i = 0; i < urls.size(); ++i) {
      if (*urls[i] == page_.canonical_url()) {
        if (is_copy()) CRAWLSIEVE_RETURN_IF_ERROR(Count(*urls[i], true));
      } else if (!rows.values[i].has_value()) {
        unfetched_.push_back(urls[i]);
      } else if (is_copy()) {
        CRAWLSIEVE_ASSIGN_OR_RETURN(const auto row, UrlRow::Parse(keys[i], *rows.values[i]));
        CRAWLSIEVE_RETURN_IF_ERROR(
            Count(*urls[i], DocId{row.record.representative()} == verdict_.cluster->id));
      }
    }
    return {};
  }

  Status Count(std::string_view url, bool is_same) {
    if (site::SiteOf(url) != site_) return {};
    CRAWLSIEVE_ASSIGN_OR_RETURN(const Known known, KnownOf(site_));
    if (known.site == nullptr) return {};
    site::Beside& beside = copies_[known.site->PatternsOf(url).pattern];
    ++(is_same ? beside.same : beside.different);
    return {};
  }

  [[nodiscard]] site::Beside CopiesLike(std::string_view url, const site::Site& of) const {
    if (copies_.empty() || site::SiteOf(url) != site_) return {};
    const auto counted = copies_.find(of.PatternsOf(url).pattern);
    return counted != copies_.end() ? counted->second : site::Beside();
  }

  Status AddLink(const std::string& url) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(const Known known, KnownOf(site::SiteOf(url)));
    static const site::Site kUnknown;
    const site::Site& of = known.site != nullptr ? *known.site : kUnknown;
    const std::uint32_t depth = page_.path_depth() + 1;
    UrlScore score = Begin(url);
    site::Advice advice = of.AdviceFor(url, depth, known.expected, CopiesLike(url, of));
    if (!is_followed_) advice.worth /= 4;
    SetAdvice(std::move(advice), context_.average, score);
    score.depth = depth;
    score.parent_url = page_.canonical_url();
    scores_.push_back(std::move(score));
    return {};
  }

  const log::Page& page_;
  const Verdict& verdict_;
  const ScoreContext& context_;
  const Timestamp as_of_;
  const std::string_view site_;  // of the page
  const bool is_followed_;       // links of the page; else it repeats what another page leads to
  std::vector<const std::string*> unfetched_;
  Copies copies_;  // by pattern
  std::optional<std::string> last_site_;
  Known last_known_;
  std::vector<UrlScore> scores_;
};

}  // namespace

ScoreAction ActionOf(site::Action action) {
  switch (action) {
    case site::Action::kProbe:
      return ScoreAction::kProbe;
    case site::Action::kSuppress:
      return ScoreAction::kSuppress;
    case site::Action::kRewrite:
      return ScoreAction::kRewrite;
    case site::Action::kSchedule:
      break;
  }
  return ScoreAction::kSchedule;
}

Score ScoreOfShare(site::Share share) {
  return Score{static_cast<std::uint32_t>(std::uint64_t{share} * Score::kOne / site::kWhole)};
}

void SetAdvice(site::Advice&& advice, const site::Expected& average, UrlScore& score) {
  score.score = ScoreOfShare(site::ScoreOf(advice.worth, average.worth));
  score.action = ActionOf(advice.action);
  score.rewrite_to = std::move(advice.rewrite_to);
  score.reason = site::NameOf(advice.ground);
  score.components = {{"chance_of_new", ScoreOfShare(advice.chance)},
                      {"worth", ScoreOfShare(advice.worth)},
                      {"average_worth", ScoreOfShare(average.worth)}};
  if (advice.ground != site::Ground::kNone) {
    score.components.push_back({"precision", ScoreOfShare(advice.precision)});
  }
}

std::size_t MostScoreBytes(const log::Page& page) {
  constexpr std::size_t kComponents = 4;
  constexpr std::size_t kHosts = 3;  // in the URL, by itself, and with its registered domain
  constexpr std::size_t kUrls = 2;   // a link may be rewritten
  const std::size_t of_score = sizeof(UrlScore) + kComponents * sizeof(ScoreComponent) +
                               page.canonical_url().size() + page.crawl_id().size() +
                               kHosts * HostOfUrl(page.canonical_url()).size();
  const std::size_t scores = 1 + page.links().size();
  return scores * of_score + (page.links().empty() ? 0 : kUrls * log::kMaxLinksBytes);
}

Result<std::vector<UrlScore>> ScoresOf(const log::Page& page, const Verdict& verdict,
                                       const ScoreContext& context) {
  if (verdict.reason == Reason::kOutdated || !verdict.recrawl.has_value()) {
    return std::vector<UrlScore>();
  }
  return PageScores(page, verdict, context).Take();
}

}  // namespace crawlsieve
