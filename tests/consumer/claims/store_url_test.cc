#include "consumer/claims/store_url.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kRoot = "https://s.example/bucket/";

std::string Below(const std::string& file, const std::string& root = kRoot) {
  const auto url = StoreUrl::Parse(root);
  EXPECT_TRUE(url.has_value()) << root;
  return url->Below(file).value_or("refused");
}

TEST(StoreUrl, PutsNamesBehindTheRoot) {
  EXPECT_EQ(Below("x.warc.gz"), "https://s.example/bucket/x.warc.gz");
  EXPECT_EQ(Below("a/b~c/x-1_2.gz"), "https://s.example/bucket/a/b~c/x-1_2.gz");
  EXPECT_EQ(Below("/a/x"), "https://s.example/bucket/a/x");
  EXPECT_EQ(Below("a b?c#d%25\xff"), "https://s.example/bucket/a%20b%3Fc%23d%2525%FF");
  EXPECT_EQ(Below("user@host:80"), "https://s.example/bucket/user%40host%3A80");
  EXPECT_EQ(Below("x", "http://s.example:81"), "http://s.example:81/x");
}

TEST(StoreUrl, TakesUrlsBelowTheRootOnly) {
  EXPECT_EQ(Below("https://s.example/bucket/x?X-Amz-Signature=1"),
            "https://s.example/bucket/x?X-Amz-Signature=1");
  for (const char* file : {"https://s.example/other/x",
                           "https://s.example/bucket",
                           "https://s.example/bucket/",
                           "https://s.example/bucket/?x",
                           "http://s.example/bucket/x",
                           "https://S.example/bucket/x",
                           "https://me:secret@s.example/bucket/x",
                           "https://s.example@evil.example/bucket/x",
                           "https://s.example:8443/bucket/x",
                           "https://s.example/bucket/../x",
                           "https://s.example/bucket/%2e%2E/x",
                           "https://s.example/bucket/.%2e/x",
                           "https://s.example/bucket/a%2f..%2fx",
                           "https://s.example/bucket/..\\x",
                           "https://s.example/bucket/..%5Cx",
                           "https://s.example/bucket/..;a=b/x",
                           "https://s.example/bucket/x%00y",
                           "https://s.example/bucket/a b",
                           "https://s.example/bucket/a\r\nX: y",
                           "https://s.example/bucket/x#y",
                           "ftp://s.example/bucket/x",
                           "gopher://x/",
                           "://"}) {
    EXPECT_EQ(Below(file), "refused") << file;
  }
}

TEST(StoreUrl, RefusesNamesThatLeadUp) {
  for (const std::string& file :
       {std::string(".."), std::string("../x"), std::string("a/../../x"), std::string("./x"),
        std::string("a/%2e%2e/x"), std::string("a\\..\\x"), std::string("..;x/y"), std::string(),
        std::string("/"), std::string("file:///etc/passwd"), std::string("file:x"),
        std::string("a\0b", 3), std::string(9000, 'x')}) {
    EXPECT_EQ(Below(file), "refused") << file.substr(0, 50);
  }
}

TEST(StoreUrl, KnowsItsBucketInPathOrHost) {
  EXPECT_EQ(Below("s3://bucket/a/x"), "https://s.example/bucket/a/x");
  const std::string host = "https://bucket.s3.example/";
  EXPECT_EQ(Below("s3://bucket/a/x", host), "https://bucket.s3.example/a/x");
  const std::string part = "https://s.example/bucket/crawls/";
  EXPECT_EQ(Below("s3://bucket/crawls/x", part), "https://s.example/bucket/crawls/x");
  EXPECT_EQ(Below("s3://bucket/others/x", part), "refused");
  EXPECT_EQ(Below("s3://bucket/x", part), "refused");
  EXPECT_EQ(Below("s3://bucket/crawls/", part), "refused");
  for (const char* file :
       {"s3://other/x", "s3://bucket", "s3://bucket/", "s3:///x", "s3://buck/x", "s3://bucket/../x",
        "s3://bucket/%2e%2e/x", "s3://s/x", "s3://s.example/x", "s3://me:secret@bucket/x"}) {
    EXPECT_EQ(Below(file), "refused") << file;
  }
}

TEST(StoreUrl, RefusesRootsThatAreNone) {
  for (const char* url :
       {"", "/", "ftp://x/", "x", "https://", "https:///x", "https://me:secret@x/",
        "https://secret@x", "https://x/?y", "https://x?secret", "https://x/#y", "file:///x/",
        "https://x/a b/", "https://x/../y", "https://x/%2e%2e/", "https://x\\y/",
        "https://s3cr\xc3\xa9t/"}) {
    const auto root = StoreUrl::Parse(url);
    ASSERT_FALSE(root.has_value()) << url;
    EXPECT_EQ(root.error().code, ErrorCode::kInvalidConfig);
    EXPECT_THAT(root.error().message, Not(HasSubstr("secret")));
  }
}

TEST(StoreUrl, SpellsPathsAsSignaturesDo) {
  EXPECT_EQ(WithCanonicalPath("https://s.example/b/a+b=%2f%7e(c).gz"),
            "https://s.example/b/a%2Bb%3D/~%28c%29.gz");
  EXPECT_EQ(WithCanonicalPath("https://s.example:81/b/%25%zz%2"),
            "https://s.example:81/b/%25%25zz%252");
  EXPECT_EQ(WithCanonicalPath("https://s.example/b/x-1_2.warc.gz"),
            "https://s.example/b/x-1_2.warc.gz");
}

}  // namespace
}  // namespace crawlsieve::consumer
