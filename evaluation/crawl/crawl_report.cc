#include "evaluation/crawl/crawl_report.h"

#include "consumer/html/charts.h"
#include "consumer/html/page_text.h"
#include "consumer/html/report_page.h"
#include "consumer/html/tile.h"
#include "consumer/status/count_table.h"
#include "consumer/status/quantities.h"
#include "plugin/base/timestamp.h"
#include "plugin/fingerprint/simhash.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "evaluation/evaluation.h"
#include "evaluation/pair_list.h"
#include "evaluation/statistics.h"
#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

constexpr std::size_t kKeptPairsAtEachDistance = 8;
constexpr std::size_t kNamesShown = 20;

double Double(std::uint64_t value) { return static_cast<double>(value); }

std::uint64_t PagesOf(const CrawlFindings& findings, Reason reason) {
  return findings.reasons()[static_cast<std::size_t>(reason)].pages;
}

/// What a reason means, for somebody who sees it the first time.
std::string_view MeaningOf(Reason reason) {
  switch (reason) {
    case Reason::kUnique:
      return "content that no page before had";
    case Reason::kExactDuplicate:
      return "the same content as a kept page";
    case Reason::kNearDuplicate:
      return "nearly the content of a kept page";
    case Reason::kUnchanged:
      return "fetched again, and as before";
    case Reason::kUpdated:
      return "fetched again, and changed";
    case Reason::kClusterBudget:
      return "repeats a kept page, within the number of copies that are kept";
    case Reason::kTooShort:
      return "too few words to be told from others";
    case Reason::kNotHtml:
      return "no text to compare, and other bytes than any page before";
    case Reason::kErrorStatus:
      return "the fetch failed";
    case Reason::kDeleted:
      return "the crawler says that the page is gone";
    case Reason::kNotEvaluated:
      return "couldn't be read within the limits";
    case Reason::kNotModified:
      return "the server says that it is as before";
    case Reason::kGone:
      return "the server says that the page is gone";
    case Reason::kRedirect:
      return "leads to another page";
    case Reason::kOutdated:
      return "fetched before a version that is known";
  }
  return "";
}

std::string Answer(const CrawlReportParts& parts) {
  const CrawlFindings& findings = parts.findings;
  const std::uint64_t exact = PagesOf(findings, Reason::kExactDuplicate);
  const std::uint64_t near = PagesOf(findings, Reason::kNearDuplicate);
  return fmt::format(
      "Of {} pages {} were dropped ({}): {} with the same content as a kept page, {} with nearly "
      "the same, and {} for other reasons.",
      LongCount(findings.pages()), LongCount(findings.dropped()),
      ShareText(Double(findings.dropped()), Double(findings.pages())), LongCount(exact),
      LongCount(near), LongCount(findings.dropped() - exact - near));
}

std::string Tiles(const CrawlReportParts& parts) {
  const CrawlFindings& findings = parts.findings;
  std::uint64_t bytes = 0;
  std::uint64_t saved = 0;
  for (int i = 0; i < kReasonCount; ++i) {
    const auto& count = findings.reasons()[static_cast<std::size_t>(i)];
    bytes += count.bytes;
    if (RuleFor(static_cast<Reason>(i)).decision == Decision::kDrop) saved += count.bytes;
  }
  const double seconds = parts.elapsed.count();
  std::string tiles = "<ul class=\"tiles\">\n";
  tiles += Tile(
      "Pages", ShortCount(findings.pages()),
      fmt::format("in {} file{}", LongCount(parts.files.files), parts.files.files == 1 ? "" : "s"));
  tiles += Tile("Kept", ShortCount(findings.pages() - findings.dropped()),
                ShareText(Double(findings.pages() - findings.dropped()), Double(findings.pages())));
  tiles += Tile("Dropped", ShortCount(findings.dropped()),
                ShareText(Double(findings.dropped()), Double(findings.pages())));
  tiles += Tile(
      "Bytes saved", BytesText(Double(saved)),
      fmt::format("{} of {}", ShareText(Double(saved), Double(bytes)), BytesText(Double(bytes))));
  tiles += Tile("Pages a second", RateText(seconds > 0 ? Double(findings.pages()) / seconds : 0),
                "in " + DurationText(seconds));
  if (findings.dead_letters() > 0) {
    tiles += Tile("Dead letters", LongCount(findings.dead_letters()), "records without a URL");
  }
  if (parts.files.damaged_files > 0) {
    tiles += Tile(
        "Damaged files", LongCount(parts.files.damaged_files),
        fmt::format("{} parts of them could not be read", LongCount(parts.files.lost_stretches)));
  }
  return tiles + "</ul>\n";
}

std::vector<HeavyHitters::Item> Most(const HeavyHitters& names) {
  return HeavyHitters::Top(names, HeavyHitters(1), kNamesShown);
}

std::string Why(const CrawlFindings& findings) {
  std::string html =
      "<h2>Why</h2>\n<div class=\"wide\"><table id=\"reasons\"><tr><th>reason</th><th></th>"
      "<th class=\"n\">pages</th><th class=\"n\"></th><th class=\"n\">bytes</th></tr>\n";
  std::uint64_t most = 0;
  for (const auto& count : findings.reasons()) most = std::max(most, count.pages);
  for (const Decision decision : {Decision::kKeep, Decision::kDrop}) {
    for (int i = 0; i < kReasonCount; ++i) {
      const auto reason = static_cast<Reason>(i);
      const auto& count = findings.reasons()[static_cast<std::size_t>(i)];
      const bool is_kept = decision == Decision::kKeep;
      if (RuleFor(reason).decision != decision || count.pages == 0) continue;
      html += fmt::format(
          "<tr><td><span class=\"key{}\">{}</span><br><span class=\"soft\">{}</span></td>"
          "<td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
          is_kept ? "" : " dropped", RuleFor(reason).name, MeaningOf(reason),
          Bar(Double(count.pages), Double(most), is_kept), LongCount(count.pages),
          ShareText(Double(count.pages), Double(findings.pages())), BytesText(Double(count.bytes)));
    }
  }
  html +=
      "</table></div>\n<p class=\"soft\"><span class=\"key\">kept</span> <span class=\"key "
      "dropped\">dropped</span></p>\n";
  if (findings.details().total() > 0) {
    html += "<details><summary>By code</summary>\n" +
            CountTable("details", "code", "pages", Most(findings.details()),
                       findings.details().total()) +
            "</details>\n";
  }
  return html;
}

std::string WidthText(std::int64_t seconds) {
  constexpr std::int64_t kDay = 86'400;
  return seconds % kDay == 0 && seconds > kDay
             ? fmt::format("{} days", seconds / kDay)
             : DurationText(Double(static_cast<std::uint64_t>(seconds)));
}

std::string SecondText(std::int64_t second) {
  return FormatRfc3339(Timestamp(std::chrono::seconds(second)));
}

std::string When(const CrawlFindings& findings) {
  std::string html = "<h2>When</h2>\n<div class=\"two\">\n<section>\n";
  const Steps& order = findings.by_order();
  std::vector<ChartStep> steps;
  for (const auto& [begin, count] : order.counts()) {
    steps.push_back({.from = static_cast<double>(begin),
                     .width = static_cast<double>(order.width()),
                     .dropped = count.dropped,
                     .kept = count.kept});
  }
  const double width = steps.empty() ? 1 : steps.back().from + steps.back().width;
  html += StepChart("order", "Kept and dropped pages in the order of the scan", width, 4, steps);
  html += fmt::format(
      "<p class=\"soft\">In the order of the scan, {} record{} a step. <span "
      "class=\"key\">kept</span> <span class=\"key dropped\">dropped</span></p>\n"
      "</section>\n<section>\n",
      LongCount(static_cast<std::uint64_t>(order.width())), order.width() == 1 ? "" : "s");

  const Steps& times = findings.by_time();
  const StepRange range = MainRange(times);
  steps.clear();
  std::string rows;
  for (const auto& [begin, count] : times.counts()) {
    rows += fmt::format(
        "<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>"
        "</tr>\n",
        SecondText(begin), LongCount(count.kept), LongCount(count.dropped),
        ShareText(Double(count.dropped), Double(count.pages())));
    if (begin < range.begin || begin >= range.end) continue;
    steps.push_back({.from = static_cast<double>(begin - range.begin) / 60,
                     .width = static_cast<double>(times.width()) / 60,
                     .dropped = count.dropped,
                     .kept = count.kept});
  }
  html += StepChart("time", "Kept and dropped pages by the time of their fetch",
                    static_cast<double>(range.end - range.begin) / 60, 4, steps);
  html += fmt::format(
      "<p class=\"soft\">By the time of the fetch, from {} to {}, {} a step. Highest: {} pages.",
      SecondText(range.begin), SecondText(range.end), WidthText(times.width()),
      LongCount(HighestStep(steps)));
  if (range.before + range.after > 0) {
    html += fmt::format(" {} pages are from before, {} from after.", LongCount(range.before),
                        LongCount(range.after));
  }
  return html + fmt::format(
                    "</p>\n<details><summary>By the time of the fetch</summary><div class=\"wide\">"
                    "<table id=\"times\"><tr><th>from</th><th class=\"n\">kept</th><th "
                    "class=\"n\">dropped</th><th class=\"n\"></th></tr>\n{}</table></div></details>"
                    "\n</section>\n</div>\n",
                    rows);
}

std::string ClusterTable(std::string_view id, std::span<const FoundCluster> clusters,
                         std::uint64_t largest) {
  std::string rows;
  for (const FoundCluster& cluster : clusters) {
    std::string members;
    for (const std::string& member : cluster.members) {
      members += fmt::format("<br><code class=\"soft\">{}</code>", PageText(member));
    }
    rows += fmt::format(
        "<tr><td class=\"n\">{}</td><td>{}</td><td><code>{}</code>{}</td></tr>\n",
        LongCount(cluster.size), Bar(Double(cluster.size), Double(largest), false),
        cluster.representative.empty() ? "not seen in this scan" : PageText(cluster.representative),
        members);
  }
  return fmt::format(
      "<div class=\"wide\"><table id=\"{}\"><tr><th class=\"n\">pages</th><th></th><th>the first, "
      "and some others</th></tr>\n{}</table></div>\n",
      id, rows);
}

std::string Clusters(const CrawlFindings& findings) {
  constexpr std::size_t kOpen = 8;
  std::string html = "<h2>Largest clusters <span class=\"soft\">pages of one content</span></h2>\n";
  const auto clusters = findings.Clusters();
  if (clusters.empty()) return html + "<p class=\"soft\">None.</p>\n";
  const std::span<const FoundCluster> all(clusters);
  const std::uint64_t largest = clusters.front().size;
  html += ClusterTable("clusters", all.first(std::min(kOpen, all.size())), largest);
  if (all.size() <= kOpen) return html;
  return html + fmt::format("<details><summary>{} more</summary>\n{}</details>\n",
                            all.size() - kOpen,
                            ClusterTable("more_clusters", all.subspan(kOpen), largest));
}

std::string Hosts(const CrawlFindings& findings) {
  std::string html = "<div class=\"two\">\n<section><h2>Hosts by duplicates</h2>\n";
  const auto table = [&](std::string_view id, std::string_view name, const HeavyHitters& names) {
    if (names.total() == 0) {
      html += "<p class=\"soft\">None.</p>\n";
    } else {
      html += CountTable(id, name, "pages that repeat one", Most(names), names.total());
    }
  };
  table("hosts", "host", findings.hosts());
  html +=
      "</section>\n<section><h2>Path patterns by duplicates <span class=\"soft\">N: digits, *: "
      "the rest</span></h2>\n";
  table("patterns", "pattern", findings.patterns());
  return html + "</section>\n</div>\n";
}

std::string SettingRow(std::string_view setting, const std::string& near,
                       const std::string& dropped, const std::string& how) {
  return fmt::format(
      "<tr><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td>{}</td></tr>\n",
      setting, near, dropped, how);
}

std::string LaxerRow(const CrawlReportParts& parts, std::uint64_t near) {
  const CrawlFindings& findings = parts.findings;
  const std::uint32_t k = parts.parameters.max_distance;
  const std::string setting = std::to_string(k + 1);
  if (k >= static_cast<std::uint32_t>(CrawlFindings::kMaxDistance)) {
    return SettingRow(setting, "-", "-", "can't be configured");
  }
  if (parts.neighbours.sampled == 0)
    return SettingRow(setting, "-", "-", "no kept page to look at");
  const Rate rate{parts.neighbours.would_be_near, parts.neighbours.sampled};
  const double kept = Double(findings.kept().offered());
  const auto pages = [&](double share) {
    return static_cast<std::uint64_t>(std::llround(share * kept));
  };
  const std::uint64_t more = pages(rate.value());
  const Interval interval = WilsonInterval(rate);
  return SettingRow(
      setting, "about " + LongCount(near + more), "about " + LongCount(findings.dropped() + more),
      fmt::format("estimated: {} of {} kept pages that were looked at have an earlier one {} bits "
                  "away that is as similar as is asked; that is {} to {} of all (95 %)",
                  LongCount(rate.part), LongCount(rate.whole), k + 1,
                  LongCount(pages(interval.low)), LongCount(pages(interval.high))));
}

std::string Settings(const CrawlReportParts& parts) {
  const CrawlFindings& findings = parts.findings;
  const auto& distances = findings.distances();
  const std::uint32_t k = parts.parameters.max_distance;
  const std::uint64_t near = PagesOf(findings, Reason::kNearDuplicate);
  const std::uint64_t at_k = distances[std::min<std::size_t>(k, distances.size() - 1)];
  std::string html = fmt::format(
      "<h2>What other settings would change</h2>\n<p>This scan: max_distance {}, min_similarity "
      "{}.</p>\n<div class=\"wide\"><table id=\"settings\"><tr><th class=\"n\">max_distance</th>"
      "<th class=\"n\">near duplicates</th><th class=\"n\">dropped in all</th><th>how that is "
      "known</th></tr>\n",
      k, parts.parameters.min_similarity.value());
  if (k > 0) {
    html += SettingRow(std::to_string(k - 1), LongCount(near - at_k),
                       LongCount(findings.dropped() - at_k),
                       fmt::format("counted: {} pages are {} bits from the nearest page that they "
                                   "repeat, and would be kept",
                                   LongCount(at_k), k));
  }
  html +=
      SettingRow(std::to_string(k), LongCount(near), LongCount(findings.dropped()), "this scan");
  html +=
      LaxerRow(parts, near) +
      "</table></div>\n<p class=\"soft\">What is kept is compared with "
      "later pages. So another setting changes other verdicts as well, a little: <code>crawlsieve "
      "eval --pages</code> judges the pages anew for each setting.</p>\n";
  if (near > 0) {
    const std::uint64_t most = *std::ranges::max_element(distances);
    html +=
        "<div class=\"two\">\n<section><details open><summary>Near duplicates by "
        "distance</summary><div class=\"wide\"><table id=\"distances\"><tr><th "
        "class=\"n\">bits</th><th></th><th class=\"n\">pages</th></tr>\n";
    for (std::size_t i = 0; i <= std::min<std::size_t>(k, distances.size() - 1); ++i) {
      html += fmt::format("<tr><td class=\"n\">{}</td><td>{}</td><td class=\"n\">{}</td></tr>\n", i,
                          Bar(Double(distances[i]), Double(most), false), LongCount(distances[i]));
    }
    html +=
        "</table></div></details></section>\n<section><details open><summary>Near duplicates "
        "by similarity</summary><div class=\"wide\"><table id=\"similarities\"><tr><th "
        "class=\"n\">from</th><th></th><th class=\"n\">pages</th><th class=\"n\">of lower "
        "similarity</th></tr>\n";
    const auto& similarities = findings.similarities();
    const std::uint64_t highest = *std::ranges::max_element(similarities);
    std::uint64_t below = 0;
    for (std::size_t i = 0; i < similarities.size(); ++i) {
      if (below == 0 && similarities[i] == 0) continue;
      html += fmt::format(
          "<tr><td class=\"n\">{:.2f}</td><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>"
          "</tr>\n",
          0.05 * static_cast<double>(i), Bar(Double(similarities[i]), Double(highest), false),
          LongCount(similarities[i]), LongCount(below));
      below += similarities[i];
    }
    html += "</table></div></details></section>\n</div>\n";
  }
  if (findings.texts() > 0) {
    BarSeries bits{"pages", {}};
    for (const std::uint64_t count : findings.bits()) {
      bits.values.push_back(Double(count) / Double(findings.texts()));
    }
    BarSeries apart{"pairs", std::vector<double>(65, 0.0)};
    const auto& kept = findings.kept().values();
    const std::size_t compared = std::min<std::size_t>(kept.size(), 500);
    double pairs = 0;
    for (std::size_t i = 0; i < compared; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        ++apart.values[static_cast<std::size_t>(HammingDistance(
            Fingerprint{kept[i].page.simhash()}, Fingerprint{kept[j].page.simhash()}))];
        ++pairs;
      }
    }
    for (double& value : apart.values) value /= std::max(pairs, 1.0);
    html += "<details><summary>How simhashes are spread</summary>\n<div class=\"two\">\n" +
            BarChart("Share of pairs of kept pages at each distance, of a sample", "bits", 1, 0,
                     {&apart, 1}) +
            BarChart("Share of pages in whose simhash each bit is set", "bit", 1, 1, {&bits, 1}) +
            "</div>\n</details>\n";
  }
  return html;
}

/// Which record a sequence is of; nullopt: one of an earlier scan.
std::optional<std::uint64_t> RecordOf(std::uint64_t sequence, const CrawlFindings& findings) {
  if (sequence < findings.first_sequence()) return std::nullopt;
  return sequence - findings.first_sequence();
}

const SampledText* TextOf(const NamedPage& page, const CrawlReportParts& parts) {
  const auto record = RecordOf(page.sequence, parts.findings);
  if (!record.has_value()) return nullptr;
  const auto found = parts.texts.find(*record);
  return found != parts.texts.end() && found->second.url == page.url ? &found->second : nullptr;
}

std::string Pairs(const CrawlReportParts& parts) {
  std::vector<ShownPair> shown;
  shown.reserve(parts.pairs.size());
  for (const CrawlPair& pair : parts.pairs) {
    ShownPair card{
        .a = {pair.other.url, EvalName(pair.other.id, pair.other.url), {}},
        .b = {pair.page.url, EvalName(pair.page.id, pair.page.url), {}},
        .heading = pair.is_dropped ? "Dropped: the second is near the first" : "Both kept",
        .kind = pair.is_dropped         ? "dropped"
                : pair.is_near_at_laxer ? "kept, a duplicate with one bit more"
                                        : "kept, not similar enough",
        .distance = pair.distance,
        .similarity = pair.similarity.value(),
        .length = "unknown length"};
    const SampledText* other = TextOf(pair.other, parts);
    const SampledText* page = TextOf(pair.page, parts);
    if (other == nullptr && !RecordOf(pair.other.sequence, parts.findings).has_value()) {
      card.without_text = "The first page was judged in an earlier scan: its words aren't here.";
    } else if (other == nullptr || page == nullptr ||
               HammingDistance(Fingerprint{other->simhash}, Fingerprint{page->simhash}) !=
                   pair.distance) {
      card.without_text =
          "The words of these pages could not be read again as they were: input that can't be read "
          "twice, a body that lies elsewhere, or a file that has changed.";
    } else {
      card.a.text = other->text;
      card.b.text = page->text;
      card.length = LengthClass(std::min(other->words, page->words));
    }
    shown.push_back(std::move(card));
  }
  return "<h2>Pairs to judge by eye</h2>\n<p class=\"soft\">Drawn at random, at each distance: "
         "pages "
         "that were dropped, and kept pages with an earlier one close by. Labels are saved as a "
         "file for <code>crawlsieve eval --pages PAGES --pairs pairs.tsv</code>. Words that only "
         "one page has are marked; long runs that both have are cut.</p>\n" +
         PairList(shown, /*with_labels=*/true);
}

}  // namespace

std::vector<CrawlPair> PairsToShow(const CrawlFindings& findings, const Neighbourhood& neighbours) {
  std::vector<CrawlPair> pairs;
  for (int distance = 0; distance <= CrawlFindings::kMaxDistance; ++distance) {
    for (const DroppedPair& pair : findings.PairsAt(distance)) {
      pairs.push_back({pair.page, pair.match, pair.distance, pair.similarity, true, false});
    }
  }
  std::array<std::size_t, CrawlFindings::kMaxDistance + 1> taken{};
  for (const KeptPair& pair : neighbours.pairs) {
    std::size_t& count = taken[static_cast<std::size_t>(pair.distance)];
    if (count == kKeptPairsAtEachDistance) continue;
    ++count;
    pairs.push_back(
        {pair.page, pair.earlier, pair.distance, pair.similarity, false, pair.is_near_at_laxer});
  }
  return pairs;
}

std::set<std::uint64_t> RecordsOf(const std::vector<CrawlPair>& pairs,
                                  const CrawlFindings& findings) {
  std::set<std::uint64_t> records;
  for (const CrawlPair& pair : pairs) {
    for (const NamedPage* page : {&pair.page, &pair.other}) {
      if (const auto record = RecordOf(page->sequence, findings)) records.insert(*record);
    }
  }
  return records;
}

std::string CrawlReport(const CrawlReportParts& parts) {
  const std::string answer = Answer(parts);
  const std::string body = Tiles(parts) + Why(parts.findings) + When(parts.findings) +
                           Hosts(parts.findings) + Clusters(parts.findings) + Settings(parts) +
                           Pairs(parts);
  return RenderReport({.title = "What a scan kept and dropped",
                       .answer = answer,
                       .body = body,
                       .script = PairListScript()});
}

}  // namespace crawlsieve::consumer
