#include "consumer/status/status_page.h"

#include "tests/consumer/status/sample_process.h"

#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <re2/re2.h>

namespace crawlsieve::consumer {
namespace {

using crawlsieve::testing::SampleProcess;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const Timestamp kNow{std::chrono::hours(500'000) + std::chrono::minutes(7)};

/// What the group of `expression` takes, wherever it matches in `text`.
std::set<std::string> AllMatches(const std::string& text, const std::string& expression) {
  const RE2 pattern(expression);
  re2::StringPiece left(text);
  std::set<std::string> found;
  std::string match;
  while (RE2::FindAndConsume(&left, pattern, &match)) found.insert(match);
  return found;
}

TEST(StatusPage, ShowsTheFiguresOfTheReport) {
  const StatusReport report = SampleProcess(kNow, {.hosts = 30}).Report();
  const std::string page = StatusPage(report);
  EXPECT_THAT(page, AllOf(HasSubstr("<strong id=\"state\">ready</strong>"),
                          HasSubstr("<b>2.4 s</b><span>1,285 records</span>"),
                          HasSubstr("<b>12.3 M</b><span>430 MiB of 763 MiB planned for 20.0 M"),
                          HasSubstr("<b>1.27 GiB</b><span>of 4.00 GiB</span>"),
                          HasSubstr("<b>9.00 GiB</b><span>70.0 GiB free</span>"),
                          HasSubstr("www0.example"), Not(HasSubstr("restore\""))));
}

TEST(StatusPage, ShowsARestoreWithTheTimeLeft) {
  StatusReport report = SampleProcess(kNow, {.is_restoring = true, .hosts = 1}).Report();
  report.restore->seconds_left = 300;
  const std::string page = StatusPage(report);
  EXPECT_THAT(page, AllOf(HasSubstr("<strong id=\"state\">restoring</strong>"),
                          HasSubstr("250,000 of 1,000,000 entries (25 %), about 5 min left"),
                          HasSubstr("<progress max=\"1000000\" value=\"250000\">")));
  report.restore->seconds_left.reset();
  EXPECT_THAT(StatusPage(report), HasSubstr("time left not known yet"));
}

TEST(StatusPage, MarksWhereAddressesOfAPairDiffer) {
  StatusReport report;
  report.roles = {"judge"};
  report.pairs = {{.url = "http://a.example/1?x&y",
                   .match_url = "http://a.example/22?x&y",
                   .distance = 1,
                   .similarity = 0.914}};
  EXPECT_THAT(StatusPage(report),
              AllOf(HasSubstr("<code>http://a.example/<mark>1</mark>?x&amp;y</code>"),
                    HasSubstr("<code>http://a.example/<mark>22</mark>?x&amp;y</code>"),
                    HasSubstr("1 bit apart, similarity 0.91;")));
}

TEST(StatusPage, IsThereForAProcessThatHasJustBegun) {
  const std::string page = StatusPage(StatusReport());
  EXPECT_THAT(page, AllOf(HasSubstr("not ready"), HasSubstr("</html>"), Not(HasSubstr("nan")),
                          Not(HasSubstr("inf"))));
}

TEST(StatusPage, ShowsAnExtractProcessWithoutFiguresOfAJudge) {
  StatusReport report = SampleProcess(kNow, {.hosts = 1}).Report();
  report.roles = {"extract"};
  report.index.reset();
  const std::string page = StatusPage(report);
  EXPECT_THAT(page, AllOf(HasSubstr("Pages read a second"), HasSubstr("Extraction of a page"),
                          Not(HasSubstr("Verdicts")), Not(HasSubstr("Near duplicates"))));
}

TEST(StatusPage, HasNoMarkupThatTextsBring) {
  const std::string tame = StatusPage(SampleProcess(kNow, {}).Report());
  const std::string hostile = StatusPage(SampleProcess(kNow, {.is_hostile = true}).Report());
  // The same elements and attributes, whatever the texts hold.
  const char* const kElements = "<(/?[a-zA-Z!][a-zA-Z0-9]*)";
  EXPECT_EQ(AllMatches(hostile, kElements), AllMatches(tame, kElements));
  EXPECT_THAT(AllMatches(hostile, kElements), Not(::testing::Contains("script")));
  const std::string body = hostile.substr(hostile.find("</style>"));
  for (const char byte : body) {
    EXPECT_TRUE(byte == '\n' || static_cast<unsigned char>(byte) >= 0x20) << int{byte};
  }
  EXPECT_THAT(hostile, Not(HasSubstr("\xE2\x80\xAE")));
  EXPECT_THAT(hostile, HasSubstr("&lt;script&gt;document.title=&#39;owned&#39;&lt;/script&gt;"));
}

TEST(StatusPage, LinksToItselfOnly) {
  for (const bool is_hostile : {false, true}) {
    const std::string page =
        StatusPage(SampleProcess(kNow, {.is_hostile = is_hostile, .hosts = 50}).Report());
    EXPECT_EQ(AllMatches(page,
                         "<[^>]* (?:href|src|action|data|poster|srcset|style|on[a-z]+)="
                         "\"([^\"]*)\""),
              (std::set<std::string>{"data:,", "/metrics", "/status.json", "/livez", "/readyz",
                                     "/version"}));
    EXPECT_THAT(page.substr(0, page.find("</style>")), Not(HasSubstr("url(")));
  }
}

TEST(StatusPage, StaysWithin200KiB) {
  for (const bool is_hostile : {false, true}) {
    const std::string page = StatusPage(SampleProcess(kNow, {.is_hostile = is_hostile}).Report());
    RecordProperty(is_hostile ? "hostile_bytes" : "bytes", std::to_string(page.size()));
    EXPECT_LE(page.size(), 200U << 10);
    EXPECT_GT(page.size(), 20'000U);
  }
}

}  // namespace
}  // namespace crawlsieve::consumer
