#include "extract/url/public_suffixes.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <libpsl.h>

namespace crawlsieve::extract {
namespace {

std::string Registrable(const std::string& host) { return std::string(RegistrableDomain(host)); }

/// libpsl's answer, of the list that it was built with.
std::string Oracle(const std::string& host) {
  const char* const domain = psl_registrable_domain(psl_builtin(), host.c_str());
  return domain == nullptr ? std::string() : domain;
}

TEST(RegistrableDomain, HasOneLabelMoreThanThePublicSuffix) {
  EXPECT_EQ(Registrable("www.example.co.uk"), "example.co.uk");
  EXPECT_EQ(Registrable("example.com"), "example.com");
  EXPECT_EQ(Registrable("co.uk"), "");
  EXPECT_EQ(Registrable("a.b.unknown-suffix"), "b.unknown-suffix");
  EXPECT_EQ(Registrable("a.b.kobe.jp"), "a.b.kobe.jp");      // *.kobe.jp
  EXPECT_EQ(Registrable("a.city.kobe.jp"), "city.kobe.jp");  // !city.kobe.jp
  EXPECT_EQ(Registrable("x.xn--55qx5d.cn"), "x.xn--55qx5d.cn");
  EXPECT_EQ(Registrable("me.github.io"), "me.github.io");
  EXPECT_EQ(Registrable("localhost"), "");
  EXPECT_EQ(Registrable(""), "");
}

TEST(RegistrableDomain, IsThatOfLibpslWithTheSameList) {
  if (psl_builtin_sha1sum() != PublicSuffixListSha1()) {
    GTEST_SKIP() << "libpsl has another list here: " << psl_builtin_sha1sum();
  }
  // The names of the rules, as libpsl knows them too.
  std::ifstream list("/usr/share/publicsuffix/public_suffix_list.dat");
  std::vector<std::string> names = {".com", "a..com", "a.b", "1.2"};
  for (std::string line; std::getline(list, line);) {
    if (line.empty() || line.starts_with("//")) continue;
    line = line.substr(line.find_first_not_of("*.!"));
    const bool is_ascii = std::ranges::all_of(line, [](char c) { return c > ' ' && c < 0x7F; });
    if (is_ascii) names.push_back(line);
  }
  ASSERT_GT(names.size(), 9'000U) << "install publicsuffix";
  constexpr unsigned kSeed = 11;
  std::mt19937 random(kSeed);
  constexpr std::array<const char*, 6> kLabels = {"a", "www", "city", "", "co", "xn--p1ai"};
  for (const std::string& name : names) {
    std::string host = name;
    for (int labels = 0; labels < 3; ++labels) {
      ASSERT_EQ(Registrable(host), Oracle(host)) << host << " seed " << kSeed;
      host.insert(0, std::string(kLabels[random() % kLabels.size()]) + '.');
    }
  }
}

}  // namespace
}  // namespace crawlsieve::extract
