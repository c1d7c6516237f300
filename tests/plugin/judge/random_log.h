#pragma once

#include "plugin/fingerprint/sketch.h"
#include "plugin/judge/detector.h"
#include "plugin/log/entry.pb.h"
#include "plugin/verdict/parameters.h"
#include "tests/support/entry_builder.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace crawlsieve::testing {

inline constexpr const char* kScheme = "cs1-test";

/// Parameters that the tests count on, whatever the defaults.
inline JudgeParameters Parameters() {
  JudgeParameters parameters;
  parameters.max_distance = 3;
  parameters.min_similarity = Score{7'000};
  parameters.short_text_shingles = 0;
  parameters.same_item_similarity = Score{Score::kOne};
  parameters.other_item_similarity = parameters.other_item_short_similarity = Score{};
  parameters.max_candidates = 3;
  parameters.min_features = 20;
  parameters.sites.max = 1U << 20;
  return parameters;
}

/// The sketch of a text that has this resemblance with those of the sketch of zeros.
inline Sketch SketchAt(double similarity) {
  Sketch sketch;
  const auto bits = static_cast<std::size_t>((1 - similarity) / 2 * Sketch::kBits);
  for (std::size_t i = 0; i < bits; ++i) sketch.words[i / 64] |= std::uint64_t{1} << i % 64;
  return sketch;
}

/// Every scope, with budgets of 1 to 3 and different preferences.
inline JudgeParameters ParametersOf(std::uint64_t seed) {
  JudgeParameters parameters = Parameters();
  parameters.scope = static_cast<Scope>(seed % 4);
  parameters.cluster_budget = 1 + static_cast<std::uint32_t>(seed % 3);
  parameters.same_item_similarity = Score{5'500};
  parameters.other_item_similarity = Score{8'500};
  if (seed % 2 == 1) {
    parameters.preferred_url = {UrlPreference::kHttps, UrlPreference::kScore,
                                UrlPreference::kShorter};
  }
  return parameters;
}

/// Random logs with few URLs, few contents and clustered simhashes, so that every rule is met.
inline std::vector<log::Entry> RandomLog(std::uint64_t seed, int size) {
  std::mt19937_64 random(seed);
  EntryBuilder entries(kScheme);
  std::vector<log::Entry> log = {ParametersEntry(ParametersOf(seed), kScheme)};
  while (static_cast<int>(log.size()) < size) {
    const std::uint64_t page = random() % 40;
    const std::string host = std::string(1, "abc"[page % 3]) + (page % 2 == 0 ? ".x" : ".yy");
    const std::string url =
        (page % 5 == 0 ? "https://" : "http://") + host + '/' + std::to_string(page * page * page);
    const std::uint64_t content = random() % 60;
    std::uint64_t simhash = (content % 6) * 0x0123456789abcdefULL;
    for (std::uint64_t flips = content % 5; flips > 0; --flips)
      simhash ^= 1ULL << (content * flips % 64);
    switch (random() % 16) {
      case 0:
        log.push_back(entries.Page(url, log::OUTCOME_DELETED));
        break;
      case 1:
        log.push_back(entries.Page(url, log::OUTCOME_ERROR_STATUS));
        break;
      case 2:
        log.push_back(entries.Page(url, log::OUTCOME_NOT_EVALUATED));
        break;
      case 3:
        log.push_back(entries.Binary(url, "binary " + std::to_string(content)));
        break;
      case 4:
        log.push_back(entries.Text(url, "short " + std::to_string(content), simhash, 3));
        break;
      case 5:
        log.push_back(log[random() % log.size()]);  // redelivery, or parameters again
        break;
      default:
        log.push_back(entries.Text(url, std::to_string(content), simhash));
        EntryBuilder::SetSketch(log.back(), SketchAt(0.5 + 0.1 * static_cast<double>(content % 6)));
    }
    if (!log.back().has_page()) continue;
    log::Page& made = *log.back().mutable_page();
    if (made.url() != url) continue;  // a redelivery stays what it was
    made.set_host(host);
    made.set_registered_domain_bytes(page % 2 == 0 ? 1 : 2);
    made.set_title(static_cast<std::uint32_t>(random() % 3));
    made.set_crawl_id(random() % 3 == 0 ? "monday" : "tuesday");
  }
  return log;
}

/// The same log with times, statuses and redirects, so that every row of the schedules' table is
/// met. Repeats of an entry stay repeats.
inline std::vector<log::Entry> WithFetches(std::vector<log::Entry> log, std::uint64_t seed) {
  constexpr std::int64_t kStart = 1'700'000'000'000;
  constexpr std::int64_t kHour = 3'600'000;
  constexpr int kStatuses[] = {304, 304, 404, 404, 410, 500, 429, 301, 301,
                               308, 302, 302, 307, 0,   -3,  300, 403, 999};
  for (log::Entry& entry : log) {
    if (!entry.has_page()) continue;
    log::Page& page = *entry.mutable_page();
    log::Source& source = *page.mutable_source();
    std::mt19937_64 random(seed ^ static_cast<std::uint64_t>(source.offset()) * 0x9e3779b97f4a7c15);
    const std::int64_t time = kStart + source.offset() * 2 * kHour;
    source.set_timestamp_ms(random() % 50 == 0 ? 0 : time);
    page.set_fetch_time_ms(time - static_cast<std::int64_t>(random() % 1'000'000));
    switch (random() % 40) {
      case 0:
        page.set_fetch_time_ms(0);
        break;
      case 1:
        // The year 2200, unless nothing would hold it back.
        if (source.timestamp_ms() > 0) page.set_fetch_time_ms(7'258'118'400'000);
        break;
      case 2:
      case 3:
        page.set_fetch_time_ms(time - 20 * kHour);
        break;
      default:
        break;
    }
    page.set_was_redirected(random() % 10 == 0);
    if (page.outcome() != log::OUTCOME_ERROR_STATUS) continue;
    const int status = kStatuses[random() % std::size(kStatuses)];
    page.set_detail(std::to_string(status));
    if (random() % 3 != 0) page.set_status(status);
    if (random() % 2 == 0) page.set_retry_after_seconds(random() % 100'000'000);
    if (random() % 5 == 0) continue;
    // Another page of the log, on the same host or not.
    const log::Entry& other = log[random() % log.size()];
    page.set_redirect_target(other.page().canonical_url());
    page.set_redirect_host(other.page().host());
  }
  return log;
}

/// The same log where one page in four names another URL of its host as canonical. Repeats of an
/// entry stay repeats.
inline std::vector<log::Entry> WithCanonicalLinks(std::vector<log::Entry> log) {
  std::map<std::string, std::string> other_of;  // by host
  std::map<std::int64_t, std::string> links;    // by the offset of the record
  for (log::Entry& entry : log) {
    if (!entry.has_page() || entry.page().outcome() != log::OUTCOME_TEXT) continue;
    log::Page& page = *entry.mutable_page();
    const std::int64_t offset = page.source().offset();
    std::string& other = other_of[page.host()];
    if (offset % 4 == 0) links.emplace(offset, other);
    if (const auto link = links.find(offset); link != links.end()) {
      page.set_canonical_link(link->second);
    }
    other = page.canonical_url();
  }
  return log;
}

/// The same log where some pages with content have no body, but say which earlier fetch had it: of
/// their own URL or of another one, as it was or at a wrong time. Repeats of an entry stay repeats.
inline std::vector<log::Entry> WithRevisits(std::vector<log::Entry> log, std::uint64_t seed) {
  constexpr std::size_t kSight = 30;
  std::mt19937_64 random(seed);
  std::map<std::int64_t, log::Page> made;  // by offset
  std::vector<log::Page> fetched;
  for (log::Entry& entry : log) {
    if (!entry.has_page()) continue;
    log::Page& page = *entry.mutable_page();
    const auto [known, is_new] = made.try_emplace(page.source().offset());
    if (!is_new) {
      page = known->second;
      continue;
    }
    const bool has_content =
        page.outcome() == log::OUTCOME_TEXT || page.outcome() == log::OUTCOME_NOT_HTML;
    if (has_content && !fetched.empty() && random() % 3 == 0) {
      const log::Page& earlier =
          fetched[fetched.size() - 1 - random() % std::min(fetched.size(), kSight)];
      log::Page revisit;
      *revisit.mutable_source() = page.source();
      revisit.set_scheme(page.scheme());
      revisit.set_fetch_time_ms(page.fetch_time_ms());
      const log::Page& of = random() % 3 == 0 ? earlier : page;
      revisit.set_id(of.id());
      revisit.set_url(of.url());
      revisit.set_canonical_url(of.canonical_url());
      revisit.set_host(of.host());
      revisit.set_registered_domain_bytes(of.registered_domain_bytes());
      revisit.set_crawl_id(of.crawl_id());
      revisit.set_outcome(log::OUTCOME_REVISIT);
      revisit.set_detail("revisit_record");
      if (&of == &page) revisit.set_revisit_url(earlier.canonical_url());
      const std::int64_t wrong = random() % 6 == 0 ? 5'000 : 0;
      if (random() % 12 != 0) revisit.set_revisit_time_ms(earlier.fetch_time_ms() + wrong);
      page = std::move(revisit);
    }
    known->second = page;
    // Times that many fetches have tell nothing.
    const bool has_time =
        page.fetch_time_ms() > 1'000'000'000'000 && page.fetch_time_ms() < 7'000'000'000'000;
    if (has_content && has_time) fetched.push_back(page);
  }
  return log;
}

/// A purge of what `random` says: a URL, a prefix, a host or a crawl of RandomLog.
inline log::Entry RandomPurge(std::mt19937_64& random, const log::Page& page) {
  log::Entry entry;
  log::Purge& purge = *entry.mutable_purge();
  purge.set_id(std::to_string(random() % 50));
  switch (random() % 5) {
    case 0:
    case 1:
      purge.set_url(page.canonical_url());
      break;
    case 2:
      purge.set_url_prefix(page.canonical_url().substr(0, 13));
      break;
    case 3:
      purge.set_host(page.host());
      break;
    default:
      purge.set_crawl_id(page.crawl_id());
  }
  return entry;
}

/// The same log with purges among the pages, under parameters by which rows are looked for often
/// and few at a time, pages expire and their number is bounded.
inline std::vector<log::Entry> WithRemoval(const std::vector<log::Entry>& log, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<log::Entry> changed;
  for (const log::Entry& entry : log) {
    changed.push_back(entry);
    if (entry.has_parameters()) {
      log::Retention& retention = *changed.back().mutable_parameters()->mutable_retention();
      retention.set_expire_seconds(seed % 3 == 0 ? 0 : 86'400 * (1 + seed % 3));
      retention.set_max_pages(seed % 4 == 0 ? 12 : 0);
      retention.set_sweep_entries(2 + static_cast<std::uint32_t>(seed % 5));
      retention.set_sweep_rows(1 + static_cast<std::uint32_t>(seed % 3));
    } else if (random() % 25 == 0) {
      changed.push_back(RandomPurge(random, entry.page()));
    }
  }
  return changed;
}

}  // namespace crawlsieve::testing
