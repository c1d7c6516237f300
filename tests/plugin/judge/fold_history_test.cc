// Histories whose outcome was written down: a change of verdicts or of stored bytes is a change of
// the fold version, and shows here.
#include "plugin/fingerprint/checksum.h"
#include "plugin/index/flat_index.h"
#include "plugin/judge/detector.h"
#include "plugin/judge/fold_progress.h"
#include "plugin/judge/fold_version.h"
#include "plugin/judge/state_hash.h"
#include "tests/plugin/judge/random_log.h"
#include "tests/support/temporary_directory.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

/// Everything that a verdict holds.
std::string Describe(const Verdict& verdict) {
  std::string text = fmt::format("{} {}", verdict.sequence, RuleFor(verdict.reason).name);
  if (const auto& match = verdict.match) {
    text +=
        fmt::format(" match {} {} {} {} {} {} {}", match->document.sequence, match->id, match->url,
                    match->exact, match->distance, match->similarity.ten_thousandths,
                    match->first_seen.time_since_epoch().count());
  }
  if (const auto& cluster = verdict.cluster) {
    text += fmt::format(" cluster {} {} {}", cluster->id.sequence, cluster->size,
                        cluster->preferred_url);
  }
  const auto& [novelty, host, depth, change] = verdict.priority.components;
  text += fmt::format(" priority {} {} {} {} {}", verdict.priority.score.ten_thousandths,
                      novelty.ten_thousandths, host.ten_thousandths, depth.ten_thousandths,
                      change.ten_thousandths);
  if (const auto& recrawl = verdict.recrawl) {
    const char* changed = recrawl->changed.has_value() ? (*recrawl->changed ? "yes" : "no") : "-";
    text += fmt::format(" recrawl {} {} {}", changed,
                        recrawl->next_fetch.time_since_epoch().count(), recrawl->interval_seconds);
  }
  return text;
}

/// A random log under other rules, where every third page that isn't evaluated ran into a limit.
/// `max_sites`: judge.sites.max.
std::vector<log::Entry> History(std::uint64_t seed, std::uint32_t fold_version,
                                std::uint64_t max_sites = 0) {
  std::vector<log::Entry> log = testing::RandomLog(seed, 2000);
  if (fold_version >= 6) log = testing::WithFetches(std::move(log), seed);
  for (std::size_t i = 0; i < log.size(); ++i) {
    if (log[i].has_parameters()) {
      log[i].mutable_parameters()->set_fold_version(fold_version);
      if (fold_version < 6) log[i].mutable_parameters()->clear_schedule();
      log[i].mutable_parameters()->clear_sites();
      if (max_sites > 0) log[i].mutable_parameters()->mutable_sites()->set_max(max_sites);
      if (fold_version < 8) log[i].mutable_parameters()->clear_retention();
    }
    if (log[i].has_page() && log[i].page().outcome() == log::OUTCOME_NOT_EVALUATED && i % 3 == 0) {
      log[i].mutable_page()->set_detail("parse_time");
    }
  }
  return log;
}

/// The same with hundreds of URLs, some of which are long: sites take their hosts' latest pages, by
/// number or by bytes.
std::vector<log::Entry> HistoryOfSites(std::uint64_t seed, std::uint32_t fold_version) {
  std::vector<log::Entry> log = History(seed, fold_version, 1'000'000);
  for (std::size_t i = 0; i < log.size(); ++i) {
    if (!log[i].has_page() || i % 4 == 0) continue;
    log::Page& page = *log[i].mutable_page();
    page.set_canonical_url(
        fmt::format("{}/{}{}", page.canonical_url(), std::string(i % 31 * 11, 'p'), i / 2));
  }
  return log;
}

struct Outcome {
  std::string verdicts;  ///< checksum of all of them
  std::string state;     ///< StateHash
};

Outcome Fold(const std::vector<log::Entry>& log) {
  testing::TemporaryDirectory directory;
  const auto store = Store::Open({.directory = directory.path()});
  const auto make_index = [](int /*max_distance*/) -> Result<std::unique_ptr<HammingIndex>> {
    return std::make_unique<FlatIndex>();
  };
  const auto detector = Detector::Open(**store, make_index, testing::kScheme);
  std::string verdicts;
  std::int64_t offset = -1;
  for (const log::Entry& entry : log) {
    const auto folded = (*detector)->Fold(entry);
    EXPECT_TRUE(folded.has_value()) << folded.error().message;
    verdicts += fmt::format("{} ", static_cast<int>(folded->outcome));
    if (folded->verdict.has_value()) verdicts += Describe(*folded->verdict);
    verdicts += '\n';
    if (++offset % 50 != 0) continue;
    EXPECT_TRUE((*detector)->Commit({offset, "checksum"}).has_value());
  }
  EXPECT_TRUE((*detector)->Commit({offset, "checksum"}).has_value());
  return {Hex(RawChecksum(verdicts)), Hex(StateHash(**store).value())};
}

struct Case {
  std::uint64_t seed;
  std::uint32_t fold_version;
  Outcome expected;
};

void ExpectOutcome(const std::vector<log::Entry>& log, const Case& c) {
  const Outcome outcome = Fold(log);
  EXPECT_EQ(outcome.verdicts, c.expected.verdicts) << c.seed << " version " << c.fold_version;
  EXPECT_EQ(outcome.state, c.expected.state) << c.seed << " version " << c.fold_version;
}

TEST(FoldHistory, EveryFoldVersionGivesTheVerdictsAndTheStateThatWereWrittenDown) {
  const std::vector<Case> cases = {
      {0, 4, {"1b51663cfaadab6050d4ef9a00fe13f6", "2a2a73bc5be2935b5a5b965165ca7176"}},
      {1, 4, {"45c313448d4a59c227b7d509ca30b416", "59e058f7521599b7eada550a259a45d5"}},
      {2, 4, {"2ab44a66658fbe6321f279921e8ac3ce", "e5244687ddf03f046e8479b7ff49e4a0"}},
      {3, 4, {"f3c1f6d077835a144fa354460fc4cb6e", "17b1bc1a73c848a63c96bed1a7af6f0e"}},
      {0, 5, {"b7e1f08543b76bdfc8f91fcd33254000", "78d7fca72da5ae87edb90720ca6cac1b"}},
      {1, 5, {"d329687d2edff09df2256e6a54a36277", "170264263edbf2997af868f037b60aed"}},
      {2, 5, {"ad8d450be29070561b8be502be99772b", "1d54941a0accdbe6a9d5797744a88d87"}},
      {3, 5, {"bf6baaf4c2d2192411f7879682229656", "b2a5da392380e95012e0a4a876c111dd"}},
      {0, 6, {"72919e19a242d78552e41b82d4fbca92", "93382c81727988603416f40db8accdae"}},
      {1, 6, {"4ee0e3cdaf62b02f16808ca2910a3278", "be5bed863413ad06052f484a8e9b9d0d"}},
      {2, 6, {"9c196e918075e94092b24fbef8ddca5f", "5b62f74d6c591d4c7da023dd494ccb73"}},
      {3, 6, {"9284c2132cdaf682541b55cae20218c7", "c3982cf8219fa9a03d6e94b81571b08a"}},
      {0, 7, {"72919e19a242d78552e41b82d4fbca92", "9b15f2dcba0f04a0b831fbdcb2b34455"}},
      {1, 7, {"4ee0e3cdaf62b02f16808ca2910a3278", "b6814d405bdf66fb655ff2ac963a554a"}},
      {2, 7, {"9c196e918075e94092b24fbef8ddca5f", "277388d9f780775dbba46ba58d136ee9"}},
      {3, 7, {"9284c2132cdaf682541b55cae20218c7", "9a0ea354f7759e7d9f3cb6fe2dab6c30"}},
      {0, 8, {"72919e19a242d78552e41b82d4fbca92", "3b2fda17dc9fc3d8c85dd1dd8db31ad8"}},
      {1, 8, {"4ee0e3cdaf62b02f16808ca2910a3278", "8c0a1c5e8fc2c011fd3e9e552418b8a1"}},
      {2, 8, {"9c196e918075e94092b24fbef8ddca5f", "dd21fe4ad63263aa56538c50c02220e0"}},
      {3, 8, {"9284c2132cdaf682541b55cae20218c7", "258830ca6cd73d025439fe126fb50bc9"}},
  };
  for (const Case& c : cases) ExpectOutcome(History(c.seed, c.fold_version), c);
}

/// Fold version 7 learned of sites in rows that no version has any more. What it says of pages has
/// never depended on them.
TEST(FoldHistory, Version7WithSitesGivesTheVerdictsThatWereWrittenDown) {
  const std::vector<std::string> expected = {
      "72919e19a242d78552e41b82d4fbca92", "4ee0e3cdaf62b02f16808ca2910a3278",
      "9c196e918075e94092b24fbef8ddca5f", "9284c2132cdaf682541b55cae20218c7"};
  for (std::uint64_t seed = 0; seed < expected.size(); ++seed) {
    EXPECT_EQ(Fold(History(seed, 7, 1'000'000)).verdicts, expected[seed]) << seed;
  }
}

/// Version 8 has all latest pages of a host in the host's row.
TEST(FoldHistory, Version8WithSitesGivesTheVerdictsAndTheStateThatWereWrittenDown) {
  const std::vector<Outcome> expected = {
      {"72919e19a242d78552e41b82d4fbca92", "ec9129773ed8a707b7db5835fb3721b0"},
      {"4ee0e3cdaf62b02f16808ca2910a3278", "d62c757f1db8623eaacc1ef9716db3b9"},
      {"9c196e918075e94092b24fbef8ddca5f", "3f699e020c9d74a274dc61782a99d2fc"},
      {"9284c2132cdaf682541b55cae20218c7", "ec4621d8396c94cc7a377845b3c1525d"},
  };
  for (std::uint64_t seed = 0; seed < expected.size(); ++seed) {
    const Outcome outcome = Fold(History(seed, 8, 1'000'000));
    EXPECT_EQ(outcome.verdicts, expected[seed].verdicts) << seed;
    EXPECT_EQ(outcome.state, expected[seed].state) << seed;
    // What a page brings doesn't depend on the row that it is in.
    EXPECT_EQ(Fold(History(seed, 9, 1'000'000)).verdicts, outcome.verdicts) << seed;
  }
}

TEST(FoldHistory, StatesHaveTheFormatOfTheirFoldVersion) {
  constexpr std::array<std::uint32_t, 9> kFormats{3, 3, 4, 5, 6, 7, 8, 8, 9};
  ASSERT_EQ(kFoldVersion - kOldestFoldVersion + 1, kFormats.size());
  for (std::uint32_t i = 0; i < kFormats.size(); ++i) {
    EXPECT_EQ(StateFormatOf(kOldestFoldVersion + i), kFormats[i]);
  }
}

/// Where the latest pages of hosts lie depends on the version; verdicts don't.
TEST(FoldHistory, SitesThatTakeTheirPagesGiveTheStateThatWasWrittenDown) {
  const std::vector<Case> cases = {
      {0, 9, {"3c3df60ef030d2b62d0a90c9a715a85b", "0b55c94795a6159957598a9348224ca5"}},
      {1, 9, {"0154b25665d92c23d367fea7c9849857", "f64d68a943a54f65306a39bef72eb6a1"}},
      {2, 9, {"e2acd69267808d3bab636c30a0c3ab81", "c89fde293481aef4819424fc5cd2f6e9"}},
      {0, 10, {"3c3df60ef030d2b62d0a90c9a715a85b", "eaad280897c7fdf8326475caf3dfd929"}},
      {1, 10, {"0154b25665d92c23d367fea7c9849857", "2d8a52ad1ab380646dd77971c70c1722"}},
      {2, 10, {"e2acd69267808d3bab636c30a0c3ab81", "c413b6ea5cfa4aeaa7c5c98001d120cc"}},
      {0, 11, {"3c3df60ef030d2b62d0a90c9a715a85b", "2fbd6226f2caa224937fdf998d122651"}},
      {1, 11, {"0154b25665d92c23d367fea7c9849857", "93ec372d63dbc26f83a2534d3e3eb2ca"}},
      {2, 11, {"e2acd69267808d3bab636c30a0c3ab81", "c4128e71ff220d6cf62b354d761a60e9"}},
      {0, 12, {"3c3df60ef030d2b62d0a90c9a715a85b", "4a88fe4f859be0d9f3ddadbb5c7a5695"}},
      {1, 12, {"0154b25665d92c23d367fea7c9849857", "c73d09883ac7cd16c4c9083506fd88ba"}},
      {2, 12, {"e2acd69267808d3bab636c30a0c3ab81", "925807305be8440b2280fe9dd47e96ec"}},
  };
  for (const Case& c : cases) ExpectOutcome(HistoryOfSites(c.seed, c.fold_version), c);
}

/// No verdict depends on what is learned of sites.
TEST(FoldHistory, VerdictsOfTheNewestVersionAreTheSameWithSites) {
  for (const std::uint64_t max_sites : {3, 1'000'000}) {
    EXPECT_EQ(Fold(History(1, kFoldVersion, max_sites)).verdicts,
              Fold(History(1, kFoldVersion)).verdicts);
  }
}

}  // namespace
}  // namespace crawlsieve
