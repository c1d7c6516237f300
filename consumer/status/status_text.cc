#include "consumer/status/status_text.h"

#include "consumer/observability/printable.h"
#include "consumer/status/quantities.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

constexpr std::size_t kHostsShown = 10;
constexpr std::size_t kPairsShown = 5;

template <typename T>
std::span<const T> First(const std::vector<T>& all, std::size_t most) {
  return std::span<const T>(all).first(std::min(most, all.size()));
}

double Double(std::uint64_t value) { return static_cast<double>(value); }

std::string OrDash(const std::optional<double>& seconds) {
  return seconds.has_value() ? DurationText(*seconds) : "-";
}

std::string AgeText(Timestamp time, Timestamp now) {
  return DurationText(std::chrono::duration<double>(now - time).count()) + " ago";
}

std::size_t Characters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }));
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
    // Half of a figure would be another figure, so what is cut says so.
    if (layout_.width > 1 && Characters(line) > layout_.width) {
      text_ += Cut(line, layout_.width - 1);
      text_ += layout_.has_bars ? "\u2026" : "~";
    } else {
      text_ += layout_.width > 0 ? Cut(line, layout_.width) : line;
    }
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

std::string RestoreText(const StatusReport::Restore& restore) {
  return fmt::format(
      "{} of {} entries, {}", LongCount(restore.entries - std::min(restore.entries, restore.left)),
      LongCount(restore.entries),
      restore.seconds_left.has_value() ? DurationText(*restore.seconds_left) + " left"
                                       : "time left not known yet");
}

/// The state, with its reason where that says more.
std::string StateText(const StatusReport& report) {
  std::string state(report.StateName());
  if (report.reason.empty()) return state;
  const bool is_told_twice = report.reason.starts_with(state);
  return (is_told_twice ? "" : state + ": ") + Printable(report.reason);
}

void AddFigures(const StatusReport& report, const TextLayout& layout, Lines& lines) {
  const auto row = [&](std::string_view name, const std::string& value) {
    lines.Add(fmt::format("{:<11}{}", name, value));
  };
  if (report.restore.has_value()) row("restore", RestoreText(*report.restore));
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
  std::string_view name = "latency";
  for (const StatusReport::Stage& stage : report.stages) {
    const LatencyFigures latency = report.LatencyOf(stage.name);
    if (!latency.p50.has_value()) continue;
    row(name, fmt::format("{:<12}p50 {}, p95 {}, p99 {}", Printable(stage.name),
                          OrDash(latency.p50), OrDash(latency.p95), OrDash(latency.p99)));
    name = "";
  }
  if (report.index.has_value()) {
    row("index", fmt::format("{} pages, {}", LongCount(report.index->entries),
                             Bound(report.index->bytes, report.index->planned_bytes)));
  }
  for (const SlotReport& slot : report.slots) {
    row(fmt::format("slot {}", slot.slot),
        fmt::format("{} pages, {}, {} log entries to answer", LongCount(slot.documents),
                    BytesText(Double(slot.bytes)),
                    LongCount(static_cast<std::uint64_t>(std::max<std::int64_t>(0, slot.lag)))));
  }
  if (report.memory.has_value())
    row("memory", Bound(report.memory->resident, report.memory->limit));
  if (report.storage.has_value()) {
    row("disk", fmt::format("{} of state, {} free", BytesText(Double(report.storage->used)),
                            BytesText(Double(report.storage->free))));
  }
  if (report.open_gap_offsets > 0) {
    row("open gaps", LongCount(report.open_gap_offsets) + " input records without a log entry");
  }
  if (layout.has_bars && !report.points.empty()) {
    row("24 hours", Sparkline(report, std::clamp<std::size_t>(layout.width, 40, 107) - 11));
  }
}

/// A column of StatusTable.
struct Column {
  std::string_view title;
  std::size_t least_width = 0;  ///< so that the table is still while its figures change
  std::string (*cell)(const StatusReport&) = nullptr;
};

constexpr std::size_t kMostTextWidth = 40;

/// In the order of their importance, which is that from left to right. The first two are of text.
constexpr std::array<Column, 9> kColumns{{
    {"instance", 8,
     [](const StatusReport& report) {
       return std::string(Cut(Printable(report.instance), kMostTextWidth));
     }},
    {"state", 9, [](const StatusReport& report) { return std::string(report.StateName()); }},
    {"behind", 10, [](const StatusReport& report) { return OrDash(report.lag_seconds()); }},
    {"read/s", 7,
     [](const StatusReport& report) {
       return report.HasRole("extract") ? RateText(report.consumed_a_second) : "-";
     }},
    {"verdicts/s", 10,
     [](const StatusReport& report) {
       return report.HasRole("judge") ? RateText(report.verdicts_a_second()) : "-";
     }},
    {"dropped", 7,
     [](const StatusReport& report) {
       return report.HasRole("judge")
                  ? ShareText(report.dropped_a_second, report.verdicts_a_second())
                  : "-";
     }},
    {"p95", 7,
     [](const StatusReport& report) {
       return OrDash(report.LatencyOf(report.HasRole("judge") ? "end_to_end" : "extract").p95);
     }},
    {"index", 7,
     [](const StatusReport& report) {
       return report.index.has_value() ? ShortCount(report.index->entries) : "-";
     }},
    {"roles", 13,
     [](const StatusReport& report) {
       return std::string(
           Cut(Printable(fmt::format("{}", fmt::join(report.roles, ","))), kMostTextWidth));
     }},
}};

/// One line for the titles and one for each report. `width`: columns of the terminal; 0: no bound.
void AddTable(std::span<const StatusReport> reports, std::size_t width, Lines& lines) {
  constexpr std::string_view kBetween = "  ";
  std::vector<std::string> rows(reports.size() + 1);
  std::size_t used = 0;
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    const Column& column = kColumns[i];
    std::vector<std::string> cells{std::string(column.title)};
    for (const StatusReport& report : reports) cells.push_back(column.cell(report));
    std::size_t column_width = column.least_width;
    for (const std::string& cell : cells) column_width = std::max(column_width, Characters(cell));
    used += column_width + (i > 0 ? kBetween.size() : 0);
    if (i > 0 && width > 0 && used > width) break;
    const bool is_left = i < 2 || i + 1 == kColumns.size();
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const std::string padding(column_width - Characters(cells[row]), ' ');
      rows[row] += (i > 0 ? std::string(kBetween) : "") +
                   (is_left ? cells[row] + padding : padding + cells[row]);
    }
  }
  for (std::string& row : rows) {
    row.erase(row.find_last_not_of(' ') + 1);
    lines.Add(row);
  }
}

}  // namespace

std::string StatusText(const StatusReport& report, const TextLayout& layout) {
  Lines lines(layout);
  lines.Add(fmt::format(
      "crawlsieve {}  {} ({})  {}", Printable(report.version), Printable(report.instance),
      Printable(fmt::format("{}", fmt::join(report.roles, ", "))), StateText(report)));
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
    lines.Add("hosts by duplicates");
    for (const StatusReport::Host& host : First(report.hosts, kHostsShown)) {
      const std::string least =
          host.error == 0
              ? ""
              : LongCount(host.duplicates - std::min(host.error, host.duplicates)) + " to ";
      lines.Add(
          fmt::format("{:>24}  {}", least + LongCount(host.duplicates), Printable(host.name)));
    }
  }
  if (!report.pairs.empty()) {
    lines.Add("");
    lines.Add("near duplicates, newest first: bits, similarity, page, kept page");
    for (const NearPair& pair : First(report.pairs, kPairsShown)) {
      lines.Add(
          fmt::format("{:>4}  {:.2f}  {}", pair.distance, pair.similarity, Printable(pair.url)));
      lines.Add(fmt::format("            {}", Printable(pair.match_url)));
    }
  }
  return std::move(lines).Take();
}

std::string StatusTable(std::span<const StatusReport> reports,
                        std::span<const std::string> failures, const TextLayout& layout) {
  Lines lines(layout);
  if (!reports.empty()) AddTable(reports, layout.width, lines);
  for (const StatusReport& report : reports) {
    std::string more = StateText(report);
    if (report.restore.has_value()) more += "; " + RestoreText(*report.restore);
    if (more != report.StateName()) {
      lines.Add(fmt::format("{}: {}", Printable(report.instance), more));
    }
  }
  for (const std::string& failure : failures) lines.Add(Printable(failure));
  return std::move(lines).Take();
}

}  // namespace crawlsieve::consumer
