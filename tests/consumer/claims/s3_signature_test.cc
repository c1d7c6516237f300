#include "consumer/claims/http_store.h"
#include "consumer/claims/store_url.h"
#include "tests/support/http_server.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

// Signature version 4, computed here by its definition, as an S3 store does that has the secret
// key.

namespace crawlsieve::consumer {
namespace {

using crawlsieve::testing::HttpPeer;
using crawlsieve::testing::HttpRequest;
using crawlsieve::testing::HttpServer;
using crawlsieve::testing::RangeAnswer;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kAccessKey = "AKIDEXAMPLE";
constexpr const char* kSecretKey = "wJalrXUtnFEMI/K7MDENG+bPx:RfiCYEXAMPLEKEY";
constexpr const char* kRegion = "eu-central-1";

std::string Hex(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

std::string Sha256(std::string_view text) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  EXPECT_EQ(EVP_Digest(text.data(), text.size(), digest, &size, EVP_sha256(), nullptr), 1);
  return {reinterpret_cast<const char*>(digest), size};
}

std::string Hmac(std::string_view key, std::string_view text) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest, &size);
  return {reinterpret_cast<const char*>(digest), size};
}

/// Between `begin` and the next comma or the end.
std::string Part(const std::string& text, const std::string& begin) {
  const std::size_t at = text.find(begin);
  if (at == std::string::npos) return "";
  const std::size_t from = at + begin.size();
  return text.substr(from, text.find(',', from) - from);
}

/// What the header Authorization of `request` should be.
std::string Authorization(const HttpRequest& request) {
  const std::string names = Part(request.Field("authorization"), "SignedHeaders=");
  std::string headers;
  for (std::size_t begin = 0; begin < names.size();) {
    const std::size_t end = std::min(names.find(';', begin), names.size());
    const std::string name = names.substr(begin, end - begin);
    headers += name + ":" + request.Field(name) + "\n";
    begin = end + 1;
  }
  const std::string path =
      WithCanonicalPath("http://x" + request.target).substr(std::string_view("http://x").size());
  const std::string canonical = fmt::format("GET\n{}\n\n{}\n{}\n{}", path, headers, names,
                                            request.Field("x-amz-content-sha256"));
  const std::string time = request.Field("x-amz-date");
  const std::string day = time.substr(0, 8);
  const std::string scope = fmt::format("{}/{}/s3/aws4_request", day, kRegion);
  std::string key = std::string("AWS4") + kSecretKey;
  for (const std::string& part :
       {day, std::string(kRegion), std::string("s3"), std::string("aws4_request")}) {
    key = Hmac(key, part);
  }
  const std::string signature = Hex(
      Hmac(key, fmt::format("AWS4-HMAC-SHA256\n{}\n{}\n{}", time, scope, Hex(Sha256(canonical)))));
  return fmt::format("AWS4-HMAC-SHA256 Credential={}/{}, SignedHeaders={}, Signature={}",
                     kAccessKey, scope, names, signature);
}

class S3SignatureTest : public ::testing::Test {
 protected:
  S3SignatureTest() {
    options_.url = server_.url() + "bucket/";
    options_.allow_private_addresses = true;
    options_.s3_access_key = kAccessKey;
    options_.s3_secret_key = kSecretKey;
    options_.s3_region = kRegion;
  }

  /// The bytes, or the message of the failure.
  std::string Read(const std::string& file) {
    const auto store = HttpStore::Make(options_);
    EXPECT_TRUE(store.has_value());
    const auto read = (*store)->Read(file, 3, 4, {});
    return read ? read->bytes : read.error().message;
  }

  Mutex mutex_;
  HttpRequest last_ GUARDED_BY(mutex_);
  /// Answers only what is signed, or has a query.
  HttpServer server_{[this](const HttpRequest& request, HttpPeer& peer) {
    const MutexLock lock(mutex_);
    last_ = request;
    const bool is_presigned = request.target.find('?') != std::string::npos;
    const std::string expected = is_presigned ? "" : Authorization(request);
    return peer.Send(request.Field("authorization") == expected
                         ? RangeAnswer(request, "0123456789")
                         : "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");
  }};
  ClaimOptions options_;
};

TEST_F(S3SignatureTest, IsThatOfItsDefinition) {
  for (const std::string& file : {std::string("x.warc.gz"), std::string("a b+c/d=e&f(1).gz"),
                                  std::string("größe/x"), std::string("s3://bucket/crawls/x"),
                                  options_.url + "a+b/c%20d%2Be=f.gz", options_.url + "x@y:z"}) {
    EXPECT_EQ(Read(file), "3456") << file;
  }
  const MutexLock lock(mutex_);
  const std::string names = Part(last_.Field("authorization"), "SignedHeaders=");
  for (const char* name : {"host", "x-amz-date", "x-amz-content-sha256"}) {
    EXPECT_THAT(names, HasSubstr(name));
  }
  EXPECT_THAT(last_.Field("authorization"), Not(HasSubstr(kSecretKey)));
}

TEST_F(S3SignatureTest, WithAnotherKeyIsRefusedWhichIsAnOutage) {
  options_.s3_secret_key = "another";
  EXPECT_EQ(Read("x"), "x: HTTP 403");
  options_.s3_secret_key = kSecretKey;
  options_.s3_access_key = "another";
  EXPECT_EQ(Read("x"), "x: HTTP 403");
}

TEST_F(S3SignatureTest, IsLeftOutWhereTheUrlBringsItsOwn) {
  EXPECT_EQ(Read(options_.url + "x?X-Amz-Signature=abc"), "3456");
  const MutexLock lock(mutex_);
  EXPECT_EQ(last_.Field("authorization"), "");
  EXPECT_EQ(last_.Field("x-amz-date"), "");
}

}  // namespace
}  // namespace crawlsieve::consumer
