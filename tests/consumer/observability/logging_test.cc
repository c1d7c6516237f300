#include "consumer/observability/logging.h"

#include "consumer/observability/recent_problems.h"
#include "plugin/base/timestamp.h"

#include <algorithm>
#include <limits>
#include <sstream>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

class LogTest : public ::testing::Test {
 protected:
  void TearDown() override { ConfigureLogging({}); }

  static std::string Logged(LogLevel level, std::string_view event,
                            std::initializer_list<LogField> fields = {}) {
    ::testing::internal::CaptureStderr();
    Log(level, event, fields);
    return ::testing::internal::GetCapturedStderr();
  }

  static json LoggedJson(std::initializer_list<LogField> fields) {
    ConfigureLogging({"info", LogFormat::kJson});
    const std::string line = Logged(LogLevel::kInfo, "test.event", fields);
    EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1) << line;
    return json::parse(line);
  }
};

TEST_F(LogTest, WritesTextByDefault) {
  const std::string line = Logged(LogLevel::kInfo, "judge.assigned",
                                  {{"partition", 0}, {"offset", std::int64_t{5}}, {"ok", true}});
  EXPECT_THAT(line,
              MatchesRegex("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z "
                           "info  judge\\.assigned partition=0 offset=5 ok=true\n"));
}

TEST_F(LogTest, QuotesTextsThatWouldNotStandAlone) {
  const std::string line = Logged(LogLevel::kError, "e",
                                  {{"bare", "http://a.example/?x"},
                                   {"empty", ""},
                                   {"space", "a b"},
                                   {"equals", "a=b"},
                                   {"quote", "\""},
                                   {"line", "a\nb\x1b[31m"},
                                   {"slash", "\\"}});
  EXPECT_THAT(line, HasSubstr(" error e bare=http://a.example/?x empty=\"\" space=\"a b\" "
                              "equals=\"a=b\" quote=\"\\\"\" line=\"a\\nb\\u001b[31m\" "
                              "slash=\"\\\\\"\n"));
}

TEST_F(LogTest, ShowsATerminalNothingButPlainAscii) {
  const std::initializer_list<LogField> fields = {
      {"url", "http://a/\x1b[2J\u009b2J\u202e\x7f\u2066\r\u00e9"}, {"bytes", "\xff\x9b\xc3"}};
  for (const LogFormat format : {LogFormat::kText, LogFormat::kJson}) {
    ConfigureLogging({"info", format});
    std::string line = Logged(LogLevel::kWarn, "e", fields);
    ASSERT_TRUE(line.ends_with('\n'));
    line.pop_back();
    EXPECT_TRUE(std::all_of(line.begin(), line.end(), [](char c) { return c >= ' ' && c < 0x7F; }))
        << line;
    EXPECT_THAT(line, HasSubstr("http://a/\\u001b[2J\\u009b2J\\u202e\\u007f\\u2066\\r\\u00e9"));
  }
}

TEST_F(LogTest, WritesJson) {
  const json line = LoggedJson({{"text", "a \"b\"\n\xc3\xa4"},
                                {"yes", true},
                                {"small", std::numeric_limits<std::int64_t>::min()},
                                {"large", std::numeric_limits<std::uint64_t>::max()},
                                {"half", 0.5}});
  EXPECT_EQ(line["level"], "info");
  EXPECT_EQ(line["event"], "test.event");
  EXPECT_EQ(line["text"], "a \"b\"\n\xc3\xa4");
  EXPECT_EQ(line["yes"], true);
  EXPECT_EQ(line["small"], std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(line["large"], std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(line["half"], 0.5);
  const auto time = line["time"].get<std::string>();
  EXPECT_TRUE(ParseRfc3339(time)) << time;
  EXPECT_EQ(time.size(), std::string_view("2026-03-01T12:30:05.250Z").size());
}

TEST_F(LogTest, BeginsJsonWithTimeLevelAndEvent) {
  ConfigureLogging({"info", LogFormat::kJson});
  EXPECT_THAT(
      Logged(LogLevel::kWarn, "e", {{"a", 1}}),
      MatchesRegex("\\{\"time\":\"[^\"]+\",\"level\":\"warn\",\"event\":\"e\",\"a\":1\\}\n"));
}

TEST_F(LogTest, StaysJsonAndAsciiForAnyBytes) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  ConfigureLogging({"info", LogFormat::kJson});
  const std::string line = Logged(LogLevel::kInfo, bytes, {{bytes, bytes}});
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
  for (const char c : line) EXPECT_LT(static_cast<unsigned char>(c), 0x80);
  EXPECT_FALSE(json::parse(line, nullptr, false).is_discarded());
}

TEST_F(LogTest, HasNullForNumbersThatJsonLacks) {
  const json line = LoggedJson({{"nan", std::numeric_limits<double>::quiet_NaN()},
                                {"inf", std::numeric_limits<double>::infinity()}});
  EXPECT_TRUE(line["nan"].is_null());
  EXPECT_TRUE(line["inf"].is_null());
}

TEST_F(LogTest, KeepsToTheLevel) {
  const std::vector<std::string> names{"trace", "debug", "info", "warn", "error"};
  for (std::size_t configured = 0; configured < names.size(); ++configured) {
    ConfigureLogging({names[configured], LogFormat::kText});
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto level = static_cast<LogLevel>(i);
      EXPECT_EQ(LogEnabled(level), i >= configured);
      EXPECT_EQ(Logged(level, "e").empty(), i < configured);
    }
  }
}

TEST_F(LogTest, TakesAnUnknownLevelForInfo) {
  ConfigureLogging({"loud", LogFormat::kText});
  EXPECT_TRUE(LogEnabled(LogLevel::kInfo));
  EXPECT_FALSE(LogEnabled(LogLevel::kDebug));
}

TEST_F(LogTest, MasksFieldsNamedLikeSecrets) {
  const std::string line =
      Logged(LogLevel::kInfo, "e", {{"sasl.password", "hunter2"}, {"client_secret", "hunter2"}});
  EXPECT_THAT(line, Not(HasSubstr("hunter2")));
  EXPECT_THAT(line, HasSubstr("sasl.password=********"));
}

/// The problem of `event`; count 0 where there is none.
RecentProblem ProblemOf(std::string_view event) {
  for (RecentProblem& problem : RecentProblems()) {
    if (problem.event == event) return std::move(problem);
  }
  return {};
}

TEST_F(LogTest, RemembersTheNewestLineOfEachProblemAndHowManyThereWere) {
  (void)Logged(LogLevel::kWarn, "problem.a", {{"error", "first"}});
  (void)Logged(LogLevel::kError, "problem.b", {{"error", "two words"}, {"password", "hunter2"}});
  (void)Logged(LogLevel::kWarn, "problem.a", {{"error", "second"}});
  (void)Logged(LogLevel::kInfo, "problem.none", {{"error", "none"}});
  const RecentProblem a = ProblemOf("problem.a");
  EXPECT_EQ(a.count, 2U);
  EXPECT_EQ(a.text, "error=second");
  EXPECT_EQ(a.level, LogLevel::kWarn);
  EXPECT_LE(a.first, a.last);
  const RecentProblem b = ProblemOf("problem.b");
  EXPECT_EQ(b.text, "error=\"two words\" password=********");
  EXPECT_EQ(b.level, LogLevel::kError);
  EXPECT_EQ(ProblemOf("problem.none").count, 0U);
}

TEST_F(LogTest, RemembersNoProblemBelowItsLevel) {
  ConfigureLogging({"error", LogFormat::kText});
  (void)Logged(LogLevel::kWarn, "problem.quiet");
  EXPECT_EQ(ProblemOf("problem.quiet").count, 0U);
}

TEST_F(LogTest, RemembersProblemsInBoundedMemory) {
  for (std::size_t i = 0; i < 3 * kMaxProblems; ++i) {
    (void)Logged(LogLevel::kWarn, "many." + std::to_string(i), {{"x", std::string(10'000, 'x')}});
  }
  EXPECT_EQ(RecentProblems().size(), kMaxProblems);
  const RecentProblem newest = ProblemOf("many." + std::to_string(3 * kMaxProblems - 1));
  EXPECT_EQ(newest.count, 1U);
  EXPECT_EQ(newest.text.size(), kMaxProblemText);
  EXPECT_THAT(newest.text, ::testing::EndsWith("..."));
}

TEST_F(LogTest, DoesNotMixLinesOfThreads) {
  ConfigureLogging({"info", LogFormat::kJson});
  ::testing::internal::CaptureStderr();
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([t] {
        for (int i = 0; i < 200; ++i) Log(LogLevel::kInfo, "e", {{"thread", t}, {"i", i}});
      });
    }
  }
  std::istringstream lines(::testing::internal::GetCapturedStderr());
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    EXPECT_FALSE(json::parse(line, nullptr, false).is_discarded()) << line;
  }
  EXPECT_EQ(count, 800);
}

TEST_F(LogTest, SumsUpTroubleThatComesAgain) {
  const auto fail = [](const std::string& stage, const std::string& message) {
    LogRepeating(LogLevel::kWarn, "test.trouble", stage, message,
                 {{"stage", stage}, {"message", message}});
  };
  EndOutages(/*all=*/true);
  ::testing::internal::CaptureStderr();
  for (int i = 0; i < 100; ++i) fail("judge", "port " + std::to_string(i) + " refused");
  fail("extract", "port 1 refused");
  fail("judge", "no route");
  EndOutages();
  const std::string lines = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 3) << lines;
  EXPECT_THAT(lines, HasSubstr("warn  test.trouble stage=judge message=\"port 0 refused\"\n"));
  EXPECT_THAT(lines, HasSubstr("warn  test.trouble stage=extract"));
  EXPECT_THAT(lines, HasSubstr("message=\"no route\""));

  ::testing::internal::CaptureStderr();
  EndOutages(/*all=*/true);
  EndOutages(/*all=*/true);
  const std::string ended = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(ended.begin(), ended.end(), '\n'), 1) << ended;
  EXPECT_THAT(ended, HasSubstr("info  outage.ended of=test.trouble stage=judge trouble=\"port N "
                               "refused\" times=100 for_seconds=0.0 is_over=false\n"));
  const std::vector<RecentProblem> problems = RecentProblems();
  const auto known = std::ranges::find(problems, "test.trouble", &RecentProblem::event);
  ASSERT_NE(known, problems.end());
  EXPECT_EQ(known->count, 102U) << "all are counted";
}

}  // namespace
}  // namespace crawlsieve::consumer
