#include "plugin/score/url_score.h"

#include <functional>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

using std::chrono::hours;

UrlScore FetchedUrl() {
  UrlScore record;
  record.url = "https://a.example/x";
  record.as_of = Timestamp{hours(500'000)};
  record.score = Score{4'000};
  record.components = {{"value", Score{4'000}}};
  record.reason = "recrawl";
  record.fetched = true;
  record.next_fetch = record.as_of + hours(1);
  record.last_status = 200;
  return record;
}

UrlScore DiscoveredUrl() {
  UrlScore record = FetchedUrl();
  record.fetched = false;
  record.next_fetch.reset();
  record.last_status.reset();
  return record;
}

TEST(UrlScore, ActionsAreReadByTheirNames) {
  for (int i = 0; i < kScoreActions; ++i) {
    const auto action = static_cast<ScoreAction>(i);
    EXPECT_EQ(ScoreActionOf(NameOf(action)), action);
  }
  EXPECT_FALSE(ScoreActionOf("").has_value());
  EXPECT_FALSE(ScoreActionOf("Schedule").has_value());
}

TEST(UrlScore, IsDueFromItsNextFetchOn) {
  UrlScore record = FetchedUrl();
  EXPECT_FALSE(IsDue(record));
  record.next_fetch = record.as_of;
  EXPECT_TRUE(IsDue(record));
  EXPECT_TRUE(IsDue(DiscoveredUrl()));
}

TEST(UrlScore, SoundRecordsPass) {
  EXPECT_TRUE(CheckUrlScore(FetchedUrl()).has_value());
  EXPECT_TRUE(CheckUrlScore(DiscoveredUrl()).has_value());
  UrlScore rewritten = DiscoveredUrl();
  rewritten.action = ScoreAction::kRewrite;
  rewritten.rewrite_to = "https://a.example/y";
  EXPECT_TRUE(CheckUrlScore(rewritten).has_value());
  UrlScore delayed = DiscoveredUrl();
  delayed.next_fetch = delayed.as_of + hours(2);
  delayed.score = Score{9'000};
  EXPECT_TRUE(CheckUrlScore(delayed).has_value());
  UrlScore suppressed = FetchedUrl();
  suppressed.action = ScoreAction::kSuppress;
  suppressed.score = Score{9'000};
  EXPECT_TRUE(CheckUrlScore(suppressed).has_value());
}

TEST(UrlScore, EveryBrokenRuleIsFoundAndNamesItsField) {
  struct Case {
    const char* field;
    std::function<void(UrlScore&)> damage;
  };
  const Case cases[] = {
      {"url", [](UrlScore& r) { r.url.clear(); }},
      {"score", [](UrlScore& r) { r.score = Score{10'001}; }},
      {"score", [](UrlScore& r) { r.score = Score{5'000}; }},  // not due yet
      {"score", [](UrlScore& r) { r.next_fetch = r.as_of; }},  // due
      {"components", [](UrlScore& r) { r.components[0].value = Score{10'001}; }},
      {"components", [](UrlScore& r) { r.components[0].name = "Value"; }},
      {"components", [](UrlScore& r) { r.components[0].name = ""; }},
      {"components", [](UrlScore& r) { r.components.push_back(r.components[0]); }},
      {"rewrite_to", [](UrlScore& r) { r.rewrite_to = "https://a.example/y"; }},
      {"rewrite_to", [](UrlScore& r) { r.action = ScoreAction::kRewrite; }},
      {"rewrite_to",
       [](UrlScore& r) {
         r.action = ScoreAction::kRewrite;
         r.rewrite_to = r.url;
       }},
      {"reason", [](UrlScore& r) { r.reason = "two words"; }},
      {"reason", [](UrlScore& r) { r.reason = "1st"; }},
      {"next_fetch", [](UrlScore& r) { r.next_fetch.reset(); }},
      {"last_status", [](UrlScore& r) { r.last_status = 99; }},
      {"last_status", [](UrlScore& r) { r.last_status = 600; }},
      {"last_status", [](UrlScore& r) { r.fetched = false; }},
  };
  for (const Case& test : cases) {
    UrlScore record = FetchedUrl();
    test.damage(record);
    const Status status = CheckUrlScore(record);
    ASSERT_FALSE(status.has_value()) << test.field;
    EXPECT_EQ(status.error().code, ErrorCode::kInvalidInput);
    EXPECT_EQ(status.error().message.rfind(std::string(test.field) + ":", 0), 0U)
        << status.error().message;
  }
}

}  // namespace
}  // namespace crawlsieve
