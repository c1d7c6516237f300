#include "tests/consumer/input/formats/decode.h"
#include "tests/support/compress.h"

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

std::optional<extract::Page> PageOf(std::string json, const DecodeLimits& limits = {}) {
  return DecodePage(FormatKind::kCanonical, std::move(json), limits);
}

std::string CodeOf(std::string json) {
  return FailureCode(FormatKind::kCanonical, std::move(json));
}

TEST(CanonicalFormat, ReadsEveryField) {
  const auto page = PageOf(R"({"schema_version": 1, "url": "http:\/\/a.example\/", "id": "i1",
      "final_url": "http://a.example/final", "status_code": 201,
      "fetch_time": "2024-01-02T03:04:05+01:00", "content_type": "text/html", "charset": "koi8-r",
      "body": "PGI+", "body_encoding": "base64", "crawl_id": "c1", "depth": 3, "links": ["x", {}],
      "attrs": {"b": [1, 2.50, 123456789012345678901234567890], "a": "x y \u00e9"}})");
  ASSERT_TRUE(page);
  EXPECT_EQ(page->url, "http://a.example/");
  EXPECT_EQ(page->id, "i1");
  EXPECT_EQ(page->final_url, "http://a.example/final");
  EXPECT_EQ(page->status_code, 201);
  EXPECT_EQ(page->fetch_time, ParseRfc3339("2024-01-02T02:04:05Z"));
  EXPECT_EQ(page->content_type, "text/html");
  EXPECT_EQ(page->charset, "koi8-r");
  EXPECT_EQ(page->body, "<b>");
  EXPECT_EQ(page->body_kind, extract::BodyKind::kBytes);
  EXPECT_EQ(page->body_problem, "");
  EXPECT_EQ(page->crawl_id, "c1");
  EXPECT_EQ(page->attrs, R"({"b":[1,2.50,123456789012345678901234567890],"a":"x y \u00e9"})");
}

TEST(CanonicalFormat, RecordWithoutABodyHasItsOwnCode) {
  for (const std::string fields :
       {"", R"(, "content": "<p>text")", R"(, "body": null)", R"(, "text": null)",
        R"(, "body": null, "text": null, "body_ref": null, "body_encoding": "base64")"}) {
    const auto page = PageOf(R"({"url":"http://a.example/")" + fields + "}");
    ASSERT_TRUE(page) << fields;
    EXPECT_EQ(page->body_problem, "missing_body") << fields;
    EXPECT_EQ(page->body, "") << fields;
  }
}

TEST(CanonicalFormat, EmptyBodyIsAnEmptyPage) {
  for (const std::string fields :
       {R"("body": "")", R"("text": "")", R"("body": null, "text": "")",
        R"("body": "", "body_encoding": "base64")", R"("body": "", "text": "is not read")"}) {
    const auto page = PageOf(R"({"url":"http://a.example/", )" + fields + "}");
    ASSERT_TRUE(page) << fields;
    EXPECT_EQ(page->body_problem, "") << fields;
    EXPECT_EQ(page->body, "") << fields;
  }
}

TEST(CanonicalFormat, NeedsNothingButAUrlAndABody) {
  const auto page = PageOf(R"({"url":"http://a.example/","body":""})");
  ASSERT_TRUE(page);
  EXPECT_EQ(page->status_code, 200);
  EXPECT_EQ(page->fetch_time, std::nullopt);
  EXPECT_EQ(page->body, "");
  EXPECT_EQ(page->body_problem, "");
  EXPECT_EQ(page->attrs, "");
}

TEST(CanonicalFormat, TextBodiesAreUtf8WhateverTheHeaderSaid) {
  const auto page = PageOf(
      R"({"url":"u:x","body":"gr\u00fc\u00df","content_type":"text/html; charset=iso-8859-1","charset":"iso-8859-1"})");
  ASSERT_TRUE(page);
  EXPECT_EQ(page->body, "gr\xc3\xbc\xc3\x9f");
  EXPECT_EQ(page->charset, "utf-8");
  EXPECT_EQ(page->content_type, "text/html");
}

TEST(CanonicalFormat, ReadsStrippedText) {
  const auto page = PageOf(R"({"url":"u:x","text":"plain"})");
  ASSERT_TRUE(page);
  EXPECT_EQ(page->body_kind, extract::BodyKind::kText);
  EXPECT_EQ(page->body, "plain");
  const auto both = PageOf(R"({"url":"u:x","text":"plain","body":"<p>"})");
  ASSERT_TRUE(both);
  EXPECT_EQ(both->body_kind, extract::BodyKind::kBytes);
  EXPECT_EQ(both->body, "<p>");
}

TEST(CanonicalFormat, ReadsPackedBodies) {
  const std::string packed = testing::Base64(testing::Gzip("<p>x"));
  const auto page =
      PageOf(R"({"url":"u:x","body_encoding":"gzip+base64","body":")" + packed + "\"}");
  ASSERT_TRUE(page);
  EXPECT_EQ(page->body, "<p>x");
}

TEST(CanonicalFormat, TakesWhatIsMissingFromTheResponseHeaders) {
  const std::string packed = testing::Base64(testing::Brotli("<p>x"));
  const auto page = PageOf(
      R"({"url":"u:x","response_headers":{"CONTENT-type":["text/a","text/b"],"Content-Encoding":"br",
          "x":{"y":1},"z":null},"body_encoding":"base64","body":")" +
      packed + "\"}");
  ASSERT_TRUE(page);
  EXPECT_EQ(page->content_type, "text/b");
  EXPECT_EQ(page->body, "<p>x");
  const auto own = PageOf(
      R"({"url":"u:x","content_type":"text/own","response_headers":{"content-type":"text/a"}})");
  ASSERT_TRUE(own);
  EXPECT_EQ(own->content_type, "text/own");
}

TEST(CanonicalFormat, ReportsBodiesItCannotGet) {
  const std::string cut = testing::Base64(testing::Gzip("<p>a longer page").substr(0, 20));
  const std::string bomb = testing::Base64(testing::Gzip(std::string(4 << 20, ' ')));
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"("body":"!!!!","body_encoding":"base64")", "bad_encoding"},
      {R"("body":"Zg=","body_encoding":"base64")", "bad_encoding"},
      {R"("body":"Zm9v","body_encoding":"gzip+base64")", "bad_encoding"},
      {R"("body":"x","body_encoding":"rot13")", "bad_encoding"},
      {R"("body":"x","body_encoding":7)", "bad_encoding"},
      {R"("body":17)", "bad_encoding"},
      {R"("body":{"a":[1,{}]})", "bad_encoding"},
      {R"("body":"\ud800")", "bad_encoding"},
      {R"("text":["x"])", "bad_encoding"},
      {R"("body_encoding":"gzip+base64","body":")" + cut + "\"", "truncated"},
      {R"("body_encoding":"gzip+base64","body":")" + bomb + "\"", "decompression_ratio"},
      {R"("body_ref":"x.warc.gz")", "bad_body_ref"},
      {R"("body_ref":[])", "bad_body_ref"},
      {R"("body_ref":{})", "bad_body_ref"},
      {R"("body_ref":{"uri":""})", "bad_body_ref"},
      {R"("body_ref":{"uri":7})", "bad_body_ref"},
      {R"("body_ref":{"uri":"x","offset":-1})", "bad_body_ref"},
      {R"("body_ref":{"uri":"x","offset":1.5})", "bad_body_ref"},
      {R"("body_ref":{"uri":"x","offset":9223372036854775808})", "bad_body_ref"},
      {R"("body_ref":{"uri":"x","offset":[1]})", "bad_body_ref"},
      {R"("body_ref":{"uri":"x","length":0})", "bad_body_ref"},
      {R"("body_ref":{"uri":"x","length":"many"})", "bad_body_ref"},
      {R"("body_ref":{"uri":"x","sha256":12})", "bad_body_ref"},
      {R"("body_ref":{"uri":"x","holds":"zip"})", "bad_body_ref"},
  };
  for (const auto& [fields, problem] : cases) {
    const auto page = PageOf(R"({"status_code":200,)" + fields + R"(,"url":"http://a.example/"})");
    ASSERT_TRUE(page) << fields.substr(0, 60);
    EXPECT_EQ(page->body_problem, problem) << fields.substr(0, 60);
    EXPECT_EQ(page->body, "") << fields.substr(0, 60);
    EXPECT_EQ(page->url, "http://a.example/");
  }
}

TEST(CanonicalFormat, SaysWhereABodyLiesThatIsNotInTheRecord) {
  const auto claim = [](const std::string& fields) {
    return DecodeClaim(FormatKind::kCanonical, R"({"url":"http://a.example/",)" + fields + "}");
  };
  EXPECT_EQ(claim(R"("body_ref":{"uri":"a","offset":9223372036854775807,"length":"3","x":{}})"),
            (BodyRef{"a", 9223372036854775807U, 3, "", BodyRef::Holds::kWarcRecord}));
  EXPECT_EQ(claim(R"("body":null,"body_ref":{"uri":null,"file":"b","sha1":"AB","holds":"body"})"),
            (BodyRef{"b", 0, std::nullopt, "sha1:AB", BodyRef::Holds::kBody}));
  EXPECT_EQ(claim(R"("body_ref":{"uri":"a","offset":1},"body_ref":{"uri":"b"})"),
            (BodyRef{"b", 0, std::nullopt, "", BodyRef::Holds::kWarcRecord}))
      << "of equal keys the last one counts";
  EXPECT_EQ(claim(R"("body":"","body_ref":{"uri":"a"})"), std::nullopt) << "it has a body";
}

TEST(BodyRef, IsShownWithoutSecrets) {
  EXPECT_EQ(ShownFile("a/b.warc.gz"), "a/b.warc.gz");
  EXPECT_EQ(ShownFile("https://s.example/b/x?X-Amz-Signature=secret#y"), "https://s.example/b/x");
  EXPECT_EQ(ShownFile("https://me:secret@s.example/x"), "https://s.example/x");
  EXPECT_EQ(ShownFile("https://me:se@cret@s.example/x@y"), "https://s.example/x@y");
  EXPECT_EQ(ShownFile("a?b\xff"), "a");
  EXPECT_EQ(ShownFile("a\xff"), "a%FF");
  EXPECT_EQ(ShownFile(std::string(9000, 'x')).size(), 256U);
}

TEST(CanonicalFormat, KeepsToTheLimitOfTheBody) {
  DecodeLimits limits;
  limits.max_body_bytes = 6;
  EXPECT_EQ(PageOf(R"({"url":"u:x","body":"123456"})", limits)->body_problem, "");
  EXPECT_EQ(PageOf(R"({"url":"u:x","body":"1234567"})", limits)->body_problem, "body_too_large");
  EXPECT_EQ(PageOf(R"({"url":"u:x","text":"1234567"})", limits)->body_problem, "body_too_large");
  EXPECT_EQ(PageOf(R"({"url":"u:x","body":"MTIzNDU2Nw==","body_encoding":"base64"})", limits)
                ->body_problem,
            "body_too_large");
}

TEST(CanonicalFormat, IsLenientWithAllFieldsButTheUrl) {
  const auto page =
      PageOf(R"({"url":"u:x","id":12,"crawl_id":-1.5e3,"final_url":[],"status_code":"404",
      "fetch_time":1700000000,"content_type":{},"charset":false,"response_headers":"none","attrs":null})");
  ASSERT_TRUE(page);
  EXPECT_EQ(page->id, "12");
  EXPECT_EQ(page->crawl_id, "-1.5e3");
  EXPECT_EQ(page->final_url, "");
  EXPECT_EQ(page->status_code, 404);
  EXPECT_EQ(page->fetch_time, std::nullopt);
  EXPECT_EQ(page->content_type, "");
  EXPECT_EQ(page->charset, "");
  EXPECT_EQ(page->attrs, "");
  const auto nulls = PageOf(
      R"({"url":"u:x","status_code":null,"body":null,"body_encoding":null,"text":null,"body_ref":null})");
  ASSERT_TRUE(nulls);
  EXPECT_EQ(nulls->status_code, 200);
  EXPECT_EQ(nulls->body_problem, "missing_body");
}

TEST(CanonicalFormat, TakesTheLastOfEqualKeysAndEscapedKeys) {
  const auto page = PageOf(R"({"url":"u:a","\u0075rl":"u:b","body":"x","body":"y"})");
  ASSERT_TRUE(page);
  EXPECT_EQ(page->url, "u:b");
  EXPECT_EQ(page->body, "y");
}

TEST(CanonicalFormat, WithoutAUrlIsADeadLetter) {
  for (const char* json : {"{}", R"({"body":"x"})", R"({"url":""})", R"({"url":" \n"})",
                           R"({"url":null})", R"({"url":17})", R"({"url":["http://a/"]})",
                           R"({"url":"\udc00"})", R"({"URL":"http://a/"})"}) {
    EXPECT_EQ(CodeOf(json), "missing_url") << json;
  }
}

TEST(CanonicalFormat, WithoutJsonIsADeadLetter) {
  for (const char* json : {"",
                           " ",
                           "json failed to parse",
                           "<html>",
                           "[]",
                           "\"x\"",
                           "17",
                           "null",
                           "{",
                           "}",
                           "{\"url\"}",
                           R"({"url":"u:x")",
                           R"({"url":"u:x)",
                           R"({"url":"u:x",})",
                           R"({"url":"u:x"} x)",
                           R"({"url":"u:x"}{"url":"u:y"})",
                           R"({"url" "u:x"})",
                           R"({"url":"u:x" "id":"1"})",
                           R"({url:"u:x"})",
                           R"({'url':'u:x'})",
                           R"({"url":nope})",
                           R"({"url":"u:x","body":nul})",
                           R"({"url":"u:x","attrs":{"a":tru}})",
                           R"({"url":"u:x","attrs":[1 2]})",
                           R"({"url":"u:x","attrs":01})",
                           R"([{"url":"u:x"}])",
                           "{\"url\":\"u:\n\"}"}) {
    EXPECT_EQ(CodeOf(json), "invalid_json") << json;
  }
  EXPECT_EQ(CodeOf(std::string("\0", 1)), "invalid_json");
  EXPECT_EQ(CodeOf("{\"url\":\"http://a.example/\xff\"}"), "bad_encoding");
}

TEST(CanonicalFormat, SaysWhereTheJsonIsBroken) {
  InputRecord record;
  record.value = R"({"url":"u:x","id":"1" "body":"x"})";
  const Decoded decoded = Decode(record, FormatKind::kCanonical, {});
  ASSERT_TRUE(std::holds_alternative<DecodeFailure>(decoded));
  EXPECT_NE(std::get<DecodeFailure>(decoded).message.find("near byte 2"), std::string::npos)
      << std::get<DecodeFailure>(decoded).message;
}

TEST(CanonicalFormat, PassesOverSchemaPrefixAndByteOrderMark) {
  EXPECT_TRUE(PageOf(std::string("\0\0\0\0\x07", 5) + R"({"url":"u:x"})"));
  EXPECT_TRUE(
      PageOf("\xef\xbb\xbf"
             R"({"url":"u:x"})"));
  EXPECT_EQ(CodeOf(std::string("\0\0\0\0", 4)), "invalid_json");
  EXPECT_EQ(CodeOf(std::string("\0\0\0\0\x07", 5)), "invalid_json");
}

TEST(CanonicalFormat, SurvivesAnyDepth) {
  for (const std::string field : {"unknown", "attrs", "body", "url", "response_headers", "id"}) {
    for (const std::string open : {"[", "{\"a\":"}) {
      std::string deep;
      for (int i = 0; i < 200'000; ++i) deep += open;
      EXPECT_NE(CodeOf("{\"url\":\"u:x\",\"" + field + "\":" + deep), "page");
      const std::string close(200'000, open == "[" ? ']' : '}');
      const std::string inner = open == "[" ? "" : "1";
      CodeOf("{\"url\":\"u:x\",\"" + field + "\":" + deep + inner + close + "}");
    }
  }
  std::string nested(5000, '[');
  nested.append(5000, ']');
  const auto page = PageOf(R"({"url":"u:x","other":)" + nested + "}");
  ASSERT_TRUE(page);
}

const std::string& SmallRecord() {
  static const std::string record =
      R"({"url":"http://a/","id":1,"body":"\u00e9\n","status_code":200,"attrs":{"a":[1,"x",null]},"response_headers":{"a":["b"]}})";
  return record;
}

TEST(CanonicalFormat, TakesTheSameAttrsAsAStrictParser) {
  constexpr std::array<std::string_view, 44> kPieces = {"{",
                                                        "}",
                                                        "[",
                                                        "]",
                                                        ",",
                                                        ":",
                                                        "\"",
                                                        "\"a\"",
                                                        "\"b\"",
                                                        "0",
                                                        "-0",
                                                        "01",
                                                        "1",
                                                        "-",
                                                        "+1",
                                                        "1.",
                                                        ".5",
                                                        "2.50",
                                                        "1e5",
                                                        "1E+400",
                                                        "1e-400",
                                                        "1e",
                                                        "18446744073709551615",
                                                        "18446744073709551616",
                                                        "-9223372036854775809",
                                                        "true",
                                                        "tru",
                                                        "null",
                                                        "nul",
                                                        "false",
                                                        " ",
                                                        "\\",
                                                        "\\u00e9",
                                                        "\\ud83d",
                                                        "\\ude00",
                                                        "\\u12",
                                                        "\\n",
                                                        "\\x",
                                                        "\\\"",
                                                        "\t",
                                                        "\xC3\xA9",
                                                        "\x01",
                                                        "\x7F",
                                                        "//"};
  std::mt19937_64 random(21);
  int taken = 0;
  for (int round = 0; round < 60'000; ++round) {
    // Half of them in a frame that makes valid ones common.
    const std::uint64_t frame = random() % 4;
    std::string attrs;
    for (std::size_t n = random() % 5; n < 5; ++n) attrs += kPieces[random() % kPieces.size()];
    if (frame == 0) attrs = "{\"a\":" + attrs + "}";
    if (frame == 1) attrs = "[" + attrs + "]";
    if (frame == 2) attrs = "{\"a\":\"" + attrs + "\"}";
    const auto page = PageOf(R"({"url":"http://a/","attrs":)" + attrs + R"(,"body":"x"})");
    if (page.has_value()) {
      ++taken;
      // More keys of the record may have come in with the pieces; then attrs is another value.
      if (page->attrs.empty() || page->body != "x") continue;
      EXPECT_TRUE(nlohmann::json::accept(page->attrs)) << page->attrs << " of " << attrs;
    } else {
      EXPECT_FALSE(nlohmann::json::accept(attrs)) << attrs;
    }
  }
  EXPECT_GT(taken, 1000);
}

TEST(CanonicalFormat, ReadsRecordsOfAnySizeOneAfterTheOther) {
  // Up and down again: nothing of another record may be left in what they are read with.
  for (const std::size_t size : {10, 1 << 20, 100, 9 << 20, 0, 70'000, 1}) {
    const std::string body(size, static_cast<char>('a' + size % 7));
    const auto page = PageOf(R"({"url":"http://a/","id":)" + std::to_string(size) +
                             R"(,"attrs":{"a":")" + body + R"("},"body":")" + body + R"("})");
    ASSERT_TRUE(page);
    EXPECT_EQ(page->id, std::to_string(size));
    if (size <= DecodeLimits().max_body_bytes) {
      EXPECT_EQ(page->body, body);
    }
    EXPECT_EQ(page->attrs, R"({"a":")" + body + R"("})");
  }
}

TEST(CanonicalFormat, CutAnywhereIsADeadLetter) {
  ASSERT_EQ(CodeOf(SmallRecord()), "page");
  for (std::size_t size = 0; size < SmallRecord().size(); ++size) {
    EXPECT_EQ(CodeOf(SmallRecord().substr(0, size)), "invalid_json") << size;
  }
}

TEST(CanonicalFormat, SurvivesAnyByteFlipped) {
  for (std::size_t i = 0; i < SmallRecord().size(); ++i) {
    for (int mask = 1; mask < 256; ++mask) {
      std::string broken = SmallRecord();
      broken[i] = static_cast<char>(broken[i] ^ mask);
      const std::string code = CodeOf(broken);
      EXPECT_TRUE(code == "page" || code == "invalid_json" || code == "missing_url" ||
                  code == "bad_encoding")
          << code << " at " << i;
    }
  }
}

}  // namespace
}  // namespace crawlsieve::consumer
