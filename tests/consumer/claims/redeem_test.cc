#include "consumer/claims/redeem.h"

#include "tests/support/compress.h"
#include "tests/support/warc_builder.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <openssl/evp.h>

namespace crawlsieve::consumer {
namespace {

using crawlsieve::testing::Gzip;
using crawlsieve::testing::HttpMessage;
using crawlsieve::testing::WarcRecord;
using crawlsieve::testing::WriteWarc;

constexpr const char* kUrl = "http://a.example/page";

std::string Sha256(std::string_view bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  EXPECT_EQ(EVP_Digest(bytes.data(), bytes.size(), digest, &size, EVP_sha256(), nullptr), 1);
  std::string text = "sha256:";
  for (unsigned i = 0; i < size; ++i) {
    text += "0123456789abcdef"[digest[i] >> 4];
    text += "0123456789abcdef"[digest[i] & 15];
  }
  return text;
}

ClaimedPage Claim(const std::string& digest = "") {
  ClaimedPage claim;
  claim.page.url = kUrl;
  claim.page.id = "i";
  claim.page.attrs = "{}";
  claim.page.content_type = "text/claimed";
  claim.page.status_code = 201;
  claim.ref = {"f", 0, std::nullopt, digest, BodyRef::Holds::kWarcRecord};
  return claim;
}

std::string Record(const std::string& block, const std::string& uri = kUrl,
                   const std::string& type = "response") {
  WarcRecord record;
  record.uri = uri;
  record.type = type;
  record.block = block;
  return WriteWarc(record);
}

extract::Page RedeemRecord(const std::string& record, const std::string& digest = "") {
  return Redeem(Claim(digest), {record, {}, {}, {}}, {});
}

TEST(Redeem, TakesTheResponseFromTheRecordAndTheIdentityFromTheClaim) {
  const auto page = RedeemRecord(
      Record(HttpMessage("Content-Type: text/html; charset=koi8-r\r\nRetry-After: 5\r\n"
                         "Location: /x\r\n",
                         "<p>body")));
  EXPECT_EQ(page.body_problem, "");
  EXPECT_EQ(page.body, "<p>body");
  EXPECT_EQ(page.url, kUrl);
  EXPECT_EQ(page.id, "i");
  EXPECT_EQ(page.attrs, "{}");
  EXPECT_EQ(page.status_code, 200);
  EXPECT_EQ(page.content_type, "text/html; charset=koi8-r");
  EXPECT_EQ(page.retry_after, "5");
  EXPECT_EQ(page.location, "/x");
  EXPECT_EQ(page.fetch_time, ParseRfc3339("2024-05-06T07:08:09Z"));
}

TEST(Redeem, ARecordOfAnotherPageIsRefusedUnlessItsDigestIsRight) {
  const std::string other = Record(HttpMessage("", "<p>body"), "http://a.example/other");
  EXPECT_EQ(RedeemRecord(other).body_problem, "body_of_other_page");
  EXPECT_EQ(RedeemRecord(other).body, "");
  EXPECT_EQ(RedeemRecord(other, Sha256("<p>body")).body, "<p>body");
  EXPECT_EQ(RedeemRecord(other, Sha256("<p>body")).url, kUrl);
  ClaimedPage redirected = Claim();
  redirected.page.final_url = "http://a.example/other";
  EXPECT_EQ(Redeem(redirected, {other, {}, {}, {}}, {}).body, "<p>body");
}

TEST(Redeem, ADigestThatDiffersIsSaid) {
  const std::string record = Record(HttpMessage("", "<p>body"));
  EXPECT_EQ(RedeemRecord(record, Sha256("<p>body")).body_problem, "");
  EXPECT_EQ(RedeemRecord(record, Sha256("<p>bodY")).body_problem, "digest_mismatch");
  EXPECT_EQ(RedeemRecord(record, "sha1:notadigest").body_problem, "bad_body_ref");
  EXPECT_EQ(RedeemRecord(record, "md5:0123").body_problem, "") << "not known: not looked at";
}

TEST(Redeem, TheDigestIsOfThePayloadAsStoredOrWithoutChunks) {
  const std::string packed = Gzip("<p>body");
  std::string size = "x";
  size[0] = "0123456789abcdef"[packed.size() % 16];
  const std::string chunks = std::string(1, "0123456789abcdef"[packed.size() / 16]) + size +
                             "\r\n" + packed + "\r\n0\r\n\r\n";
  const std::string record =
      Record(HttpMessage("Transfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n", chunks));
  for (const std::string& payload : {chunks, packed}) {
    EXPECT_EQ(RedeemRecord(record, Sha256(payload)).body, "<p>body");
  }
  EXPECT_EQ(RedeemRecord(record, Sha256("<p>body")).body_problem, "digest_mismatch");
}

TEST(Redeem, TheDigestOfAResourceIsOfItsBlock) {
  const std::string record = Record("HTTP is a protocol", kUrl, "resource");
  EXPECT_EQ(RedeemRecord(record, Sha256("HTTP is a protocol")).body, "HTTP is a protocol");
}

TEST(Redeem, RecordsWithoutABodyHaveTheirOwnCodes) {
  EXPECT_EQ(RedeemRecord(Record(HttpMessage("", ""), kUrl, "revisit")).body_problem,
            "revisit_profile");
  EXPECT_EQ(RedeemRecord(Record(HttpMessage("", ""), "http://b/", "revisit")).body_problem,
            "body_of_other_page");
  EXPECT_EQ(RedeemRecord(Record("GET / HTTP/1.1\r\n\r\n", kUrl, "request")).body_problem,
            "body_damaged");
  EXPECT_EQ(RedeemRecord("WARC/1.0\r\n\r\n").body_problem, "body_damaged");
  EXPECT_EQ(RedeemRecord("WARC/1.0\r\nWARC-Ty").body_problem, "body_damaged");
  EXPECT_EQ(RedeemRecord("").body_problem, "body_damaged");
}

TEST(Redeem, ARevisitRecordSaysWhatThePageRepeats) {
  WarcRecord record;
  record.type = "revisit";
  record.uri = kUrl;
  record.extra =
      "WARC-Profile: http://netpreserve.org/warc/1.0/revisit/identical-payload-digest\r\n"
      "WARC-Refers-To-Target-URI: http://b.example/\r\n"
      "WARC-Refers-To-Date: 2024-01-02T03:04:05Z\r\n";
  record.block = HttpMessage("Content-Type: text/html\r\n", "");
  const auto page = RedeemRecord(WriteWarc(record), Sha256("what isn't there"));
  EXPECT_EQ(page.url, kUrl);
  EXPECT_EQ(page.id, "i");
  EXPECT_EQ(page.status_code, 200);
  EXPECT_EQ(page.body_problem, "revisit_record");
  ASSERT_TRUE(page.revisit);
  EXPECT_EQ(page.revisit->url, "http://b.example/");
  EXPECT_EQ(page.revisit->time, ParseRfc3339("2024-01-02T03:04:05Z"));
  record.uri = "http://a.example/other";
  EXPECT_EQ(RedeemRecord(WriteWarc(record)).body_problem, "body_of_other_page");
}

TEST(Redeem, HandsOnWhatTheStoreSaid) {
  const auto page = Redeem(Claim(), {"", "body_not_found", "message", {}}, {});
  EXPECT_EQ(page.body_problem, "body_not_found");
  EXPECT_EQ(page.status_code, 201) << "what the claim says is all that is known";
  EXPECT_EQ(page.content_type, "text/claimed");
}

TEST(Redeem, ABodyByItselfHasWhatTheClaimSays) {
  ClaimedPage claim = Claim(Sha256("<p>body"));
  claim.ref.holds = BodyRef::Holds::kBody;
  const auto page = Redeem(claim, {"<p>body", {}, {}, {}}, {});
  EXPECT_EQ(page.body, "<p>body");
  EXPECT_EQ(page.content_type, "text/claimed");
  EXPECT_EQ(page.status_code, 201);
  EXPECT_EQ(Redeem(claim, {"<p>bodY", {}, {}, {}}, {}).body_problem, "digest_mismatch");
  claim.ref.digest.clear();
  EXPECT_EQ(Redeem(claim, {"WARC/1.0\r\n", {}, {}, {}}, {}).body, "WARC/1.0\r\n");
}

}  // namespace
}  // namespace crawlsieve::consumer
