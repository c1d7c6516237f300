#include "consumer/observability/logging.h"

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
#include <string>
#include <utility>

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
std::string FieldsText(std::initializer_list<LogField> fields) {
  std::string line;
  for (const LogField& field : fields) {
    const nlohmann::json value = ToJson(field);
    const auto* text = value.get_ptr<const std::string*>();
    line +=
        fmt::format(" {}={}", field.name, text != nullptr && IsBare(*text) ? *text : Dump(value));
  }
  return line;
}

std::string TextLine(LogLevel level, std::string_view event,
                     std::initializer_list<LogField> fields) {
  return fmt::format("{} {:<5} {}", NowText(), Named(level).name, event) + FieldsText(fields);
}

std::string JsonLine(LogLevel level, std::string_view event,
                     std::initializer_list<LogField> fields) {
  std::string line = fmt::format(R"({{"time":"{}","level":"{}","event":{})", NowText(),
                                 Named(level).name, Dump(event));
  for (const LogField& field : fields) {
    line += fmt::format(",{}:{}", Dump(field.name), Dump(ToJson(field)));
  }
  return line + '}';
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
    if (level >= LogLevel::kWarn) {
      std::string text = FieldsText(fields);
      if (!text.empty()) text.erase(0, 1);
      TheProblems().Add(level, event, std::move(text));
    }
    Logging& logging = TheLogging();
    const std::string line = logging.format == LogFormat::kJson ? JsonLine(level, event, fields)
                                                                : TextLine(level, event, fields);
    logging.logger.log(Named(level).level, spdlog::string_view_t(line.data(), line.size()));
  } catch (...) {
    // Nowhere is left to say it.
  }
}

std::vector<RecentProblem> RecentProblems() { return TheProblems().Newest(); }

}  // namespace crawlsieve::consumer
