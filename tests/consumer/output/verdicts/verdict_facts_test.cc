#include "consumer/output/verdicts/verdict_facts.h"

#include "consumer/output/verdict_record.h"

#include <limits>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

using nlohmann::json;

log::Page SomePage() {
  log::Page page;
  page.set_url("http://a.example/");
  page.set_status(203);
  page.set_fetch_time_ms(1'767'225'600'250);
  page.mutable_source()->set_timestamp_ms(1'767'225'601'000);
  page.mutable_source()->set_topic("t");
  log::Payload& payload = *page.mutable_payload();
  payload.set_sha1(std::string(20, '\0'));
  payload.set_sha256(std::string(32, '\1'));
  payload.set_bytes(12);
  payload.set_media_type("text/html");
  payload.set_file("a.warc.gz");
  payload.set_offset(7);
  payload.set_length(99);
  return page;
}

Verdict SomeVerdict() {
  Verdict verdict;
  verdict.reason = Reason::kNearDuplicate;
  verdict.match = VerdictMatch{DocId{3}, "", "http://b.example/", false, 1, Score{9'000}, {}};
  verdict.priority.score = Score{2'500};
  verdict.recrawl = Recrawl{true, Timestamp{std::chrono::milliseconds(1'767'312'000'000)}, 86'400};
  return verdict;
}

TEST(VerdictFacts, AreWhatTheRecordSays) {
  const auto facts = ParseVerdictRecord(VerdictRecord(SomePage(), SomeVerdict(), {"i", {}}));
  ASSERT_TRUE(facts) << facts.error().message;
  EXPECT_EQ(facts->url, "http://a.example/");
  EXPECT_FALSE(facts->kept);
  EXPECT_EQ(facts->reason, "near_duplicate");
  EXPECT_EQ(facts->match_url, "http://b.example/");
  ASSERT_TRUE(facts->time.has_value());
  EXPECT_EQ(FormatRfc3339(*facts->time), "2026-01-01T00:00:01Z");
  ASSERT_TRUE(facts->next_fetch.has_value());
  EXPECT_EQ(FormatRfc3339(*facts->next_fetch), "2026-01-02T00:00:00Z");
  EXPECT_EQ(facts->score, 0.25);
  ASSERT_TRUE(facts->payload.has_value());
  EXPECT_EQ(facts->payload->sha1, "sha1:" + std::string(32, 'A'));
  EXPECT_TRUE(facts->payload->sha256.starts_with("sha256:AEAQC"));
  EXPECT_EQ(facts->payload->bytes, 12);
  EXPECT_EQ(facts->payload->media_type, "text/html");
  EXPECT_EQ(facts->payload->status, 203);
  EXPECT_EQ(FormatRfc3339(facts->payload->fetched), "2026-01-01T00:00:00.250Z");
  EXPECT_EQ(facts->payload->file, "a.warc.gz");
  EXPECT_EQ(facts->payload->offset, 7);
  EXPECT_EQ(facts->payload->length, 99);
}

TEST(VerdictFacts, HaveNoPayloadWhereNoneWasAskedFor) {
  log::Page page = SomePage();
  page.clear_payload();
  const auto facts = ParseVerdictRecord(VerdictRecord(page, SomeVerdict(), {"i", {}}));
  ASSERT_TRUE(facts) << facts.error().message;
  EXPECT_FALSE(facts->payload.has_value());
}

TEST(VerdictFacts, PassOverWhatTheCrawlerSaidHoweverDeepItIs) {
  log::Page page = SomePage();
  page.set_attrs(std::string(100'000, '[') + std::string(100'000, ']'));
  EXPECT_TRUE(ParseVerdictRecord(VerdictRecord(page, SomeVerdict(), {"i", {}})));
}

TEST(VerdictFacts, TakeTimesOfAnyYear) {
  log::Page page = SomePage();
  page.mutable_source()->set_timestamp_ms(std::numeric_limits<std::int64_t>::max());
  for (const std::int64_t fetched : {std::numeric_limits<std::int64_t>::min(), std::int64_t{-1},
                                     std::numeric_limits<std::int64_t>::max()}) {
    page.set_fetch_time_ms(fetched);
    const auto facts = ParseVerdictRecord(VerdictRecord(page, SomeVerdict(), {"i", {}}));
    ASSERT_TRUE(facts) << facts.error().message;
    EXPECT_FALSE(facts->time.has_value());
    EXPECT_EQ(FormatRfc3339(facts->payload->fetched),
              fetched < 0 ? "1970-01-01T00:00:00Z" : "9999-12-31T23:59:59.999Z");
  }
}

TEST(VerdictFacts, RefuseWhatIsNoVerdictAndNameTheMember) {
  const json good = json::parse(VerdictRecord(SomePage(), SomeVerdict(), {"i", {}}));
  const std::pair<const char*, json> kBad[] = {{"/schema_version", 2},
                                               {"/url", nullptr},
                                               {"/verdict", 1},
                                               {"/reason", nullptr},
                                               {"/match", "x"},
                                               {"/match/url", 3},
                                               {"/source", 1},
                                               {"/source/timestamp", 1},
                                               {"/recrawl/next_fetch", "soon"},
                                               {"/payload", 1},
                                               {"/payload/digests", 1},
                                               {"/payload/digests", json::array({1})},
                                               {"/payload/digests", json::array({"sha1:A\n"})},
                                               {"/payload/digests", json::array({"A"})},
                                               {"/payload/bytes", -1},
                                               {"/payload/status", "x"},
                                               {"/payload/fetched", ""},
                                               {"/payload/file", 1},
                                               {"/payload/offset", 1.5},
                                               {"/payload/length", "1"}};
  for (const auto& [path, value] : kBad) {
    json bad = good;
    bad[json::json_pointer(path)] = value;
    const auto facts = ParseVerdictRecord(bad.dump());
    ASSERT_FALSE(facts) << path;
    const std::string member = std::string(path).substr(std::string(path).rfind('/') + 1);
    EXPECT_NE(facts.error().message.find(member), std::string::npos) << facts.error().message;
  }
  for (const char* const text : {"", "[]", "{", "1", "null", "{\"url\":\"x\"}"}) {
    EXPECT_FALSE(ParseVerdictRecord(text)) << text;
  }
}

}  // namespace
}  // namespace crawlsieve::consumer
