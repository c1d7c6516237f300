#include "consumer/service/slots/held_slot.h"

#include "consumer/service/slots/log_window.h"
#include "plugin/judge/parameters_entry.h"
#include "plugin/slots/slot_file.h"
#include "tests/plugin/judge/random_log.h"
#include "tests/support/gated_index.h"
#include "tests/support/memory_log.h"
#include "tests/support/temporary_directory.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

using std::chrono::milliseconds;
using testing::EntryBuilder;
using testing::GatedIndex;
using testing::kScheme;
using testing::TemporaryDirectory;

class HeldSlotTest : public ::testing::Test {
 protected:
  SlotMachine::Options Options() {
    SlotMachine::Options options;
    options.layout = {2, 0, kScheme};
    options.slot = 1;
    options.make_index = [this](int) -> Result<std::unique_ptr<HammingIndex>> {
      return std::make_unique<GatedIndex>(gate_future_);
    };
    return options;
  }

  static void WaitUntilLoaded(HeldSlot& held) {
    while (!held.is_loaded()) {
      ASSERT_TRUE(held.Poll().has_value());
      std::this_thread::yield();
    }
  }

  /// Documents up to `to` come, those from `from` on.
  static std::shared_ptr<const ChangesRecord> Changes(std::uint64_t from, std::uint64_t to) {
    ChangesRecord record;
    record.layout = {2, 0, kScheme};
    if (from > 1) record.before = PlaceOf(from - 1);
    record.after = PlaceOf(to);
    record.parameters = testing::Parameters();
    for (std::uint64_t i = from; i <= to; ++i) {
      record.inserted.push_back({Fingerprint{i * 0x9e3779b97f4a7c15}, DocId{i}});
    }
    return std::make_shared<const ChangesRecord>(std::move(record));
  }

  static SlotPlace PlaceOf(std::uint64_t sequence) {
    return {{static_cast<std::int64_t>(sequence), "0123456789abcdef"}, sequence};
  }

  std::promise<void> gate_;
  std::shared_future<void> gate_future_ = gate_.get_future().share();
  TemporaryDirectory directory_;
};

TEST_F(HeldSlotTest, AnswersWhileItsFilesAreWrittenAndTakesUpChangesBehindThat) {
  HeldSlot held(Options(), directory_.path() / "slot", 10);
  WaitUntilLoaded(held);
  ASSERT_TRUE(held.Apply(Changes(1, 20)).has_value());
  held.WriteIfDue();
  ASSERT_TRUE(held.Apply(Changes(21, 30)).has_value());
  EXPECT_EQ(held.machine().state().place, PlaceOf(20)) << "it is being written";

  EntryBuilder entries(kScheme);
  std::vector<log::Entry> log(21);
  log.push_back(entries.Text("http://a.example/", "a", 23 * 0x9e3779b97f4a7c15));
  log.push_back(entries.Text("http://a.example/1", "b", 21 * 0x9e3779b97f4a7c15));
  log.push_back(ParametersEntry(testing::Parameters(), kScheme));
  std::vector<LogItem> items;
  for (std::size_t i = 21; i < log.size(); ++i) {
    LogItem item;
    item.offset = static_cast<std::int64_t>(i);
    item.entry = &log[i];
    items.push_back(item);
  }
  const auto answered = held.Answer(items);
  ASSERT_TRUE(answered.has_value()) << answered.error().message;
  EXPECT_EQ(answered->answers.size(), 2U);
  EXPECT_EQ(held.machine().next(), 23) << "not the parameters: they may change the index";
  ASSERT_TRUE(held.Answer(std::span(items).subspan(2)).has_value());
  EXPECT_EQ(held.machine().next(), 23);

  gate_.set_value();
  std::optional<Status> written;
  while (!written.has_value()) {
    ASSERT_TRUE(held.Poll().has_value());
    written = held.TakeWritten();
    std::this_thread::yield();
  }
  EXPECT_TRUE(written->has_value());
  EXPECT_EQ(held.machine().state().place, PlaceOf(30)) << "what waited";
  EXPECT_EQ(held.machine().index().Stats().documents, 15U);
  const auto file = SlotFile::Open(directory_.path() / "slot", Options().layout, 1);
  ASSERT_TRUE(file.has_value() && file->has_value());
  EXPECT_EQ((*file)->state().place, PlaceOf(20));
  ASSERT_TRUE(held.Answer(std::span(items).subspan(2)).has_value());
}

TEST_F(HeldSlotTest, ItsFirstFileComesSoonerByTheLead) {
  HeldSlot held(Options(), directory_.path() / "slot", 100, 85);
  WaitUntilLoaded(held);
  ASSERT_TRUE(held.Apply(Changes(1, 10)).has_value());
  held.WriteIfDue();
  EXPECT_FALSE(held.is_writing());
  ASSERT_TRUE(held.Apply(Changes(11, 20)).has_value());
  held.WriteIfDue();
  EXPECT_TRUE(held.is_writing());
  gate_.set_value();
}

TEST_F(HeldSlotTest, WritesAtTheEndAndComesBack) {
  gate_.set_value();
  {
    HeldSlot held(Options(), directory_.path() / "slot", 1'000);
    EXPECT_TRUE(held.WriteNow().has_value()) << "nothing, while it isn't loaded";
    WaitUntilLoaded(held);
    ASSERT_TRUE(held.Apply(Changes(1, 20)).has_value());
    held.WriteIfDue();
    ASSERT_TRUE(held.WriteNow().has_value());
  }
  HeldSlot held(Options(), directory_.path() / "slot", 1'000);
  WaitUntilLoaded(held);
  EXPECT_EQ(held.machine().state().place, PlaceOf(20));
  EXPECT_EQ(held.machine().index().Stats().documents, 10U);
  EXPECT_FALSE(held.Apply(Changes(31, 40)).has_value()) << "there is a hole";
}

TEST_F(HeldSlotTest, DamagedFilesAreAnErrorOfTheNextPoll) {
  gate_.set_value();
  std::filesystem::create_directories(directory_.path() / "slot");
  std::ofstream(directory_.path() / "slot" / SlotFile::kName) << "no such file";
  HeldSlot held(Options(), directory_.path() / "slot", 10);
  Result<bool> polled = false;
  while (polled.has_value() && !*polled) polled = held.Poll();
  ASSERT_FALSE(polled.has_value());
  EXPECT_EQ(polled.error().code, ErrorCode::kCorruption);
}

class LogWindowTest : public ::testing::Test {
 protected:
  LogWindowTest() {
    EntryBuilder entries(kScheme);
    for (int i = 0; i < 50; ++i) {
      log_.Append(entries.Text("http://a.example/", std::to_string(i), 1).SerializeAsString());
    }
  }

  std::vector<std::int64_t> OffsetsFrom(std::int64_t offset, std::size_t most) {
    std::vector<LogItem> items;
    window_.ItemsFrom(offset, most, items);
    std::vector<std::int64_t> offsets;
    for (const LogItem& item : items) {
      EXPECT_NE(item.entry, nullptr);
      offsets.push_back(item.offset);
    }
    return offsets;
  }

  testing::MemoryLog log_;
  testing::MemoryLogSource source_{log_};
  LogDescription description_{"log", {}};
  std::optional<std::int64_t> seen_gap_;
  LogWindow window_{description_, source_, seen_gap_};
};

TEST_F(LogWindowTest, KeepsWhatIsNeededAndNoMore) {
  using Offsets = std::vector<std::int64_t>;
  ASSERT_TRUE(window_.KeepFrom(10).has_value());
  EXPECT_EQ(OffsetsFrom(10, 5), Offsets());
  ASSERT_EQ(window_.Fetch(29, milliseconds(0)), true);
  EXPECT_EQ(window_.end(), 30);
  EXPECT_EQ(window_.Fetch(29, milliseconds(0)), false) << "that is all";
  EXPECT_EQ(OffsetsFrom(28, 5), (Offsets{28, 29}));
  EXPECT_EQ(OffsetsFrom(9, 5), Offsets());
  ASSERT_TRUE(window_.KeepFrom(28).has_value());
  EXPECT_EQ(OffsetsFrom(27, 5), Offsets());
  EXPECT_EQ(OffsetsFrom(28, 1), (Offsets{28}));
  ASSERT_EQ(window_.Fetch(100, milliseconds(0)), true);
  EXPECT_EQ(window_.end(), 50);
  EXPECT_EQ(OffsetsFrom(28, 100).size(), 22U);
  ASSERT_TRUE(window_.KeepFrom(5).has_value()) << "it begins again";
  EXPECT_EQ(window_.end(), 5);
  ASSERT_EQ(window_.Fetch(100, milliseconds(0)), true);
  EXPECT_EQ(OffsetsFrom(5, 100).size(), 45U);
}

TEST_F(LogWindowTest, ALogThatBeginsLaterIsNamedAndMayBeTriedAgain) {
  log_.DeleteBefore(20);
  const auto kept = window_.KeepFrom(10);
  ASSERT_FALSE(kept.has_value());
  EXPECT_TRUE(kept.error().may_pass());
  EXPECT_NE(kept.error().message.find("begins at 20"), std::string::npos);
  EXPECT_TRUE(window_.KeepFrom(20).has_value());
}

}  // namespace
}  // namespace crawlsieve::consumer
