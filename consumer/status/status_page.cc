#include "consumer/status/status_page.h"

#include "consumer/observability/html_escape.h"
#include "consumer/observability/printable.h"
#include "consumer/status/bounded_text.h"
#include "consumer/status/differing_part.h"
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

// The page is laid out for a glance: the state, then what is going on, then what led to it. Colours
// follow the reader's system. Figures never depend on colour alone.
constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --paper: #fff; --card: #f6f7f9; --ink: #16191d; --soft: #5a6370;
  --line: #d9dde3; --keep: #2f6fde; --drop: #c98a1b; --good: #1a7f4b; --bad: #b3261e;
  --mark: #ffe08a; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #14171b; --card: #1d2127; --ink: #e8eaed; --soft: #a3acb8; --line: #343b45;
    --keep: #6ea3ff; --drop: #e0ac4a; --good: #58c48a; --bad: #ff8a80; --mark: #6b5300; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 80rem; padding: 1rem; background: var(--paper); color: var(--ink);
  font: 16px/1.45 system-ui, sans-serif; font-variant-numeric: tabular-nums; }
header { overflow-wrap: anywhere; }
h1 { font-size: 1.1rem; margin: 0; font-weight: 600; }
h2 { font-size: 1rem; margin: 2rem 0 .5rem; font-weight: 600; }
p { margin: .3rem 0; }
.soft, th, caption { color: var(--soft); }
.state { display: flex; flex-wrap: wrap; gap: .3rem 1rem; align-items: baseline;
  border-left: .4rem solid var(--bad); padding: .2rem 0 .2rem .8rem; }
.state.good { border-color: var(--good); }
.state strong { font-size: 1.6rem; color: var(--bad); }
.state.good strong { color: var(--good); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .7rem;
  margin: 1rem 0; padding: 0; list-style: none; }
.tiles li { background: var(--card); border-radius: .5rem; padding: .6rem .8rem; }
.tiles b { display: block; font-size: 1.55rem; line-height: 1.2; font-weight: 600; }
.tiles span { display: block; font-size: .85rem; color: var(--soft); }
.tiles meter { width: 100%; height: .7rem; }
progress { width: 100%; height: 1rem; accent-color: var(--keep); }
.two { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 28rem), 1fr));
  gap: 0 2rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; padding: .2rem .6rem .2rem 0; border-bottom: 1px solid var(--line);
  vertical-align: top; font-weight: 400; }
tr > .n { text-align: right; white-space: nowrap; }
svg { display: block; width: 100%; }
svg.bar { height: .7rem; min-width: 4rem; margin-top: .35rem; }
.keep { fill: var(--keep); } .drop { fill: var(--drop); } .axis { stroke: var(--line); }
.key::before { content: "\25A0\00A0"; color: var(--keep); }
.key.dropped::before { color: var(--drop); }
code { font: .85rem/1.4 ui-monospace, monospace; overflow-wrap: anywhere; }
mark { background: var(--mark); color: inherit; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: .2rem 1rem; padding: .4rem 0;
  border-bottom: 1px solid var(--line); }
.pair p { grid-column: 1 / -1; font-size: .85rem; }
details summary { cursor: pointer; color: var(--soft); font-size: .9rem; }
a { color: var(--keep); margin-right: .8rem; }
@media (max-width: 40rem) { body { padding: .6rem; } .pair { grid-template-columns: 1fr; }
  .tiles { grid-template-columns: 1fr 1fr; } .tiles b { font-size: 1.25rem; } }
@media print { body { max-width: none; } }
)";

constexpr std::size_t kMaxText = 500;  ///< bytes of a text that nothing else bounds

/// Text that may come from anywhere: characters that reorder or hide text are shown as escapes.
std::string Text(std::string_view text) {
  return EscapeHtml(Printable(BoundedText(text, kMaxText)));
}

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

std::string Tile(std::string_view name, std::string_view figure, std::string_view more,
                 std::string_view extra = "") {
  return fmt::format("<li><span>{}</span><b>{}</b><span>{}</span>{}</li>\n", name, figure, more,
                     extra);
}

std::string Meter(double value, double bound) {
  if (bound <= 0) return "";
  return fmt::format(R"(<meter min="0" max="100" high="90" value="{:.1f}">{}</meter>)",
                     std::min(100.0, 100 * value / bound), ShareText(value, bound));
}

/// A bar of `part` of `whole`, in the colour of kept or dropped pages.
std::string Bar(double part, double whole, bool is_kept) {
  const double width = whole > 0 ? std::clamp(100 * part / whole, 0.0, 100.0) : 0.0;
  return fmt::format(R"(<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" )"
                     R"(aria-hidden="true"><rect class="{}" width="{:.2f}" height="10"/></svg>)",
                     is_kept ? "keep" : "drop", width);
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
  constexpr double kWidth = 1440;
  constexpr double kHeight = 180;
  std::uint64_t most = 1;
  for (const History::Point& point : report.points) {
    most = std::max(most, is_judge ? point.kept + point.dropped : point.consumed);
  }
  const Timestamp end = report.points.back().begin + std::chrono::minutes(report.minutes_a_point);
  const auto x = [&](Timestamp time) {
    return kWidth - std::chrono::duration<double, std::ratio<60>>(end - time).count();
  };
  const auto y = [&](std::uint64_t count) { return kHeight * (1 - Double(count) / Double(most)); };
  // Each part is a step as wide as its time.
  std::string dropped;
  std::string kept;
  for (const History::Point& point : report.points) {
    const double from = x(point.begin);
    const double width = report.minutes_a_point;
    const std::uint64_t low = is_judge ? point.dropped : 0;
    const std::uint64_t high = is_judge ? point.kept + point.dropped : point.consumed;
    if (low > 0)
      dropped +=
          fmt::format("M{:.0f} {:.1f}h{:.0f}V{:.0f}h-{:.0f}z", from, y(low), width, kHeight, width);
    if (high > low) {
      kept +=
          fmt::format("M{:.0f} {:.1f}h{:.0f}V{:.1f}h-{:.0f}z", from, y(high), width, y(low), width);
    }
  }
  std::string svg = fmt::format(
      R"(<svg id="day" viewBox="0 0 {0:.0f} {1:.0f}" preserveAspectRatio="none" height="{1:.0f}" )"
      R"(role="img" aria-label="Pages of the last 24 hours"><path class="axis" )"
      R"(d="M0 {1:.0f}H{0:.0f}M0 0H{0:.0f}" vector-effect="non-scaling-stroke"/>)",
      kWidth, kHeight);
  for (int hour = 0; hour <= 24; hour += 6) {
    svg += fmt::format(
        R"(<path class="axis" d="M{:.0f} 0V{:.0f}" vector-effect="non-scaling-stroke"/>)",
        kWidth * hour / 24, kHeight);
  }
  svg +=
      fmt::format(R"(<path class="keep" d="{}"/><path class="drop" d="{}"/></svg>)", kept, dropped);
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
      title, svg, key, LongCount(most), 24, TimeText(end), table);
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
  html +=
      "<div class=\"wide\"><table id=\"hosts\"><tr><th>host</th><th></th><th class=\"n\">pages "
      "that "
      "repeat one</th><th class=\"n\">share</th></tr>\n";
  bool is_estimated = false;
  for (const StatusReport::Host& host : report.hosts) {
    const std::string most = LongCount(host.duplicates);
    const std::string count =
        host.error > 0 ? fmt::format("{} to {}", LongCount(host.duplicates - host.error), most)
                       : most;
    is_estimated = is_estimated || host.error > 0;
    html += fmt::format(
        "<tr><td><code>{}</code></td><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>"
        "</tr>\n",
        Text(host.name),
        Bar(Double(host.duplicates), Double(report.hosts.front().duplicates), false), count,
        ShareText(Double(host.duplicates), Double(report.host_duplicates)));
  }
  html += "</table></div>\n";
  if (is_estimated) {
    html +=
        "<p class=\"soft\">Ranges: more hosts than are counted apart at a time. Every host above "
        "the lowest figure is in the list.</p>\n";
  }
  return html + "</section>\n";
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
                      report.StateName(), Text(report.instance), kStyle);
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
