#include "consumer/output/verdicts/verdict_format.h"

#include "consumer/output/verdicts/cdxj.h"
#include "consumer/output/verdicts/crawl_db.h"
#include "consumer/output/verdicts/dedup_rows.h"
#include "consumer/output/verdicts/hadoop_file.h"

#include <chrono>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

using namespace std::string_literals;

constexpr Timestamp kFetched{std::chrono::milliseconds(1'767'225'605'250)};  // 2026-01-01T00:00:05

VerdictFacts Kept(std::string url = "http://www.a.example/B?c") {
  VerdictFacts verdict;
  verdict.url = std::move(url);
  verdict.kept = true;
  verdict.reason = "unique";
  verdict.time = kFetched;
  verdict.score = 0.25;
  PayloadFacts payload;
  payload.sha1 = "sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5";
  payload.bytes = 3;
  payload.media_type = "text/html";
  payload.status = 200;
  payload.fetched = kFetched;
  payload.file = "a.warc.gz";
  payload.offset = 17;
  payload.length = 400;
  verdict.payload = payload;
  return verdict;
}

VerdictFacts Dropped(std::string_view reason, std::string match = {}) {
  VerdictFacts verdict = Kept();
  verdict.kept = false;
  verdict.reason = reason;
  verdict.match_url = std::move(match);
  return verdict;
}

std::string CrawlDbRecord(std::uint8_t status, Timestamp fetch) {
  std::string key;
  HadoopWriter(key).Text(Kept().url);
  std::string value;
  HadoopWriter write(value);
  write.Byte(7);
  write.Byte(status);
  write.Long(fetch.time_since_epoch().count());
  write.Byte(0);
  write.Int(2'592'000);
  write.Float(0.25F);
  write.Long(0);
  write.Byte(0);
  write.Byte(0);
  return SequenceFileRecord(key, value);
}

TEST(VerdictFormats, AreFoundByName) {
  EXPECT_EQ(VerdictFormats().size(), 3);
  for (const VerdictFormat& format : VerdictFormats()) {
    EXPECT_EQ(FindVerdictFormat(format.name), &format);
  }
  EXPECT_EQ(FindVerdictFormat("Nutch"), nullptr);
}

TEST(Cdxj, HasALineOfEachKeptPage) {
  EXPECT_EQ(RenderCdxj(Kept()).bytes,
            "example,a)/b?c 20260101000005 {\"url\":\"http://www.a.example/B?c\","
            "\"mime\":\"text/html\",\"status\":\"200\","
            "\"digest\":\"sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5\",\"length\":\"400\","
            "\"offset\":\"17\",\"filename\":\"a.warc.gz\"}\n");
  EXPECT_EQ(RenderCdxj(Dropped("exact_duplicate", "http://b.example/")).bytes, "");
  EXPECT_EQ(RenderCdxj(Dropped("exact_duplicate", "http://b.example/")).missing, "");
}

TEST(Cdxj, LeavesOutWhatIsNotKnown) {
  VerdictFacts verdict = Kept();
  verdict.payload->length.reset();
  verdict.payload->media_type.clear();
  verdict.payload->sha1.clear();
  EXPECT_EQ(RenderCdxj(verdict).bytes,
            "example,a)/b?c 20260101000005 {\"url\":\"http://www.a.example/B?c\","
            "\"status\":\"200\",\"offset\":\"17\",\"filename\":\"a.warc.gz\"}\n");
  verdict.payload->file.clear();
  EXPECT_EQ(RenderCdxj(verdict).bytes, "");
  EXPECT_EQ(RenderCdxj(verdict).missing, "a place in a WARC file");
  verdict.payload.reset();
  EXPECT_EQ(RenderCdxj(verdict).missing, "a place in a WARC file");
}

TEST(Cdxj, IsOneLineOfAnyUrl) {
  for (const std::string& url :
       {"http://a.example/\n \"x"s, "\xFF\xFE"s, "mailto:a b"s, "http://a.example/\0x"s}) {
    VerdictFacts verdict = Kept(url);
    verdict.payload->file = "a\nb \xC3\xBC.warc";
    const std::string line = RenderCdxj(verdict).bytes;
    EXPECT_EQ(line.find('\n'), line.size() - 1) << line;
    for (const char c : line) EXPECT_TRUE(c == '\n' || (c >= ' ' && c < 0x7F)) << line;
  }
}

TEST(DedupRow, IsAStatementOfEachKeptPayload) {
  EXPECT_EQ(RenderDedupRow(Kept()).bytes,
            "insert or ignore into dedup (digest_key, url, date, id) values "
            "('sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5', 'http://www.a.example/B?c', "
            "'2026-01-01T00:00:05Z', null);\n");
  EXPECT_EQ(RenderDedupRow(Dropped("unchanged")).bytes, "");
  VerdictFacts empty = Kept();
  empty.payload->bytes = 0;
  EXPECT_EQ(RenderDedupRow(empty).bytes, "");
  EXPECT_EQ(RenderDedupRow(empty).missing, "");
  VerdictFacts other = Kept();
  other.payload->sha1.clear();
  EXPECT_EQ(RenderDedupRow(other).missing, "a SHA-1");
}

TEST(DedupRow, QuotesUrlsAndLeavesOutThoseThatAreNone) {
  EXPECT_NE(RenderDedupRow(Kept("http://a.example/'x")).bytes.find("'http://a.example/''x'"),
            std::string::npos);
  for (const std::string& url : {"http://a.example/\n"s, "javascript:'"s, "http://a.example/\0"s}) {
    EXPECT_EQ(RenderDedupRow(Kept(url)).bytes, "") << url;
  }
}

TEST(CrawlDb, TakesGonePagesAsFetchedInVain) {
  EXPECT_EQ(RenderCrawlDatum(Dropped("gone")).bytes, CrawlDbRecord(0x25, kFetched));
  EXPECT_EQ(RenderCrawlDatum(Dropped("deleted")).bytes, CrawlDbRecord(0x25, kFetched));
}

TEST(CrawlDb, TakesDuplicatesOfOtherPagesUntilNutchWouldFetchThemAgain) {
  const auto rested = kFetched + std::chrono::days(91);
  VerdictFacts verdict = Dropped("near_duplicate", "http://b.example/");
  EXPECT_EQ(RenderCrawlDatum(verdict).bytes, CrawlDbRecord(0x07, rested));
  verdict.next_fetch = rested - std::chrono::days(1);
  EXPECT_EQ(RenderCrawlDatum(verdict).bytes, CrawlDbRecord(0x07, rested));
  verdict.next_fetch = rested + std::chrono::days(1);
  EXPECT_EQ(RenderCrawlDatum(verdict).bytes, CrawlDbRecord(0x07, *verdict.next_fetch));
}

TEST(CrawlDb, SaysNothingOfOtherPages) {
  EXPECT_EQ(RenderCrawlDatum(Kept()).bytes, "");
  EXPECT_EQ(RenderCrawlDatum(Dropped("exact_duplicate", Kept().url)).bytes, "");
  for (const char* const reason : {"unchanged", "error_status", "not_modified", "redirect",
                                   "outdated", "not_evaluated", "cluster_budget"}) {
    EXPECT_EQ(RenderCrawlDatum(Dropped(reason, "http://b.example/")).bytes, "") << reason;
  }
}

TEST(CrawlDb, NeedsNoPayloadButATime) {
  VerdictFacts verdict = Dropped("gone");
  verdict.payload.reset();
  EXPECT_EQ(RenderCrawlDatum(verdict).bytes, CrawlDbRecord(0x25, kFetched));
  verdict.time.reset();
  EXPECT_EQ(RenderCrawlDatum(verdict).bytes, "");
  EXPECT_EQ(RenderCrawlDatum(verdict).missing, "a time");
}

}  // namespace
}  // namespace crawlsieve::consumer
