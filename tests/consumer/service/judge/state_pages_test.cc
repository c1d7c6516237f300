// What can be asked of a judge's state while it works.
#include "consumer/service/judge/state_pages.h"

#include "consumer/output/scores/score_record.h"
#include "plugin/judge/detector.h"
#include "plugin/judge/page.h"
#include "plugin/judge/url_explanation.h"
#include "tests/plugin/judge/random_log.h"
#include "tests/support/entry_builder.h"
#include "tests/support/make_flat_index.h"
#include "tests/support/temporary_directory.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;
using testing::EntryBuilder;
using testing::kScheme;

constexpr std::int64_t kStartMs = 1'700'000'000'000;
const Timestamp kNow{std::chrono::milliseconds(1'800'000'000'000)};

class StatePagesTest : public ::testing::Test {
 protected:
  void SetUp() override { Start(testing::Parameters()); }

  void Start(const JudgeParameters& parameters) {
    pages_.SetStore(nullptr);
    detector_.reset();
    store_.reset();
    directory_ = std::make_unique<testing::TemporaryDirectory>();
    store_ = Store::Open({.directory = directory_->path()}).value();
    detector_ = Detector::Open(*store_, testing::MakeFlatIndex, kScheme).value();
    pages_.SetStore(store_.get());
    Fold(ParametersEntry(parameters, kScheme));
  }

  void Fold(const log::Entry& entry) {
    const auto folded = detector_->Fold(entry);
    ASSERT_TRUE(folded.has_value()) << folded.error().message;
  }

  void FoldPage(const std::string& url, const std::string& content) {
    log::Entry entry = entries_.Text(url, content, RawChecksum(content).low);
    entry.mutable_page()->set_host(std::string(HostOfUrl(url)));
    entry.mutable_page()->set_fetch_time_ms(kStartMs);
    Fold(entry);
  }

  void Commit() { ASSERT_TRUE(detector_->Commit({++offset_, "0123456789abcdef"}).has_value()); }

  HttpAnswer Get(const std::string& path, std::multimap<std::string, std::string> parameters) {
    return pages_.Answer({path, std::move(parameters)});
  }
  HttpAnswer Post(const std::string& path, const std::string& body) {
    return pages_.Answer({path, {}, true, body});
  }

  std::unique_ptr<testing::TemporaryDirectory> directory_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Detector> detector_;
  EntryBuilder entries_{kScheme};
  std::int64_t offset_ = -1;
  StatePages pages_{extract::UrlOptions(), [] { return kNow; }};
};

TEST_F(StatePagesTest, AnswersByWhatIsCommitted) {
  FoldPage("http://host.example/a", "a");
  Commit();
  FoldPage("http://host.example/b", "b");
  const Json a = Json::parse(Get("/explain", {{"url", "HTTP://host.example:80/a"}}).body);
  EXPECT_EQ(a["sequence"], 2);
  EXPECT_EQ(a["url"], "http://host.example/a");
  EXPECT_EQ(a["history"]["fetches"], 1);
  const Json b = Json::parse(Post("/explain", R"({"url": "http://host.example/b"})").body);
  EXPECT_TRUE(b["history"].is_null()) << "not committed yet";
  const HttpAnswer site = Get("/site", {{"host", "host.example"}});
  EXPECT_EQ(site.status, 200);
  EXPECT_EQ(site.type, "application/json");
  EXPECT_EQ(Json::parse(site.body)["sequence"], 2);
  const HttpAnswer text = Get("/site", {{"host", "host.example"}, {"format", "text"}});
  EXPECT_THAT(text.type, HasSubstr("text/plain"));
  EXPECT_THAT(text.body, HasSubstr("host.example"));
}

TEST_F(StatePagesTest, SaysWhatIsWrongWithAQuestion) {
  Commit();
  // As deep as the length of a request allows.
  const std::string nested = std::string(500'000, '[') + std::string(500'000, ']');
  const std::pair<HttpAnswer, const char*> cases[] = {
      {Get("/site", {}), "host is missing"},
      {Get("/site", {{"host", ""}}), "host is missing"},
      {Get("/site", {{"host", "a"}, {"host", "b"}}), "host is there twice"},
      {Get("/site", {{"host", "\x1b[2J"}}), "is no host"},
      {Get("/site", {{"host", "never.example"}}), "nothing is known of never.example"},
      {Get("/site", {{"host", "a"}, {"\x1b", "b"}}), "is an unknown parameter"},
      {Get("/site", {{"host", "a"}, {"format", "xml"}}), "format must be json or text"},
      {Get("/explain", {{"url", "http://h/"}, {"at", "yesterday"}}), "at: yesterday is no time"},
      {Get("/explain", {{"url", "http://h/"}, {"crawl", "x"}}), "share their URLs"},
      {Get("/explain", {{"url", " "}}), "the URL is empty"},
      {Get("/due", {{"host", "\x1b[2J"}}), "is no host"},
      {Get("/due", {{"limit", "0"}}), "limit must be 1 to 1000"},
      {Get("/due", {{"limit", "1001"}}), "limit must be 1 to 1000"},
      {Get("/due", {{"limit", "-1"}}), "limit is not a whole number"},
      {Get("/due", {{"limit", "99999999999999999999"}}), "limit is not a whole number"},
      {Get("/due", {{"after", "xyz"}}), "after is no text"},
      {Get("/due", {{"before", "1969-01-01T00:00:00Z"}}), "before: "},
      {Get("/scores", {{"urls", "http://h/"}}), "by POST"},
      {Post("/due", "[]"), "not a JSON object"},
      {Post("/due", std::string(100'000, '[')), "not a JSON object"},
      {Post("/due", R"({"host": ["a"]})"), "host is not a string"},
      {Post("/scores", "{}"), "urls is missing, or not an array"},
      {Post("/scores", R"({"urls": []})"), "urls must have 1 to 500"},
      {Post("/scores", R"({"urls": ["http://h/", {"url": 7}]})"), "urls[1]: no field `url`"},
      {Post("/scores", R"({"urls": ["http://h/)" + std::string(17'000, 'a') + R"("]})"),
       "urls[0]: url has 17009 bytes"},
      {Post("/scores", R"({"urls": ["http://h/"], "at": "now"})"), "at is an unknown parameter"},
      {Post("/scores", R"({"urls": [)" + nested + "]}"), "urls[0]: not a JSON object"},
      {Post("/scores", R"({"urls": [{"url": )" + nested + "}]}"), "urls[0]: no field `url`"},
  };
  for (const auto& [answer, message] : cases) {
    EXPECT_EQ(answer.status, 400) << answer.body;
    EXPECT_THAT(answer.body, HasSubstr(message));
    EXPECT_EQ(answer.body.find('\x1b'), std::string::npos);
  }
  std::string many = R"({"urls": ["http://h/")";
  for (int i = 0; i < 500; ++i) many += R"(, "http://h/")";
  EXPECT_EQ(Post("/scores", many + "]}").status, 400);
}

TEST_F(StatePagesTest, TellsWhoeverAsksToComeAgainWhereThereIsNoState) {
  EXPECT_EQ(Get("/site", {{"host", "host.example"}}).status, 503) << "nothing is committed";
  pages_.SetStore(nullptr);
  const HttpAnswer answer = Get("/site", {{"host", "host.example"}});
  EXPECT_EQ(answer.status, 503);
  EXPECT_THAT(answer.body, HasSubstr("no state is open"));
}

TEST_F(StatePagesTest, NamesTheCrawlsThatAUrlIsOf) {
  JudgeParameters parameters = testing::Parameters();
  parameters.scope = Scope::kCrawl;
  Start(parameters);
  for (int i = 0; i < 25; ++i) {
    log::Entry entry = entries_.Text("http://host.example/a", "a", 1);
    entry.mutable_page()->set_crawl_id(fmt::format("crawl {:02}", i));
    Fold(entry);
  }
  Commit();
  const HttpAnswer all = Get("/explain", {{"url", "http://host.example/a"}});
  EXPECT_EQ(all.status, 400);
  EXPECT_THAT(all.body, HasSubstr("over 20 crawls know this URL"));
  EXPECT_THAT(all.body, HasSubstr("'crawl 19', ..."));
  const HttpAnswer one = Get("/explain", {{"url", "http://host.example/a"}, {"crawl", "crawl 07"}});
  EXPECT_EQ(Json::parse(one.body)["crawl_id"], "crawl 07");
}

TEST_F(StatePagesTest, ScoresAreThoseOfTheFold) {
  for (int i = 0; i < 30; ++i) {
    FoldPage(fmt::format("http://host.example/news/{}.html", i), std::to_string(i));
  }
  Commit();
  const HttpAnswer answer = Post("/scores", R"({"as_of": "2026-03-01T12:00:00Z", "urls": [
      "http://host.example/news/1.html", "http://host.example/news/99.html",
      {"url": "http://host.example/other", "depth": 9, "crawl_id": "monday",
       "parent_url": "http://host.example/news/1.html"}]})");
  ASSERT_EQ(answer.status, 200) << answer.body;
  const Json scores = Json::parse(answer.body);
  EXPECT_EQ(scores["sequence"], 31);
  ASSERT_EQ(scores["scores"].size(), 3U);
  for (const Json& record : scores["scores"]) {
    const auto score = ParseUrlScoreRecord(record.dump());
    ASSERT_TRUE(score.has_value()) << score.error().message;
    const Status valid = CheckUrlScore(*score);
    EXPECT_TRUE(valid.has_value());
    EXPECT_EQ(score->sequence, 31U);
    EXPECT_EQ(FormatRfc3339(score->as_of), "2026-03-01T12:00:00Z");
    log::Question question;
    question.set_url(score->url);
    question.set_host(score->host);
    question.set_registered_domain_bytes(12);
    question.set_path_depth(2);
    question.set_crawl_id(score->crawl_id);
    question.set_parent_url(score->parent_url);
    if (score->url.ends_with("other")) question.set_depth(9);
    question.set_asked_ms(score->as_of.time_since_epoch().count());
    EXPECT_EQ(UrlScoreRecord(detector_->AnswerTo(question).value()), record.dump());
  }
  EXPECT_EQ(scores["scores"][0]["fetched"], true);
  EXPECT_EQ(scores["scores"][2]["depth"], 9);
}

TEST_F(StatePagesTest, GivesWhatIsDuePageByPageEachUrlOnce) {
  std::set<std::string> due;
  for (int i = 0; i < 300; ++i) {
    const std::string url = fmt::format("http://h{}.example/{}", i % 7, i);
    FoldPage(url, std::to_string(i));
    due.insert(url);
    // Some rows are in files, others in memory.
    if (i == 150) {
      Commit();
      ASSERT_TRUE(store_->Flush().has_value());
    }
  }
  Commit();
  std::set<std::string> seen;
  Json question = {{"before", "2027-01-01T00:00:00Z"}, {"limit", 37}};
  int pages = 0;
  while (true) {
    const HttpAnswer answer = Post("/due", question.dump());
    ASSERT_EQ(answer.status, 200) << answer.body;
    const Json page = Json::parse(answer.body);
    EXPECT_LE(page["scores"].size(), 37U);
    EXPECT_EQ(page["sequence"], 301);
    for (const Json& record : page["scores"]) {
      EXPECT_TRUE(seen.insert(record["url"]).second) << record["url"];
      EXPECT_GE(record["score"], 0.5);
    }
    ASSERT_LT(++pages, 20);
    if (page["next"].is_null()) break;
    question["after"] = page["next"];
    // The judge goes on meanwhile. What sorts before is not asked for again.
    FoldPage(fmt::format("http://a.example/{}", pages), fmt::format("new {}", pages));
  }
  EXPECT_EQ(seen, due);
  EXPECT_EQ(pages, 9);
  const Json of_host = Json::parse(
      Get("/due", {{"before", "2027-01-01T00:00:00Z"}, {"host", "https://H3.example/x"}}).body);
  EXPECT_EQ(of_host["due"], 43);
  EXPECT_TRUE(of_host["next"].is_null());
  EXPECT_EQ(Json::parse(Get("/due", {{"before", "2023-11-15T00:00:00Z"}}).body)["due"], 0);
}

TEST_F(StatePagesTest, EachAnswerIsOfOneMomentWhileTheJudgeWorks) {
  // Each commit has fetched one more URL of all that are asked for.
  constexpr int kUrls = 300;
  Json urls = Json::array();
  for (int i = 0; i < kUrls; ++i) urls.push_back(fmt::format("http://host.example/{}", i));
  Commit();
  std::atomic<bool> is_done{false};
  std::atomic<int> answers{0};
  std::vector<std::jthread> askers;
  for (int asker = 0; asker < 2; ++asker) {
    askers.emplace_back([&] {
      const std::string body = Json{{"urls", urls}}.dump();
      while (!is_done) {
        const HttpAnswer answer = Post("/scores", body);
        ASSERT_EQ(answer.status, 200) << answer.body;
        const Json read = Json::parse(answer.body);
        int fetched = 0;
        for (const Json& score : read["scores"]) fetched += score["fetched"] == true ? 1 : 0;
        ASSERT_EQ(read["sequence"], fetched + 1) << "the parameters are the first";
        ++answers;
      }
    });
  }
  for (int i = 0; i < kUrls; ++i) {
    FoldPage(fmt::format("http://host.example/{}", i), std::to_string(i));
    Commit();
    if (i % 100 == 50) {
      ASSERT_TRUE(store_->Flush().has_value());
    }
    while (i % 50 == 49 && answers * 50 < i) std::this_thread::yield();
  }
  is_done = true;
  askers.clear();
  EXPECT_GT(answers, 5);
  pages_.SetStore(nullptr);
}

}  // namespace
}  // namespace crawlsieve::consumer
