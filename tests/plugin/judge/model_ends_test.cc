#include "tests/plugin/judge/model_ends.h"

#include "tests/plugin/judge/ends_conformance.h"

#include <memory>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve::testing {
namespace {

class ModelSeat final : public JudgeSeat {
 public:
  ModelSeat(JudgeWorld& world, std::size_t index)
      : index_(index), group_(world, index), sink_(world, index, group_) {}
  JudgeGroup& group() override { return group_; }
  VerdictSink& sink() override { return sink_; }
  [[nodiscard]] std::size_t index() const { return index_; }

 private:
  const std::size_t index_;
  ModelGroup group_;
  ModelSink sink_;
};

class ModelUnderTest final : public EndsUnderTest {
 public:
  std::unique_ptr<JudgeSeat> NewJudge() override {
    return std::make_unique<ModelSeat>(world_, world_.AddProcess());
  }
  void Own(JudgeSeat& judge, IdleMember& member) override {
    ASSERT_TRUE(judge.group().Join(member).has_value());
    world_.Assign(dynamic_cast<ModelSeat&>(judge).index());
    ASSERT_TRUE(judge.group().Poll(std::chrono::milliseconds(0)).has_value());
    ASSERT_TRUE(member.is_assigned);
  }
  std::vector<std::int64_t> Visible() override {
    std::vector<std::int64_t> sources;
    for (const Published& verdict : world_.visible()) sources.push_back(verdict.source);
    return sources;
  }
  std::int64_t VisibleEnd() override { return static_cast<std::int64_t>(world_.visible().size()); }
  bool ShowsMoreThan(std::int64_t end) override { return VisibleEnd() > end; }
  void TimeOutTransaction() override { world_.TimeOutTransaction(); }
  void LeaveOutOffset() override { world_.log.LeaveOut(); }

 private:
  JudgeWorld world_;
};

INSTANTIATE_TEST_SUITE_P(Model, EndsConformance, ::testing::Values(MakeEnds([] {
                           return std::make_unique<ModelUnderTest>();
                         })));

}  // namespace
}  // namespace crawlsieve::testing
