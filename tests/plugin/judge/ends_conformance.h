#pragma once

#include "plugin/judge/judge_ends.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve::testing {

/// Learns of assignments and does nothing.
class IdleMember final : public JudgeMember {
 public:
  BrokerResult<std::int64_t> OnAssigned() override {
    is_assigned = true;
    return 0;
  }
  void OnRevoked() override { is_assigned = false; }
  void OnLost() override { is_assigned = false; }

  bool is_assigned = false;
};

/// Group and sink of one judge. The group comes first and goes last.
class JudgeSeat {
 public:
  virtual ~JudgeSeat() = default;
  [[nodiscard]] virtual JudgeGroup& group() = 0;
  [[nodiscard]] virtual VerdictSink& sink() = 0;
};

/// A deployment whose ends are tested: in memory, or a real broker.
class EndsUnderTest {
 public:
  virtual ~EndsUnderTest() = default;
  [[nodiscard]] virtual std::unique_ptr<JudgeSeat> NewJudge() = 0;
  /// The judge joins, and is assigned the log.
  virtual void Own(JudgeSeat& judge, IdleMember& member) = 0;
  /// Source offsets of the verdicts that a read_committed reader sees. No transaction may be open.
  [[nodiscard]] virtual std::vector<std::int64_t> Visible() = 0;
  /// Rises when a read_committed reader sees more, and only then.
  [[nodiscard]] virtual std::int64_t VisibleEnd() = 0;
  /// Whether VisibleEnd comes to be above `end`. A broker answers a commit before the partitions
  /// have its marker, so a reader sees it a little later.
  [[nodiscard]] virtual bool ShowsMoreThan(std::int64_t end) = 0;
  /// Returns when the broker has ended a transaction that was open too long.
  virtual void TimeOutTransaction() = 0;
  /// Lets the end of a transaction take an offset of the log.
  virtual void LeaveOutOffset() = 0;
};

using MakeEnds = std::function<std::unique_ptr<EndsUnderTest>()>;

/// What the machine relies on. Runs against every form of the ends, so that the one in memory says
/// nothing that a broker wouldn't.
class EndsConformance : public ::testing::TestWithParam<MakeEnds> {};

}  // namespace crawlsieve::testing
