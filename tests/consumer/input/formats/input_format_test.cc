#include "consumer/input/formats/input_format.h"

#include "tests/consumer/input/formats/decode.h"
#include "tests/support/warc_builder.h"

#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

TEST(InputFormat, NamesReadBack) {
  for (const FormatKind kind : AllFormats()) {
    EXPECT_EQ(FormatFromName(FormatName(kind)), kind);
  }
  EXPECT_EQ(FormatFromName("Canonical"), std::nullopt);
  EXPECT_EQ(FormatFromName(""), std::nullopt);
}

TEST(InputFormat, NullValueWithAKeyIsATombstoneInEveryFormat) {
  for (const FormatKind kind : AllFormats()) {
    InputRecord record;
    record.key = "http://a.example/";
    const Decoded decoded = Decode(record, kind, {});
    ASSERT_TRUE(std::holds_alternative<Tombstone>(decoded));
    EXPECT_EQ(std::get<Tombstone>(decoded).url, "http://a.example/");
  }
}

TEST(InputFormat, NullValueWithoutAKeyIsADeadLetter) {
  InputRecord record;
  EXPECT_EQ(FailureCode(Decode(record, FormatKind::kCanonical, {})), "missing_url");
  record.key = " ";
  EXPECT_EQ(FailureCode(Decode(record, FormatKind::kWarc, {})), "missing_url");
}

TEST(InputFormat, EmptyValueIsNoTombstone) {
  InputRecord record;
  record.key = "http://a.example/";
  record.value = "";
  EXPECT_EQ(FailureCode(Decode(record, FormatKind::kRaw, {})), "page");
  EXPECT_EQ(FailureCode(Decode(record, FormatKind::kCanonical, {})), "invalid_json");
  EXPECT_EQ(FailureCode(Decode(record, FormatKind::kWarc, {})), "unsupported_format");
}

TEST(InputFormat, HeaderOverridesTheConfiguredFormat) {
  InputRecord record;
  record.value = testing::PageRecord("http://a.example/", "<p>x");
  record.headers = {{std::string(kFormatHeader), "warc"}};
  const Decoded decoded = Decode(record, FormatKind::kCanonical, {});
  ASSERT_TRUE(std::holds_alternative<extract::Page>(decoded));
  EXPECT_EQ(std::get<extract::Page>(decoded).body, "<p>x");
  record.headers[0].value = "parquet\xff";
  EXPECT_EQ(FailureCode(Decode(record, FormatKind::kWarc, {})), "unsupported_format");
}

TEST(InputFormat, AutoTakesTheBodyWhateverElseTheRecordHas) {
  for (const char* others : {R"("ts":"2026-03-01T12:30:05Z")", R"("ts":1,"title":"T")",
                             R"("format":"html","title":"T")", R"("id":"i","dump":"d")"}) {
    InputRecord record;
    record.value = std::string(R"({"url":"http://a.example/","body":"<p>x",)") + others + "}";
    FormatKind taken = FormatKind::kAuto;
    const Decoded decoded = Decode(record, FormatKind::kAuto, {}, &taken);
    EXPECT_EQ(taken, FormatKind::kCanonical) << others;
    ASSERT_TRUE(std::holds_alternative<extract::Page>(decoded)) << others;
    EXPECT_EQ(std::get<extract::Page>(decoded).body, "<p>x");
  }
}

TEST(InputFormat, UrlsBecomeUtf8) {
  InputRecord record;
  record.key = "http://a.example/\xe9\xc3\xa9";
  const Decoded decoded = Decode(record, FormatKind::kRaw, {});
  EXPECT_EQ(std::get<Tombstone>(decoded).url, "http://a.example/%E9%C3%A9");
}

}  // namespace
}  // namespace crawlsieve::consumer
