#include "consumer/output/verdicts/surt.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

// script/verdict_oracle compares thousands of keys with those of the Internet Archive's surt. These
// are of it too.
TEST(Surt, IsThatOfTheInternetArchive) {
  const std::pair<const char*, const char*> kKeys[] = {
      {"http://example.org", "org,example)/"},
      {"https://www.Example.org/A/?b=2&a=1", "org,example)/a?a=1&b=2"},
      {"http://www3.b.example.co.uk/", "uk,co,example,b)/"},
      {"http://wwwx.example/", "example,wwwx)/"},
      {"http://example.org:8080/a", "org,example:8080)/a"},
      {"https://example.org:443/a", "org,example)/a"},
      {"http://example.org:443/a", "org,example:443)/a"},
      {"http://user:pw@example.org/a", "org,example)/a"},
      {"http://192.0.2.7/", "7,2,0,192)/"},
      {"http://b\xC3\xBC"
       "cher.example/",
       "example,xn--bcher-kva)/"},
      {"http://example.org/a//b/./c/", "org,example)/a/b/c"},
      {"http://example.org/%2541%%34%31", "org,example)/aa"},
      {"http://example.org/b%20c%23", "org,example)/b%20c%23"},
      {"http://example.org/a?", "org,example)/a"},
      {"http://example.org/a?b=&b&a=1", "org,example)/a?a=1&b&b="},
      {"http://example.org/a?x=1&PHPSESSID=0123456789abcdef0123456789abcdef",
       "org,example)/a?&x=1"},
      {"http://example.org/a?jsessionid=0123456789abcdef0123456789ABCDEF&x=1",
       "org,example)/a?x=1"},
      {"http://example.org/a?cfid=12&cftoken=34&x=1", "org,example)/a?x=1"},
      {"http://example.org/(S(0123456789abcdefghijklmn))/p.aspx", "org,example)/p.aspx"},
      {"http://example.org/a#b", "org,example)/a"},
  };
  for (const auto& [url, key] : kKeys) EXPECT_EQ(Surt(url), key) << url;
}

TEST(Surt, IsVisibleAsciiOfAnyBytes) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  for (const std::string& url : {bytes, "http://example.org/" + bytes, "http://h/?" + bytes,
                                 "http://" + bytes, std::string("mailto:a b"), std::string()}) {
    for (const char c : Surt(url)) {
      EXPECT_GT(c, ' ') << url;
      EXPECT_LT(c, 0x7F) << url;
    }
  }
}

TEST(Surt, IsLinearInEscapesOfEscapes) {
  std::string url = "http://example.org/%";
  for (int i = 0; i < 8'000; ++i) url += "25";
  EXPECT_EQ(Surt(url), "org,example)/%25");
}

}  // namespace
}  // namespace crawlsieve::consumer
