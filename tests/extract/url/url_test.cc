#include "extract/url/url.h"

#include <algorithm>
#include <chrono>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve::extract {
namespace {

std::string Canonical(std::string_view url) { return CanonicalizeUrl(url).url; }

struct Pair {
  std::string_view given;
  std::string_view canonical;
};

void ExpectAll(const std::vector<Pair>& pairs) {
  for (const Pair& pair : pairs) EXPECT_EQ(Canonical(pair.given), pair.canonical) << pair.given;
}

TEST(CanonicalUrl, LowersSchemeAndHostOnly) {
  ExpectAll({{"HTTP://Example.ORG/Path?Query", "http://example.org/Path?Query"},
             {"hTtPs://EXAMPLE.org", "https://example.org/"}});
}

TEST(CanonicalUrl, TrimsControlsAndRemovesTabsAndLineEnds) {
  ExpectAll({{" \t\x01http://a.example/x \r\n", "http://a.example/x"},
             {"ht\ttp://a.ex\nample/x\r\ny", "http://a.example/xy"},
             {"http://a.example/a b", "http://a.example/a%20b"}});
}

TEST(CanonicalUrl, TakesBackslashesAndAnyNumberOfSlashesBeforeTheHost) {
  ExpectAll({{"http:\\\\a.example\\b\\c", "http://a.example/b/c"},
             {"http:a.example/b", "http://a.example/b"},
             {"http:/a.example/b", "http://a.example/b"},
             {"http://///a.example/b", "http://a.example/b"},
             {"http://a.example/?x\\y", "http://a.example/?x\\y"}});
}

TEST(CanonicalUrl, DropsDefaultPortsOnly) {
  ExpectAll({{"http://a.example:80/", "http://a.example/"},
             {"https://a.example:443/", "https://a.example/"},
             {"http://a.example:/", "http://a.example/"},
             {"http://a.example:443/", "http://a.example:443/"},
             {"http://a.example:008080/", "http://a.example:8080/"},
             {"http://a.example:0/", "http://a.example:0/"},
             {"http://a.example:65535/", "http://a.example:65535/"}});
}

TEST(CanonicalUrl, ResolvesDotSegmentsInEverySpelling) {
  ExpectAll({{"http://a.example/a/b/../c", "http://a.example/a/c"},
             {"http://a.example/a/./b/.", "http://a.example/a/b/"},
             {"http://a.example/a/b/..", "http://a.example/a/"},
             {"http://a.example/..", "http://a.example/"},
             {"http://a.example/../../a", "http://a.example/a"},
             {"http://a.example/a/%2e%2E/b/.%2e/%2E/c", "http://a.example/c"},
             {"http://a.example/a//../b", "http://a.example/a/b"},
             {"http://a.example//", "http://a.example//"},
             {"http://a.example/a/...", "http://a.example/a/..."},
             {"http://a.example/a/..b/.c", "http://a.example/a/..b/.c"},
             {"http://a.example?x/../y", "http://a.example/?x/../y"}});
}

TEST(CanonicalUrl, NormalisesEscapes) {
  ExpectAll({{"http://a.example/%7euser/%41%2d", "http://a.example/~user/A-"},
             {"http://a.example/a%2fb%3f", "http://a.example/a%2Fb%3F"},
             {"http://a.example/?q=%c3%a9%20%2B", "http://a.example/?q=%C3%A9%20%2B"},
             {"http://a.example/\xc3\xa9?\xc3\xa9", "http://a.example/%C3%A9?%C3%A9"},
             {"http://a.example/\xe9", "http://a.example/%E9"},
             {"http://a.example/<\"`{}^>'?<\"`{}^>'",
              "http://a.example/%3C%22%60%7B%7D%5E%3E'?%3C%22`{}^%3E%27"}});
}

TEST(CanonicalUrl, EscapesAPercentSignThatStartsNoEscape) {
  ExpectAll({{"http://a.example/100%", "http://a.example/100%25"},
             {"http://a.example/%4", "http://a.example/%254"},
             {"http://a.example/%%34%31", "http://a.example/%2541"},
             {"http://a.example/?%zz", "http://a.example/?%25zz"}});
}

TEST(CanonicalUrl, DropsTheFragmentAndKeepsAnEmptyQuery) {
  ExpectAll({{"http://a.example/x#y?z", "http://a.example/x"},
             {"http://a.example#x", "http://a.example/"},
             {"http://a.example?", "http://a.example/?"},
             {"http://a.example/?a?b#c#d", "http://a.example/?a?b"}});
}

TEST(CanonicalUrl, KeepsUserAndPassword) {
  ExpectAll({{"http://User:Pa%73s@A.example/", "http://User:Pass@a.example/"},
             {"http://user:@a.example/", "http://user@a.example/"},
             {"http://:@a.example/", "http://a.example/"},
             {"http://@a.example/", "http://a.example/"},
             {"http://:p@a.example/", "http://:p@a.example/"},
             {"http://u@v:w:x@a.example/", "http://u%40v:w%3Ax@a.example/"}});
}

TEST(CanonicalUrl, WritesInternationalHostsAsPunycode) {
  ExpectAll({{"http://B\xc3\xbc\x63her.example/", "http://xn--bcher-kva.example/"},
             {"http://b%C3%BCcher.example/", "http://xn--bcher-kva.example/"},
             {"http://XN--BCHER-KVA.example/", "http://xn--bcher-kva.example/"},
             {"http://fa\xc3\x9f.example/", "http://xn--fa-hia.example/"},
             {"http://\xef\xbd\x81.example/", "http://a.example/"},
             {"http://a\xe3\x80\x82\x65xample/", "http://a.example/"},
             {"http://r3---sn.example/", "http://r3---sn.example/"},
             {"http://-a-.example./", "http://-a-.example./"},
             {"http://a_b.example/", "http://a_b.example/"}});
}

TEST(CanonicalUrl, WritesIpAddressesInTheirShortestForm) {
  ExpectAll({{"http://127.0.0.1/", "http://127.0.0.1/"},
             {"http://127.1/", "http://127.0.0.1/"},
             {"http://0x7F.1/", "http://127.0.0.1/"},
             {"http://017700000001/", "http://127.0.0.1/"},
             {"http://4294967295/", "http://255.255.255.255/"},
             {"http://1.2.3.4./", "http://1.2.3.4/"},
             {"http://0x./", "http://0.0.0.0/"},
             {"http://%31.2.3.4/", "http://1.2.3.4/"},
             {"http://[::1]/", "http://[::1]/"},
             {"http://[2001:0DB8:0:0:1:0:0:1]:80/", "http://[2001:db8::1:0:0:1]/"},
             {"http://[1:0:2:0:0:3:0:0]/", "http://[1:0:2::3:0:0]/"},
             {"http://[0:0:0:0:0:0:0:0]/", "http://[::]/"},
             {"http://[1:2:3:4:5:6:0:0]/", "http://[1:2:3:4:5:6::]/"},
             {"http://[1:2:3:0:4:5:6:7]/", "http://[1:2:3:0:4:5:6:7]/"},
             {"http://[::ffff:1.2.3.4]:8080/", "http://[::ffff:102:304]:8080/"}});
}

TEST(CanonicalUrl, LeavesWhatItCannotParseAsGiven) {
  for (const std::string_view given : {"http://",
                                       "http:",
                                       "https:///",
                                       "http://:80/",
                                       "http://user@/",
                                       "http://a.example:65536/",
                                       "http://a.example:x/",
                                       "http://1.2.3.4.5/",
                                       "http://1.2.3.256/",
                                       "http://09/",
                                       "http://4294967296/",
                                       "http://1..2/",
                                       "http://[::1/",
                                       "http://[::1]x/",
                                       "http://[1:2]/",
                                       "http://[::1%25eth0]/",
                                       "http://a b/",
                                       "http://a%2Fb/",
                                       "http://a%/",
                                       "http://a|b/",
                                       "http://\xff/",
                                       "http://xn--\xc3\xbc/",
                                       "http://xn--a\x62\x63-/x",
                                       "//a.example/",
                                       "/path",
                                       "a.example/x",
                                       "www.a.example",
                                       "1http://a/",
                                       "?",
                                       "#x",
                                       "h\xc3\xa9://x/"}) {
    const CanonicalUrl parsed = CanonicalizeUrl(given);
    EXPECT_EQ(parsed.url, given);
    EXPECT_EQ(parsed.host, "") << given;
    EXPECT_EQ(parsed.path_depth, 0u) << given;
  }
  EXPECT_EQ(Canonical("  not a url \n"), "not a url");
  EXPECT_EQ(Canonical(" \r\n\t "), "");
}

TEST(CanonicalUrl, HasNoControlCharacters) {
  using std::string_view_literals::operator""sv;
  ExpectAll({{"http://h.example\0\5/"sv, "http://h.example%00%05/"},
             {"http://a b/\nother crawl"sv, "http://a b/other crawl"},
             {"not\ta\r\nurl\x7f!"sv, "notaurl%7F!"},
             {"data:text\0x"sv, "data:text%00x"},
             {"foo://h\1/\n\x1f"sv, "foo://h%01/"}});
}

TEST(CanonicalUrl, RefusesAnAddressWithANulByteInIt) {
  const std::string_view given("http://[::1\0]/", 14);
  EXPECT_EQ(CanonicalizeUrl(given).host, "");
}

TEST(CanonicalUrl, KeepsOtherSchemesAsTheyAre) {
  ExpectAll({{"DNS:WWW.example.org", "dns:WWW.example.org"},
             {"file:///A/../b%7e#x", "file:///A/../b%7e"},
             {"FTP://Host:21/x", "ftp://Host:21/x"},
             {"urn:uuid:ABC #x", "urn:uuid:ABC"},
             {"urn:a \t#x", "urn:a"},
             {"java\nscript:x", "javascript:x"},
             {"dns:#", "dns:"}});
  EXPECT_EQ(CanonicalizeUrl("ftp://host/x").host, "");
}

TEST(CanonicalUrl, TellsHostAndDepth) {
  const CanonicalUrl page = CanonicalizeUrl("http://u@A.example:8080//a/b//c/?/x/y");
  EXPECT_EQ(page.host, "a.example");
  EXPECT_EQ(page.path_depth, 3u);
  EXPECT_EQ(CanonicalizeUrl("http://a.example").path_depth, 0u);
  EXPECT_EQ(CanonicalizeUrl("http://[0::1]/").host, "[::1]");
  EXPECT_EQ(CanonicalizeUrl("file:///home/x/page.html").path_depth, 3u);
  EXPECT_EQ(CanonicalizeUrl("ftp://host/x/y?z/").path_depth, 2u);
  EXPECT_EQ(CanonicalizeUrl("dns:a/b").path_depth, 0u);
}

TEST(CanonicalUrl, TakesLongHostsOnlyUpToItsLimit) {
  EXPECT_EQ(CanonicalizeUrl("http://" + std::string(1024, 'a') + "/").host.size(), 1024u);
  EXPECT_EQ(CanonicalizeUrl("http://" + std::string(1025, 'a') + "/").host, "");
}

/// Pieces that meet each other's edge cases more often than random bytes do.
std::string RandomUrl(std::mt19937_64& random) {
  static const std::vector<std::string> pieces = {"http://",
                                                  "https:",
                                                  "HTTP:",
                                                  "ftp:",
                                                  "/",
                                                  "\\",
                                                  "//",
                                                  ".",
                                                  "..",
                                                  "%2e",
                                                  "%2E",
                                                  "%",
                                                  "%%32",
                                                  "%41",
                                                  "%7e",
                                                  "%2f",
                                                  "%c3",
                                                  "%00",
                                                  ":",
                                                  ":80",
                                                  ":443",
                                                  ":8080",
                                                  "@",
                                                  "?",
                                                  "#",
                                                  "[",
                                                  "]",
                                                  "::1",
                                                  "[::]",
                                                  "0x7f",
                                                  "127.0",
                                                  "08",
                                                  "4294967295",
                                                  "a",
                                                  "Ex",
                                                  "xn--",
                                                  "xn--a-",
                                                  "-",
                                                  "\xc3\xbc",
                                                  "\xc3\x9f",
                                                  "\xe3\x80\x82",
                                                  "\xef\xbd\x81",
                                                  "\xd7\x90",
                                                  "\xe2\x80\x8d",
                                                  "\xff",
                                                  " ",
                                                  "\t",
                                                  "\n",
                                                  "\x01",
                                                  "|",
                                                  "^",
                                                  "'",
                                                  "\"",
                                                  "<",
                                                  "{",
                                                  "`",
                                                  "+",
                                                  "&=",
                                                  "example.org",
                                                  "\xcc\x81",
                                                  "\xe1\xba\x9e",
                                                  "kva"};
  std::string url = random() % 8 == 0 ? "" : "http://";
  if (random() % 2 == 0) url += "a.example/";
  for (auto count = random() % 12; count > 0; --count) {
    if (random() % 8 == 0) {
      url += static_cast<char>(random());
    } else {
      url += pieces[random() % pieces.size()];
    }
  }
  return url;
}

TEST(CanonicalUrl, IsIdempotent) {
  const std::uint64_t seed = std::random_device{}();
  std::mt19937_64 random(seed);
  for (int i = 0; i < 50'000; ++i) {
    const std::string given = RandomUrl(random);
    const CanonicalUrl once = CanonicalizeUrl(given);
    const CanonicalUrl twice = CanonicalizeUrl(once.url);
    ASSERT_EQ(twice.url, once.url)
        << "seed " << seed << ", given " << ::testing::PrintToString(given);
    ASSERT_EQ(twice.host, once.host) << "seed " << seed << ", " << ::testing::PrintToString(given);
    ASSERT_TRUE(
        std::ranges::none_of(once.url, [](unsigned char c) { return c < 0x20 || c == 0x7f; }))
        << "seed " << seed << ", given " << ::testing::PrintToString(given);
    ASSERT_EQ(twice.path_depth, once.path_depth)
        << "seed " << seed << ", given " << ::testing::PrintToString(given);
  }
}

TEST(CanonicalUrl, IsIdempotentOnRandomUnicodeHosts) {
  const std::uint64_t seed = std::random_device{}();
  std::mt19937_64 random(seed);
  int accepted = 0;
  for (int i = 0; i < 50'000; ++i) {
    std::string host;
    for (auto count = 1 + random() % 4; count > 0; --count) {
      const std::uint32_t c = 0xA0 + static_cast<std::uint32_t>(random() % 0xFF00);
      if (c < 0x800) {
        host += static_cast<char>(0xC0 | c >> 6);
      } else {
        host += static_cast<char>(0xE0 | c >> 12);
        host += static_cast<char>(0x80 | (c >> 6 & 0x3F));
      }
      host += static_cast<char>(0x80 | (c & 0x3F));
    }
    const CanonicalUrl once = CanonicalizeUrl("http://" + host + "/");
    const CanonicalUrl twice = CanonicalizeUrl(once.url);
    ASSERT_EQ(twice.url, once.url) << "seed " << seed << ", host " << host;
    ASSERT_EQ(twice.host, once.host) << "seed " << seed << ", host " << host;
    accepted += once.host.empty() ? 0 : 1;
  }
  EXPECT_GT(accepted, 1000);
}

TEST(CanonicalUrl, TakesMegabytesOfAnythingInLinearTime) {
  constexpr std::size_t kSize = 1 << 20;
  // A quadratic path would take hours; the bound leaves room for sanitizers on a busy machine.
  constexpr std::chrono::seconds kBound{20};
  const auto repeat = [](std::string_view piece) {
    std::string text;
    while (text.size() < kSize) text += piece;
    return text;
  };
  for (const std::string_view piece : {"a", "/", "../", "a/", "a/../", "%", "%2e/", "@", ":", ".",
                                       "1.", "\t", "#", "?", "[", "\xc3\xbc", "xn--", "\\", " "}) {
    for (const std::string_view before :
         {"", "http://", "http://a.example/", "http://a.example/?", "x:"}) {
      const auto start = std::chrono::steady_clock::now();
      const CanonicalUrl once = CanonicalizeUrl(std::string(before) + repeat(piece));
      EXPECT_LT(std::chrono::steady_clock::now() - start, kBound) << before << piece;
      EXPECT_LE(once.url.size(), 3 * (kSize + 64));
    }
  }
}

}  // namespace
}  // namespace crawlsieve::extract
