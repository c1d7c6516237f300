#include "consumer/service/slots/slot_feed.h"

#include "plugin/fingerprint/checksum.h"
#include "plugin/index/flat_index.h"
#include "plugin/slots/slot_file.h"
#include "tests/consumer/service/slots/memory_changes.h"
#include "tests/plugin/judge/random_log.h"
#include "tests/support/gated_index.h"
#include "tests/support/memory_log.h"
#include "tests/support/temporary_directory.h"

#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

using std::chrono::milliseconds;
using testing::GatedIndex;
using testing::kScheme;
using testing::MemoryChanges;
using testing::MemoryLog;

const SlotLayout kLayout{2, 0, kScheme};

class SlotFeedTest : public ::testing::Test {
 protected:
  SlotFeedTest() {
    for (int i = 0; i < 100; ++i) log_.Append(fmt::format("entry {}", i));
    gate_.set_value();
  }

  /// Behind entry `offset` of a log; documents have the numbers of their entries and 1 more.
  static SlotPlace PlaceOf(std::int64_t offset, const std::string& log = "entry") {
    if (offset < 0) return {};
    return {{offset, ToBytes(RawChecksum(fmt::format("{} {}", log, offset)))},
            static_cast<std::uint64_t>(offset) + 1};
  }
  static ChangesRecord Changes(std::int64_t before, std::int64_t after,
                               const std::string& log = "entry") {
    ChangesRecord record;
    record.layout = kLayout;
    record.before = PlaceOf(before, log);
    record.after = PlaceOf(after, log);
    record.parameters = testing::Parameters();
    for (std::int64_t i = before + 1; i <= after; ++i) {
      const auto number = static_cast<std::uint64_t>(i) + 1;
      record.inserted.push_back({Fingerprint{number * 0x9e3779b97f4a7c15}, DocId{number}});
    }
    return record;
  }

  SlotMachine::Options Options(std::uint32_t slot) {
    SlotMachine::Options options;
    options.layout = kLayout;
    options.slot = slot;
    options.make_index = [this](int) -> Result<std::unique_ptr<HammingIndex>> {
      return std::make_unique<GatedIndex>(gate_future_);
    };
    return options;
  }
  std::filesystem::path DirectoryOf(std::uint32_t slot) {
    return directory_.path() / std::to_string(slot);
  }
  /// A process gets a slot.
  void Add(std::uint32_t slot, std::uint64_t file_entries = 0) {
    slots_[slot] = std::make_unique<HeldSlot>(Options(slot), DirectoryOf(slot), file_entries);
  }
  /// Files of a slot at a place.
  void WriteFiles(std::uint32_t slot, const SlotPlace& place) {
    const auto machine = SlotMachine::Make(Options(slot), {place, testing::Parameters()}, 0,
                                           [](std::vector<IndexEntry>&) { return false; });
    ASSERT_TRUE(machine.has_value());
    ASSERT_TRUE(SlotFile::Write(DirectoryOf(slot), *machine).has_value());
  }
  void WaitUntilLoaded() {
    for (const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);;) {
      ASSERT_TRUE(feed_.Poll([](std::uint32_t, const HeldSlot&) {}).has_value());
      bool is_loaded = true;
      for (const auto& [slot, held] : slots_) is_loaded &= held->is_loaded();
      if (is_loaded) return;
      ASSERT_LT(std::chrono::steady_clock::now(), deadline);
      std::this_thread::yield();
    }
  }
  std::int64_t OffsetOf(std::uint32_t slot) {
    return slots_.at(slot)->machine().state().place.position.offset;
  }
  BrokerResult<std::size_t> Apply() { return feed_.Apply(64, milliseconds(0)); }

  MemoryLog log_;
  testing::MemoryLogSource source_{log_};
  MemoryChanges changes_;
  std::promise<void> gate_;
  std::shared_future<void> gate_future_ = gate_.get_future().share();
  testing::TemporaryDirectory directory_;
  HeldSlots slots_;
  SlotFeed feed_{slots_, changes_, source_};
};

TEST_F(SlotFeedTest, DoesNotGoBackWhileASlotsFilesAreWritten) {
  std::promise<void> gate;
  gate_future_ = gate.get_future().share();
  Add(0, 10);
  WaitUntilLoaded();
  changes_.records = {Changes(-1, 20)};
  ASSERT_EQ(Apply().value(), 1U);
  feed_.WriteIfDue();
  ASSERT_TRUE(slots_.at(0)->is_writing());
  changes_.records.push_back(Changes(20, 30));
  ASSERT_EQ(Apply().value(), 1U);
  EXPECT_TRUE(feed_.is_caught_up());
  const int seeks = changes_.seeks;
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(feed_.Poll([](std::uint32_t, const HeldSlot&) {}).has_value());
    EXPECT_EQ(Apply().value(), 0U) << "the same records again";
  }
  EXPECT_EQ(changes_.seeks, seeks);
  EXPECT_TRUE(feed_.is_caught_up()) << "or no slot answers";
  EXPECT_EQ(feed_.LeastPlace(), 30);
  gate.set_value();
}

TEST_F(SlotFeedTest, WritesOneSlotAtATime) {
  std::promise<void> gate;
  gate_future_ = gate.get_future().share();
  Add(0, 10);
  Add(1, 10);
  WaitUntilLoaded();
  changes_.records = {Changes(-1, 20)};
  ASSERT_TRUE(Apply().has_value());
  feed_.WriteIfDue();
  feed_.WriteIfDue();
  EXPECT_NE(slots_.at(0)->is_writing(), slots_.at(1)->is_writing());
  gate.set_value();
}

TEST_F(SlotFeedTest, SilenceIsNotTheEnd) {
  changes_.records = {Changes(-1, 20)};
  changes_.is_slow = true;
  Add(0);
  WaitUntilLoaded();
  EXPECT_EQ(Apply().value(), 0U);
  EXPECT_FALSE(feed_.is_caught_up());
  changes_.is_slow = false;
  EXPECT_EQ(Apply().value(), 1U);
  EXPECT_TRUE(feed_.is_caught_up());
}

TEST_F(SlotFeedTest, ASlotThatCantBeLoadedIsGivenUpAlone) {
  WriteFiles(0, PlaceOf(10));
  std::filesystem::copy(DirectoryOf(0), DirectoryOf(1));
  changes_.records = {Changes(-1, 10), Changes(10, 20)};
  Add(0);
  Add(1);
  WaitUntilLoaded();
  EXPECT_TRUE(Apply().has_value());
  EXPECT_EQ(OffsetOf(0), 20);
  ASSERT_TRUE(feed_.given_up().contains(1));
  EXPECT_NE(feed_.given_up().at(1).find("slot 1 of"), std::string::npos);
}

TEST_F(SlotFeedTest, ASlotThatLacksChangesIsGivenUpAlone) {
  WriteFiles(0, PlaceOf(10));
  changes_.records = {Changes(10, 20)};
  Add(0);
  Add(1);  // there is no file of it
  WaitUntilLoaded();
  EXPECT_TRUE(Apply().has_value());
  EXPECT_EQ(OffsetOf(0), 20);
  EXPECT_FALSE(slots_.contains(1));
}

TEST_F(SlotFeedTest, ASlotThatEndsInsideARecordOfItsLogTakesAllOfIt) {
  WriteFiles(0, PlaceOf(15));
  changes_.records = {Changes(10, 20)};
  Add(0);
  WaitUntilLoaded();
  EXPECT_TRUE(Apply().has_value());
  EXPECT_EQ(OffsetOf(0), 20);
  EXPECT_TRUE(feed_.TakeLogWasRead());
}

TEST_F(SlotFeedTest, ASlotOfAnotherLogIsGivenUpInsideARecordToo) {
  WriteFiles(0, PlaceOf(15, "another"));
  changes_.records = {Changes(10, 20)};
  Add(0);
  WaitUntilLoaded();
  EXPECT_TRUE(Apply().has_value());
  EXPECT_FALSE(slots_.contains(0));
}

TEST_F(SlotFeedTest, RecordsOfAnotherLogAreNotTaken) {
  changes_.records = {Changes(-1, 20, "another")};
  Add(0);
  WaitUntilLoaded();
  EXPECT_TRUE(Apply().has_value());
  ASSERT_FALSE(slots_.contains(0));
  EXPECT_NE(feed_.given_up().at(0).find("another log"), std::string::npos);
}

TEST_F(SlotFeedTest, WhatIsComparedInsideARecordMustStillBeThere) {
  log_.DeleteBefore(50);
  WriteFiles(0, PlaceOf(15));
  changes_.records = {Changes(10, 20)};
  Add(0);
  WaitUntilLoaded();
  EXPECT_TRUE(Apply().has_value());
  EXPECT_FALSE(slots_.contains(0));
}

TEST_F(SlotFeedTest, ATopicThatGoesBackIsRefused) {
  changes_.records = {Changes(-1, 20), Changes(20, 40)};
  Add(0);
  WaitUntilLoaded();
  ASSERT_TRUE(Apply().has_value());
  changes_.records.push_back(Changes(-1, 20, "another"));
  const auto applied = Apply();
  ASSERT_FALSE(applied.has_value());
  EXPECT_FALSE(applied.error().may_pass());
  EXPECT_NE(applied.error().message.find("another log"), std::string::npos);
}

TEST_F(SlotFeedTest, ASlotThatIsAheadOfAJudgeThatBeginsAnewIsGivenUp) {
  WriteFiles(0, PlaceOf(60));
  Add(0);
  WaitUntilLoaded();
  ASSERT_EQ(Apply().value(), 0U);
  ASSERT_TRUE(feed_.is_caught_up());
  changes_.records = {Changes(-1, 20)};
  ASSERT_TRUE(Apply().has_value());
  EXPECT_FALSE(slots_.contains(0));
}

}  // namespace
}  // namespace crawlsieve::consumer
