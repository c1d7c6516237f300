#include "consumer/advice/purge_request.h"

#include <string>

#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

/// What a purge covers, in words; or why it is refused.
std::string Of(const std::string& kind, const std::string& name, bool several_hosts = false) {
  const auto purge = PurgeOf({kind, name, several_hosts}, extract::UrlOptions());
  if (!purge) {
    EXPECT_EQ(purge.error().code, ErrorCode::kInvalidInput);
    return "refused: " + purge.error().message;
  }
  return DescribePurge(Selection::Of(*purge).value());
}

bool IsRefused(const std::string& answer, const std::string& why) {
  return answer.starts_with("refused: ") && answer.find(why) != std::string::npos;
}

TEST(PurgeRequest, UrlAndHostAreSpeltAsInTheState) {
  EXPECT_EQ(Of("url", "HTTP://WWW.Example.ORG:80/a/../%7Eb#part"), "URL http://www.example.org/~b");
  EXPECT_EQ(Of("host", "WWW.Example.ORG"), "host www.example.org");
  EXPECT_EQ(Of("host", "bücher.example"), "host xn--bcher-kva.example");
  EXPECT_EQ(Of("host", "[2001:DB8::0:1]"), "host [2001:db8::1]");
  EXPECT_EQ(Of("prefix", "HTTPS://Bücher.example/a?x"),
            "URLs that begin with https://xn--bcher-kva.example/a?x");
}

TEST(PurgeRequest, ACrawlIsTakenAsItStands) {
  EXPECT_EQ(Of("crawl", "Monday"), "crawl Monday");
  EXPECT_TRUE(IsRefused(Of("crawl", ""), "names nothing"));
}

TEST(PurgeRequest, MoreThanAHostIsRefused) {
  for (const std::string name : {"example.org/a", "example.org:8080", "me@example.org",
                                 "https://example.org", "example.org?a", "[::1]:80"}) {
    EXPECT_TRUE(IsRefused(Of("host", name), "purge a prefix") ||
                IsRefused(Of("host", name), "no host"))
        << name << ": " << Of("host", name);
  }
  EXPECT_TRUE(IsRefused(Of("host", ""), "no host"));
}

TEST(PurgeRequest, APrefixOfSeveralHostsNeedsAFlag) {
  for (const std::string name : {"", "http", "https://", "https://www.example.org"}) {
    EXPECT_TRUE(IsRefused(Of("prefix", name), "more than one host")) << name;
  }
  EXPECT_EQ(Of("prefix", "http", true), "URLs that begin with http");
  EXPECT_EQ(Of("prefix", "https://www.", true), "URLs that begin with https://www.");
  EXPECT_TRUE(IsRefused(Of("prefix", "", true), "names nothing"));
}

TEST(PurgeRequest, APrefixThatNoUrlCanHaveNamesTheSpellingOfTheState) {
  EXPECT_TRUE(IsRefused(Of("prefix", "https://a.example/%7eb"), "https://a.example/~b"));
  EXPECT_TRUE(IsRefused(Of("prefix", "https://a.example/a/../b"), "https://a.example/b"));
  EXPECT_TRUE(IsRefused(Of("prefix", "https://a.example/a#b"), "https://a.example/a"));
  EXPECT_EQ(Of("prefix", "https://a.example/a"), "URLs that begin with https://a.example/a");
}

TEST(PurgeRequest, WhatIsNoUrlIsRefused) {
  EXPECT_TRUE(IsRefused(Of("url", "example"), "no URL"));
  EXPECT_TRUE(IsRefused(Of("url", ""), "no URL"));
  EXPECT_TRUE(IsRefused(Of("page", "https://a.example/"), "names nothing"));
}

}  // namespace
}  // namespace crawlsieve::consumer
