#include "consumer/output/advice/site_record.h"

#include "consumer/observability/printable.h"
#include "consumer/output/advice/numbers.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <string_view>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

using Json = nlohmann::ordered_json;
using site::PairCounts;
using site::PatternCounts;
using site::UrlRule;

constexpr int kSchemaVersion = 1;

/// In use first, then those with the most pairs.
std::vector<const UrlRule*> RulesOf(const site::Site& site) {
  std::vector<const UrlRule*> rules;
  for (const auto& [hash, rule] : site.rules().rules()) rules.push_back(&rule);
  const auto rank = [](const UrlRule* rule) {
    return std::tuple(!rule->suppresses && !rule->rewrites,
                      -std::int64_t{rule->siblings.pairs() + rule->without.pairs()}, rule->kind,
                      std::string_view(rule->name), std::string_view(rule->pattern),
                      rule->of_short);
  };
  std::ranges::sort(rules, {}, rank);
  return rules;
}

/// Those with the most fetches first.
std::vector<const PatternCounts::Pattern*> PatternsOf(const site::Site& site) {
  std::vector<const PatternCounts::Pattern*> patterns;
  for (const auto& [hash, pattern] : site.patterns().patterns()) patterns.push_back(&pattern);
  const auto rank = [](const PatternCounts::Pattern* pattern) {
    return std::tuple(-std::int64_t{pattern->counts.fetched}, std::string_view(pattern->text));
  };
  std::ranges::sort(patterns, {}, rank);
  return patterns;
}

void AddCounts(const site::FetchCounts& counts, Json& json) {
  json["fetched"] = Fetches(counts.fetched);
  json["new"] = Fetches(counts.with_new);
  json["worth"] = Fetches(counts.worth);
  json["errors"] = Fetches(counts.errors);
  json["soft_errors"] = Fetches(counts.soft_errors);
}

Json PairsJson(const PairCounts& counts, bool is_in_use) {
  return {{"in_use", is_in_use},
          {"same", counts.same},
          {"different", counts.different},
          {"precision", Decimal(counts.lower_bound())}};
}

Json RuleJson(const UrlRule& rule) {
  Json json;
  json["part"] = site::NameOf(rule.kind);
  json["name"] = rule.name.empty() ? Json() : Json(rule.name);
  json["pattern"] = rule.pattern.empty() ? Json() : Json(rule.pattern);
  json["short_pages"] = rule.of_short;
  json["suppress"] = PairsJson(rule.siblings, rule.suppresses);
  json["rewrite"] = PairsJson(rule.without, rule.rewrites);
  json["values"] = std::popcount(rule.values);
  json["patterns"] = std::popcount(rule.patterns);
  return json;
}

bool IsSuppressed(const PatternCounts::Pattern& pattern) {
  return site::BringsNothingNew(pattern.counts) || site::IsOfAliases(pattern.counts);
}

Json PatternJson(const PatternCounts::Pattern& pattern) {
  Json json;
  json["pattern"] = pattern.text;
  AddCounts(pattern.counts, json);
  json["new_at_most"] = Decimal(pattern.counts.MostNew());
  json["aliases"] = Fetches(pattern.counts.aliases);
  json["suppressed"] = IsSuppressed(pattern);
  return json;
}

Json MirrorJson(const MirrorReport& mirror) {
  const site::MirrorEvidence& evidence = mirror.evidence;
  Json json;
  json["origin"] = mirror.origin;
  json["in_use"] = mirror.in_use;
  json["pairs"] = evidence.pairs.pairs();
  json["same_bytes"] = evidence.pairs.same;
  json["precision"] = Decimal(evidence.lower_bound());
  json["pages"] = evidence.pages;
  json["same_pages"] = std::min(evidence.same, evidence.pages);
  return json;
}

Json HostJson(const HostReport& host) {
  Json json;
  json["host"] = host.host;
  json["pages"] = host.pages;
  json["duplicates"] = host.duplicates;
  json["mean_change_seconds"] = host.mean_change.has_value() ? Json(*host.mean_change) : Json();
  json["paused_until"] = host.paused_until == 0 ? Json() : Json(DateOf(host.paused_until));
  json["sinks"] = host.sinks;
  json["mirrors"] = Json::array();
  for (const MirrorReport& mirror : host.mirrors) json["mirrors"].push_back(MirrorJson(mirror));
  return json;
}

/// What a rule says, for people.
std::string Saying(const UrlRule& rule) {
  const std::string part =
      fmt::format("{}{}{}", site::NameOf(rule.kind), rule.name.empty() ? "" : " ", rule.name);
  const std::string of = rule.pattern.empty() ? " (all URLs)" : " of " + rule.pattern;
  return part + of + (rule.of_short ? ", short pages" : "");
}

void AppendRule(const UrlRule& rule, std::back_insert_iterator<std::string> out) {
  const auto append = [&](const char* action, const PairCounts& counts) {
    fmt::format_to(out, "  {:<9} {:>5} {:>6} {:>9.4f}  {}\n", action, counts.same, counts.pairs(),
                   Decimal(counts.lower_bound()), Printable(Saying(rule)));
  };
  if (rule.suppresses) append("suppress", rule.siblings);
  if (rule.rewrites) append("rewrite", rule.without);
  if (rule.suppresses || rule.rewrites) return;
  append("-", rule.siblings.pairs() >= rule.without.pairs() ? rule.siblings : rule.without);
}

void AppendMirror(const MirrorReport& mirror, std::string& text) {
  const site::MirrorEvidence& evidence = mirror.evidence;
  fmt::format_to(std::back_inserter(text),
                 "{}{}: {} of {} pairs of pages have the same bytes (precision {:.4f}), {} of {} "
                 "pages are the same\n",
                 mirror.in_use ? "mirror of        " : "no mirror of     ",
                 Printable(mirror.origin), evidence.pairs.same, evidence.pairs.pairs(),
                 Decimal(evidence.lower_bound()), std::min(evidence.same, evidence.pages),
                 evidence.pages);
}

void AppendSite(const SiteReport& report, std::string& text) {
  const auto out = std::back_inserter(text);
  const site::Site& site = *report.site;
  const site::FetchCounts& counts = site.counts();
  fmt::format_to(out, "first fetches    {:.0f}: {:.1f} new, {:.0f} errors, {:.0f} soft errors\n",
                 Fetches(counts.fetched), Fetches(counts.with_new), Fetches(counts.errors),
                 Fetches(counts.soft_errors));
  fmt::format_to(out, "chance of new    {:.4f}; of an average fetch of the crawl {:.4f}\n",
                 Decimal(counts.Expect(report.average).chance), Decimal(report.average.chance));
  for (const std::uint32_t urls : site.soft_errors().UrlsOfGroups()) {
    fmt::format_to(out, "soft error page  shown at {} URLs\n", urls);
  }
  const auto patterns = PatternsOf(site);
  fmt::format_to(out, "\n{} patterns and shapes of URLs\n", patterns.size());
  if (!patterns.empty()) {
    fmt::format_to(out, "  {:>8} {:>8} {:>7} {:>12}\n", "fetched", "new", "errors", "new, at most");
  }
  for (const auto* pattern : patterns) {
    fmt::format_to(out, "  {:>8.0f} {:>8.1f} {:>7.0f} {:>12.4f}  {}{}\n",
                   Fetches(pattern->counts.fetched), Fetches(pattern->counts.with_new),
                   Fetches(pattern->counts.errors), Decimal(pattern->counts.MostNew()),
                   Printable(pattern->text), IsSuppressed(*pattern) ? "  (suppressed)" : "");
  }
  const auto rules = RulesOf(site);
  fmt::format_to(out, "\n{} rules, by pairs of URLs that differ in a part; - is not in use\n",
                 rules.size());
  if (!rules.empty()) {
    fmt::format_to(out, "  {:<9} {:>5} {:>6} {:>9}\n", "", "same", "pairs", "precision");
  }
  for (const UrlRule* rule : rules) AppendRule(*rule, out);
}

}  // namespace

std::string SiteRecord(const SiteReport& report) {
  Json json;
  json["schema_version"] = kSchemaVersion;
  json["site"] = report.name;
  json["sequence"] = report.sequence;
  json["average_chance"] = Decimal(report.average.chance);
  Json learned;
  if (report.site.has_value()) {
    AddCounts(report.site->counts(), learned);
    learned["chance_of_new"] = Decimal(report.site->counts().Expect(report.average).chance);
    learned["soft_error_pages"] = report.site->soft_errors().UrlsOfGroups();
    learned["patterns"] = Json::array();
    for (const auto* pattern : PatternsOf(*report.site)) {
      learned["patterns"].push_back(PatternJson(*pattern));
    }
    learned["rules"] = Json::array();
    for (const UrlRule* rule : RulesOf(*report.site)) learned["rules"].push_back(RuleJson(*rule));
  }
  json["learned"] = std::move(learned);
  json["hosts"] = Json::array();
  for (const HostReport& host : report.hosts) json["hosts"].push_back(HostJson(host));
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string SiteText(const SiteReport& report) {
  std::string text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "site             {}\n", Printable(report.name));
  fmt::format_to(out, "up to sequence   {}\n", report.sequence);
  for (const HostReport& host : report.hosts) {
    fmt::format_to(out, "host             {}: {} pages, {} of them duplicates",
                   Printable(host.host), host.pages, host.duplicates);
    if (host.mean_change.has_value()) {
      fmt::format_to(out, "; a page changes every {:.1f} days",
                     static_cast<double>(*host.mean_change) / 86'400);
    }
    if (host.sinks > 0) {
      fmt::format_to(out, "; {} targets of redirects stand for missing pages", host.sinks);
    }
    if (host.paused_until > 0) fmt::format_to(out, "; paused until {}", DateOf(host.paused_until));
    text += '\n';
    for (const MirrorReport& mirror : host.mirrors) AppendMirror(mirror, text);
  }
  if (report.site.has_value()) {
    AppendSite(report, text);
  } else {
    text += "nothing was learned of its URLs (judge.sites.max, docs/frontier.md)\n";
  }
  return text;
}

}  // namespace crawlsieve::consumer
