#include "extract/url/page_url.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace crawlsieve::extract {
namespace {

std::string Identity(std::string_view url, const UrlOptions& options = {}) {
  const std::string once = IdentityOf(url, options).url;
  EXPECT_EQ(IdentityOf(once, options).url, once) << url;
  return once;
}

TEST(IdentityOf, LeavesTrackingParametersOut) {
  EXPECT_EQ(Identity("http://a.example/p?utm_source=x&b=1&UTM_Medium=y&gclid=z&a=2&fbclid"),
            "http://a.example/p?b=1&a=2");
  EXPECT_EQ(Identity("http://a.example/p?utm_a_campaign_name_of_some_length=x"),
            "http://a.example/p");
  EXPECT_EQ(Identity("http://a.example/p?"), "http://a.example/p?");
  EXPECT_EQ(Identity("http://a.example/p?utm=1&gclids=2&&x"),
            "http://a.example/p?utm=1&gclids=2&&x");
  EXPECT_EQ(Identity("http://a.example/?gclid=1", {.drop_tracking = false}),
            "http://a.example/?gclid=1");
}

TEST(IdentityOf, LeavesSessionIdsOut) {
  EXPECT_EQ(Identity("http://a.example/p;jsessionid=AB12.n1?x=1"), "http://a.example/p?x=1");
  EXPECT_EQ(Identity("http://a.example/p;JSESSIONID=1;v=2/q"), "http://a.example/p;v=2/q");
  EXPECT_EQ(Identity("http://a.example/(S(abc123))/p.aspx"), "http://a.example/p.aspx");
  EXPECT_EQ(Identity("http://a.example/(S(abc123))"), "http://a.example/");
  EXPECT_EQ(Identity("http://a.example/?PHPSESSID=1&a=b"), "http://a.example/?a=b");
  EXPECT_EQ(Identity("http://a.example/?sid=0123456789abcdef"), "http://a.example/");
  EXPECT_EQ(Identity("http://a.example/?sid=42"), "http://a.example/?sid=42");
  // What is left is canonical too.
  EXPECT_EQ(Identity("http://a.example/a/..;jsessionid=1/b"), "http://a.example/b");
  EXPECT_EQ(Identity("http://a.example/p;jsess;jsessionid=1;ionid=2"),
            "http://a.example/p;jsess;ionid=2");
  EXPECT_EQ(Identity("http://a.example/p;jsessionid=1", {.drop_sessions = false}),
            "http://a.example/p;jsessionid=1");
}

TEST(IdentityOf, UnifiesSpellingsOnRequest) {
  EXPECT_EQ(Identity("http://a.example/?b=2&a=1&b=1", {.sort_query = true}),
            "http://a.example/?a=1&b=1&b=2");
  EXPECT_EQ(Identity("http://u@www.a.example:8080/", {.drop_www = true}),
            "http://u@a.example:8080/");
  EXPECT_EQ(Identity("http://www.example/", {.drop_www = true}), "http://www.example/");
  EXPECT_EQ(Identity("http://u@www.www.a.example/", {.drop_www = true}), "http://u@a.example/");
  EXPECT_EQ(Identity("http://www.www.example/", {.drop_www = true}), "http://www.example/");
  EXPECT_EQ(Identity("http://a.example:443/", {.unify_scheme = true}), "https://a.example/");
  EXPECT_EQ(IdentityOf("http://www.b.example/x", {.drop_www = true}).host, "b.example");
}

TEST(IdentityOf, LeavesAllElseAlone) {
  for (const char* url :
       {"mailto:a@b.example?gclid=1", "no url?gclid=1", "http://[?gclid=1", "ftp://www.a/"}) {
    EXPECT_EQ(Identity(url, {.drop_www = true, .unify_scheme = true}), CanonicalizeUrl(url).url);
  }
}

TEST(ResolveUrl, ResolvesReferences) {
  const std::string base = "http://a.example/b/c/d;p?q";
  // RFC 3986, section 5.4.1, fragments dropped.
  const std::pair<const char*, const char*> examples[] = {{"g", "http://a.example/b/c/g"},
                                                          {"./g", "http://a.example/b/c/g"},
                                                          {"g/", "http://a.example/b/c/g/"},
                                                          {"/g", "http://a.example/g"},
                                                          {"//g", "http://g/"},
                                                          {"?y", "http://a.example/b/c/d;p?y"},
                                                          {"g?y", "http://a.example/b/c/g?y"},
                                                          {"#s", "http://a.example/b/c/d;p?q"},
                                                          {"g#s", "http://a.example/b/c/g"},
                                                          {";x", "http://a.example/b/c/;x"},
                                                          {"", "http://a.example/b/c/d;p?q"},
                                                          {".", "http://a.example/b/c/"},
                                                          {"..", "http://a.example/b/"},
                                                          {"../g", "http://a.example/b/g"},
                                                          {"../../../g", "http://a.example/g"},
                                                          {"https://h/x", "https://h/x"},
                                                          {"\\g", "http://a.example/g"},
                                                          {"mailto:x@y", "mailto:x@y"},
                                                          {" g ", "http://a.example/b/c/g"},
                                                          {"x/y:z", "http://a.example/b/c/x/y:z"},
                                                          {"http:g", "http://a.example/b/c/g"},
                                                          {"HTTP:/g", "http://a.example/g"},
                                                          {"http:", "http://a.example/b/c/d;p?q"},
                                                          {"http:?y", "http://a.example/b/c/d;p?y"},
                                                          {"http://g", "http://g/"},
                                                          {"http:\\\\g", "http://g/"},
                                                          {"https:g", "https://g/"}};
  for (const auto& [reference, url] : examples) EXPECT_EQ(ResolveUrl(base, reference).url, url);
}

TEST(RegisteredDomain, FollowsThePublicSuffixList) {
  EXPECT_EQ(RegisteredDomain("www.example.org"), "example.org");
  EXPECT_EQ(RegisteredDomain("a.b.example.co.uk"), "example.co.uk");
  EXPECT_EQ(RegisteredDomain("example.co.jp."), "example.co.jp");
  for (const char* host : {"", "localhost", "co.uk", "192.0.2.1", "[::1]", "."}) {
    EXPECT_EQ(RegisteredDomain(host), "") << host;
  }
}

}  // namespace
}  // namespace crawlsieve::extract
