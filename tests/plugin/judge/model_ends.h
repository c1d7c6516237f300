#pragma once

#include "plugin/fingerprint/checksum.h"
#include "plugin/judge/judge_ends.h"
#include "tests/plugin/judge/judge_world.h"
#include "tests/support/memory_log.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

// The ends of one judge's machine in a JudgeWorld.

namespace crawlsieve::testing {

/// The answer to a call that fails; a killed process gets none.
inline tl::unexpected<BrokerError> Fail(const Failing& failing, const char* what) {
  if (failing.is_kill) throw Killed();
  return MakeBrokerError(failing.fault, ErrorCode::kIo, std::string("made to fail: ") + what);
}

/// A reader of the log beside the group.
class ModelReader final : public MemoryLogSource {
 public:
  ModelReader(JudgeWorld& world, std::size_t process)
      : MemoryLogSource(world.log), world_(world), process_(process) {}

  BrokerResult<std::span<const LogRecord>> Read(std::size_t most,
                                                std::chrono::milliseconds wait) override;

 private:
  JudgeWorld& world_;
  const std::size_t process_;
};

/// The group as one session of one process sees it.
class ModelGroup final : public JudgeGroup, public LogSource {
 public:
  ModelGroup(JudgeWorld& world, std::size_t process)
      : world_(world), process_(process), source_(world.log) {}
  ~ModelGroup() override { world_.Leave(process_); }

  BrokerStatus Join(JudgeMember& member) override {
    if (auto failing = Failure(Call::kJoin)) return Fail(*failing, "join");
    member_ = &member;
    JudgeWorld::Member& self = world_.members_[process_];
    self.joined = true;
    self.joined_at = ++world_.joins_;
    return {};
  }

  BrokerStatus Poll(std::chrono::milliseconds wait) override {
    if (auto failing = Failure(Call::kPoll)) return Fail(*failing, "poll");
    if (!Deliver()) world_.now += wait;
    return {};
  }

  BrokerResult<std::optional<CommittedPlace>> Committed(
      std::chrono::milliseconds /*timeout*/) override {
    if (auto failing = Failure(Call::kCommitted)) return Fail(*failing, "committed");
    if (world_.undecided_epoch_ == world_.epoch_) {
      return Fail({ErrorClass::kRetriable}, "a transaction is not decided");
    }
    world_.Decide();
    return world_.committed_;
  }

  BrokerResult<LogBounds> Bounds(std::chrono::milliseconds /*timeout*/) override {
    if (auto failing = Failure(Call::kBounds)) return Fail(*failing, "bounds");
    return world_.log.bounds();
  }

  LogSource& log() override { return *this; }

  BrokerResult<std::unique_ptr<LogSource>> OpenReader() override {
    if (auto failing = Failure(Call::kOpenReader)) return Fail(*failing, "open a reader");
    return std::unique_ptr<LogSource>(std::make_unique<ModelReader>(world_, process_));
  }

  BrokerStatus Append(const log::Entry& entry) override {
    auto failing = Failure(Call::kAppend);
    if (!failing || failing->effect != Failing::Effect::kNone) {
      world_.AppendValue(entry.SerializeAsString());
    }
    if (failing) return Fail(*failing, "append");
    return {};
  }

  BrokerStatus Seek(std::int64_t offset) override {
    if (auto failing = Failure(Call::kSeek)) return Fail(*failing, "seek");
    has_place_ = true;
    (void)source_.Seek(offset);
    if (world_.options_.mutant == Mutant::kSkipsAtTakeover && offset > 0) {
      world_.process(process_).fold().skips_next = true;
    }
    return {};
  }

  BrokerResult<std::span<const LogRecord>> Read(std::size_t most,
                                                std::chrono::milliseconds wait) override {
    if (auto failing = Failure(Call::kLiveRead)) return Fail(*failing, "read");
    const bool is_delivered = Deliver();
    if (!has_place_) return std::span<const LogRecord>();
    auto records = source_.Read(world_.portion(most), wait);
    if (!is_delivered && records && records->empty()) world_.now += wait;
    return records;
  }

  [[nodiscard]] std::optional<std::int64_t> KnownEnd() const override { return source_.KnownEnd(); }

  /// Of the last assignment; what is committed counts only while it is the group's.
  [[nodiscard]] std::uint64_t generation() const { return generation_; }
  void RefreshGeneration() { generation_ = world_.generation_; }

 private:
  std::optional<Failing> Failure(Call call) { return world_.FaultOf(process_, call); }

  /// Whether anything happened.
  bool Deliver() {
    JudgeWorld::Member& self = world_.members_[process_];
    bool is_delivered = false;
    while (!self.events.empty()) {
      if (self.events.front().delay-- > 0) return is_delivered;
      const JudgeWorld::Event event = self.events.front().event;
      self.events.pop_front();
      is_delivered = true;
      if (event == JudgeWorld::Event::kAssigned) {
        has_place_ = false;
        generation_ = self.generation;
        if (auto begin = member_->OnAssigned(); !begin) world_.Violate(begin.error().message);
        continue;
      }
      if (event == JudgeWorld::Event::kRevoked) {
        member_->OnRevoked();
        world_.TakeBack(process_);
      } else {
        member_->OnLost();
      }
      has_place_ = false;
    }
    return is_delivered;
  }

  JudgeWorld& world_;
  const std::size_t process_;
  MemoryLogSource source_;
  bool has_place_ = false;
  std::uint64_t generation_ = 0;
  JudgeMember* member_ = nullptr;
};

/// The producer of one session.
class ModelSink final : public VerdictSink {
 public:
  ModelSink(JudgeWorld& world, std::size_t process, ModelGroup& group)
      : world_(world), process_(process), group_(group) {}

  BrokerStatus Fence() override {
    auto failing = Failure(Call::kFence);
    if (failing && failing->effect == Failing::Effect::kNone) return Fail(*failing, "fence");
    if (IsExactlyOnce()) {
      world_.Decide();
      epoch_ = ++world_.epoch_;
    }
    if (failing) return Fail(*failing, "fence");
    return {};
  }

  BrokerStatus Poll() override {
    if (auto failing = Failure(Call::kSinkPoll)) return Fail(*failing, "sink poll");
    return {};
  }

  BrokerStatus Begin() override {
    if (auto failing = Failure(Call::kBegin)) return Fail(*failing, "begin");
    if (is_open_) world_.Violate("a transaction begins inside another one");
    is_open_ = true;
    records_.clear();
    return {};
  }

  BrokerStatus Publish(const log::Page& page, const Verdict& verdict) override {
    if (auto failing = Failure(Call::kPublish)) return Fail(*failing, "publish");
    if (!is_open_) world_.Violate("a verdict is published outside of a transaction");
    records_.push_back({page.source().offset(), verdict.sequence});
    return {};
  }

  [[nodiscard]] bool is_full() const override {
    const std::size_t most = world_.options_.sink_verdicts;
    return most > 0 && records_.size() >= most;
  }

  BrokerStatus Commit(const CommittedPlace& place) override {
    const auto failing = Failure(Call::kCommit);
    if (world_.options_.mutant == Mutant::kStateBeforeVerdicts) {
      const auto& stored = world_.log.records().at(place.offset - 1);
      (void)world_.process(process_).fold().Commit(
          {place.offset - 1, ToBytes(RawChecksum(stored.value))});
    }
    is_open_ = false;
    const JudgeWorld::Transaction transaction{std::exchange(records_, {}), place};
    return IsExactlyOnce() ? CommitTransaction(transaction, failing) : Flush(transaction, failing);
  }

  BrokerStatus Acknowledge(const CommittedPlace& place) override {
    const auto failing = Failure(Call::kAcknowledge);
    if (failing && failing->effect == Failing::Effect::kNone) return Fail(*failing, "acknowledge");
    if (IsExactlyOnce()) return {};
    if (group_.generation() != world_.generation_) {
      return Fail({ErrorClass::kAbortable}, "the log is another member's");
    }
    world_.committed_ = place;
    if (failing) return Fail(*failing, "acknowledge");
    return {};
  }

  void Close() override {
    is_open_ = false;
    records_.clear();
  }

 private:
  [[nodiscard]] bool IsExactlyOnce() const { return world_.options_.is_exactly_once; }
  std::optional<Failing> Failure(Call call) { return world_.FaultOf(process_, call); }

  BrokerStatus CommitTransaction(const JudgeWorld::Transaction& transaction,
                                 const std::optional<Failing>& failing) {
    if (epoch_ != world_.epoch_) {
      if (world_.options_.mutant != Mutant::kPublishesAfterFence) {
        return Fail({ErrorClass::kFenced}, "another producer has the id");
      }
      epoch_ = ++world_.epoch_;
      group_.RefreshGeneration();
    }
    if (group_.generation() != world_.generation_) {
      return Fail({ErrorClass::kAbortable}, "the log is another member's");
    }
    // From here on only the epoch counts. Until the transaction is decided, nobody is told a place.
    world_.undecided_epoch_ = epoch_;
    if (world_.meanwhile) world_.meanwhile(process_);
    world_.undecided_epoch_.reset();
    if (epoch_ != world_.epoch_) return Fail({ErrorClass::kFenced}, "another producer has the id");
    if (failing && failing->effect == Failing::Effect::kLater) world_.in_doubt_ = transaction;
    if (!failing || failing->effect == Failing::Effect::kDone) world_.Apply(transaction);
    if (!failing) return {};
    return Fail(*failing, "commit");
  }

  BrokerStatus Flush(const JudgeWorld::Transaction& transaction,
                     const std::optional<Failing>& failing) {
    const std::size_t count = !failing || failing->effect != Failing::Effect::kNone
                                  ? transaction.records.size()
                                  : transaction.records.size() / 2;
    for (std::size_t i = 0; i < count; ++i) {
      const Published& record = transaction.records[i];
      world_.visible_.push_back(record);
      world_.visible_set_.insert({record.source, record.verdict});
    }
    if (failing) return Fail(*failing, "flush");
    return {};
  }

  JudgeWorld& world_;
  const std::size_t process_;
  ModelGroup& group_;
  std::uint64_t epoch_ = 0;
  bool is_open_ = false;
  std::vector<Published> records_;
};

}  // namespace crawlsieve::testing
