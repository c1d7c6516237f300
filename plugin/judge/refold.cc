#include "plugin/judge/refold.h"

#include "plugin/base/result.h"
#include "plugin/judge/judge_machine.h"
#include "plugin/judge/start.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kAskTimeout{10'000};

tl::unexpected<BrokerError> NotForARefold() {
  return MakeBrokerError(ErrorClass::kRefused, ErrorCode::kInternal, "a refold publishes nothing");
}

/// A group that is done with the log up to a place and never has a turn to give.
class FinishedGroup final : public JudgeGroup {
 public:
  FinishedGroup(const OpenLog& open, LogSource& source, std::int64_t place)
      : open_(open), source_(source), place_(place) {}

  BrokerStatus Join(JudgeMember& /*member*/) override { return {}; }
  BrokerStatus Poll(milliseconds /*wait*/) override { return {}; }
  BrokerResult<std::optional<CommittedPlace>> Committed(milliseconds /*timeout*/) override {
    return CommittedPlace{place_, ""};
  }
  BrokerResult<LogBounds> Bounds(milliseconds timeout) override { return source_.Bounds(timeout); }
  LogSource& log() override { return source_; }
  BrokerResult<std::unique_ptr<LogSource>> OpenReader() override { return open_(); }
  BrokerStatus Append(const log::Entry& /*entry*/) override { return NotForARefold(); }

 private:
  const OpenLog& open_;
  LogSource& source_;
  const std::int64_t place_;
};

class NoVerdicts final : public VerdictSink {
 public:
  BrokerStatus Fence() override { return NotForARefold(); }
  BrokerStatus Poll() override { return NotForARefold(); }
  BrokerStatus Begin() override { return NotForARefold(); }
  BrokerStatus Publish(const log::Page& /*page*/, const Verdict& /*verdict*/) override {
    return NotForARefold();
  }
  BrokerStatus Commit(const CommittedPlace& /*place*/) override { return NotForARefold(); }
  BrokerStatus Acknowledge(const CommittedPlace& /*place*/) override { return NotForARefold(); }
  void Close() override {}
};

/// Whether the log still has everything from the entry that the fold is at to `last`.
Status CheckCoverage(const LogDescription& log, LogSource& source, std::int64_t folded,
                     std::int64_t last) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto bounds, source.Bounds(kAskTimeout));
  if (folded < 0 && bounds.low > 0) {
    return MakeError(ErrorCode::kMismatch,
                     fmt::format("log {} begins at offset {}: a refold needs its first entry, or a "
                                 "checkpoint to begin from (--from)",
                                 log.topic, bounds.low));
  }
  if (folded < bounds.low && bounds.low > 0) {
    return MakeError(ErrorCode::kMismatch,
                     fmt::format("log {} begins at offset {}, behind {}, where the refold begins",
                                 log.topic, bounds.low, folded));
  }
  CRAWLSIEVE_RETURN_IF_ERROR(FirstToPublish({log.topic, "", last, last + 1, bounds, true}));
  return {};
}

}  // namespace

Status Refold(const LogDescription& log, const OpenLog& open, std::int64_t last, JudgeFold& fold,
              const std::function<void(std::int64_t)>& progress, milliseconds patience) {
  using Clock = std::chrono::steady_clock;
  if (last < 0) return {};
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto source, open());
  CRAWLSIEVE_RETURN_IF_ERROR(CheckCoverage(log, *source, fold.position().offset, last));

  FinishedGroup group(open, *source, last + 1);
  NoVerdicts sink;
  JudgeObserver observer;
  std::optional<std::int64_t> seen_gap;
  JudgeMachine::Options options;
  options.log = log;
  JudgeMachine machine(std::move(options), {fold, group, sink, observer}, seen_gap);
  auto deadline = Clock::now() + patience;
  while (machine.state() != JudgeState::kStandby) {
    const std::int64_t before = fold.position().offset;
    CRAWLSIEVE_RETURN_IF_ERROR(machine.Step());
    if (fold.position().offset != before) {
      progress(fold.position().offset + 1);
      deadline = Clock::now() + patience;
    } else if (Clock::now() >= deadline) {
      return MakeError(ErrorCode::kIo, fmt::format("log {}: nothing came from offset {} on",
                                                   log.topic, before + 1));
    }
  }
  return {};
}

}  // namespace crawlsieve
