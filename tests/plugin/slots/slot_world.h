#pragma once

#include "plugin/fingerprint/checksum.h"
#include "plugin/index/sharded_index.h"
#include "plugin/judge/detector.h"
#include "plugin/judge/state_hash.h"
#include "plugin/log/entry.pb.h"
#include "plugin/slots/slot_fold.h"
#include "plugin/slots/slot_machine.h"
#include "plugin/slots/slot_replies.h"
#include "plugin/state/store.h"
#include "tests/plugin/judge/random_log.h"
#include "tests/support/make_flat_index.h"
#include "tests/support/temporary_directory.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace crawlsieve::testing {

inline Result<std::unique_ptr<HammingIndex>> MakeShardedIndex(int max_distance) {
  IndexOptions options;
  options.max_distance = max_distance;
  options.shards = 2;
  options.expected_entries = 20'000;
  auto index = ShardedIndex::Create(options);
  if (!index) return tl::unexpected(index.error());
  return std::unique_ptr<HammingIndex>(std::move(*index));
}

/// Everything that came of an entry.
inline std::string Describe(const Folded& folded) {
  std::string text = fmt::format("{}", static_cast<int>(folded.outcome));
  if (!folded.verdict.has_value()) return text + '\n';
  const Verdict& verdict = *folded.verdict;
  text += fmt::format(" {} {}", verdict.sequence, RuleFor(verdict.reason).name);
  if (const auto& match = verdict.match) {
    text += fmt::format(" match {} {} {} {}", match->document.sequence, match->exact,
                        match->distance, match->similarity.ten_thousandths);
  }
  if (const auto& cluster = verdict.cluster) {
    text += fmt::format(" cluster {} {} {}", cluster->id.sequence, cluster->size,
                        cluster->preferred_url);
  }
  return text + fmt::format(" priority {}\n", verdict.priority.score.ten_thousandths);
}

struct Outcome {
  Checksum verdicts;
  Checksum state;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

/// The verdicts as one growing checksum, so that long histories fit.
class VerdictSum {
 public:
  void Add(const Folded& folded) {
    text_ += Describe(folded);
    if (text_.size() < (1U << 20)) return;
    text_ = ToBytes(RawChecksum(text_));
  }
  [[nodiscard]] Checksum value() const { return RawChecksum(text_); }

 private:
  std::string text_;
};

inline LogPosition PositionOf(const std::vector<log::Entry>& log, std::int64_t offset) {
  return {offset, ToBytes(RawChecksum(log[static_cast<std::size_t>(offset)].SerializeAsString()))};
}

inline LogItem ItemOf(const std::vector<log::Entry>& log, std::int64_t offset) {
  LogItem item;
  item.offset = offset;
  item.entry = &log[static_cast<std::size_t>(offset)];
  return item;
}

/// The log in one process. `removed`: what went, if it is wanted.
inline Outcome FoldInProcess(const std::vector<log::Entry>& log, const IndexFactory& make_index,
                             Removed* removed = nullptr) {
  TemporaryDirectory directory;
  const auto store = Store::Open({.directory = directory.path()}).value();
  const auto detector = Detector::Open(*store, make_index, kScheme).value();
  VerdictSum verdicts;
  for (std::size_t i = 0; i < log.size(); ++i) {
    const auto folded = detector->Fold(log[i]);
    EXPECT_TRUE(folded.has_value()) << folded.error().message;
    if (!folded) return {};
    if (removed != nullptr) removed->Add(folded->removed);
    verdicts.Add(*folded);
    const auto offset = static_cast<std::int64_t>(i);
    if (i % 100 == 99 || i + 1 == log.size()) {
      EXPECT_TRUE(detector->Commit(PositionOf(log, offset)).has_value());
    }
  }
  return {verdicts.value(), StateHash(*store).value()};
}

/// How the topics between judge and slots behave, and who is killed.
struct SlotWeather {
  std::uint64_t seed = 0;
  int lost_percent = 0;      ///< answers that never come
  int repeated_percent = 0;  ///< that come twice, the second time late
  int late_percent = 0;      ///< that come after others
  int kill_percent = 0;      ///< steps with a slot killed, or the judge, or an aborted batch
};

/// A judge and its slots over topics in memory, each step chosen by the seed.
class SlotWorld {
 public:
  struct Options {
    SlotLayout layout;
    IndexFactory make_index;
    std::uint32_t limit = 0;
    std::int64_t window = 600;
    std::size_t batch = 120;
    SlotWeather weather;
  };

  SlotWorld(const std::vector<log::Entry>& log, Options options)
      : log_(log), options_(std::move(options)), random_(options_.weather.seed) {
    for (std::uint32_t slot = 0; slot < options_.layout.slots; ++slot)
      slots_.push_back(NewSlot(slot));
    OpenJudge(judge_directory_.path(), judge_);
  }

  /// Folds the whole log; the steps are bounded.
  Outcome Run() {
    const std::size_t most_steps = 200 * log_.size() + 100'000;
    for (std::size_t step = 0; step < most_steps && !IsDone() && !HasFailed(); ++step) Step();
    EXPECT_TRUE(IsDone()) << "stuck at " << judge_.next;
    if (!IsDone()) return {};
    return {verdicts_.value(), StateHash(*judge_.store).value()};
  }

  /// Folds the log by what was recorded of candidates, without any slot.
  Outcome Follow() {
    TemporaryDirectory directory;
    Judge follower;
    OpenJudge(directory.path(), follower);
    VerdictSum verdicts;
    Replay(follower, &verdicts);
    return {verdicts.value(), StateHash(*follower.store).value()};
  }

  [[nodiscard]] const std::vector<std::string>& changes() const { return changes_; }
  [[nodiscard]] std::size_t asks() const { return asks_; }
  [[nodiscard]] const SlotMachine& slot(std::size_t i) const { return *slots_[i].machine; }

 private:
  struct Slot {
    std::unique_ptr<SlotMachine> machine;
    std::size_t next_change = 0;
  };
  struct Judge {
    std::unique_ptr<Store> store;
    std::unique_ptr<SlotReplies> replies;
    std::unique_ptr<Detector> detector;
    std::int64_t next = 0;
    std::size_t held = 0;  ///< steps that the next entry has waited
    std::size_t folded = 0;
  };
  struct Sent {
    std::size_t due;
    std::string record;
  };

  [[nodiscard]] std::int64_t Size() const { return static_cast<std::int64_t>(log_.size()); }
  [[nodiscard]] bool IsDone() const { return judge_.next == Size() && judge_.folded == 0; }
  [[nodiscard]] static bool HasFailed() { return ::testing::Test::HasFailure(); }
  bool Chance(int percent) { return static_cast<int>(random_() % 100) < percent; }

  Slot NewSlot(std::uint32_t slot) {
    SlotMachine::Options options;
    options.layout = options_.layout;
    options.slot = slot;
    options.make_index = options_.make_index;
    options.limit = options_.limit;
    options.window = options_.window;
    options.record_bytes = 2'000;
    return {std::make_unique<SlotMachine>(SlotMachine::Make(std::move(options)).value()), 0};
  }

  void OpenJudge(const std::filesystem::path& directory, Judge& judge) {
    judge.detector.reset();
    judge.store.reset();
    judge.store = Store::Open({.directory = directory}).value();
    judge.replies = std::make_unique<SlotReplies>(options_.layout, options_.window);
    judge.detector =
        Detector::Open(*judge.store, options_.make_index, kScheme, {},
                       {judge.replies.get(), static_cast<std::uint64_t>(options_.window)})
            .value();
    judge.next = judge.detector->position().offset + 1;
    judge.folded = 0;
    judge.held = 0;
    uncommitted_.clear();
  }

  /// Folds what was published, by the candidates that were recorded with it.
  void Replay(Judge& judge, VerdictSum* verdicts) {
    for (const std::string& record : changes_) {
      const auto changes = ChangesRecord::Parse(record).value();
      if (changes.after.position.offset < judge.next) continue;
      ASSERT_TRUE(judge.replies->Recall(changes).has_value());
      for (; judge.next <= changes.after.position.offset; ++judge.next) {
        const auto folded = judge.detector->Fold(log_[static_cast<std::size_t>(judge.next)]);
        ASSERT_TRUE(folded.has_value()) << folded.error().message;
        if (verdicts != nullptr) verdicts->Add(*folded);
        // A follower's commits are where it likes.
        if (judge.next % 77 == 0 || judge.next == changes.after.position.offset) {
          ASSERT_TRUE(judge.detector->Commit(PositionOf(log_, judge.next)).has_value());
        }
      }
    }
  }

  void Step() {
    ++now_;
    if (Chance(options_.weather.kill_percent)) Disturb();
    if (random_() % 2 == 0) {
      StepSlot(slots_[random_() % slots_.size()]);
    } else {
      Deliver();
      StepJudge();
    }
  }

  void Disturb() {
    switch (random_() % 3) {
      case 0: {
        const auto slot = static_cast<std::uint32_t>(random_() % slots_.size());
        slots_[slot] = NewSlot(slot);
        break;
      }
      case 1:
        // What its store has in no file is lost, and folded again.
        if (random_() % 20 == 0) {
          if (random_() % 2 == 0) {
            EXPECT_TRUE(judge_.store->Flush().has_value());
          }
          OpenJudge(judge_directory_.path(), judge_);
          Replay(judge_, nullptr);
        }
        break;
      default:  // the transaction was aborted
        judge_.detector->Discard();
        judge_.next = judge_.detector->position().offset + 1;
        judge_.folded = 0;
        uncommitted_.clear();
    }
  }

  void StepSlot(Slot& slot) {
    for (std::size_t n = 1 + random_() % 3; n > 0 && slot.next_change < changes_.size(); --n) {
      const auto applied = slot.machine->Apply(changes_[slot.next_change++]);
      ASSERT_TRUE(applied.has_value()) << applied.error().message;
    }
    if (!slot.machine->may_answer()) return;
    std::vector<LogItem> items;
    const std::int64_t end = std::min<std::int64_t>(
        Size(), slot.machine->next() + 1 + static_cast<std::int64_t>(random_() % 200));
    for (std::int64_t i = slot.machine->next(); i < end; ++i) items.push_back(ItemOf(log_, i));
    const auto record = slot.machine->Answer(items);
    ASSERT_TRUE(record.has_value()) << record.error().message;
    if (!record->answers.empty()) Send(record->Encode());
  }

  void Send(std::string record) {
    const SlotWeather& weather = options_.weather;
    if (Chance(weather.repeated_percent)) sent_.push_back({now_ + random_() % 3'000, record});
    if (Chance(weather.lost_percent)) return;
    const std::size_t delay = Chance(weather.late_percent) ? random_() % 400 : 0;
    sent_.push_back({now_ + delay, std::move(record)});
  }

  void Deliver() {
    for (auto it = sent_.begin(); it != sent_.end();) {
      if (it->due > now_) {
        ++it;
        continue;
      }
      const auto taken = judge_.replies->Take(it->record);
      ASSERT_TRUE(taken.has_value()) << taken.error().message;
      it = sent_.erase(it);
    }
  }

  void StepJudge() {
    const std::size_t most = 1 + random_() % 60;
    if (random_() % 3 == 0) ReadAhead(most);
    for (std::size_t i = 0; i < most && judge_.next < Size(); ++i) {
      const auto folded = judge_.detector->Fold(log_[static_cast<std::size_t>(judge_.next)]);
      if (!folded && folded.error().code == ErrorCode::kBusy) {
        Hold();
        return;
      }
      ASSERT_TRUE(folded.has_value()) << folded.error().message;
      uncommitted_.push_back(*folded);
      ++judge_.next;
      judge_.held = 0;
      if (++judge_.folded == options_.batch) Commit(0);
    }
    if (judge_.folded > 0 && (judge_.next == Size() || random_() % 4 == 0)) Commit(0);
  }

  void ReadAhead(std::size_t most) {
    const auto begin = static_cast<std::size_t>(judge_.next);
    const std::size_t count = std::min(most, log_.size() - begin);
    judge_.detector->ReadAheadFor(std::span(log_).subspan(begin, count), 2);
  }

  void Hold() {
    ++judge_.held;
    const bool lacks_depth = judge_.replies->lacks_depth();
    if (lacks_depth ? judge_.held % 30 == 1 : judge_.held % 200 == 100) {
      ++asks_;
      Commit(lacks_depth ? 5 : ChangesRecord::kAskAll);
    } else if (judge_.folded > 0) {
      Commit(0);
    }
  }

  void Commit(std::uint32_t ask) {
    const SlotFold fold(*judge_.detector, options_.layout);
    const LogPosition position =
        judge_.folded > 0 ? PositionOf(log_, judge_.next - 1) : judge_.detector->position();
    changes_.push_back(fold.ChangesUpTo(position, ask));
    for (const Folded& folded : uncommitted_) verdicts_.Add(folded);
    uncommitted_.clear();
    if (judge_.folded > 0) {
      ASSERT_TRUE(judge_.detector->Commit(position).has_value());
    }
    judge_.folded = 0;
  }

  const std::vector<log::Entry>& log_;
  const Options options_;
  std::mt19937_64 random_;
  TemporaryDirectory judge_directory_;
  Judge judge_;
  std::vector<Folded> uncommitted_;
  VerdictSum verdicts_;
  std::vector<Slot> slots_;
  std::vector<std::string> changes_;
  std::deque<Sent> sent_;
  std::size_t now_ = 0;
  std::size_t asks_ = 0;
};

}  // namespace crawlsieve::testing
