#include "consumer/input/formats/raw.h"

#include "tests/consumer/input/formats/decode.h"
#include "tests/support/compress.h"

#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

InputRecord Record(std::string value, std::vector<Header> headers) {
  InputRecord record;
  record.key = "http://key.example/";
  record.value = std::move(value);
  record.headers = std::move(headers);
  return record;
}

extract::Page PageOf(InputRecord record, const DecodeOptions& limits = {}) {
  Decoded decoded = DecodeRaw(std::move(record), limits);
  EXPECT_TRUE(std::holds_alternative<extract::Page>(decoded));
  return std::get<extract::Page>(std::move(decoded));
}

TEST(RawFormat, TakesEverythingFromHeaders) {
  const extract::Page page = PageOf(Record("<p>body", {{"url", "http://a.example/"},
                                                       {"Content-Type", "text/html"},
                                                       {"status", "404"},
                                                       {"fetch-time", "2024-01-02T03:04:05Z"}}));
  EXPECT_EQ(page.url, "http://a.example/");
  EXPECT_EQ(page.content_type, "text/html");
  EXPECT_EQ(page.status_code, 404);
  EXPECT_EQ(page.fetch_time, ParseRfc3339("2024-01-02T03:04:05Z"));
  EXPECT_EQ(page.body, "<p>body");
  EXPECT_EQ(page.body_kind, extract::BodyKind::kBytes);
}

TEST(RawFormat, FallsBackToTheKeyAndToDefaults) {
  const extract::Page page =
      PageOf(Record("", {{"url", ""}, {"status", "ok"}, {"fetch-time", "yesterday"}}));
  EXPECT_EQ(page.url, "http://key.example/");
  EXPECT_EQ(page.status_code, 200);
  EXPECT_EQ(page.fetch_time, std::nullopt);
  EXPECT_EQ(page.body, "");
  EXPECT_EQ(page.body_problem, "");
}

TEST(RawFormat, WithoutAnyUrlIsADeadLetter) {
  InputRecord record = Record("<p>", {});
  record.key.reset();
  EXPECT_EQ(FailureCode(DecodeRaw(record, {})), "missing_url");
  record.key = "\t";
  EXPECT_EQ(FailureCode(DecodeRaw(record, {})), "missing_url");
}

TEST(RawFormat, UndoesContentEncoding) {
  const Header gzip{"content-encoding", "gzip"};
  EXPECT_EQ(PageOf(Record(testing::Gzip("<p>x"), {gzip})).body, "<p>x");
  const extract::Page cut = PageOf(Record(testing::Gzip("<p>x").substr(0, 15), {gzip}));
  EXPECT_EQ(cut.body_problem, "truncated");
  EXPECT_EQ(cut.body, "");
}

TEST(RawFormat, KeepsToTheLimits) {
  DecodeOptions limits;
  limits.max_body_bytes = 10;
  EXPECT_EQ(PageOf(Record(std::string(10, 'x'), {}), limits).body.size(), 10u);
  EXPECT_EQ(PageOf(Record(std::string(11, 'x'), {}), limits).body_problem, "body_too_large");
}

TEST(RawFormat, ReportsABodyShorterThanItsContentLength) {
  EXPECT_EQ(PageOf(Record("12345", {{"content-length", "6"}})).body_problem, "truncated");
  EXPECT_EQ(PageOf(Record("12345", {{"content-length", "5"}})).body, "12345");
}

TEST(RawFormat, TakesAHeaderOfAMegabyte) {
  const std::string long_value(1 << 20, 'x');
  EXPECT_EQ(PageOf(Record("<p>", {{"x", long_value}, {"url", "http://a/" + long_value}})).body,
            "<p>");
}

}  // namespace
}  // namespace crawlsieve::consumer
