#include "consumer/status/status_text.h"

#include "tests/consumer/status/sample_process.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

using crawlsieve::testing::SampleProcess;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const Timestamp kNow{std::chrono::hours(500'000) + std::chrono::minutes(7)};

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::size_t Characters(const std::string& line) {
  return static_cast<std::size_t>(std::ranges::count_if(
      line, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }));
}

TEST(StatusText, ShowsTheFiguresOfTheReport) {
  const std::string text = StatusText(SampleProcess(kNow, {.hosts = 30}).Report(), {});
  EXPECT_THAT(text, AllOf(HasSubstr("crawlsieve 0.1.0  crawler-7 (extract, judge)  ready\n"),
                          HasSubstr("behind     2.4 s, 1,285 records\n"),
                          HasSubstr("index      12,345,678 pages, 430 MiB of 763 MiB (56 %)\n"),
                          HasSubstr("near_duplicate"), HasSubstr("www0.example")));
}

TEST(StatusText, ShowsARangeWhereAFigureMayBeTooHigh) {
  StatusReport report;
  report.hosts = {{"a.example", 4020, 20}, {"b.example", 17, 0}};
  EXPECT_THAT(StatusText(report, {}), HasSubstr("          4,000 to 4,020  a.example\n"
                                                "                      17  b.example\n"));
}

TEST(StatusText, IsPlainWithoutBars) {
  const std::string text = StatusText(SampleProcess(kNow, {.hosts = 30}).Report(), {});
  for (const char byte : text) {
    EXPECT_TRUE(byte == '\n' || (byte >= 0x20 && byte < 0x7F)) << int{byte};
  }
}

TEST(StatusText, FitsTheTerminal) {
  const StatusReport report = SampleProcess(kNow, {.is_hostile = true, .hosts = 30}).Report();
  for (const std::size_t width : {1, 20, 80, 300}) {
    const auto lines =
        LinesOf(StatusText(report, {.width = width, .height = 24, .has_bars = true}));
    EXPECT_EQ(lines.size(), 24U);
    for (const std::string& line : lines) EXPECT_LE(Characters(line), width) << line;
    for (const std::string& line :
         LinesOf(StatusTable(std::vector{report, report}, crawlsieve::testing::HostileTexts(),
                             {.width = width, .height = 24, .has_bars = true}))) {
      EXPECT_LE(Characters(line), width) << line;
    }
  }
}

TEST(StatusText, MarksLinesThatAreCut) {
  const StatusReport report = SampleProcess(kNow, {.hosts = 30}).Report();
  const std::string whole = "behind     2.4 s, 1,285 records\n";
  EXPECT_THAT(StatusText(report, {.width = 31}), HasSubstr(whole));
  EXPECT_THAT(StatusText(report, {.width = 20}), HasSubstr("behind     2.4 s, 1~\n"));
  EXPECT_THAT(StatusText(report, {.width = 20, .has_bars = true}),
              HasSubstr("behind     2.4 s, 1\u2026\n"));
}

TEST(StatusText, ActsOnNoTerminal) {
  const StatusReport report = SampleProcess(kNow, {.is_hostile = true, .hosts = 30}).Report();
  for (const std::string& text :
       {StatusText(report, {.width = 80, .has_bars = true}),
        StatusTable({&report, 1}, crawlsieve::testing::HostileTexts(), {})}) {
    for (const char byte : text) {
      EXPECT_TRUE(byte == '\n' || static_cast<unsigned char>(byte) >= 0x20) << int{byte};
    }
    EXPECT_THAT(text, Not(HasSubstr("\xE2\x80\xAE")));
  }
}

TEST(StatusText, ShowsARestoreWithTheTimeLeft) {
  StatusReport report = SampleProcess(kNow, {.is_restoring = true, .hosts = 1}).Report();
  report.restore->seconds_left = 300;
  EXPECT_THAT(StatusText(report, {}),
              AllOf(HasSubstr("  restoring state from the admission log\n"),
                    HasSubstr("restore    250,000 of 1,000,000 entries, 5 min left\n")));
}

TEST(StatusText, IsThereForAProcessThatHasJustBegun) {
  EXPECT_THAT(StatusText(StatusReport(), {.width = 80, .height = 24, .has_bars = true}),
              HasSubstr("not ready"));
}

TEST(StatusTable, HasALineForEachProcess) {
  StatusReport judge = SampleProcess(kNow, {.hosts = 1}).Report();
  judge.standby = true;
  StatusReport extract = judge;
  extract.standby = false;
  extract.roles = {"extract"};
  extract.instance = "crawler-8";
  extract.index.reset();
  const auto lines = LinesOf(StatusTable(std::vector{judge, extract}, {}, {}));
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_THAT(lines[1], AllOf(HasSubstr("crawler-7"), HasSubstr("standby"), HasSubstr("12.3 M")));
  EXPECT_THAT(lines[2],
              AllOf(HasSubstr("crawler-8"), HasSubstr("ready"), Not(HasSubstr("12.3 M"))));
  const std::size_t roles = lines[0].find("roles");
  EXPECT_EQ(lines[1].substr(roles), "extract,judge");
  EXPECT_EQ(lines[2].substr(roles), "extract");
}

TEST(StatusTable, LeavesOutColumnsThatDoNotFit) {
  const StatusReport report = SampleProcess(kNow, {.hosts = 1}).Report();
  const auto widest = LinesOf(StatusTable({&report, 1}, {}, {})).front().size();
  for (std::size_t width = widest; width >= 9; --width) {
    const auto lines = LinesOf(StatusTable({&report, 1}, {}, {.width = width}));
    ASSERT_EQ(lines.size(), 2U);
    for (const std::string& line : lines) {
      EXPECT_LE(line.size(), width);
      EXPECT_THAT(line, Not(HasSubstr("~"))) << width;
    }
  }
  const auto narrow = LinesOf(StatusTable({&report, 1}, {}, {.width = 40}));
  EXPECT_THAT(narrow[0], AllOf(HasSubstr("state"), HasSubstr("behind"), Not(HasSubstr("roles"))));
}

TEST(StatusTable, SaysBelowWhatElseIsToSay) {
  const StatusReport judge = SampleProcess(kNow, {.is_restoring = true, .hosts = 1}).Report();
  const std::vector<std::string> failures{"http://b.example:8080/status.json doesn't answer"};
  const auto lines = LinesOf(StatusTable({&judge, 1}, failures, {}));
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_THAT(lines[2],
              StartsWith("crawler-7: restoring state from the admission log; 250,000 of 1,000,000 "
                         "entries, "));
  EXPECT_EQ(lines[3], failures[0]);
  EXPECT_EQ(StatusTable({}, failures, {}), failures[0] + "\n");
}

}  // namespace
}  // namespace crawlsieve::consumer
