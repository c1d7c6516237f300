#pragma once

#include "plugin/verdict/score.h"

#include <cstdint>
#include <string>
#include <vector>

namespace crawlsieve {

/// What a URL's priority is. The weights of its components are in thousandths and must add up to
/// 1000.
struct PriorityParameters {
  std::uint32_t novelty = 400;  ///< how new the page's content was
  std::uint32_t host = 300;     ///< how few duplicates its host has shown
  std::uint32_t depth = 100;    ///< how short its path is
  std::uint32_t change = 200;   ///< how often it was found changed
  /// The score isn't the weighted mean then, but how much a fetch of the URL will be due so long
  /// after this one (CrawlSchedule::ScoreAt). 0: the weighted mean.
  std::uint64_t horizon_seconds = 0;

  friend bool operator==(const PriorityParameters&, const PriorityParameters&) = default;
};

/// Bounds of the time between two fetches for some URLs, in seconds.
struct ScheduleBounds {
  std::string host;     ///< as in URLs; empty: every host
  std::string pattern;  ///< of the path (schedule::PathPattern); empty: every path
  std::uint64_t min_seconds = 0;
  std::uint64_t max_seconds = 0;

  friend bool operator==(const ScheduleBounds&, const ScheduleBounds&) = default;
};

/// When to fetch a URL again: when a fetch is worth most, for as many fetches as are wanted
/// (plugin/schedule, docs/frontier.md).
struct ScheduleParameters {
  /// Fetches of all URLs together. 0: as many as `freshness` needs.
  std::uint64_t fetches_a_day = 0;
  /// Mean share of pages whose last fetched version is the current one.
  Score freshness{9'000};
  std::uint64_t min_seconds = 3'600;
  std::uint64_t max_seconds = 365 * 86'400;
  /// In the place of these bounds: those of the first that the URL is of.
  std::vector<ScheduleBounds> bounds;

  friend bool operator==(const ScheduleParameters&, const ScheduleParameters&) = default;
};

/// What is learned of sites: docs/frontier.md, "What to fetch next".
struct SiteParameters {
  /// So many sites at most; 0: none. Whoever publishes no scores needn't pay for it.
  std::uint64_t max = 0;

  friend bool operator==(const SiteParameters&, const SiteParameters&) = default;
};

/// What the state lets go of by itself: docs/state.md, "What goes".
struct RetentionParameters {
  /// Pages and URLs that weren't seen for so long by the log's clock go; 0: none.
  std::uint64_t expire_seconds = 0;
  /// Kept pages with text. The oldest go where there are more; 0: any number.
  std::uint64_t max_pages = 0;
  /// Rows that have to go are looked for after each so many entries of the log; 0: as 4,096.
  std::uint32_t sweep_entries = 4'096;
  /// So many rows are looked at then: more give room back sooner, and hold verdicts up longer; 0:
  /// as 1,024. For the bound besides as many as entries may have come.
  std::uint32_t sweep_rows = 512;

  friend bool operator==(const RetentionParameters&, const RetentionParameters&) = default;
};

/// The rule of fold versions 4 and 5, of which logs may have values: the interval halves when the
/// page changed and grows by half when it did not, between the bounds. Seconds.
struct RecrawlIntervals {
  std::uint64_t initial_seconds = 7 * 86'400UL;
  std::uint64_t min_seconds = 3'600;
  std::uint64_t max_seconds = 90 * 86'400UL;

  friend bool operator==(const RecrawlIntervals&, const RecrawlIntervals&) = default;
};

/// Which pages can be duplicates of each other: those for which this is the same.
enum class Scope {
  kGlobal,            ///< all
  kCrawl,             ///< the crawl; each has URLs of its own too
  kRegisteredDomain,  ///< what somebody registered of the host; the host where nothing is known
  kHost,              ///< the host
};

/// By what one URL of a cluster goes before another.
enum class UrlPreference {
  kScore,    ///< higher priority, novelty left out
  kHttps,    ///< https before anything else
  kShorter,  ///< fewer bytes
};

/// How pages are judged. Part of the admission log, so that a replay judges the same way.
struct JudgeParameters {
  /// Near duplicates have simhashes that differ in at most this many bits, 0..7: that finds them.
  std::uint32_t max_distance = 6;
  /// And their shingle sets have at least this estimated resemblance: that confirms them.
  Score min_similarity{8'200};
  /// Where either set has fewer shingles than this, one word may be what tells two pages apart:
  std::uint32_t short_text_shingles = 80;
  /// then they need at least this resemblance, if that is more.
  Score short_text_similarity{9'000};
  /// Pages that say they are about one item (CompareItems) need no more than this, short or not.
  Score same_item_similarity{7'500};
  /// Pages that say they are about two items need at least this,
  Score other_item_similarity{9'000};
  /// and where either set has fewer shingles than this,
  std::uint32_t other_item_short_shingles = 160;
  /// this: one word in the middle of that many shingles makes as much.
  Score other_item_short_similarity{9'500};
  /// How many pages within max_distance are compared at most, the nearest and oldest first.
  std::uint32_t max_candidates = 16;
  /// Pages with fewer distinct features are `too_short`: never a duplicate, never a match.
  std::uint32_t min_features = 20;
  /// How many URLs of a cluster are kept, the first ones; at least 1.
  std::uint32_t cluster_budget = 1;
  Scope scope = Scope::kGlobal;
  /// What the preferred URL of a cluster is chosen by, the weightiest first; empty: none is named.
  std::vector<UrlPreference> preferred_url;
  PriorityParameters priority;
  RecrawlIntervals recrawl;
  ScheduleParameters schedule;
  SiteParameters sites;
  RetentionParameters retention;

  friend bool operator==(const JudgeParameters&, const JudgeParameters&) = default;
};

/// Calls visit(name, field) for every field of `parameters`, a JudgeParameters or a const one: the
/// list that the codec of the log, the check of the configuration's keys and tests go through. The
/// name is that of the field in the log (plugin/log/entry.proto) and, below `judge.` and without
/// `_seconds`, in the configuration; those of `recrawl` are not configured any more.
template <typename Parameters, typename Visit>
void ForEachField(Parameters& parameters, const Visit& visit) {
  // The bindings name every member: a new one that isn't listed doesn't compile.
  auto& [max_distance, min_similarity, short_text_shingles, short_text_similarity,
         same_item_similarity, other_item_similarity, other_item_short_shingles,
         other_item_short_similarity, max_candidates, min_features, cluster_budget, scope,
         preferred_url, priority, recrawl, schedule, sites, retention] = parameters;
  auto& [novelty, host, depth, change, horizon_seconds] = priority;
  auto& [initial_seconds, min_seconds, max_seconds] = recrawl;
  auto& [fetches_a_day, freshness, min_interval, max_interval, bounds] = schedule;
  auto& [expire_seconds, max_pages, sweep_entries, sweep_rows] = retention;
  visit("max_distance", max_distance);
  visit("min_similarity", min_similarity);
  visit("short_text_shingles", short_text_shingles);
  visit("short_text_similarity", short_text_similarity);
  visit("same_item_similarity", same_item_similarity);
  visit("other_item_similarity", other_item_similarity);
  visit("other_item_short_shingles", other_item_short_shingles);
  visit("other_item_short_similarity", other_item_short_similarity);
  visit("max_candidates", max_candidates);
  visit("min_features", min_features);
  visit("cluster_budget", cluster_budget);
  visit("scope", scope);
  visit("preferred_url", preferred_url);
  visit("priority.novelty", novelty);
  visit("priority.host", host);
  visit("priority.depth", depth);
  visit("priority.change", change);
  visit("priority.horizon_seconds", horizon_seconds);
  visit("recrawl.initial_seconds", initial_seconds);
  visit("recrawl.min_seconds", min_seconds);
  visit("recrawl.max_seconds", max_seconds);
  visit("schedule.fetches_a_day", fetches_a_day);
  visit("schedule.freshness", freshness);
  visit("schedule.min_seconds", min_interval);
  visit("schedule.max_seconds", max_interval);
  visit("schedule.bounds", bounds);
  visit("sites.max", sites.max);
  visit("retention.expire_seconds", expire_seconds);
  visit("retention.max_pages", max_pages);
  visit("retention.sweep_entries", sweep_entries);
  visit("retention.sweep_rows", sweep_rows);
}

}  // namespace crawlsieve
