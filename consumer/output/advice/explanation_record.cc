#include "consumer/output/advice/explanation_record.h"

#include "consumer/observability/printable.h"
#include "consumer/output/advice/numbers.h"
#include "consumer/output/scores/score_record.h"
#include "plugin/judge/page_scores.h"
#include "plugin/schedule/change_rate.h"

#include <iterator>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

using Json = nlohmann::ordered_json;
using schedule::LogRate;
using schedule::MeanOfRate;

constexpr int kSchemaVersion = 1;

Json TextOrNull(std::string_view text) { return text.empty() ? Json() : Json(text); }
Json DateOrNull(schedule::Seconds seconds) { return seconds == 0 ? Json() : Json(DateOf(seconds)); }

Json VersionJson(const std::optional<KeptVersion>& version) {
  if (!version.has_value()) return {};
  Json json;
  json["sequence"] = version->sequence;
  json["url"] = version->url;
  json["id"] = TextOrNull(version->id);
  json["first_seen"] = FormatRfc3339(version->first_seen);
  json["cluster_size"] = version->cluster_size;
  json["features"] = version->features;
  return json;
}

Json HistoryJson(const std::optional<UrlHistory>& history) {
  if (!history.has_value()) return {};
  Json json;
  json["fetches"] = history->fetches;
  json["changes"] = history->changes;
  json["last_reasons"] = Json::array();
  for (const Reason reason : history->last_reasons) {
    json["last_reasons"].push_back(RuleFor(reason).name);
  }
  json["may_be_adopted"] = history->may_be_adopted;
  json["kept"] = VersionJson(history->kept);
  json["repeats"] = VersionJson(history->repeats);
  json["repeats_exactly"] = history->repeats_exactly;
  json["repeats_retired"] = history->repeats_retired;
  return json;
}

Json RatesJson(const std::optional<schedule::RateSteps>& rates) {
  if (!rates.has_value()) return {};
  return {{"crawl", MeanOfRate(rates->crawl)},
          {"host", MeanOfRate(rates->host)},
          {"pattern", MeanOfRate(rates->pattern)},
          {"url", MeanOfRate(rates->years)},
          {"url_lately", MeanOfRate(rates->weeks)}};
}

Json ScheduleJson(const std::optional<ScheduleEvidence>& schedule) {
  if (!schedule.has_value()) return {};
  Json json;
  json["state"] = NameOf(schedule->url.state);
  json["failures"] = schedule->url.failures;
  json["last_visit"] = DateOrNull(schedule->url.last_visit);
  json["not_before"] = DateOrNull(schedule->url.not_before);
  json["host_paused_until"] = DateOrNull(schedule->host_paused_until);
  json["next_fetch"] = DateOf(schedule->score.next_fetch);
  json["pattern"] = schedule->pattern;
  json["pattern_visits"] = schedule->pattern_visits;
  json["mean_change_seconds"] = RatesJson(schedule->rates);
  return json;
}

Json CountsJson(const site::FetchCounts& counts) {
  return {{"fetched", Fetches(counts.fetched)},
          {"new", Fetches(counts.with_new)},
          {"worth", Fetches(counts.worth)},
          {"errors", Fetches(counts.errors)},
          {"soft_errors", Fetches(counts.soft_errors)}};
}

Json RuleJson(const std::optional<site::UrlRule>& rule) {
  if (!rule.has_value()) return {};
  return {{"part", site::NameOf(rule->kind)},
          {"name", TextOrNull(rule->name)},
          {"pattern", TextOrNull(rule->pattern)},
          {"short_pages", rule->of_short}};
}

Json SiteJson(const std::optional<SiteEvidence>& site) {
  if (!site.has_value()) return {};
  Json json;
  json["site"] = site->name;
  json["is_known"] = site->is_known;
  json["shape"] = site->patterns.shape;
  json["pattern"] = site->patterns.pattern;
  json["folder"] = TextOrNull(site->patterns.folder);
  json["counts"] = {{"site", CountsJson(site->of_site)},
                    {"shape", CountsJson(site->of_shape)},
                    {"pattern", CountsJson(site->of_pattern)},
                    {"folder", CountsJson(site->of_folder)}};
  json["chance_of_new"] = {{"average", Decimal(site->average.chance)},
                           {"site", Decimal(site->steps.site.chance)},
                           {"shape", Decimal(site->steps.shape.chance)},
                           {"pattern", Decimal(site->steps.pattern.chance)},
                           {"folder", Decimal(site->steps.folder.chance)},
                           {"url", Decimal(site->advice.chance)}};
  json["is_explored"] = site->is_explored;
  json["action"] = NameOf(ActionOf(site->advice.action));
  json["rewrite_to"] = TextOrNull(site->advice.rewrite_to);
  json["ground"] = site::NameOf(site->advice.ground);
  json["precision"] = Decimal(site->advice.precision);
  json["support"] = site->advice.support;
  json["rule"] = RuleJson(site->rule);
  return json;
}

/// Lines of a name and what is told of it.
class Lines {
 public:
  template <typename... Arguments>
  void Add(std::string_view name, fmt::format_string<Arguments...> format,
           Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), "{:<16} ", name);
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
    text_ += '\n';
  }
  [[nodiscard]] std::string Take() && { return std::move(text_); }

 private:
  std::string text_;
};

double DaysOf(LogRate rate) { return static_cast<double>(MeanOfRate(rate)) / 86'400; }

void AddScore(const std::optional<UrlScore>& score, Lines& lines) {
  if (!score.has_value()) {
    return lines.Add("score", "none: it was last fetched under fold version 5 or before");
  }
  const char* const when = !score->fetched ? "never fetched"
                           : IsDue(*score) ? "due"
                                           : "not due yet";
  lines.Add("score", "{:.4f} at {}: {}", score->score.value(), FormatRfc3339(score->as_of), when);
  for (const ScoreComponent& component : score->components) {
    lines.Add("", "{} {:.4f}", component.name, component.value.value());
  }
}

void AddHistory(const UrlHistory& history, Lines& lines) {
  std::string reasons;
  for (const Reason reason : history.last_reasons) {
    if (!reasons.empty()) reasons += " or ";
    reasons += RuleFor(reason).name;
  }
  lines.Add("last verdict", "{}", reasons.empty() ? "nothing says" : reasons);
  if (history.may_be_adopted) {
    lines.Add("", "or none yet: the history may be that of a URL that redirects here");
  }
  lines.Add("fetches", "{} with content, {} of them changed", history.fetches, history.changes);
  const auto version = [&lines](const char* name, const KeptVersion& kept) {
    lines.Add(name, "sequence {}, fetched {}: {}", kept.sequence, FormatRfc3339(kept.first_seen),
              Printable(kept.url));
    lines.Add("", "{} features; its content came {} times", kept.features, kept.cluster_size);
  };
  if (history.kept.has_value()) version("kept version", *history.kept);
  if (history.repeats.has_value()) {
    version(history.repeats_exactly ? "repeats exactly" : "repeats nearly", *history.repeats);
  }
  if (history.repeats_retired) lines.Add("repeats", "a version that isn't kept any more");
}

void AddSchedule(const ScheduleEvidence& schedule, Lines& lines) {
  lines.Add("next fetch", "{}", DateOf(schedule.score.next_fetch));
  if (schedule.url.last_visit != 0) lines.Add("last visit", "{}", DateOf(schedule.url.last_visit));
  lines.Add("state", "{}, {} failures in a row", NameOf(schedule.url.state), schedule.url.failures);
  if (schedule.url.not_before != 0) lines.Add("not before", "{}", DateOf(schedule.url.not_before));
  if (schedule.host_paused_until != 0) {
    lines.Add("host pauses", "until {}, because it failed too often",
              DateOf(schedule.host_paused_until));
  }
  if (!schedule.rates.has_value()) return;
  const schedule::RateSteps& rates = *schedule.rates;
  lines.Add("changes every", "{:.2f} days: by what it did lately", DaysOf(rates.weeks));
  lines.Add("", "{:.2f} days by all of its own visits", DaysOf(rates.years));
  lines.Add("", "{:.2f} days by {} visits of {}", DaysOf(rates.pattern), schedule.pattern_visits,
            Printable(schedule.pattern));
  lines.Add("", "{:.2f} days by its host, {:.2f} by the crawl", DaysOf(rates.host),
            DaysOf(rates.crawl));
}

void AddSite(const SiteEvidence& site, Lines& lines) {
  if (!site.is_known) return lines.Add("site", "nothing was learned of {}", Printable(site.name));
  lines.Add("site", "{}", Printable(site.name));
  const auto level = [&lines](const char* name, std::string_view text,
                              const site::FetchCounts& counts, site::Share chance) {
    lines.Add(name, "{}: {:.1f} new of {:.0f} first fetches, chance {:.4f}", Printable(text),
              Fetches(counts.with_new), Fetches(counts.fetched), Decimal(chance));
  };
  level("  all URLs", site.name, site.of_site, site.steps.site.chance);
  level("  shape", site.patterns.shape, site.of_shape, site.steps.shape.chance);
  level("  pattern", site.patterns.pattern, site.of_pattern, site.steps.pattern.chance);
  if (!site.patterns.folder.empty()) {
    level("  folder", site.patterns.folder, site.of_folder, site.steps.folder.chance);
  }
  lines.Add("  chance of new", "{:.4f}{}; of an average fetch {:.4f}", Decimal(site.advice.chance),
            site.is_explored ? ", explored whatever its pattern brings" : "",
            Decimal(site.average.chance));
  if (site.advice.ground == site::Ground::kNone) {
    return lines.Add("advice", "schedule: nothing speaks against a URL like this");
  }
  lines.Add("advice", "{}, because of {}: precision at least {:.4f}, by {}",
            NameOf(ActionOf(site.advice.action)), site::NameOf(site.advice.ground),
            Decimal(site.advice.precision), site.advice.support);
  if (!site.advice.rewrite_to.empty()) {
    lines.Add("  rewrite to", "{}", Printable(site.advice.rewrite_to));
  }
  if (site.rule.has_value()) {
    lines.Add("  rule", "{} {} of {}", site::NameOf(site.rule->kind), Printable(site.rule->name),
              site.rule->pattern.empty() ? "all URLs" : Printable(site.rule->pattern));
  }
}

}  // namespace

std::string ExplanationRecord(const UrlExplanation& explanation) {
  Json json;
  json["schema_version"] = kSchemaVersion;
  json["url"] = explanation.url;
  json["crawl_id"] = TextOrNull(explanation.crawl_id);
  json["sequence"] = explanation.sequence;
  json["score"] =
      explanation.score.has_value() ? Json::parse(UrlScoreRecord(*explanation.score)) : Json();
  json["history"] = HistoryJson(explanation.history);
  json["host"] = {{"pages", explanation.host_pages}, {"duplicates", explanation.host_duplicates}};
  json["schedule"] = ScheduleJson(explanation.schedule);
  json["site"] = SiteJson(explanation.site);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string ExplanationText(const UrlExplanation& explanation) {
  Lines lines;
  lines.Add("url", "{}", Printable(explanation.url));
  if (!explanation.crawl_id.empty()) lines.Add("crawl", "{}", Printable(explanation.crawl_id));
  lines.Add("up to sequence", "{}", explanation.sequence);
  AddScore(explanation.score, lines);
  if (explanation.history.has_value()) {
    AddHistory(*explanation.history, lines);
  } else {
    lines.Add("last verdict", "none: it was never fetched, or deleted since");
  }
  if (explanation.schedule.has_value()) AddSchedule(*explanation.schedule, lines);
  lines.Add("host", "{} pages, {} of them duplicates", explanation.host_pages,
            explanation.host_duplicates);
  if (explanation.site.has_value()) AddSite(*explanation.site, lines);
  return std::move(lines).Take();
}

}  // namespace crawlsieve::consumer
