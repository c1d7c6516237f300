#include "consumer/input/formats/warc.h"

#include "consumer/input/formats/digest.h"
#include "tests/consumer/input/formats/decode.h"
#include "tests/support/compress.h"
#include "tests/support/warc_builder.h"

#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

using testing::HttpMessage;
using testing::WarcRecord;
using testing::WriteWarc;

std::optional<extract::Page> PageOf(std::string record, const DecodeLimits& limits = {}) {
  return DecodePage(FormatKind::kWarc, std::move(record), limits);
}

/// The page of a response record that holds `message`.
extract::Page PageOfMessage(std::string message, const DecodeLimits& limits = {}) {
  WarcRecord record;
  record.block = std::move(message);
  auto page = PageOf(WriteWarc(record), limits);
  EXPECT_TRUE(page);
  return page.value_or(extract::Page{});
}

extract::Page PageOfHttp(std::string_view fields, std::string_view body,
                         const DecodeLimits& limits = {}) {
  return PageOfMessage(HttpMessage(fields, body), limits);
}

std::string CodeOf(std::string record) { return FailureCode(FormatKind::kWarc, std::move(record)); }

TEST(WarcFormat, ReadsAnHttpResponse) {
  const extract::Page page = PageOfMessage(
      "HTTP/1.0 404 Not  Found\r\nContent-Type: text/html;\r\n charset=utf-8\r\n\r\n<p>gone");
  EXPECT_EQ(page.url, "http://a.example/page");
  EXPECT_EQ(page.status_code, 404);
  EXPECT_EQ(page.content_type, "text/html; charset=utf-8");
  EXPECT_EQ(page.fetch_time, ParseRfc3339("2024-05-06T07:08:09Z"));
  EXPECT_EQ(page.body, "<p>gone");
  EXPECT_EQ(page.body_problem, "");
}

DecodeLimits WithDigests() {
  DecodeLimits limits;
  limits.payload_digests = {DigestKind::kSha1};
  return limits;
}

TEST(WarcFormat, DescribesTheBodyBeforeItsContentCodingIsUndone) {
  const std::string packed = testing::Gzip("<p>x");
  const extract::Page page = PageOfHttp("Content-Encoding: gzip\r\n", packed, WithDigests());
  EXPECT_EQ(page.body, "<p>x");
  ASSERT_TRUE(page.payload.has_value());
  EXPECT_EQ(page.payload->bytes, packed.size());
  EXPECT_EQ(page.payload->sha1, Digest::Of(DigestKind::kSha1, packed).bytes());
  EXPECT_EQ(page.payload->sha256, "");
  EXPECT_FALSE(PageOfHttp("", "<p>x").payload.has_value()) << "nobody asked";
}

TEST(WarcFormat, ChunksArePartOfAPayloadOnlyWhereTheRecordsOwnDigestSaysSo) {
  const std::string chunks = "4\r\n<p>x\r\n0\r\n\r\n";
  const auto payload_with = [&](const std::string& named) {
    WarcRecord record;
    record.extra = named.empty() ? "" : "WARC-Payload-Digest: " + named + "\r\n";
    record.block = HttpMessage("Transfer-Encoding: chunked\r\n", chunks);
    const auto page = PageOf(WriteWarc(record), WithDigests());
    EXPECT_EQ(page->body, "<p>x");
    return page->payload.value_or(extract::Payload());
  };
  const Digest without = Digest::Of(DigestKind::kSha1, "<p>x");
  const Digest with = Digest::Of(DigestKind::kSha1, chunks);
  EXPECT_EQ(payload_with("").sha1, without.bytes());
  EXPECT_EQ(payload_with(without.Text()).sha1, without.bytes());
  EXPECT_EQ(payload_with(with.Text()).sha1, with.bytes());
  EXPECT_EQ(payload_with(with.Text()).bytes, chunks.size());
  // A digest that is of neither, and one that is none.
  EXPECT_EQ(payload_with(Digest::Of(DigestKind::kSha1, "y").Text()).sha1, without.bytes());
  EXPECT_EQ(payload_with("md5:x").sha1, without.bytes());
}

TEST(WarcFormat, ReadsEveryVersionPackedAndPlain) {
  for (const char* version : {"WARC/0.17", "WARC/0.18", "WARC/1.0", "WARC/1.1"}) {
    WarcRecord record;
    record.version = version;
    record.block = HttpMessage("", "<p>x");
    EXPECT_EQ(PageOf(WriteWarc(record))->body, "<p>x") << version;
    EXPECT_EQ(PageOf(testing::Gzip(WriteWarc(record)))->body, "<p>x") << version;
  }
}

TEST(WarcFormat, ReadsResourcesAndResponsesOfOtherProtocols) {
  WarcRecord record;
  record.type = "resource";
  record.content_type = "text/plain";
  record.block = "HTTP/1.1 is what this text is about";
  EXPECT_EQ(PageOf(WriteWarc(record))->body, record.block);
  EXPECT_EQ(PageOf(WriteWarc(record))->content_type, "text/plain");
}

TEST(WarcFormat, RecordsUnderUrisThatNameNoPageAreNone) {
  for (const char* type : {"response", "resource", "conversion"}) {
    for (const char* uri : {"dns:a.example", "urn:text:http://a.example/", "URN:pageinfo:x",
                            "whois:a.example", "metadata:gnu.org/wget/warc/wget.log"}) {
      WarcRecord record;
      record.type = type;
      record.uri = uri;
      EXPECT_EQ(CodeOf(WriteWarc(record)), "not_a_page") << type << ' ' << uri;
    }
  }
}

TEST(WarcFormat, ConversionIsThePagesText) {
  WarcRecord record;
  record.type = "conversion";
  record.content_type = "text/plain";
  record.block = "Text <b>as it is</b>";
  auto page = PageOf(WriteWarc(record));
  ASSERT_TRUE(page);
  EXPECT_EQ(page->url, record.uri);
  EXPECT_EQ(page->body, record.block);
  EXPECT_EQ(page->body_kind, extract::BodyKind::kText);
  record.content_type = "application/pdf";
  page = PageOf(WriteWarc(record));
  EXPECT_EQ(page->body_kind, extract::BodyKind::kBytes);
}

TEST(WarcFormat, TakesAResponseWithoutContentTypeByItsFirstBytes) {
  WarcRecord record;
  record.content_type = "";
  record.block = HttpMessage("", "<p>x");
  EXPECT_EQ(PageOf(WriteWarc(record))->body, "<p>x");
}

TEST(WarcFormat, TakesTheBracketsOffTheTargetUri) {
  WarcRecord record;
  record.uri = "<http://a.example/old-wget>";
  record.block = HttpMessage("", "");
  EXPECT_EQ(PageOf(WriteWarc(record))->url, "http://a.example/old-wget");
}

TEST(WarcFormat, UndoesContentEncodings) {
  const std::string html = "<p>a page</p>";
  EXPECT_EQ(PageOfHttp("Content-Encoding: gzip\r\n", testing::Gzip(html)).body, html);
  EXPECT_EQ(PageOfHttp("content-encoding: deflate\r\n", testing::Zlib(html)).body, html);
  EXPECT_EQ(PageOfHttp("content-encoding: deflate\r\n", testing::RawDeflate(html)).body, html);
  EXPECT_EQ(PageOfHttp("Content-Encoding: br\r\n", testing::Brotli(html)).body, html);
  EXPECT_EQ(PageOfHttp("Content-Encoding: zstd\r\n", testing::Zstd(html)).body, html);
  EXPECT_EQ(PageOfHttp("Content-Encoding: gzip\r\nContent-Encoding: br\r\n",
                       testing::Brotli(testing::Gzip(html)))
                .body,
            html);
}

TEST(WarcFormat, TakesBodiesThatTheCrawlerDecodedAsTheyAre) {
  for (const char* coding : {"gzip", "deflate", "br", "zstd"}) {
    const std::string fields =
        std::string("Content-Encoding: ") + coding + "\r\nContent-Length: 1000\r\n";
    const extract::Page page = PageOfHttp(fields, "<p>a page</p>");
    EXPECT_EQ(page.body, "<p>a page</p>") << coding;
    EXPECT_EQ(page.body_problem, "") << coding;
  }
  EXPECT_EQ(PageOfHttp("Transfer-Encoding: chunked\r\n", "<p>a page</p>").body, "<p>a page</p>");
  EXPECT_EQ(PageOfHttp("Transfer-Encoding: chunked\r\n", "be\r\n").body_problem, "truncated");
}

TEST(WarcFormat, UndoesChunks) {
  const std::string_view chunked = "Transfer-Encoding: chunked\r\n";
  EXPECT_EQ(
      PageOfHttp(chunked, "5\r\nhello\r\nA;ext=1\r\n, world!!!\r\n0\r\nTrailer: x\r\n\r\n").body,
      "hello, world!!!");
  EXPECT_EQ(PageOfHttp(chunked, "5\nhello\n0\n\n").body, "hello");
  EXPECT_EQ(PageOfHttp(chunked, "0\r\n\r\n").body, "");
  const std::string packed = testing::Gzip("<p>x");
  std::string stored;
  for (const char c : packed) stored += std::string("1\r\n") + c + "\r\n";
  stored += "0\r\n\r\n";
  EXPECT_EQ(PageOfHttp("Transfer-Encoding: gzip, chunked\r\n", stored).body, "<p>x");
  EXPECT_EQ(PageOfHttp("Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n", stored).body,
            "<p>x");
}

TEST(WarcFormat, ReportsChunksThatBreakOffOrMakeNoSense) {
  const std::string_view chunked = "Transfer-Encoding: chunked\r\n";
  const std::string whole = "5\r\nhello\r\n5\r\nworld\r\n0\r\n\r\n";
  // From one whole chunk on, to before the line that says that no chunk follows has ended.
  for (std::size_t size = 10; size < whole.size() - 2; ++size) {
    EXPECT_EQ(PageOfHttp(chunked, whole.substr(0, size)).body_problem, "truncated") << size;
  }
  EXPECT_EQ(PageOfHttp(chunked, whole).body, "helloworld");
  EXPECT_EQ(PageOfHttp(chunked, "5\r\nhello\r\nxyz\r\n").body_problem, "malformed_message");
  EXPECT_EQ(PageOfHttp(chunked, "5\r\nhello\r\n1\r\nxyz").body_problem, "malformed_message");
  EXPECT_EQ(PageOfHttp(chunked, "5\r\nhello\r\nfffffffffffffffff\r\n").body_problem,
            "malformed_message");
  EXPECT_EQ(PageOfHttp(chunked, "5\r\nhello\r\nffffffffffffffff\r\n").body_problem, "truncated");
}

TEST(WarcFormat, PassesOverInterimResponses) {
  EXPECT_EQ(PageOfMessage("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 203 OK\r\n\r\nx").status_code,
            203);
  EXPECT_EQ(PageOfMessage("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 203 OK\r\n\r\nx").body, "x");
  EXPECT_EQ(PageOfMessage("HTTP/1.1 101 Switching\r\n\r\n").status_code, 101);
}

TEST(WarcFormat, ReportsMessagesThatAreNoHttp) {
  for (const char* message : {"", "x", "<html>", "HTTP/1.1\r\n\r\n", "HTTP/1.1 abc\r\n\r\n"}) {
    EXPECT_EQ(PageOfMessage(message).body_problem, "malformed_message") << message;
  }
}

TEST(WarcFormat, TakesAHeadWithoutEmptyLineAsAResponseWithoutBody) {
  const extract::Page page = PageOfMessage("HTTP/1.1 301 Moved\r\nContent-Type: text/html\r\n");
  EXPECT_EQ(page.status_code, 301);
  EXPECT_EQ(page.content_type, "text/html");
  EXPECT_EQ(page.body_problem, "");
}

TEST(WarcFormat, ReportsBodiesShorterThanTheirLength) {
  EXPECT_EQ(PageOfHttp("Content-Length: 6\r\n", "12345").body_problem, "truncated");
  EXPECT_EQ(PageOfHttp("Content-Length: 5\r\n", "12345").body, "12345");
  EXPECT_EQ(PageOfHttp("Content-Length: 4\r\n", "12345").body, "12345");
  EXPECT_EQ(PageOfHttp("Content-Length: many\r\n", "12345").body, "12345");
  EXPECT_EQ(PageOfMessage("HTTP/1.1 304 Not Modified\r\nContent-Length: 6\r\n\r\n").body_problem,
            "");
  WarcRecord record;
  record.extra = "WARC-Truncated: length\r\n";
  record.block = HttpMessage("", "12345");
  EXPECT_EQ(PageOf(WriteWarc(record))->body_problem, "truncated");
}

TEST(WarcFormat, ReportsDamagedBodies) {
  const std::string packed = testing::Gzip("<p>" + testing::Noise(200));
  EXPECT_EQ(PageOfHttp("Content-Encoding: gzip\r\n", packed.substr(0, 100)).body_problem,
            "truncated");
  std::string broken = packed;
  broken[packed.size() - 6] ^= 1;
  EXPECT_EQ(PageOfHttp("Content-Encoding: gzip\r\n", broken).body_problem, "bad_encoding");
}

TEST(WarcFormat, KeepsToTheLimits) {
  DecodeLimits limits;
  limits.max_body_bytes = 1 << 20;
  const std::string large((1 << 20) + 1, 'x');
  EXPECT_EQ(PageOfHttp("", large, limits).body_problem, "body_too_large");
  EXPECT_EQ(PageOfHttp("", std::string_view(large).substr(1), limits).body.size(), 1u << 20);
  const std::string chunk = "100001\r\n" + large + "\r\n0\r\n\r\n";
  EXPECT_EQ(PageOfHttp("Transfer-Encoding: chunked\r\n", chunk, limits).body_problem,
            "body_too_large");
  const std::string bomb(16 << 20, '\0');
  EXPECT_EQ(PageOfHttp("Content-Encoding: gzip\r\n", testing::Gzip(bomb)).body_problem,
            "body_too_large");
  limits.max_body_bytes = 1 << 30;
  EXPECT_EQ(PageOfHttp("Content-Encoding: gzip\r\n", testing::Gzip(bomb), limits).body_problem,
            "decompression_ratio");
  EXPECT_EQ(PageOfHttp("Content-Encoding: br\r\n", testing::Brotli(bomb), limits).body_problem,
            "decompression_ratio");
  EXPECT_EQ(PageOfHttp("Content-Encoding: zstd\r\n", testing::Zstd(bomb), limits).body_problem,
            "decompression_ratio");
}

TEST(WarcFormat, KnowsThePageOfAPackedRecordOverTheLimits) {
  const std::string record = testing::PageRecord("http://a.example/big", testing::Noise(1 << 20));
  DecodeLimits limits;
  limits.max_body_bytes = 1000;
  const auto page = PageOf(testing::Gzip(record), limits);
  ASSERT_TRUE(page);
  EXPECT_EQ(page->url, "http://a.example/big");
  EXPECT_EQ(page->body_problem, "body_too_large");
  EXPECT_EQ(page->body, "");
  const auto bomb = PageOf(
      testing::Gzip(testing::PageRecord("http://a.example/bomb", std::string(8 << 20, '\0'))));
  ASSERT_TRUE(bomb);
  EXPECT_EQ(bomb->body_problem, "decompression_ratio");
}

TEST(WarcFormat, ReportsHeadersOverTheLimit) {
  const std::string megabyte(1 << 20, 'x');
  const extract::Page page =
      PageOfHttp("Content-Type: text/html\r\nX: " + megabyte + "\r\n", "<p>");
  EXPECT_EQ(page.body_problem, "header_too_large");
  EXPECT_EQ(page.content_type, "text/html");
  WarcRecord record;
  record.extra = "X: " + megabyte + "\r\n";
  record.block = HttpMessage("", "<p>");
  EXPECT_EQ(PageOf(WriteWarc(record))->body_problem, "header_too_large");
  EXPECT_EQ(PageOf(testing::Gzip(WriteWarc(record)))->body_problem, "header_too_large");
  record.uri = "http://a.example/" + megabyte;
  EXPECT_EQ(CodeOf(WriteWarc(record)), "missing_url");
  std::string lines;
  while (lines.size() < megabyte.size()) lines += "a:\r\n";
  EXPECT_EQ(PageOfHttp(lines, "<p>").body_problem, "header_too_large");
}

constexpr const char* kIdentical =
    "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\r\n";
constexpr const char* kOther =
    "WARC-Refers-To-Target-URI: http://b.example/<x>\r\n"
    "WARC-Refers-To-Date: 2024-01-02T03:04:05.678Z\r\n";

extract::Page RevisitPage(const std::string& fields, std::string block = HttpMessage("", "")) {
  WarcRecord record;
  record.type = "revisit";
  record.extra = fields;
  record.block = std::move(block);
  auto page = PageOf(WriteWarc(record));
  EXPECT_TRUE(page);
  return page.value_or(extract::Page{});
}

TEST(WarcFormat, ARevisitSaysWhichFetchHadThePayload) {
  extract::Page page =
      RevisitPage(std::string(kIdentical) + kOther,
                  HttpMessage("Content-Type: text/html\r\nContent-Length: 5000\r\n", ""));
  EXPECT_EQ(page.url, "http://a.example/page");
  EXPECT_EQ(page.status_code, 200);
  EXPECT_EQ(page.content_type, "text/html");
  EXPECT_EQ(page.fetch_time, ParseRfc3339("2024-05-06T07:08:09Z"));
  EXPECT_EQ(page.body_problem, "revisit_record");
  ASSERT_TRUE(page.revisit);
  EXPECT_EQ(page.revisit->url, "http://b.example/<x>");
  EXPECT_EQ(page.revisit->time, ParseRfc3339("2024-01-02T03:04:05.678Z"));

  page = RevisitPage(std::string(kIdentical) + "WARC-Truncated: length\r\n");
  ASSERT_TRUE(page.revisit) << "its block is always cut";
  EXPECT_EQ(page.revisit->url, "http://a.example/page") << "its own";
  EXPECT_EQ(page.revisit->time, std::nullopt);
  EXPECT_EQ(
      RevisitPage(std::string(kIdentical) + "WARC-Refers-To-Target-URI: <http://b.example/>\r\n")
          .revisit->url,
      "http://b.example/")
      << "as old versions of wget write URLs";
}

TEST(WarcFormat, ARevisitNeedsNoHttpHead) {
  const extract::Page page = RevisitPage(kIdentical, "");
  EXPECT_EQ(page.status_code, 200);
  EXPECT_EQ(page.content_type, "");
  EXPECT_TRUE(page.revisit);
}

TEST(WarcFormat, ProfilesOfEveryVersionAreKnown) {
  for (const char* prefix :
       {"http://netpreserve.org/warc/0.17/revisit/", "http://netpreserve.org/warc/0.18/revisit/",
        "http://netpreserve.org/warc/1.0/revisit/", "https://netpreserve.org/warc/1.1/revisit/"}) {
    const std::string profile = std::string("WARC-Profile: ") + prefix;
    EXPECT_TRUE(RevisitPage(profile + "identical-payload-digest\r\n").revisit) << prefix;
    EXPECT_EQ(RevisitPage(profile + "server-not-modified\r\n").status_code, 304) << prefix;
    EXPECT_FALSE(RevisitPage(profile + "server-not-modified\r\n").revisit) << prefix;
    const std::string of_any = profile + "uri-agnostic-identical-payload-digest\r\n";
    EXPECT_EQ(RevisitPage(of_any + kOther).revisit->url, "http://b.example/<x>") << prefix;
    EXPECT_FALSE(RevisitPage(of_any).revisit) << "of which URL is not said";
  }
}

TEST(WarcFormat, ARevisitThatDoesNotSayWhatItRepeatsIsNotEvaluated) {
  for (const std::string& fields :
       {std::string(), std::string(kOther), std::string("WARC-Profile: \r\n"),
        std::string("WARC-Profile: http://netpreserve.org/warc/1.0/revisit/\r\n"),
        std::string("WARC-Profile: http://netpreserve.org/warc/1.0/revisit/new\r\n"),
        std::string("WARC-Profile: identical-payload-digest\r\n"),
        std::string("WARC-Profile: ://netpreserve.org/warc//revisit/\xff\r\n"),
        std::string(kIdentical) + "WARC-Refers-To-Date: yesterday\r\n"}) {
    const extract::Page page = RevisitPage(fields);
    EXPECT_EQ(page.body_problem, "revisit_profile") << fields;
    EXPECT_FALSE(page.revisit) << fields;
  }
}

TEST(WarcFormat, ARevisitOfAFailedFetchHasItsStatus) {
  const extract::Page page =
      RevisitPage(kIdentical, "HTTP/1.1 301 Moved\r\nLocation: /x\r\nRetry-After: 5\r\n\r\n");
  EXPECT_EQ(page.status_code, 301);
  EXPECT_EQ(page.location, "/x");
  EXPECT_EQ(page.retry_after, "5");
}

TEST(WarcFormat, ARevisitThatIsCutOrMalformedRepeatsNothing) {
  WarcRecord record;
  record.type = "revisit";
  record.extra = kIdentical;
  record.block = HttpMessage("A: b\r\n", "");
  std::string cut = WriteWarc(record);
  cut.resize(cut.size() - 12);
  EXPECT_EQ(PageOf(cut)->body_problem, "truncated");
  EXPECT_FALSE(PageOf(cut)->revisit);
  EXPECT_EQ(RevisitPage(kIdentical, "no HTTP").body_problem, "malformed_message");
  EXPECT_FALSE(RevisitPage(kIdentical, "no HTTP").revisit);
}

TEST(WarcFormat, RefusesWhatHoldsNoPage) {
  for (const char* type : {"request", "metadata", "warcinfo", "continuation"}) {
    WarcRecord record;
    record.type = type;
    EXPECT_EQ(CodeOf(WriteWarc(record)), "not_a_page") << type;
  }
  WarcRecord without_type;
  without_type.type = "";
  EXPECT_EQ(CodeOf(WriteWarc(without_type)), "unsupported_format");
  for (const char* bytes :
       {"", "x", "WARC", "GET / HTTP/1.1\r\n\r\n", "{\"url\":\"u:x\"}", "WARC/1.0"}) {
    EXPECT_EQ(CodeOf(bytes), "unsupported_format") << bytes;
  }
  EXPECT_EQ(CodeOf("\x1f\x8b"), "bad_encoding");
  EXPECT_EQ(CodeOf("\x1f\x8bnot gzip at all"), "bad_encoding");
  WarcRecord record;
  record.uri = "";
  EXPECT_EQ(CodeOf(WriteWarc(record)), "missing_url");
  record.uri = "<>";
  EXPECT_EQ(CodeOf(WriteWarc(record)), "missing_url");
}

TEST(WarcFormat, ReportsARecordWithoutLength) {
  const auto page =
      PageOf("WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://a/\r\n\r\nabc\r\n\r\n");
  ASSERT_TRUE(page);
  EXPECT_EQ(page->body_problem, "malformed_message");
}

TEST(WarcFormat, EscapesUrlsThatAreNotUtf8) {
  EXPECT_EQ(PageOf(testing::PageRecord("http://a.example/\xe9", ""))->url, "http://a.example/%E9");
}

TEST(WarcFormat, CutAnywhereIsATruncatedPageFromItsUrlOn) {
  const std::string record = testing::PageRecord("http://a.example/", "<p>a small page</p>");
  const std::size_t url_known = record.find("WARC-Date");
  for (std::size_t size = 0; size < record.size() - 4; ++size) {
    const auto page = PageOf(record.substr(0, size));
    ASSERT_EQ(page.has_value(), size >= url_known) << size;
    if (!page) continue;
    EXPECT_EQ(page->url, "http://a.example/");
    EXPECT_EQ(page->body_problem, "truncated") << size;
    EXPECT_EQ(page->body, "");
  }
  EXPECT_EQ(PageOf(record.substr(0, record.size() - 4))->body, "<p>a small page</p>");
}

TEST(WarcFormat, PackedAndCutAnywhereNeverGivesAWrongPage) {
  const std::string packed =
      testing::Gzip(testing::PageRecord("http://a.example/", "<p>a small page</p>"));
  std::size_t known = 0;
  for (std::size_t size = 0; size < packed.size(); ++size) {
    const auto page = PageOf(packed.substr(0, size));
    if (!page) continue;
    ++known;
    EXPECT_EQ(page->url, "http://a.example/") << size;
    EXPECT_EQ(page->body_problem, "truncated") << size;
  }
  EXPECT_GT(known, 20u);
}

TEST(WarcFormat, SurvivesAnyByteFlipped) {
  WarcRecord record;
  record.block = HttpMessage("Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n",
                             "5\r\nhello\r\n0\r\n\r\n");
  for (const std::string& whole : {WriteWarc(record), testing::Gzip(WriteWarc(record))}) {
    for (std::size_t i = 0; i < whole.size(); ++i) {
      for (const int mask : {0x01, 0x0A, 0x20, 0x80, 0xFF}) {
        std::string broken = whole;
        broken[i] = static_cast<char>(broken[i] ^ mask);
        const auto page = PageOf(std::move(broken));
        if (page) {
          EXPECT_FALSE(page->url.empty());
          EXPECT_TRUE(page->body.empty() || page->body_problem.empty());
        }
      }
    }
  }
}

}  // namespace
}  // namespace crawlsieve::consumer
