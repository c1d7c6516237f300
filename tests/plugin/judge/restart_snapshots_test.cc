#include "plugin/judge/restart_snapshots.h"

#include "plugin/index/sharded_index.h"
#include "plugin/index/snapshot/writer.h"
#include "plugin/judge/detector.h"
#include "tests/support/entry_builder.h"
#include "tests/support/sanitized.h"
#include "tests/support/temporary_directory.h"

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

namespace fs = std::filesystem;

using testing::EntryBuilder;
using ::testing::HasSubstr;
using testing::TemporaryDirectory;

constexpr const char* kScheme = "cs1-test";

/// Lets a snapshot take entries one by one, as the test says; at first as many as there are.
class Gate {
 public:
  void Close() {
    const std::lock_guard lock(mutex_);
    is_open_ = false;
  }
  void Open() {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    changed_.notify_all();
  }
  /// Lets one entry through that is being waited for, or will be.
  void Admit() {
    const std::lock_guard lock(mutex_);
    ++admitted_;
    changed_.notify_all();
  }
  void Pass() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_open_ || admitted_ > 0; });
    if (!is_open_) --admitted_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_open_ = true;
  int admitted_ = 0;
};

/// A flat index whose entries are given as they are at the moment each of them is asked for: a
/// snapshot that is taken while pages are folded mixes as many moments as it can.
class GatedIndex final : public HammingIndex {
 public:
  explicit GatedIndex(Gate& gate) : gate_(gate) {}

  [[nodiscard]] int max_distance() const override { return 64; }
  bool Insert(Fingerprint fingerprint, DocId document) override {
    const std::lock_guard lock(mutex_);
    return entries_.insert({fingerprint, document}).second;
  }
  bool Remove(Fingerprint fingerprint, DocId document) override {
    const std::lock_guard lock(mutex_);
    return entries_.erase({fingerprint, document}) != 0;
  }
  void Find(Fingerprint query, int max_distance, std::size_t limit, std::vector<Match>& matches,
            LookupWork* /*work*/) const override {
    const std::lock_guard lock(mutex_);
    matches.clear();
    for (int distance = 0; distance <= max_distance; ++distance) {
      std::vector<Match> at;
      for (const IndexEntry& entry : entries_) {
        if (HammingDistance(query, entry.fingerprint) != distance) continue;
        at.push_back({entry.document, entry.fingerprint, distance});
      }
      std::ranges::sort(at, {}, &Match::document);
      matches.insert(matches.end(), at.begin(), at.end());
    }
    if (matches.size() > limit) matches.resize(limit);
  }
  [[nodiscard]] IndexStats Stats() const override {
    const std::lock_guard lock(mutex_);
    return {.documents = entries_.size()};
  }
  [[nodiscard]] EntrySource Entries() const override {
    return [this, last = IndexEntry{}](std::vector<IndexEntry>& entries) mutable {
      gate_.Pass();
      const std::lock_guard lock(mutex_);
      const auto next = entries_.upper_bound(last);
      if (next == entries_.end()) return false;
      last = *next;
      entries = {last};
      return true;
    };
  }
  [[nodiscard]] std::set<IndexEntry> entries() const {
    const std::lock_guard lock(mutex_);
    return entries_;
  }

 private:
  Gate& gate_;
  mutable std::mutex mutex_;
  std::set<IndexEntry> entries_;
};

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void WriteFile(const fs::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

/// A judge in a directory of its own, with made-up pages.
class Judge {
 public:
  explicit Judge(fs::path directory, std::uint64_t every = 1'000'000)
      : directory_(std::move(directory)), every_(every) {
    Start();
    if (detector_->parameters().has_value()) return;
    JudgeParameters parameters;
    parameters.max_distance = 3;
    EXPECT_TRUE(detector_->Fold(ParametersEntry(parameters, kScheme)).has_value());
    Commit();
    EXPECT_TRUE(store_->Flush().has_value());
  }
  ~Judge() { Stop(); }

  void Stop() {
    gate_.Open();
    detector_.reset();
    store_.reset();
  }
  void Start() {
    auto store = Store::Open({.directory = directory_, .write_buffer_bytes = 10'000});
    ASSERT_TRUE(store.has_value()) << store.error().message;
    store_ = std::move(*store);
    Load();
  }
  /// Takes the state up again without what was not committed.
  void Restart() {
    ASSERT_TRUE(store_->Flush().has_value());
    Crash();
  }
  /// Takes the state up again without what was not written to files, committed or not.
  void Crash() {
    Stop();
    Start();
    to_be_folded_ = static_cast<std::size_t>(detector_->position().offset);
  }
  /// As a start does, on the store that is open.
  void Load() {
    detector_.reset();
    detector_ = Open({directory_, every_}, index_);
  }

  /// Folds the next entry of the log, which is made up when it isn't there yet.
  void Fold(const log::Entry& entry) {
    log_.push_back(entry);
    FoldNext();
  }
  void FoldNext() {
    const auto folded = detector_->Fold(log_.at(to_be_folded_++));
    ASSERT_TRUE(folded.has_value()) << folded.error().message;
    ASSERT_EQ(folded->outcome, FoldOutcome::kVerdict);
  }
  [[nodiscard]] bool HasFoldedAll() const { return to_be_folded_ == log_.size(); }
  void Commit() {
    const auto committed = detector_->Commit(
        LogPosition{static_cast<std::int64_t>(to_be_folded_), "0123456789abcdef"});
    ASSERT_TRUE(committed.has_value()) << committed.error().message;
  }
  void Discard() {
    detector_->Discard();
    to_be_folded_ = static_cast<std::size_t>(detector_->position().offset);
  }
  void WriteSnapshot() {
    gate_.Open();
    ASSERT_TRUE(detector_->Flush().has_value());
  }

  /// Of `count` pages with URLs and contents of their own.
  void FoldPages(int count) {
    for (int i = 0; i < count; ++i) {
      const auto n = log_.size();
      Fold(entries_.Text("http://a/" + std::to_string(n), "text " + std::to_string(n),
                         n * 0x9e37'79b9'7f4a'7c15));
    }
    Commit();
  }
  /// The page with this URL, with content that no page had.
  void FoldUpdate(const std::string& url) {
    const auto n = log_.size();
    Fold(entries_.Text(url, "text " + std::to_string(n), n * 0x9e37'79b9'7f4a'7c15));
  }

  [[nodiscard]] std::set<IndexEntry> index() const { return index_->entries(); }
  /// What an index holds that is filled from the rows of the store.
  [[nodiscard]] std::set<IndexEntry> Rebuilt() {
    GatedIndex* index = nullptr;
    const auto detector = Open({}, index);
    return index->entries();
  }
  [[nodiscard]] const RestartReport& report() const { return detector_->restart_report(); }
  [[nodiscard]] bool has_loaded() const { return report().loaded.has_value(); }
  [[nodiscard]] Store& store() { return *store_; }
  [[nodiscard]] Gate& gate() { return gate_; }
  [[nodiscard]] EntryBuilder& entries() { return entries_; }
  void set_every(std::uint64_t every) { every_ = every; }

 private:
  std::unique_ptr<Detector> Open(const RestartOptions& options, GatedIndex*& index) {
    auto detector = Detector::Open(
        *store_,
        [&](int) -> Result<std::unique_ptr<HammingIndex>> {
          auto made = std::make_unique<GatedIndex>(gate_);
          index = made.get();
          return std::unique_ptr<HammingIndex>(std::move(made));
        },
        kScheme, options);
    if (!detector) {
      ADD_FAILURE() << detector.error().message;
      std::abort();
    }
    return std::move(*detector);
  }

  const fs::path directory_;
  std::uint64_t every_;
  Gate gate_;
  EntryBuilder entries_{kScheme};
  std::vector<log::Entry> log_;  // but for the parameters
  std::size_t to_be_folded_ = 0;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Detector> detector_;
  GatedIndex* index_ = nullptr;
};

class RestartSnapshotsTest : public ::testing::Test {
 protected:
  /// Starts again; the index must be that of a rebuild, wherever it came from.
  static void ExpectRightAfterLoad(Judge& judge) {
    judge.Load();
    EXPECT_EQ(judge.index(), judge.Rebuilt());
  }
  void ExpectRefused(Judge& judge, const std::string& why) {
    ExpectRightAfterLoad(judge);
    EXPECT_FALSE(judge.has_loaded());
    ASSERT_FALSE(judge.report().refused.empty());
    EXPECT_THAT(judge.report().refused[0].message, HasSubstr(why));
  }

  TemporaryDirectory temporary_;
  const fs::path directory_ = temporary_.path() / "state";
  const fs::path newest_ = directory_ / "index.snapshot";
  const fs::path previous_ = directory_ / "index.previous.snapshot";
};

TEST_F(RestartSnapshotsTest, ARestartTakesTheSnapshotAndWhatCameSince) {
  Judge judge(directory_);
  judge.FoldPages(20);
  judge.WriteSnapshot();
  EXPECT_EQ(judge.report().written, 1U);
  EXPECT_EQ(judge.report().last->entries, 20U);
  judge.FoldPages(5);
  judge.FoldUpdate("http://a/3");  // retires one of the snapshot
  judge.Fold(judge.entries().Page("http://a/7", log::OUTCOME_DELETED));   // and another one
  judge.Fold(judge.entries().Page("http://a/22", log::OUTCOME_DELETED));  // and one it never had
  judge.Fold(judge.entries().Binary("http://a/binary", "no text"));
  judge.Commit();
  const std::set<IndexEntry> before = judge.index();
  EXPECT_EQ(before.size(), 23U);
  judge.Restart();
  EXPECT_EQ(judge.report().loaded, 20);
  EXPECT_TRUE(judge.report().refused.empty());
  EXPECT_EQ(judge.index(), before);
  EXPECT_EQ(judge.Rebuilt(), before);
}

TEST_F(RestartSnapshotsTest, ANewStateHasNoneAndNothingToComplainOf) {
  Judge judge(directory_);
  EXPECT_FALSE(judge.has_loaded());
  EXPECT_TRUE(judge.report().refused.empty());
}

TEST_F(RestartSnapshotsTest, AreWrittenEverySoManyEntriesWhileTheJudgeGoesOn) {
  Judge judge(directory_, 10);
  judge.FoldPages(10);
  judge.WriteSnapshot();
  EXPECT_EQ(judge.report().last->origin.log_offset, 10);
  judge.gate().Close();
  judge.FoldPages(9);
  judge.FoldPages(1);  // another one begins, and waits for its first entry
  judge.FoldPages(4);
  judge.FoldUpdate("http://a/3");
  judge.Commit();
  judge.WriteSnapshot();  // which ends that one
  EXPECT_EQ(judge.report().written, 2U);
  EXPECT_EQ(judge.report().last->origin.log_offset, 20);
  EXPECT_EQ(judge.report().last->entries, 19U);  // all up to there but the one that was retired
  EXPECT_EQ(judge.report().given_up, 0U);
  judge.Restart();
  EXPECT_EQ(judge.report().loaded, 20);
  EXPECT_EQ(judge.index(), judge.Rebuilt());
}

TEST_F(RestartSnapshotsTest, AreNotWrittenAgainWhereNothingCameSince) {
  Judge judge(directory_);
  judge.FoldPages(3);
  judge.WriteSnapshot();
  judge.WriteSnapshot();
  EXPECT_EQ(judge.report().written, 1U);
  judge.Restart();
  judge.WriteSnapshot();
  EXPECT_EQ(judge.report().written, 0U);
}

// Random histories: pages come, are updated, deleted, repeated; transactions commit and abort;
// snapshots begin and proceed entry by entry in between; the process ends at any moment.
TEST_F(RestartSnapshotsTest, WhateverHappensTheIndexIsThatOfARebuild) {
  constexpr unsigned kSeeds = testing::kIsSanitized ? 5 : 20;
  std::uint64_t loaded = 0;
  std::uint64_t given_up = 0;
  for (unsigned seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const auto any = [&](std::uint64_t limit) { return random() % limit; };
    const fs::path directory = temporary_.path() / std::to_string(seed);
    Judge judge(directory, 1 + any(30));
    judge.gate().Close();
    for (int step = 0; step < 400; ++step) {
      const std::string url = "http://a/" + std::to_string(any(40));
      const auto what = any(100);
      if (what < 60) {
        const auto content = any(60);
        if (!judge.HasFoldedAll()) {
          judge.FoldNext();
        } else if (what < 50) {
          judge.Fold(judge.entries().Text(url, "text " + std::to_string(content),
                                          content * 0x9e37'79b9'7f4a'7c15));
        } else {
          judge.Fold(judge.entries().Page(url, log::OUTCOME_DELETED));
        }
      } else if (what < 70) {
        judge.Commit();
      } else if (what < 74) {
        judge.Discard();
      } else if (what < 98) {
        judge.gate().Admit();
      } else if (what < 99) {
        given_up += judge.report().given_up;
        any(2) == 0 ? judge.Restart() : judge.Crash();
        judge.gate().Close();
        ASSERT_EQ(judge.index(), judge.Rebuilt());
        loaded += judge.has_loaded() ? 1 : 0;
      } else {
        judge.Commit();
        judge.WriteSnapshot();
        judge.gate().Close();
      }
      if (HasFatalFailure()) return;
    }
    given_up += judge.report().given_up;
  }
  // The histories were of the kind that is to be tested.
  EXPECT_GT(loaded, kSeeds / 2);
  EXPECT_GT(given_up, kSeeds / 4);
}

TEST_F(RestartSnapshotsTest, OneThatMissedADocumentThatCameBackIsGivenUp) {
  Judge judge(directory_, 10);
  judge.gate().Close();
  judge.FoldPages(10);  // a snapshot has begun, and waits for its first entry
  judge.Fold(judge.entries().Page("http://a/3", log::OUTCOME_DELETED));
  judge.gate().Open();
  while (!fs::exists(newest_)) {  // written without page 3
  }
  judge.Discard();
  judge.WriteSnapshot();
  EXPECT_EQ(judge.report().given_up, 1U);
  EXPECT_FALSE(judge.report().last_error.has_value());
  ExpectRightAfterLoad(judge);
}

TEST_F(RestartSnapshotsTest, EveryChangedByteIsNoticedAndTheRowsTakeOver) {
  Judge judge(directory_);
  judge.FoldPages(30);
  judge.WriteSnapshot();
  const std::string intact = ReadFile(newest_);
  ASSERT_FALSE(intact.empty());
  for (std::size_t i = 0; i < intact.size(); ++i) {
    std::string damaged = intact;
    damaged[i] = static_cast<char>(damaged[i] ^ (1 << i % 8));
    WriteFile(newest_, damaged);
    ExpectRightAfterLoad(judge);
    ASSERT_FALSE(judge.has_loaded()) << i;
    ASSERT_FALSE(judge.report().refused.empty());
  }
  WriteFile(newest_, intact);
  ExpectRightAfterLoad(judge);
  EXPECT_TRUE(judge.has_loaded());
}

TEST_F(RestartSnapshotsTest, EveryTruncationIsNoticedAndTheRowsTakeOver) {
  Judge judge(directory_);
  judge.FoldPages(30);
  judge.WriteSnapshot();
  for (auto size = fs::file_size(newest_); size > 0;) {
    fs::resize_file(newest_, --size);
    ExpectRightAfterLoad(judge);
    ASSERT_FALSE(judge.has_loaded()) << size;
  }
}

TEST_F(RestartSnapshotsTest, AMissingOneIsNamedAndThePreviousOneTaken) {
  Judge judge(directory_);
  judge.FoldPages(10);
  judge.WriteSnapshot();
  judge.FoldUpdate("http://a/3");
  judge.Commit();
  judge.WriteSnapshot();
  judge.FoldUpdate("http://a/4");
  judge.Commit();
  fs::remove(newest_);
  ExpectRightAfterLoad(judge);
  EXPECT_EQ(judge.report().loaded, 10);
  ASSERT_EQ(judge.report().refused.size(), 1U);
  EXPECT_THAT(judge.report().refused[0].message, HasSubstr(newest_.string()));
  fs::remove(previous_);
  ExpectRightAfterLoad(judge);
  EXPECT_FALSE(judge.has_loaded());
  EXPECT_EQ(judge.report().refused.size(), 2U);
}

TEST_F(RestartSnapshotsTest, OneOfAnotherStateIsRefused) {
  Judge judge(directory_);
  judge.FoldPages(10);
  judge.WriteSnapshot();
  // Of the same scheme, the same log offset, and as many documents.
  const fs::path elsewhere = temporary_.path() / "elsewhere";
  {
    Judge other(elsewhere);
    for (int i = 0; i < 10; ++i) other.FoldUpdate("http://b/" + std::to_string(i));
    other.FoldUpdate("http://b/0");
    other.Commit();
    other.WriteSnapshot();
  }
  fs::copy_file(elsewhere / "index.snapshot", newest_, fs::copy_options::overwrite_existing);
  ExpectRefused(judge, "covers log offset 11, past 10");
  judge.FoldPages(1);
  ExpectRefused(judge, "not one that belongs to this state");
}

TEST_F(RestartSnapshotsTest, OneThatIsNewerThanTheStateIsRefused) {
  const fs::path older = temporary_.path() / "older";
  {
    Judge judge(directory_);
    judge.FoldPages(10);
    judge.WriteSnapshot();
    judge.Stop();
    fs::copy(directory_, older, fs::copy_options::recursive);
    judge.Start();
    judge.FoldPages(10);
    judge.WriteSnapshot();
  }
  fs::copy_file(newest_, older / "index.snapshot", fs::copy_options::overwrite_existing);
  Judge judge(older);
  EXPECT_FALSE(judge.has_loaded());
  ASSERT_FALSE(judge.report().refused.empty());
  EXPECT_THAT(judge.report().refused[0].message, HasSubstr("covers log offset 20, past 10"));
  EXPECT_EQ(judge.index(), judge.Rebuilt());
}

TEST_F(RestartSnapshotsTest, OneFromBeforeTheTwoThatAreKeptIsRefused) {
  Judge judge(directory_);
  judge.FoldPages(10);
  judge.WriteSnapshot();
  const std::string old = ReadFile(newest_);
  for (int i = 0; i < 3; ++i) {
    judge.FoldUpdate("http://a/" + std::to_string(i));
    judge.Commit();
    judge.WriteSnapshot();
  }
  WriteFile(newest_, old);
  ExpectRightAfterLoad(judge);
  EXPECT_EQ(judge.report().loaded, 12);  // the previous one
  ASSERT_EQ(judge.report().refused.size(), 1U);
  EXPECT_THAT(judge.report().refused[0].message, HasSubstr("not one that belongs to this state"));
}

TEST_F(RestartSnapshotsTest, WhereNoneAreWantedThoseOfBeforeAreForgotten) {
  Judge judge(directory_);
  judge.FoldPages(10);
  judge.WriteSnapshot();
  judge.set_every(0);
  judge.Restart();
  EXPECT_FALSE(judge.has_loaded());
  judge.FoldUpdate("http://a/3");
  judge.Commit();
  judge.WriteSnapshot();
  EXPECT_EQ(judge.report().written, 0U);
  judge.set_every(1'000'000);
  judge.Restart();
  EXPECT_FALSE(judge.has_loaded());
  EXPECT_EQ(judge.index(), judge.Rebuilt());
}

TEST_F(RestartSnapshotsTest, NotesOfWhatWasRetiredArePruned) {
  Judge judge(directory_);
  judge.FoldPages(10);
  for (int i = 0; i < 8; ++i) {
    judge.FoldUpdate("http://a/" + std::to_string(i));
    judge.Commit();
    if (i % 2 == 1) judge.WriteSnapshot();
  }
  std::vector<std::string> keys;
  ASSERT_TRUE(judge.store()
                  .ForEach(Table::kRestart,
                           [&](std::string_view key, std::string_view) -> Status {
                             keys.emplace_back(key.substr(0, key.find('/')));
                             return {};
                           })
                  .has_value());
  // The two snapshots, and the two updates that the older of them doesn't cover.
  EXPECT_EQ(keys, (std::vector<std::string>{"retired", "retired", "snapshot", "snapshot"}));
}

TEST_F(RestartSnapshotsTest, AFolderThatCantBeWrittenIsReportedAndNothingElseSuffers) {
  Judge judge(directory_);
  fs::create_directories(directory_ / "index.new.snapshot.tmp");
  judge.FoldPages(10);
  judge.WriteSnapshot();
  EXPECT_EQ(judge.report().written, 0U);
  EXPECT_EQ(judge.report().given_up, 1U);
  ASSERT_TRUE(judge.report().last_error.has_value());
  EXPECT_EQ(judge.report().last_error->code, ErrorCode::kIo);
  judge.FoldPages(1);
  ExpectRightAfterLoad(judge);
}

}  // namespace
}  // namespace crawlsieve
