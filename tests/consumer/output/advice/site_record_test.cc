#include "consumer/output/advice/site_record.h"

#include "plugin/fingerprint/checksum.h"
#include "tests/support/schema.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

const std::filesystem::path kSchema =
    std::filesystem::path(CRAWLSIEVE_SOURCE_DIR) / "docs/schemas/site.schema.json";

void AddPage(const std::string& url, const std::string& content, bool is_new, site::Site& site) {
  site::PageObservation page;
  page.url = url;
  page.time = 1'700'000'000;
  page.novelty = is_new ? site::kWhole : 0;
  page.content = site::MarkOf(RawChecksum(content).low);
  page.simhash = page.content;
  (void)site.AddPage(page);
}

/// A site with sessions, an old part that brings nothing new, and a page for what is missing.
SiteReport Report() {
  SiteReport report;
  report.name = "a.example:8080";
  report.sequence = 77;
  report.average.chance = site::kWhole / 4;
  site::Site& site = report.site.emplace();
  for (int i = 0; i < 60; ++i) {
    AddPage(fmt::format("http://a.example:8080/p{}.html?sid={}", i / 2, i),
            fmt::format("p{}", i / 2), i % 2 == 0, site);
  }
  for (int i = 0; i < 80; ++i) {
    AddPage(fmt::format("http://a.example:8080/old/{}.txt", i), "old", false, site);
  }
  for (int i = 0; i < 10; ++i) {
    AddPage(fmt::format("http://a.example:8080{}missing.{}", std::string(i % 5 + 1, '/'), i),
            "missing", false, site);
  }
  HostReport host;
  host.host = "a.example";
  host.pages = 150;
  host.duplicates = 90;
  host.mean_change = 86'400;
  host.paused_until = 1'700'000'000;
  host.sinks = 1;
  host.mirrors = {{"https://b.example", true, {{40, 2}, 60, 64}},
                  {"http://c.example", false, {{1, 3}, 200, 64}}};
  report.hosts.push_back(host);
  report.hosts.push_back({"www.a.example", 1, 0, std::nullopt, 0, 0, {}});
  return report;
}

TEST(SiteRecord, ConformsToTheSchemaAndHasWhatWasLearned) {
  const SiteReport report = Report();
  const auto json = nlohmann::json::parse(SiteRecord(report));
  EXPECT_TRUE(ConformsTo(json, kSchema)) << json.dump(1);
  EXPECT_EQ(json["site"], "a.example:8080");
  EXPECT_EQ(json["sequence"], 77);
  EXPECT_EQ(json["average_chance"], 0.25);
  const auto& learned = json["learned"];
  EXPECT_EQ(learned["fetched"], 150);
  EXPECT_EQ(learned["new"], 30);
  const auto& rules = learned["rules"];
  const auto sid = std::ranges::find_if(
      rules, [](const auto& rule) { return rule["name"] == "sid" && rule["pattern"].is_null(); });
  ASSERT_NE(sid, rules.end());
  EXPECT_EQ((*sid)["part"], "parameter");
  EXPECT_EQ((*sid)["suppress"]["same"], 30);
  EXPECT_EQ((*sid)["suppress"]["different"], 0);
  EXPECT_GT((*sid)["suppress"]["precision"], 0.9);
  // Those in use come first.
  const auto is_in_use = [](const auto& rule) {
    return rule["suppress"]["in_use"] == true || rule["rewrite"]["in_use"] == true;
  };
  EXPECT_TRUE(is_in_use(rules[0]));
  EXPECT_TRUE(std::is_partitioned(rules.begin(), rules.end(), is_in_use));
  const auto old = std::ranges::find_if(
      learned["patterns"], [](const auto& pattern) { return pattern["pattern"] == "/old/*.txt"; });
  ASSERT_NE(old, learned["patterns"].end());
  EXPECT_EQ((*old)["fetched"], 80);
  EXPECT_EQ((*old)["suppressed"], true);
  EXPECT_LT((*old)["new_at_most"], 0.05);
  EXPECT_EQ(json["hosts"][0]["mean_change_seconds"], 86'400);
  EXPECT_EQ(json["hosts"][0]["paused_until"], "2023-11-14T22:13:20Z");
  EXPECT_TRUE(json["hosts"][1]["mean_change_seconds"].is_null());
}

TEST(SiteRecord, HasTheMirrorsOfEachHost) {
  const SiteReport report = Report();
  const auto json = nlohmann::json::parse(SiteRecord(report));
  const auto& mirrors = json["hosts"][0]["mirrors"];
  ASSERT_EQ(mirrors.size(), 2U);
  EXPECT_EQ(mirrors[0]["origin"], "https://b.example");
  EXPECT_EQ(mirrors[0]["in_use"], true);
  EXPECT_EQ(mirrors[0]["pairs"], 42);
  EXPECT_EQ(mirrors[0]["same_bytes"], 40);
  EXPECT_GT(mirrors[0]["precision"], 0.85);
  EXPECT_EQ(mirrors[0]["pages"], 64);
  EXPECT_EQ(mirrors[0]["same_pages"], 60);
  EXPECT_EQ(mirrors[1]["in_use"], false);
  EXPECT_EQ(mirrors[1]["same_pages"], 64) << "never more than there are";
  EXPECT_TRUE(json["hosts"][1]["mirrors"].empty());
  const std::string text = SiteText(report);
  EXPECT_NE(text.find("mirror of        https://b.example: 40 of 42"), std::string::npos) << text;
  EXPECT_NE(text.find("no mirror of     http://c.example: 1 of 4"), std::string::npos) << text;
}

TEST(SiteRecord, ASiteOfWhichNothingWasLearnedHasItsHosts) {
  SiteReport report = Report();
  report.site.reset();
  const auto json = nlohmann::json::parse(SiteRecord(report));
  EXPECT_TRUE(ConformsTo(json, kSchema));
  EXPECT_TRUE(json["learned"].is_null());
  EXPECT_NE(SiteText(report).find("nothing was learned"), std::string::npos);
}

TEST(SiteRecord, IsTheSameForTheSameReport) {
  EXPECT_EQ(SiteRecord(Report()), SiteRecord(Report()));
}

TEST(SiteRecord, HostileTextStaysOneLineOfJsonAndIsEscapedForPeople) {
  SiteReport report = Report();
  for (int i = 0; i < 60; ++i) {
    AddPage(fmt::format("http://a.example:8080/\x1b[2J\xff/{}.html?\x1b]0;x={}", i / 2, i),
            fmt::format("evil {}", i / 2), i % 2 == 0, *report.site);
  }
  report.name = "\x1b[2J";
  report.hosts[0].host = "\xe2\x80\xae";
  report.hosts[0].mirrors[0].origin = "http://\x1b[2J\n";
  const std::string record = SiteRecord(report);
  EXPECT_EQ(record.find('\n'), std::string::npos);
  EXPECT_FALSE(nlohmann::json::parse(record, nullptr, false).is_discarded());
  const std::string text = SiteText(report);
  EXPECT_TRUE(std::ranges::all_of(text, [](char c) {
    return c == '\n' || ('\x20' <= c && c <= '\x7e');
  })) << text;
  EXPECT_NE(text.find("\\x1b]0;x"), std::string::npos) << text;
}

}  // namespace
}  // namespace crawlsieve::consumer
