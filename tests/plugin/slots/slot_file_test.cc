#include "plugin/slots/slot_file.h"

#include "tests/plugin/slots/slot_world.h"

#include <cstdint>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

using testing::kScheme;
using testing::MakeFlatIndex;
using testing::TemporaryDirectory;

namespace fs = std::filesystem;

SlotMachine::Options OptionsOf(std::uint32_t slots, std::uint32_t slot) {
  SlotMachine::Options options;
  options.layout = {slots, 2, kScheme};
  options.slot = slot;
  options.make_index = MakeFlatIndex;
  return options;
}

std::vector<IndexEntry> EntriesOf(const SlotMachine& slot) {
  std::vector<IndexEntry> all;
  std::vector<IndexEntry> some;
  const EntrySource source = slot.index().Entries();
  while (source(some)) all.insert(all.end(), some.begin(), some.end());
  return all;
}

/// Documents 1 to `count` come, of which every third goes.
std::string ChangesOf(std::uint64_t count, std::uint32_t slots) {
  ChangesRecord record;
  record.layout = {slots, 2, kScheme};
  record.after = {{static_cast<std::int64_t>(count) - 1, "0123456789abcdef"}, count};
  record.parameters = testing::Parameters();
  for (std::uint64_t i = 1; i <= count; ++i) {
    const IndexEntry entry{Fingerprint{i * 0x9e3779b97f4a7c15}, DocId{i}};
    record.inserted.push_back(entry);
    if (i % 3 == 0) record.retired.push_back(entry);
  }
  return record.Encode();
}

std::string BytesOf(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void Write(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

class SlotFileTest : public ::testing::Test {
 protected:
  /// Writes the files of all slots, at a place after 100 documents.
  void WriteAll(std::uint32_t slots) {
    for (std::uint32_t slot = 0; slot < slots; ++slot) {
      auto machine = SlotMachine::Make(OptionsOf(slots, slot)).value();
      ASSERT_TRUE(machine.Apply(ChangesOf(100, slots)).has_value());
      ASSERT_TRUE(SlotFile::Write(At(slots, slot), machine).has_value());
    }
  }
  [[nodiscard]] fs::path At(std::uint32_t slots, std::uint32_t slot) const {
    return SlotFile::DirectoryOf(directory_.path(), {slots, 2, kScheme}, slot);
  }

  TemporaryDirectory directory_;
};

TEST_F(SlotFileTest, AnEmptyDirectoryIsAnEmptySlot) {
  const auto slot = LoadSlot(At(3, 1), OptionsOf(3, 1));
  ASSERT_TRUE(slot.has_value()) << slot.error().message;
  EXPECT_EQ(slot->next(), 0);
  EXPECT_EQ(slot->index().Stats().documents, 0U);
}

TEST_F(SlotFileTest, ASlotComesBackWithItsPlaceAndFollows) {
  auto slot = SlotMachine::Make(OptionsOf(3, 1)).value();
  ASSERT_TRUE(slot.Apply(ChangesOf(100, 3)).has_value());
  ASSERT_TRUE(SlotFile::Write(At(3, 1), slot).has_value());
  auto loaded = LoadSlot(At(3, 1), OptionsOf(3, 1));
  ASSERT_TRUE(loaded.has_value()) << loaded.error().message;
  EXPECT_EQ(EntriesOf(*loaded), EntriesOf(slot));
  EXPECT_EQ(loaded->state().place, slot.state().place);
  EXPECT_EQ(loaded->state().parameters, slot.state().parameters);
  EXPECT_EQ(loaded->next(), 100);

  ChangesRecord more;
  more.layout = slot.layout();
  more.before = slot.state().place;
  more.after = {{120, "fedcba9876543210"}, 110};
  more.inserted = {{Fingerprint{5}, DocId{102}}};
  for (SlotMachine* machine : {&slot, &*loaded}) {
    EXPECT_TRUE(machine->Apply(ChangesOf(100, 3)).has_value()) << "again: changes nothing";
    EXPECT_TRUE(machine->Apply(more.Encode()).has_value());
  }
  EXPECT_EQ(EntriesOf(*loaded), EntriesOf(slot));

  ASSERT_TRUE(SlotFile::Write(At(3, 1), *loaded).has_value());
  const auto again = LoadSlot(At(3, 1), OptionsOf(3, 1));
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_EQ(EntriesOf(*again), EntriesOf(slot));
  EXPECT_EQ(std::distance(fs::directory_iterator(At(3, 1)), {}), 2) << "the older one is gone";
}

TEST_F(SlotFileTest, ChangesThatDoNotFollowAreRefusedAndChangeNothing) {
  auto slot = SlotMachine::Make(OptionsOf(3, 1)).value();
  ASSERT_TRUE(slot.Apply(ChangesOf(100, 3)).has_value());
  const auto before = EntriesOf(slot);
  ChangesRecord gap;
  gap.layout = slot.layout();
  gap.before = {{120, "fedcba9876543210"}, 110};
  gap.after = {{130, "fedcba9876543210"}, 115};
  gap.inserted = {{Fingerprint{5}, DocId{114}}};
  ChangesRecord other_log = gap;
  other_log.before = {{99, "another entry..."}, 100};
  for (const ChangesRecord& record : {gap, other_log}) {
    const auto applied = slot.Apply(record.Encode());
    ASSERT_FALSE(applied.has_value());
    EXPECT_EQ(applied.error().code, ErrorCode::kMismatch);
  }
  ChangesRecord other_scheme = gap;
  other_scheme.before = slot.state().place;
  other_scheme.layout.scheme = "cs2-other";
  const auto applied = slot.Apply(other_scheme.Encode());
  ASSERT_FALSE(applied.has_value());
  EXPECT_NE(applied.error().message.find("cs2-other"), std::string::npos);
  EXPECT_EQ(EntriesOf(slot), before);
}

// What changed is the same in every layout: files that were made of others follow through the
// records of before.
TEST_F(SlotFileTest, ASlotFollowsAJudgeOfAnotherLayoutAndDoesNotAnswerIt) {
  auto slot = SlotMachine::Make(OptionsOf(3, 1)).value();
  ASSERT_TRUE(slot.Apply(ChangesOf(100, 3)).has_value());
  EXPECT_TRUE(slot.may_answer());
  ChangesRecord more;
  more.layout = slot.layout();
  more.layout.slots = 4;
  more.before = slot.state().place;
  more.after = {{120, "fedcba9876543210"}, 120};
  more.inserted = {{Fingerprint{5}, DocId{102}}, {Fingerprint{6}, DocId{109}}};
  ASSERT_EQ(slot.layout().SlotOf(DocId{102}), 1U);
  ASSERT_NE(slot.layout().SlotOf(DocId{109}), 1U);
  const std::size_t before = EntriesOf(slot).size();
  ASSERT_TRUE(slot.Apply(more.Encode()).has_value());
  EXPECT_EQ(EntriesOf(slot).size(), before + 1);
  ASSERT_TRUE(slot.other_layout().has_value());
  EXPECT_EQ(slot.other_layout()->slots, 4U);
  EXPECT_FALSE(slot.may_answer());
  ChangesRecord ours;
  ours.layout = slot.layout();
  ours.before = ours.after = more.after;
  ASSERT_TRUE(slot.Apply(ours.Encode()).has_value());
  EXPECT_FALSE(slot.other_layout().has_value());
  EXPECT_TRUE(slot.may_answer());
}

TEST_F(SlotFileTest, AnotherLayoutIsRefusedByName) {
  WriteAll(3);
  const auto loaded = LoadSlot(At(3, 1), OptionsOf(6, 1));
  ASSERT_FALSE(loaded.has_value());
  EXPECT_EQ(loaded.error().code, ErrorCode::kMismatch);
  EXPECT_NE(loaded.error().message.find("3 slots"), std::string::npos) << loaded.error().message;
  EXPECT_NE(loaded.error().message.find("6 slots"), std::string::npos) << loaded.error().message;
  const auto wrong_slot = LoadSlot(At(3, 1), OptionsOf(3, 2));
  ASSERT_FALSE(wrong_slot.has_value());
  EXPECT_EQ(wrong_slot.error().code, ErrorCode::kMismatch);
}

TEST_F(SlotFileTest, EveryChangedByteAndEveryCutIsRefused) {
  WriteAll(1);
  for (const auto& entry : fs::directory_iterator(At(1, 0))) {
    const std::string original = BytesOf(entry.path());
    for (std::size_t i = 0; i < original.size(); ++i) {
      std::string changed = original;
      changed[i] = static_cast<char>(changed[i] ^ 0x10);
      Write(entry.path(), changed);
      EXPECT_FALSE(LoadSlot(At(1, 0), OptionsOf(1, 0)).has_value()) << entry.path() << ' ' << i;
      Write(entry.path(), original.substr(0, i));
      EXPECT_FALSE(LoadSlot(At(1, 0), OptionsOf(1, 0)).has_value()) << entry.path() << ' ' << i;
    }
    Write(entry.path(), original);
  }
  EXPECT_TRUE(LoadSlot(At(1, 0), OptionsOf(1, 0)).has_value());
}

TEST_F(SlotFileTest, TwiceAsManySlotsHaveTheSameDocuments) {
  WriteAll(3);
  TemporaryDirectory finer;
  const auto split = SplitSlots(directory_.path(), {3, 2, kScheme}, 2, finer.path());
  ASSERT_TRUE(split.has_value()) << split.error().message;
  for (std::uint32_t slot = 0; slot < 6; ++slot) {
    const auto loaded =
        LoadSlot(SlotFile::DirectoryOf(finer.path(), {6, 2, kScheme}, slot), OptionsOf(6, slot));
    ASSERT_TRUE(loaded.has_value()) << loaded.error().message;
    auto expected = SlotMachine::Make(OptionsOf(6, slot)).value();
    ASSERT_TRUE(expected.Apply(ChangesOf(100, 6)).has_value());
    EXPECT_EQ(EntriesOf(*loaded), EntriesOf(expected)) << slot;
    EXPECT_EQ(loaded->state().place, expected.state().place);
  }
}

TEST_F(SlotFileTest, ASplitNeedsTheFilesOfEverySlot) {
  WriteAll(3);
  fs::remove_all(At(3, 2));
  TemporaryDirectory finer;
  const auto split = SplitSlots(directory_.path(), {3, 2, kScheme}, 2, finer.path());
  ASSERT_FALSE(split.has_value());
  EXPECT_EQ(split.error().code, ErrorCode::kInvalidInput);
}

TEST_F(SlotFileTest, SlotsOfAStateAreThoseThatFollowedItsChanges) {
  // Purges are under way in the end.
  auto log = testing::WithRemoval(testing::RandomLog(7, 700), 7);
  log.resize(700);
  log[690].mutable_purge()->set_id("all");
  log[690].mutable_purge()->set_url_prefix("http");
  TemporaryDirectory state;
  SlotReplies replies({3, 2, kScheme}, 1'000);
  std::vector<SlotMachine> followers;
  for (std::uint32_t slot = 0; slot < 3; ++slot) {
    followers.push_back(SlotMachine::Make(OptionsOf(3, slot)).value());
  }
  {
    const auto store = Store::Open({.directory = state.path()}).value();
    const auto detector = Detector::Open(*store, MakeFlatIndex, kScheme, {}, {&replies, 1'000});
    const SlotFold fold(**detector, {3, 2, kScheme});
    for (std::int64_t i = 0; i < 700; ++i) {
      std::vector<LogItem> item = {testing::ItemOf(log, i)};
      for (SlotMachine& slot : followers) {
        const auto answer = slot.Answer(item);
        ASSERT_TRUE(answer.has_value()) << answer.error().message;
        ASSERT_TRUE(replies.Take(answer->Encode()).has_value());
      }
      const auto folded = (*detector)->Fold(log[static_cast<std::size_t>(i)]);
      ASSERT_TRUE(folded.has_value()) << folded.error().message;
      if (i % 50 != 49) continue;
      const LogPosition position = testing::PositionOf(log, i);
      const std::string changes = fold.ChangesUpTo(position, 0);
      for (SlotMachine& slot : followers) ASSERT_TRUE(slot.Apply(changes).has_value());
      ASSERT_TRUE((*detector)->Commit(position).has_value());
    }
    EXPECT_TRUE((*detector)->is_removing());
    EXPECT_GT((*detector)->index_stats().documents, 0U);
    ASSERT_TRUE((*detector)->Flush().has_value());
  }
  const auto reader = StateReader::Open(state.path());
  ASSERT_TRUE(reader.has_value()) << reader.error().message;
  const auto written = WriteSlotsOf(**reader, {3, 2, kScheme}, directory_.path());
  ASSERT_TRUE(written.has_value()) << written.error().message;
  for (std::uint32_t slot = 0; slot < 3; ++slot) {
    const auto loaded = LoadSlot(At(3, slot), OptionsOf(3, slot));
    ASSERT_TRUE(loaded.has_value()) << loaded.error().message;
    EXPECT_EQ(EntriesOf(*loaded), EntriesOf(followers[slot]));
    EXPECT_EQ(loaded->state().place, followers[slot].state().place);
    EXPECT_EQ(loaded->state().parameters, followers[slot].state().parameters);
    EXPECT_EQ(loaded->next(), followers[slot].next());
  }
}

}  // namespace
}  // namespace crawlsieve
