#include "consumer/status/status_page.h"

#include "consumer/html/charts.h"
#include "consumer/html/design.h"
#include "consumer/html/page_text.h"
#include "consumer/html/tile.h"
#include "consumer/observability/html_escape.h"
#include "consumer/observability/printable.h"
#include "consumer/status/count_table.h"
#include "consumer/status/differing_part.h"
#include "consumer/status/heavy_hitters.h"
#include "consumer/status/quantities.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <ratio>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

std::string Text(std::string_view text) { return PageText(text); }

std::string TimeText(Timestamp time) {
  return Text(FormatRfc3339(std::chrono::floor<std::chrono::seconds>(time)));
}

std::string AgeText(Timestamp time, Timestamp now) {
  return DurationText(std::chrono::duration<double>(now - time).count()) + " ago";
}

std::string OrDash(const std::optional<double>& seconds) {
  return seconds.has_value() ? DurationText(*seconds) : "-";
}

double Double(std::uint64_t value) { return static_cast<double>(value); }

std::string Meter(double value, double bound) {
  if (bound <= 0) return "";
  return fmt::format(R"(<meter min="0" max="100" high="90" value="{:.1f}">{}</meter>)",
                     std::min(100.0, 100 * value / bound), ShareText(value, bound));
}

std::string State(const StatusReport& report) {
  const bool is_good = report.health == StatusReport::Health::kReady;
  std::string more = Text(report.reason);
  if (report.reason == report.StateName()) more.clear();
  return fmt::format(
      "<header>\n<h1>crawlsieve {} <span class=\"soft\">{}, {}</span></h1>\n"
      "<div class=\"state{}\"><strong id=\"state\">{}</strong> <span>{}</span> "
      "<span class=\"soft\">at {}, up {}</span></div>\n</header>\n",
      Text(report.version), Text(report.instance),
      Text(fmt::format("{}", fmt::join(report.roles, " and "))), is_good ? " good" : "",
      report.StateName(), more, TimeText(report.time),
      DurationText(std::chrono::duration<double>(report.time - report.started_at).count()));
}

std::string RestoreBar(const StatusReport& report) {
  if (!report.restore.has_value()) return "";
  const StatusReport::Restore& restore = *report.restore;
  const std::uint64_t done = restore.entries - std::min(restore.entries, restore.left);
  const std::string left = restore.seconds_left.has_value()
                               ? "about " + DurationText(*restore.seconds_left) + " left"
                               : "time left not known yet";
  return fmt::format(
      "<section id=\"restore\"><p>Restoring the state from the admission log: {} of {} entries "
      "({}), {}.</p>\n<progress max=\"{}\" value=\"{}\">{}</progress></section>\n",
      LongCount(done), LongCount(restore.entries), ShareText(Double(done), Double(restore.entries)),
      left, std::max<std::uint64_t>(1, restore.entries), done,
      ShareText(Double(done), Double(restore.entries)));
}

std::string Tiles(const StatusReport& report) {
  std::string tiles = "<ul class=\"tiles\">\n";
  const std::string window = "last " + DurationText(report.recent_seconds);
  if (report.HasRole("judge")) {
    tiles += Tile("Verdicts a second, " + window, RateText(report.verdicts_a_second()),
                  fmt::format("{} kept, {} dropped ({})", RateText(report.kept_a_second),
                              RateText(report.dropped_a_second),
                              ShareText(report.dropped_a_second, report.verdicts_a_second())));
  }
  if (report.HasRole("extract")) {
    tiles += Tile("Pages read a second, " + window, RateText(report.consumed_a_second),
                  BytesText(report.bytes_a_second) + " a second");
  }
  const auto lag = report.lag_seconds();
  const auto records = report.lag_records();
  tiles += Tile("Behind", lag.has_value() ? DurationText(*lag) : "not known",
                records.has_value() ? LongCount(*records) + " records" : "no partition yet");
  const bool is_judge = report.HasRole("judge");
  const LatencyFigures latency = report.LatencyOf(is_judge ? "end_to_end" : "extract");
  tiles += Tile(
      is_judge ? "Record to verdict, 95 of 100" : "Extraction of a page, 95 of 100",
      latency.p95.has_value() ? DurationText(*latency.p95) : "no page yet",
      fmt::format("half within {}, 99 of 100 within {}", OrDash(latency.p50), OrDash(latency.p99)));
  if (report.index.has_value()) {
    const StatusReport::Index& index = *report.index;
    std::string more = BytesText(Double(index.bytes));
    if (index.planned_bytes > 0) {
      more += fmt::format(" of {} planned for {}", BytesText(Double(index.planned_bytes)),
                          ShortCount(index.expected_entries));
    }
    tiles += Tile("Pages in the index", ShortCount(index.entries), more,
                  Meter(Double(index.fingerprints), Double(index.expected_entries)));
  }
  if (report.memory.has_value()) {
    const auto limit = report.memory->limit;
    tiles += Tile("Memory", BytesText(Double(report.memory->resident)),
                  limit.has_value() ? "of " + BytesText(Double(*limit)) : "limit not known",
                  limit.has_value() ? Meter(Double(report.memory->resident), Double(*limit)) : "");
  }
  if (report.storage.has_value()) {
    const double used = Double(report.storage->used);
    tiles +=
        Tile("State on disk", BytesText(used), BytesText(Double(report.storage->free)) + " free",
             Meter(used, used + Double(report.storage->free)));
  }
  return tiles + "</ul>\n";
}

/// Kept pages as an area over the dropped ones, verdicts or records of each part of the day.
std::string Chart(const StatusReport& report) {
  const std::string title =
      fmt::format("<h2>Last 24 hours <span class=\"soft\">pages in each {} minutes</span></h2>\n",
                  report.minutes_a_point);
  if (report.points.empty()) return title + "<p class=\"soft\">Nothing yet.</p>\n";
  const bool is_judge = report.HasRole("judge");
  constexpr double kMinutes = 24 * 60;
  const Timestamp end = report.points.back().begin + std::chrono::minutes(report.minutes_a_point);
  std::vector<ChartStep> steps;
  steps.reserve(report.points.size());
  for (const History::Point& point : report.points) {
    const double ago = std::chrono::duration<double, std::ratio<60>>(end - point.begin).count();
    steps.push_back({.from = kMinutes - ago,
                     .width = static_cast<double>(report.minutes_a_point),
                     .dropped = is_judge ? point.dropped : 0,
                     .kept = is_judge ? point.kept : point.consumed});
  }
  const std::string svg = StepChart("day", "Pages of the last 24 hours", kMinutes, 4, steps);
  const std::string key =
      is_judge ? R"(<span class="key">kept</span> <span class="key dropped">dropped</span>)"
               : R"(<span class="key">read</span>)";
  std::string table;
  // The newest first, by the hour.
  std::vector<History::Point> hours;
  for (auto point = report.points.rbegin(); point != report.points.rend(); ++point) {
    const Timestamp hour = std::chrono::floor<std::chrono::hours>(point->begin);
    if (hours.empty() || hours.back().begin != hour) hours.push_back({.begin = hour});
    hours.back().consumed += point->consumed;
    hours.back().kept += point->kept;
    hours.back().dropped += point->dropped;
  }
  for (const History::Point& hour : hours) {
    table += fmt::format(
        "<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>"
        "</tr>\n",
        TimeText(hour.begin), LongCount(hour.consumed), LongCount(hour.kept),
        LongCount(hour.dropped));
  }
  return fmt::format(
      "{}{}\n<p class=\"soft\">{}. Highest: {} pages. From {} hours before {} to then.</p>\n"
      "<details><summary>By the hour</summary><div class=\"wide\"><table>"
      "<tr><th>hour from</th><th class=\"n\">read</th><th class=\"n\">kept</th>"
      "<th class=\"n\">dropped</th></tr>\n{}</table></div></details>\n",
      title, svg, key, LongCount(HighestStep(steps)), 24, TimeText(end), table);
}

std::string MixTable(const StatusReport& report) {
  std::string html = "<section><h2>Verdicts of the last hour</h2>\n";
  if (report.mix.empty()) return html + "<p class=\"soft\">None yet.</p></section>\n";
  std::uint64_t hour = 0;
  std::uint64_t most = 0;
  for (const StatusReport::Mix& mix : report.mix) {
    hour += mix.hour;
    most = std::max(most, mix.hour);
  }
  html +=
      "<div class=\"wide\"><table id=\"mix\"><tr><th>reason</th><th></th><th class=\"n\">last "
      "hour</th><th class=\"n\"></th><th class=\"n\">since start</th></tr>\n";
  for (const StatusReport::Mix& mix : report.mix) {
    html += fmt::format(
        "<tr><td><span class=\"key{}\">{}</span></td><td>{}</td><td class=\"n\">{}</td>"
        "<td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
        mix.is_kept ? "" : " dropped", Text(mix.reason),
        Bar(Double(mix.hour), Double(most), mix.is_kept), LongCount(mix.hour),
        ShareText(Double(mix.hour), Double(hour)), LongCount(mix.total));
  }
  return html + fmt::format(
                    "</table></div>\n<p class=\"soft\"><span class=\"key\">kept</span> <span "
                    "class=\"key dropped\">dropped</span>. Records without a verdict (dead "
                    "letters): {} in the last hour, {} since start.</p></section>\n",
                    LongCount(report.dead_letters_hour), LongCount(report.dead_letters));
}

std::string LatencyTable(const StatusReport& report) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kNames{
      {{"extract", "extraction of a page"},
       {"judge", "decision of the judge"},
       {"end_to_end", "record to verdict"}}};
  std::string html =
      "<section><h2>Latency</h2>\n<div class=\"wide\"><table id=\"latency\"><tr><th></th>"
      "<th class=\"n\">half within</th><th class=\"n\">95 of 100</th><th class=\"n\">99 of 100</th>"
      "<th class=\"n\">last hour: 95</th><th class=\"n\">99</th></tr>\n";
  for (const StatusReport::Stage& stage : report.stages) {
    if (!stage.hour.p50.has_value() && !stage.recent.p50.has_value()) continue;
    const auto* const known = std::ranges::find(
        kNames, stage.name, &std::pair<std::string_view, std::string_view>::first);
    html += fmt::format(
        "<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>"
        "<td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
        known == kNames.end() ? Text(stage.name) : std::string(known->second),
        OrDash(stage.recent.p50), OrDash(stage.recent.p95), OrDash(stage.recent.p99),
        OrDash(stage.hour.p95), OrDash(stage.hour.p99));
  }
  return html + "</table></div></section>\n";
}

std::string Distances(const StatusReport& report) {
  const std::uint64_t most = *std::ranges::max_element(report.distances);
  if (most == 0) return "";
  std::string html =
      "<section><h2>Near duplicates by distance <span class=\"soft\">since start</span></h2>\n"
      "<div class=\"wide\"><table id=\"distances\"><tr><th class=\"n\">bits</th><th></th>"
      "<th class=\"n\">pages</th></tr>\n";
  std::size_t shown = report.distances.size();
  while (report.distances[shown - 1] == 0) --shown;
  for (std::size_t i = 0; i < shown; ++i) {
    html += fmt::format("<tr><td class=\"n\">{}</td><td>{}</td><td class=\"n\">{}</td></tr>\n", i,
                        Bar(Double(report.distances[i]), Double(most), false),
                        LongCount(report.distances[i]));
  }
  return html + "</table></div></section>\n";
}

std::string Hosts(const StatusReport& report) {
  std::string html = "<section><h2>Hosts by duplicates";
  if (report.hosts_since.has_value()) {
    html += fmt::format(" <span class=\"soft\">since {}</span>", TimeText(*report.hosts_since));
  }
  html += "</h2>\n";
  if (report.hosts.empty()) return html + "<p class=\"soft\">None yet.</p></section>\n";
  std::vector<HeavyHitters::Item> items;
  items.reserve(report.hosts.size());
  for (const StatusReport::Host& host : report.hosts) {
    items.push_back({host.name, host.duplicates, host.error});
  }
  return html +
         CountTable("hosts", "host", "pages that repeat one", items, report.host_duplicates) +
         "</section>\n";
}

std::string Marked(const SplitText& text) {
  return fmt::format("<code>{}<mark>{}</mark>{}</code>", EscapeHtml(text.before),
                     EscapeHtml(text.differing), EscapeHtml(text.after));
}

std::string Pairs(const StatusReport& report) {
  if (!report.HasRole("judge")) return "";
  std::string html =
      "<h2>Near duplicates, newest first <span class=\"soft\">the page, and the kept page that it "
      "repeats</span></h2>\n";
  if (report.pairs.empty()) return html + "<p class=\"soft\">None yet.</p>\n";
  html += "<div id=\"pairs\">\n";
  for (const NearPair& pair : report.pairs) {
    const std::string url = Printable(pair.url);
    const std::string match = Printable(pair.match_url);
    const SplitPair split = SplitWhereDifferent(url, match);
    html += fmt::format(
        "<div class=\"pair\"><div>{}</div><div>{}</div><p class=\"soft\">{} bit{} apart, "
        "similarity {:.2f}; {} distinct words, {} characters{}{}; judged {}, the kept page is of "
        "{}</p></div>\n",
        Marked(split.left), Marked(split.right), pair.distance, pair.distance == 1 ? "" : "s",
        pair.similarity, LongCount(pair.words), LongCount(pair.text_length),
        pair.language.empty() ? "" : ", ", Text(pair.language), AgeText(pair.judged, report.time),
        TimeText(pair.first_seen));
  }
  return html + "</div>\n";
}

std::string Problems(const StatusReport& report) {
  std::string html = "<h2>Warnings and errors, newest first</h2>\n";
  if (report.problems.empty()) return html + "<p class=\"soft\">None since start.</p>\n";
  html +=
      "<div class=\"wide\"><table id=\"problems\"><tr><th>when</th><th></th><th>event</th><th "
      "class=\"n\">times</th><th>newest</th></tr>\n";
  for (const StatusReport::Problem& problem : report.problems) {
    html += fmt::format(
        "<tr><td>{}</td><td>{}</td><td><code>{}</code></td><td class=\"n\">{}</td>"
        "<td><code>{}</code></td></tr>\n",
        AgeText(problem.last, report.time), problem.is_error ? "error" : "warning",
        Text(problem.event), LongCount(problem.count), Text(problem.text));
  }
  return html + "</table></div>\n";
}

std::string Partitions(const StatusReport& report) {
  if (report.partitions.empty()) return "";
  std::string html =
      "<section><h2>Partitions, furthest behind first</h2>\n<div class=\"wide\"><table "
      "id=\"partitions\"><tr><th>topic</th><th class=\"n\">partition</th><th "
      "class=\"n\">offset</th><th class=\"n\">records behind</th><th class=\"n\">time "
      "behind</th></tr>\n";
  for (const PartitionReport& partition : report.partitions) {
    const auto offset = [](const std::optional<std::int64_t>& value) {
      return value.has_value() && *value >= 0 ? LongCount(static_cast<std::uint64_t>(*value)) : "-";
    };
    html += fmt::format(
        "<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>"
        "<td class=\"n\">{}</td></tr>\n",
        Text(partition.topic), partition.partition, offset(partition.offset), offset(partition.lag),
        OrDash(partition.lag_seconds));
  }
  return html + "</table></div></section>\n";
}

std::string KafkaClients(const StatusReport& report) {
  if (report.kafka_clients.empty()) return "";
  std::string html =
      "<section><h2>Kafka clients</h2>\n<div class=\"wide\"><table id=\"clients\"><tr><th></th>"
      "<th class=\"n\">records in queues</th><th class=\"n\">size</th><th class=\"n\">99 of 100 "
      "answers within</th></tr>\n";
  for (const auto& [name, client] : report.kafka_clients) {
    html += fmt::format(
        "<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>"
        "</tr>\n",
        Text(name), LongCount(client.queued_records), BytesText(Double(client.queued_bytes)),
        OrDash(client.broker_latency));
  }
  return html + "</table></div></section>\n";
}

std::string Process(const StatusReport& report) {
  std::string html = "<section><h2>Process</h2>\n<div class=\"wide\"><table id=\"process\">\n";
  const auto row = [&](std::string_view name, const std::string& value) {
    html += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", name, Text(value));
  };
  row("connected", report.connected ? "yes" : "no");
  row("brokers", report.brokers);
  row("input", fmt::format("{}", fmt::join(report.inputs, ", ")));
  row("admission log", report.log_topic);
  if (report.log_clock.has_value()) {
    row("log judged up to", fmt::format("{} ({})", FormatRfc3339(*report.log_clock),
                                        AgeText(*report.log_clock, report.time)));
  }
  row("verdicts", report.verdict_topic);
  row("input records without a log entry", LongCount(report.open_gap_offsets));
  if (report.index.has_value() && report.index->last_snapshot.has_value()) {
    row("restart snapshot", AgeText(*report.index->last_snapshot, report.time));
  }
  for (const SlotReport& slot : report.slots) {
    row(fmt::format("slot {} of the index", slot.slot),
        fmt::format("{} pages, {}, {} log entries to answer", LongCount(slot.documents),
                    BytesText(Double(slot.bytes)),
                    LongCount(static_cast<std::uint64_t>(std::max<std::int64_t>(0, slot.lag)))));
  }
  row("scheme", report.scheme);
  row("commit", report.commit);
  return html + "</table></div></section>\n";
}

}  // namespace

std::string StatusPage(const StatusReport& report) {
  std::string page;
  page.reserve(64 << 10);
  page += fmt::format(R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="10">
<link rel="icon" href="data:,">
<title>crawlsieve: {} ({})</title>
<style>{}</style>
</head>
<body>
)",
                      report.StateName(), Text(report.instance), Design());
  page += State(report) + "<main>\n" + RestoreBar(report) + Tiles(report) + Chart(report);
  page += "<div class=\"two\">\n";
  if (report.HasRole("judge")) page += MixTable(report) + Hosts(report) + Distances(report);
  page += LatencyTable(report) + "</div>\n" + Problems(report) + Pairs(report);
  page += "<div class=\"two\">\n" + Partitions(report) + KafkaClients(report) + Process(report) +
          "</div>\n</main>\n";
  return page +
         "<p><a href=\"/metrics\">metrics</a> <a href=\"/status.json\">status.json</a> "
         "<a href=\"/livez\">livez</a> <a href=\"/readyz\">readyz</a> "
         "<a href=\"/version\">version</a></p>\n</body>\n</html>\n";
}

}  // namespace crawlsieve::consumer
