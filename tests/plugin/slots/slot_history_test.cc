// Random histories of a judge with slots, against the same log in one process: verdicts and state
// byte for byte, whatever becomes of the answers. A failure names its seed.
#include "tests/plugin/slots/slot_world.h"
#include "tests/support/sanitized.h"

#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

using testing::EntryBuilder;
using testing::FoldInProcess;
using testing::kScheme;
using testing::MakeFlatIndex;
using testing::MakeShardedIndex;
using testing::Outcome;
using testing::SlotWeather;
using testing::SlotWorld;

/// A log in which a few templates have very many live pages within reach of each other, pages are
/// updated and deleted, and the parameters go through k = 3, 6, 5 and back.
std::vector<log::Entry> TemplateLog(std::uint64_t seed, std::size_t size) {
  std::mt19937_64 random(seed);
  EntryBuilder entries(kScheme);
  JudgeParameters parameters = testing::ParametersOf(seed);
  std::vector<log::Entry> log = {ParametersEntry(parameters, kScheme)};
  const std::size_t period = std::max<std::size_t>(size / 7, 2);
  std::uint64_t made = 0;
  while (log.size() < size) {
    if (log.size() % period == 0) {
      constexpr std::uint32_t kDistances[] = {3, 6, 5};
      parameters.max_distance = kDistances[log.size() / period % 3];
      parameters.max_candidates = 2 + static_cast<std::uint32_t>(random() % 3);
      log.push_back(ParametersEntry(parameters, kScheme));
      continue;
    }
    const std::uint64_t page = random() % (size / 4 + 30);
    const std::string host = fmt::format("{}.{}", "abc"[page % 3], page % 2 == 0 ? "x" : "yy");
    const std::string url = fmt::format("http://{}/{}", host, page);
    const std::uint64_t kind = random() % 20;
    if (kind == 0) {
      log.push_back(entries.Page(url, log::OUTCOME_DELETED));
    } else if (kind == 1) {
      log.push_back(log[random() % log.size()]);
      continue;
    } else {
      const bool is_template = random() % 2 == 0;
      std::uint64_t simhash =
          is_template ? (random() % 4) * 0x0123456789abcdefULL : random() * random();
      for (std::uint64_t flips = random() % 4; flips > 0; --flips) simhash ^= 1ULL << random() % 64;
      const std::string content =
          random() % 8 == 0 ? std::to_string(random() % 50) : "own " + std::to_string(made++);
      log.push_back(entries.Text(url, content, simhash));
      // Most pages of a template are near by the simhash alone.
      EntryBuilder::SetSketch(log.back(),
                              testing::SketchAt(0.3 + 0.1 * static_cast<double>(random() % 8)));
    }
    log::Page& last = *log.back().mutable_page();
    last.set_host(host);
    last.set_registered_domain_bytes(page % 2 == 0 ? 1 : 2);
    last.set_title(static_cast<std::uint32_t>(random() % 3));
    last.set_crawl_id(random() % 3 == 0 ? "monday" : "tuesday");
  }
  return log;
}

/// The same with purges, expiry and, in every other stretch of parameters, a bound: what goes is
/// looked for slowly, so that much of it is still in the index.
std::vector<log::Entry> WithRemoval(const std::vector<log::Entry>& log, std::uint64_t seed) {
  std::vector<log::Entry> changed = testing::WithRemoval(log, seed);
  std::uint64_t stretches = seed;
  std::int64_t minutes = 0;
  for (log::Entry& entry : changed) {
    if (entry.has_parameters()) {
      log::Retention& retention = *entry.mutable_parameters()->mutable_retention();
      retention.set_max_pages(++stretches % 2 == 0 ? log.size() / 12 : 0);
      retention.set_sweep_rows(1 + static_cast<std::uint32_t>(stretches % 7));
    } else if (entry.has_page()) {
      entry.mutable_page()->mutable_source()->set_timestamp_ms(1'772'366'400'000 +
                                                               ++minutes * 600'000);
    }
  }
  return changed;
}

SlotLayout LayoutOf(std::uint32_t slots, std::uint32_t stripe_bits = 4) {
  return {slots, stripe_bits, kScheme};
}

class SlotHistory : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(SlotHistory, AnyNumberOfSlotsGivesTheVerdictsAndTheStateOfOneProcess) {
  const std::uint64_t seed = GetParam();
  SCOPED_TRACE(seed);
  const auto log = testing::WithRevisits(TemplateLog(seed, 1'500), seed);
  const Outcome expected = FoldInProcess(log, MakeFlatIndex);
  for (const std::uint32_t slots : {1U, 3U, 7U}) {
    SCOPED_TRACE(slots);
    SlotWorld world(log, {.layout = LayoutOf(slots),
                          .make_index = MakeFlatIndex,
                          .weather = {.seed = seed + slots}});
    EXPECT_EQ(world.Run(), expected);
    EXPECT_EQ(world.Follow(), expected);
  }
}

/// Runs the log with several numbers of slots, in bad weather and with answers of one candidate.
void ExpectTheSameWithSlots(const std::vector<log::Entry>& log, std::uint64_t seed,
                            const Outcome& expected) {
  for (const std::uint32_t slots : {1U, 3U, 7U}) {
    SCOPED_TRACE(slots);
    for (const int kill_percent : {0, 1}) {
      SlotWorld world(log, {.layout = LayoutOf(slots),
                            .make_index = MakeFlatIndex,
                            .limit = kill_percent > 0 ? 1U : 0U,
                            .weather = {.seed = seed + slots,
                                        .lost_percent = 5,
                                        .repeated_percent = 10,
                                        .late_percent = 20,
                                        .kill_percent = kill_percent}});
      EXPECT_EQ(world.Run(), expected);
      EXPECT_EQ(world.Follow(), expected);
    }
  }
}

TEST_P(SlotHistory, WhatIsPurgedExpiresOrIsTooMuchIsNoCandidateOfAnySlot) {
  const std::uint64_t seed = GetParam();
  SCOPED_TRACE(seed);
  const auto log = WithRemoval(TemplateLog(seed, 1'200), seed);
  Removed removed;
  const Outcome expected = FoldInProcess(log, MakeFlatIndex, &removed);
  EXPECT_GT(removed.purged_pages, 20U);
  EXPECT_GT(removed.evicted_pages, 0U);
  ExpectTheSameWithSlots(log, seed, expected);
}

TEST_P(SlotHistory, RevisitsOfPagesThatGoNeedNoSlot) {
  const std::uint64_t seed = GetParam();
  SCOPED_TRACE(seed);
  const auto log = WithRemoval(testing::WithRevisits(TemplateLog(seed, 1'200), seed), seed);
  Removed removed;
  const Outcome expected = FoldInProcess(log, MakeFlatIndex, &removed);
  EXPECT_GT(removed.purged_pages, 20U);
  ExpectTheSameWithSlots(log, seed, expected);
}

TEST_P(SlotHistory, BadWeatherOnlyDelays) {
  const std::uint64_t seed = GetParam();
  SCOPED_TRACE(seed);
  const auto log = TemplateLog(seed, 1'200);
  const Outcome expected = FoldInProcess(log, MakeFlatIndex);
  SlotWorld world(log, {.layout = LayoutOf(3),
                        .make_index = MakeFlatIndex,
                        .weather = {.seed = seed,
                                    .lost_percent = 20,
                                    .repeated_percent = 30,
                                    .late_percent = 40,
                                    .kill_percent = 1}});
  EXPECT_EQ(world.Run(), expected);
  EXPECT_EQ(world.Follow(), expected);
}

TEST_P(SlotHistory, AnswersOfOneCandidateAreAskedForAgain) {
  const std::uint64_t seed = GetParam();
  SCOPED_TRACE(seed);
  const auto log = TemplateLog(seed, 800);
  SlotWorld world(log, {.layout = LayoutOf(3),
                        .make_index = MakeFlatIndex,
                        .limit = 1,
                        .weather = {.seed = seed, .late_percent = 20}});
  EXPECT_EQ(world.Run(), FoldInProcess(log, MakeFlatIndex));
  EXPECT_GT(world.asks(), 20U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, SlotHistory,
                         ::testing::ValuesIn(testing::SeedsToTry({0, 1, 2, 3, 5, 20'070'508})));

/// By hand: CRAWLSIEVE_SLOT_ENTRIES=200000 CRAWLSIEVE_SLOT_SEED=1 slots_test, with
/// CRAWLSIEVE_SLOT_REMOVAL=1 also with purges, expiry and a bound,
/// --gtest_filter=SlotLongHistory.*
TEST(SlotLongHistory, IsTheSameWithOneThreeAndSevenSlotsAndWithAsks) {
  const char* wanted = std::getenv("CRAWLSIEVE_SLOT_ENTRIES");
  const char* chosen = std::getenv("CRAWLSIEVE_SLOT_SEED");
  const std::size_t size = wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 6'000;
  const std::uint64_t seed = chosen != nullptr ? std::strtoull(chosen, nullptr, 10) : 42;
  fmt::print("seed {}, {} entries\n", seed, size);
  auto log = TemplateLog(seed, size);
  if (std::getenv("CRAWLSIEVE_SLOT_REMOVAL") != nullptr) log = WithRemoval(log, seed);
  const Outcome expected = FoldInProcess(log, MakeShardedIndex);
  const std::uint32_t stripe_bits = size > 100'000 ? 12 : 6;
  for (const std::uint32_t slots : {1U, 3U, 7U}) {
    SCOPED_TRACE(slots);
    SlotWorld world(
        log,
        {.layout = LayoutOf(slots, stripe_bits),
         .make_index = MakeShardedIndex,
         .window = 3'000,
         .batch = 500,
         .weather = {
             .seed = seed + slots, .lost_percent = 1, .repeated_percent = 5, .late_percent = 10}});
    EXPECT_EQ(world.Run(), expected);
    EXPECT_EQ(world.Follow(), expected);
    fmt::print("{} slots: {} asks\n", slots, world.asks());
  }
  SlotWorld world(log, {.layout = LayoutOf(3, stripe_bits),
                        .make_index = MakeShardedIndex,
                        .limit = 1,
                        .window = 3'000,
                        .batch = 500,
                        .weather = {.seed = seed}});
  EXPECT_EQ(world.Run(), expected);
  fmt::print("3 slots that answer one candidate: {} asks\n", world.asks());
}

}  // namespace
}  // namespace crawlsieve
