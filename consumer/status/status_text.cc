#include "consumer/status/status_text.h"

#include "consumer/observability/printable.h"
#include "consumer/status/quantities.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

double Double(std::uint64_t value) { return static_cast<double>(value); }

std::string OrDash(const std::optional<double>& seconds) {
  return seconds.has_value() ? DurationText(*seconds) : "-";
}

std::string AgeText(Timestamp time, Timestamp now) {
  return DurationText(std::chrono::duration<double>(now - time).count()) + " ago";
}

/// `line` in at most `width` characters of UTF-8.
std::string_view Cut(std::string_view line, std::size_t width) {
  std::size_t characters = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool begins = (static_cast<unsigned char>(line[i]) & 0xC0U) != 0x80U;
    if (begins && ++characters > width) return line.substr(0, i);
  }
  return line;
}

class Lines {
 public:
  explicit Lines(const TextLayout& layout) : layout_(layout) {}

  void Add(std::string_view line) {
    ++count_;
    if (layout_.height > 0 && count_ > layout_.height) return;
    text_ += layout_.width > 0 ? Cut(line, layout_.width) : line;
    text_ += '\n';
  }

  [[nodiscard]] std::string Take() && { return std::move(text_); }

 private:
  const TextLayout layout_;
  std::size_t count_ = 0;
  std::string text_;
};

/// Pages of each part of the day in one line, newest at the right.
std::string Sparkline(const StatusReport& report, std::size_t columns) {
  constexpr std::array<std::string_view, 9> kBlocks{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const bool is_judge = report.HasRole("judge");
  std::vector<std::uint64_t> values(columns);
  const std::size_t parts = 1440 / std::max<std::uint32_t>(1, report.minutes_a_point);
  const std::size_t shown = std::min(report.points.size(), parts);
  for (std::size_t i = 0; i < shown; ++i) {
    const History::Point& point = report.points[report.points.size() - 1 - i];
    values[columns - 1 - i * columns / parts] +=
        is_judge ? point.kept + point.dropped : point.consumed;
  }
  const std::uint64_t most = *std::ranges::max_element(values);
  std::string line;
  for (const std::uint64_t value : values) {
    const double height = most == 0 ? 0.0 : std::ceil(8 * Double(value) / Double(most));
    line += kBlocks[static_cast<std::size_t>(height)];
  }
  return line;
}

std::string Bound(std::uint64_t bytes, std::optional<std::uint64_t> bound) {
  if (!bound.has_value() || *bound == 0) return BytesText(Double(bytes));
  return fmt::format("{} of {} ({})", BytesText(Double(bytes)), BytesText(Double(*bound)),
                     ShareText(Double(bytes), Double(*bound)));
}

void AddFigures(const StatusReport& report, const TextLayout& layout, Lines& lines) {
  const auto row = [&](std::string_view name, const std::string& value) {
    lines.Add(fmt::format("{:<11}{}", name, value));
  };
  if (report.restore.has_value()) {
    const StatusReport::Restore& restore = *report.restore;
    row("restore",
        fmt::format("{} of {} entries, {}",
                    LongCount(restore.entries - std::min(restore.entries, restore.left)),
                    LongCount(restore.entries),
                    restore.seconds_left.has_value() ? DurationText(*restore.seconds_left) + " left"
                                                     : "time left not known yet"));
  }
  if (report.HasRole("judge")) {
    row("verdicts",
        fmt::format("{} a second: {} kept, {} dropped ({})", RateText(report.verdicts_a_second()),
                    RateText(report.kept_a_second), RateText(report.dropped_a_second),
                    ShareText(report.dropped_a_second, report.verdicts_a_second())));
  }
  if (report.HasRole("extract")) {
    row("read", fmt::format("{} pages a second, {} a second", RateText(report.consumed_a_second),
                            BytesText(report.bytes_a_second)));
  }
  const auto lag = report.lag_seconds();
  const auto records = report.lag_records();
  row("behind",
      fmt::format("{}, {} records", OrDash(lag), records.has_value() ? LongCount(*records) : "-"));
  for (const StatusReport::Stage& stage : report.stages) {
    const LatencyFigures latency = report.LatencyOf(stage.name);
    if (!latency.p50.has_value()) continue;
    row(stage.name, fmt::format("p50 {}, p95 {}, p99 {}", OrDash(latency.p50), OrDash(latency.p95),
                                OrDash(latency.p99)));
  }
  if (report.index.has_value()) {
    row("index", fmt::format("{} pages, {}", LongCount(report.index->entries),
                             Bound(report.index->bytes, report.index->planned_bytes)));
  }
  if (report.memory.has_value())
    row("memory", Bound(report.memory->resident, report.memory->limit));
  if (report.storage.has_value()) {
    row("disk", fmt::format("{}, {} free", BytesText(Double(report.storage->used)),
                            BytesText(Double(report.storage->free))));
  }
  if (report.open_gap_offsets > 0) {
    row("open gaps", LongCount(report.open_gap_offsets) + " input records without a log entry");
  }
  if (layout.has_bars && !report.points.empty()) {
    row("24 hours", Sparkline(report, std::clamp<std::size_t>(layout.width, 40, 107) - 11));
  }
}

}  // namespace

std::string StatusText(const StatusReport& report, const TextLayout& layout) {
  Lines lines(layout);
  std::string state(report.StateName());
  if (!report.reason.empty() && report.reason != state) state += ": " + Printable(report.reason);
  lines.Add(fmt::format("crawlsieve {}  {} ({})  {}", Printable(report.version),
                        Printable(report.instance),
                        Printable(fmt::format("{}", fmt::join(report.roles, ", "))), state));
  lines.Add(fmt::format(
      "{}, up {}", FormatRfc3339(std::chrono::floor<std::chrono::seconds>(report.time)),
      DurationText(std::chrono::duration<double>(report.time - report.started_at).count())));
  AddFigures(report, layout, lines);

  if (!report.mix.empty()) {
    lines.Add("");
    lines.Add(
        fmt::format("{:<8}{:<18}{:>14}{:>16}", "verdict", "reason", "last hour", "since start"));
    for (const StatusReport::Mix& mix : report.mix) {
      lines.Add(fmt::format("{:<8}{:<18}{:>14}{:>16}", mix.is_kept ? "keep" : "drop",
                            Printable(mix.reason), LongCount(mix.hour), LongCount(mix.total)));
    }
  }
  if (!report.problems.empty()) {
    lines.Add("");
    lines.Add("warnings and errors, newest first");
    for (const StatusReport::Problem& problem : report.problems) {
      lines.Add(fmt::format("{:<8}{} x{}, {}: {}", problem.is_error ? "error" : "warning",
                            Printable(problem.event), problem.count,
                            AgeText(problem.last, report.time), Printable(problem.text)));
    }
  }
  if (!report.hosts.empty()) {
    lines.Add("");
    lines.Add("hosts by pages that repeat one");
    for (const StatusReport::Host& host : report.hosts) {
      lines.Add(fmt::format(
          "{:>12}  {}{}", LongCount(host.duplicates), Printable(host.name),
          host.error == 0 ? "" : fmt::format("  (at most {} too high)", LongCount(host.error))));
    }
  }
  if (!report.pairs.empty()) {
    lines.Add("");
    lines.Add("near duplicates, newest first: bits, similarity, page, kept page");
    for (const NearPair& pair : report.pairs) {
      lines.Add(
          fmt::format("{:>4}  {:.2f}  {}", pair.distance, pair.similarity, Printable(pair.url)));
      lines.Add(fmt::format("            {}", Printable(pair.match_url)));
    }
  }
  return std::move(lines).Take();
}

std::string StatusTable(std::span<const StatusReport> reports, const TextLayout& layout) {
  std::size_t name_width = 8;
  for (const StatusReport& report : reports) {
    name_width = std::max(name_width, std::min<std::size_t>(40, Printable(report.instance).size()));
  }
  Lines lines(layout);
  lines.Add(fmt::format("{:<{}}  {:<14}{:<11}{:>9}{:>11}{:>9}{:>15}{:>11}{:>10}", "instance",
                        name_width, "roles", "state", "read/s", "verdicts/s", "dropped", "behind",
                        "p95", "index"));
  for (const StatusReport& report : reports) {
    const bool is_judge = report.HasRole("judge");
    const LatencyFigures latency = report.LatencyOf(is_judge ? "end_to_end" : "extract");
    lines.Add(
        fmt::format("{:<{}}  {:<14}{:<11}{:>9}{:>11}{:>9}{:>15}{:>11}{:>10}",
                    Cut(Printable(report.instance), name_width), name_width,
                    Printable(fmt::format("{}", fmt::join(report.roles, ","))), report.StateName(),
                    report.HasRole("extract") ? RateText(report.consumed_a_second) : "-",
                    is_judge ? RateText(report.verdicts_a_second()) : "-",
                    is_judge ? ShareText(report.dropped_a_second, report.verdicts_a_second()) : "-",
                    OrDash(report.lag_seconds()), OrDash(latency.p95),
                    report.index.has_value() ? ShortCount(report.index->entries) : "-"));
  }
  return std::move(lines).Take();
}

}  // namespace crawlsieve::consumer
