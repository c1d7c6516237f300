#include "consumer/observability/logging.h"

#include "consumer/observability/outages.h"
#include "consumer/observability/recent_problems.h"
#include "plugin/base/mutex.h"
#include "plugin/base/timestamp.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>

namespace crawlsieve::consumer {
namespace {

struct LevelName {
  std::string_view name;
  spdlog::level::level_enum level;
};

/// By LogLevel.
constexpr std::array<LevelName, 5> kLevels{{{"trace", spdlog::level::trace},
                                            {"debug", spdlog::level::debug},
                                            {"info", spdlog::level::info},
                                            {"warn", spdlog::level::warn},
                                            {"error", spdlog::level::err}}};

const LevelName& Named(LogLevel level) { return kLevels[static_cast<std::size_t>(level)]; }

/// What Log needs. Lives to the end of the process: threads may log while it leaves.
struct Logging {
  spdlog::logger logger{"crawlsieve", std::make_shared<spdlog::sinks::stderr_sink_mt>()};
  std::atomic<LogFormat> format{LogOptions{}.format};

  Logging() {
    logger.set_pattern("%v");
    logger.set_level(spdlog::level::info);
    logger.flush_on(spdlog::level::trace);
    logger.set_error_handler([](const std::string&) {});
  }
};

Logging& TheLogging() {
  static Logging& logging = *new Logging;
  return logging;
}

Timestamp Now() {
  return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

std::string NowText() {
  const Timestamp now = Now();
  const auto second = std::chrono::floor<std::chrono::seconds>(now);
  std::string text = FormatRfc3339(second);
  text.pop_back();
  return text + fmt::format(".{:03}Z", (now - second).count());
}

bool IsSecret(std::string_view name) {
  constexpr std::array<std::string_view, 5> kMarks{"password", "secret", "jaas", "oauth", "token"};
  return std::any_of(kMarks.begin(), kMarks.end(), [&](std::string_view mark) {
    return name.find(mark) != std::string_view::npos;
  });
}

nlohmann::json ToJson(const LogField& field) {
  if (IsSecret(field.name)) return "********";
  return std::visit([](const auto& value) { return nlohmann::json(value); }, field.value);
}

std::string Dump(const nlohmann::json& value) {
  return value.dump(-1, ' ', /*ensure_ascii=*/true, nlohmann::json::error_handler_t::replace);
}

/// What RecentProblems tells of. Lives to the end of the process. Thread-safe.
class ProblemMemory {
 public:
  void Add(LogLevel level, std::string_view event, std::string text) EXCLUDES(mutex_) {
    const Timestamp now = Now();
    if (text.size() > kMaxProblemText) {
      text.resize(kMaxProblemText - 3);
      text += "...";
    }
    const MutexLock lock(mutex_);
    auto found = std::ranges::find(problems_, event, &RecentProblem::event);
    if (found == problems_.end() && problems_.size() == kMaxProblems) {
      problems_.erase(std::ranges::min_element(problems_, {}, &RecentProblem::last));
      found = problems_.end();
    }
    if (found == problems_.end()) {
      problems_.push_back({.event = std::string(event), .first = now});
      found = std::prev(problems_.end());
    }
    found->level = level;
    found->text = std::move(text);
    found->last = now;
    ++found->count;
  }

  [[nodiscard]] std::vector<RecentProblem> Newest() const EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    std::vector<RecentProblem> problems = problems_;
    std::ranges::stable_sort(problems, std::ranges::greater(), &RecentProblem::last);
    return problems;
  }

 private:
  mutable Mutex mutex_;
  std::vector<RecentProblem> problems_ GUARDED_BY(mutex_);
};

ProblemMemory& TheProblems() {
  static ProblemMemory& problems = *new ProblemMemory;
  return problems;
}

/// Text that can stand bare behind `name=`.
bool IsBare(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return c > ' ' && c < 0x7F && c != '"' && c != '=' && c != '\\';
  });
}

/// " name=value" for each field.
std::string FieldsText(std::span<const LogField> fields) {
  std::string line;
  for (const LogField& field : fields) {
    const nlohmann::json value = ToJson(field);
    const auto* text = value.get_ptr<const std::string*>();
    line +=
        fmt::format(" {}={}", field.name, text != nullptr && IsBare(*text) ? *text : Dump(value));
  }
  return line;
}

std::string TextLine(LogLevel level, std::string_view event, std::span<const LogField> fields) {
  return fmt::format("{} {:<5} {}", NowText(), Named(level).name, event) + FieldsText(fields);
}

std::string JsonLine(LogLevel level, std::string_view event, std::span<const LogField> fields) {
  std::string line = fmt::format(R"({{"time":"{}","level":"{}","event":{})", NowText(),
                                 Named(level).name, Dump(event));
  for (const LogField& field : fields) {
    line += fmt::format(",{}:{}", Dump(field.name), Dump(ToJson(field)));
  }
  return line + '}';
}

void Write(LogLevel level, std::string_view event, std::span<const LogField> fields) {
  Logging& logging = TheLogging();
  const std::string line = logging.format == LogFormat::kJson ? JsonLine(level, event, fields)
                                                              : TextLine(level, event, fields);
  logging.logger.log(Named(level).level, spdlog::string_view_t(line.data(), line.size()));
}

/// For RecentProblems.
void Remember(LogLevel level, std::string_view event, std::span<const LogField> fields) {
  if (level < LogLevel::kWarn) return;
  std::string text = FieldsText(fields);
  if (!text.empty()) text.erase(0, 1);
  TheProblems().Add(level, event, std::move(text));
}

/// What is the same in a trouble each time: runs of digits are `N`. Cut where it is very long.
std::string WithoutNumbers(std::string_view trouble) {
  constexpr std::size_t kMost = 2'000;
  std::string text;
  for (const char c : trouble) {
    const bool is_digit = c >= '0' && c <= '9';
    if (is_digit && text.ends_with('N')) continue;
    if (text.size() == kMost) break;
    text += is_digit ? 'N' : c;
  }
  return text;
}

/// The outages of this process. Thread-safe.
class OutageMemory {
 public:
  struct Ended {
    std::string event;
    std::string stage;
    std::string trouble;
    std::uint64_t times = 0;
    std::chrono::duration<double> lasted{};
  };

  Outages::Advice Add(std::string_view event, std::string_view stage, std::string_view trouble)
      EXCLUDES(mutex_) {
    const std::string key = fmt::format("{}\n{}\n{}", event, stage, WithoutNumbers(trouble));
    const MutexLock lock(mutex_);
    return outages_.Add(key, Outages::Clock::now());
  }

  [[nodiscard]] std::vector<Ended> TakeEnded(bool all) EXCLUDES(mutex_) {
    std::vector<Ended> ended;
    const MutexLock lock(mutex_);
    for (const Outages::Outage& outage : outages_.TakeEnded(Outages::Clock::now(), all)) {
      const std::size_t first = outage.key.find('\n');
      const std::size_t second = outage.key.find('\n', first + 1);
      ended.push_back({outage.key.substr(0, first),
                       outage.key.substr(first + 1, second - first - 1),
                       outage.key.substr(second + 1), outage.times, outage.last - outage.first});
    }
    return ended;
  }

 private:
  Mutex mutex_;
  Outages outages_ GUARDED_BY(mutex_);
};

OutageMemory& TheOutages() {
  static OutageMemory& outages = *new OutageMemory;
  return outages;
}

}  // namespace

void ConfigureLogging(const LogOptions& options) {
  const auto found = std::find_if(kLevels.begin(), kLevels.end(), [&](const LevelName& level) {
    return level.name == options.level;
  });
  TheLogging().logger.set_level(found == kLevels.end() ? spdlog::level::info : found->level);
  TheLogging().format = options.format;
}

bool LogEnabled(LogLevel level) { return TheLogging().logger.should_log(Named(level).level); }

void Log(LogLevel level, std::string_view event, std::initializer_list<LogField> fields) noexcept {
  try {
    if (!LogEnabled(level)) return;
    Remember(level, event, fields);
    Write(level, event, fields);
  } catch (...) {
    // Nowhere is left to say it.
  }
}

void LogRepeating(LogLevel level, std::string_view event, std::string_view stage,
                  std::string_view trouble, std::initializer_list<LogField> fields) noexcept {
  try {
    if (!LogEnabled(level)) return;
    Remember(level, event, fields);
    const Outages::Advice advice = TheOutages().Add(event, stage, trouble);
    if (!advice.write) return;
    if (advice.times == 1) return Write(level, event, fields);
    std::vector<LogField> more(fields);
    more.emplace_back("times", advice.times);
    more.emplace_back("for_seconds", std::round(advice.since.count()));
    Write(level, event, more);
  } catch (...) {
    // As above.
  }
}

void EndOutages(bool all) noexcept {
  constexpr std::size_t kMaxTroubleShown = 200;
  try {
    for (const auto& [event, stage, trouble, times, lasted] : TheOutages().TakeEnded(all)) {
      Log(LogLevel::kInfo, "outage.ended",
          {{"of", event},
           {"stage", stage},
           {"trouble", std::string_view(trouble).substr(0, kMaxTroubleShown)},
           {"times", times},
           {"for_seconds", std::round(lasted.count())},
           {"is_over", !all}});
    }
  } catch (...) {
    // As above.
  }
}

std::vector<RecentProblem> RecentProblems() { return TheProblems().Newest(); }

}  // namespace crawlsieve::consumer
