#include "bench/freshness/change_histories.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string_view>

#include <fmt/format.h>

namespace crawlsieve::bench {
namespace {

constexpr double kDaysBefore = 30;  // a document is there this long before the window

/// The times of one line behind the name; empty if any is no number or is before the one before it.
std::vector<double> ParseTimes(std::string_view fields) {
  std::vector<double> times;
  while (!fields.empty()) {
    const std::string_view field = fields.substr(0, fields.find('\t'));
    double time = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), time);
    const bool is_number = error == std::errc() && end == field.data() + field.size();
    if (!is_number || !(time >= 0 && time < 1e6) || (!times.empty() && time < times.back())) {
      return {};
    }
    times.push_back(time);
    fields.remove_prefix(std::min(field.size() + 1, fields.size()));
  }
  return times;
}

}  // namespace

Result<std::vector<ChangeHistory>> LoadChangeHistories(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) return MakeError(ErrorCode::kIo, fmt::format("{}: can't be read", path.string()));
  std::vector<ChangeHistory> histories;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.empty()) continue;
    const std::size_t tab = line.find('\t');
    ChangeHistory history{line.substr(0, tab), {}};
    if (tab != std::string::npos)
      history.times = ParseTimes(std::string_view(line).substr(tab + 1));
    if (history.times.empty()) {
      return MakeError(
          ErrorCode::kInvalidInput,
          fmt::format("{}:{}: not a name and ascending times in days", path.string(), number));
    }
    histories.push_back(std::move(history));
  }
  return histories;
}

Result<ChangeWindow> WindowOf(const std::vector<ChangeHistory>& histories, int days) {
  if (histories.empty()) return MakeError(ErrorCode::kInvalidInput, "no change histories");
  double first = histories.front().times.front();
  double last = histories.front().times.back();
  for (const ChangeHistory& history : histories) {
    first = std::min(first, history.times.front());
    last = std::max(last, history.times.back());
  }
  ChangeWindow window;
  window.begin = std::max(last - days, first + kDaysBefore);
  window.days = static_cast<int>(last - window.begin);
  for (const ChangeHistory& history : histories) {
    if (history.times.front() <= window.begin - kDaysBefore) window.documents.push_back(history);
  }
  if (window.documents.empty() || window.days < 2) {
    return MakeError(ErrorCode::kInvalidInput,
                     "no two days with documents that are 30 days older than the window");
  }
  return window;
}

}  // namespace crawlsieve::bench
