#include "consumer/advice/answers.h"

#include "consumer/input/formats/question_record.h"
#include "consumer/observability/printable.h"
#include "consumer/output/advice/explanation_record.h"
#include "consumer/output/advice/site_record.h"
#include "consumer/output/scores/score_record.h"
#include "consumer/pipeline/question.h"
#include "extract/url/page_url.h"
#include "extract/url/url.h"
#include "plugin/base/hex.h"
#include "plugin/judge/asked_url.h"
#include "plugin/judge/known_sites.h"
#include "plugin/judge/site_report.h"
#include "plugin/judge/url_explanation.h"
#include "plugin/site/url_parts.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

Error Wrong(std::string message) { return {ErrorCode::kInvalidInput, std::move(message)}; }

/// The canonical URL of a host as people write it, or of a URL; without a host: it is none.
extract::CanonicalUrl UrlOfHost(const std::string& text) {
  const bool is_url = text.find("://") != std::string::npos;
  return extract::CanonicalizeUrl(is_url ? text : "http://" + text);
}

/// The site of a host as people write it, or of a URL; nullopt: it is none.
std::optional<std::string> SiteNamed(const std::string& host) {
  const extract::CanonicalUrl url = UrlOfHost(host);
  if (url.host.empty()) return std::nullopt;
  return std::string(site::SiteOf(url.url));
}

/// The crawl whose URL is meant, where crawls have URLs of their own: the one that was named, or
/// the only one that knows the URL.
Result<std::string> CrawlOf(const std::string& url, const std::optional<std::string>& named,
                            StateView& state) {
  const bool by_crawl = state.progress().parameters->scope == Scope::kCrawl;
  if (!by_crawl && named.has_value()) {
    return tl::unexpected(
        Wrong("the crawls of this state share their URLs (judge.scope): leave the crawl out"));
  }
  if (!by_crawl || named.has_value()) return named.value_or("");
  constexpr std::size_t kMostNames = 20;
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto crawls, CrawlsThatKnow(url, kMostNames + 1, state));
  if (crawls.size() < 2) return crawls.empty() ? std::string() : crawls.front();
  const bool are_more = crawls.size() > kMostNames;
  std::string names;
  for (std::size_t i = 0; i < std::min(crawls.size(), kMostNames); ++i) {
    names += fmt::format("{}'{}'", i == 0 ? "" : ", ", Printable(crawls[i]));
  }
  return tl::unexpected(Wrong(
      fmt::format("{} crawls know this URL: name its crawl, one of {}{}",
                  are_more ? fmt::format("over {}", kMostNames) : std::to_string(crawls.size()),
                  names, are_more ? ", ..." : "")));
}

/// The bytes that HexOf wrote: keys of rows may hold any.
std::optional<std::string> FromHex(std::string_view text) {
  const auto digit = [](char c) -> int {
    if ('0' <= c && c <= '9') return c - '0';
    return 'a' <= c && c <= 'f' ? c - 'a' + 10 : -1;
  };
  if (text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = digit(text[i]);
    const int low = digit(text[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

/// Of a page of due URLs, from which on it is full.
constexpr std::size_t kMostAnswerBytes = 2 << 20;

/// Records as the elements of an array.
class JsonArray {
 public:
  void Add(std::string_view record) {
    text_ += text_.empty() ? "[" : ",\n";
    text_ += record;
  }
  [[nodiscard]] std::size_t bytes() const { return text_.size(); }
  [[nodiscard]] std::string Take() && { return text_.empty() ? "[]" : std::move(text_) + "]"; }

 private:
  std::string text_;
};

}  // namespace

Result<std::string> HostAsked(const std::string& text) {
  extract::CanonicalUrl url = UrlOfHost(text);
  if (url.host.empty()) return tl::unexpected(Wrong(Printable(text) + " is no host"));
  return std::move(url.host);
}

Result<Timestamp> TimeAsked(const std::string& text, Timestamp now) {
  if (text == "now") return now;
  const std::optional<Timestamp> time = ParseRfc3339(text);
  if (time.has_value() && time->time_since_epoch().count() >= 0) return *time;
  return tl::unexpected(
      Wrong(fmt::format("{} is no time like 2026-03-01T12:00:00Z, from 1970 on", Printable(text))));
}

Result<std::string> AnswerSite(const std::string& host, AnswerForm form, StateView& state) {
  const std::optional<std::string> name = SiteNamed(host);
  if (!name.has_value()) {
    return tl::unexpected(Wrong(fmt::format("{} is no host", Printable(host))));
  }
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto report, ReportOfSite(*name, state.progress(), state));
  if (!report.has_value()) {
    return tl::unexpected(Wrong(fmt::format(
        "nothing is known of {}: no page of it was judged, up to sequence {} of the log",
        Printable(*name), state.progress().sequence)));
  }
  return form == AnswerForm::kJson ? SiteRecord(*report) + "\n" : SiteText(*report);
}

Result<std::string> AnswerExplain(const ExplainQuestion& question, const extract::UrlOptions& urls,
                                  AnswerForm form, StateView& state) {
  extract::CanonicalUrl url = extract::IdentityOf(question.url, urls);
  if (url.url.empty()) return tl::unexpected(Wrong("the URL is empty"));
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto crawl, CrawlOf(url.url, question.crawl, state));
  CRAWLSIEVE_ASSIGN_OR_RETURN(
      auto explanation, Explain({std::move(url.url), url.path_depth, std::move(crawl), question.at},
                                state.progress(), state));
  if (explanation.score.has_value()) {
    explanation.score->registered_domain = extract::RegisteredDomain(explanation.score->host);
  }
  return form == AnswerForm::kJson ? ExplanationRecord(explanation) + "\n"
                                   : ExplanationText(explanation);
}

Result<DueCounts> ForEachDueScore(StateView& state, const DueOptions& options,
                                  const std::function<Status(UrlScore&&)>& take) {
  const std::uint64_t sequence = state.progress().sequence;
  std::string host;
  std::string registered_domain;
  return ForEachDue(state, options, [&](DueUrl&& due) -> Status {
    UrlScore score = UrlScoreOf(due, options.before, sequence);
    // URLs of one host come one after the other.
    if (score.host != host) {
      host = score.host;
      registered_domain = extract::RegisteredDomain(host);
    }
    score.registered_domain = registered_domain;
    return take(std::move(score));
  });
}

Result<std::string> AnswerDue(const DueQuestion& question, StateView& state) {
  DueOptions options;
  options.before = question.before;
  if (!question.host.empty()) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(options.host, HostAsked(question.host));
  }
  if (question.limit == 0 || question.limit > DueQuestion::kMostDue) {
    return tl::unexpected(Wrong(fmt::format("limit must be 1 to {}", DueQuestion::kMostDue)));
  }
  if (!question.after.empty()) {
    options.after = FromHex(question.after);
    if (!options.after.has_value()) {
      return tl::unexpected(Wrong("after is no text that `next` of an answer had"));
    }
  }
  options.most_urls = DueQuestion::kMostUrls;
  options.most_due = question.limit;
  JsonArray scores;
  options.is_late = [&] {
    return scores.bytes() >= kMostAnswerBytes || (question.is_late && question.is_late());
  };
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto counts,
                              ForEachDueScore(state, options, [&](UrlScore&& score) -> Status {
                                scores.Add(UrlScoreRecord(score));
                                return {};
                              }));
  return fmt::format(
      "{{\"sequence\":{},\"urls\":{},\"due\":{},\"without_schedule\":{},\"next\":{},"
      "\"scores\":{}}}\n",
      state.progress().sequence, counts.urls, counts.due, counts.without_schedule,
      counts.last.has_value() ? fmt::format("\"{}\"", HexOf(*counts.last)) : "null",
      std::move(scores).Take());
}

Result<std::string> AnswerScores(const ScoresQuestion& question, const extract::UrlOptions& urls,
                                 StateView& state) {
  if (question.urls.empty() || question.urls.size() > ScoresQuestion::kMostUrls) {
    return tl::unexpected(
        Wrong(fmt::format("urls must have 1 to {} of them", ScoresQuestion::kMostUrls)));
  }
  KnownSites sites;
  UrlScorer scorer(state.progress(), sites, state);
  JsonArray scores;
  for (std::size_t i = 0; i < question.urls.size(); ++i) {
    auto read = ReadQuestion(question.urls[i]);
    if (const auto* const failure = std::get_if<DecodeFailure>(&read)) {
      return tl::unexpected(Wrong(fmt::format("urls[{}]: {}", i, failure->message)));
    }
    const log::Question asked =
        QuestionOf(std::get<QuestionRecord>(std::move(read)), urls, question.as_of);
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto score, scorer.ScoreOf(AskedUrlOf(asked)));
    scores.Add(UrlScoreRecord(score));
    if (question.is_late && question.is_late() && i + 1 < question.urls.size()) {
      return MakeError(ErrorCode::kBusy, fmt::format("{} of {} URLs took too long: ask for fewer",
                                                     i + 1, question.urls.size()));
    }
  }
  return fmt::format("{{\"sequence\":{},\"scores\":{}}}\n", state.progress().sequence,
                     std::move(scores).Take());
}

}  // namespace crawlsieve::consumer
