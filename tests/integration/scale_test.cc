#include "tests/integration/service_fixture.h"

#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

using testing::Page;
using testing::ServiceProcess;
using testing::UniqueName;
using testing::Until;

constexpr int kPartitions = 16;
constexpr int kPages = 3'200;

class ScaleTest : public testing::ServiceTest {
 protected:
  void SetUp() override {
    ServiceTest::SetUp();
    if (HasFatalFailure()) return;
    input_ = UniqueName("pages");
    setup_.kafka.input_topics = {input_};
    testing::MakeTopic(setup_.kafka, input_, kPartitions);
  }

  std::unique_ptr<ServiceProcess> Start(const std::string& name, const std::string& role) {
    return std::make_unique<ServiceProcess>(WriteConfig(
        name,
        {{"service", {{"roles", {role}}, {"state_directory", (directory_.path() / name).string()}}},
         {"kafka", {{"consumer", {{"session.timeout.ms", "6000"}}}}}}));
  }

  /// Pages whose verdicts are there.
  std::int64_t Judged() {
    if (reader_ == nullptr) {
      reader_ = std::move(*Consumer::Make(JudgeConsumer(setup_.kafka), setup_.kafka, {}));
    }
    const auto committed =
        reader_->QueryWatermarks({setup_.kafka.verdict_topic, 0}, testing::kPatience);
    return committed.has_value() ? committed->high : 0;
  }

  void WaitForVerdicts(std::int64_t count) {
    EXPECT_TRUE(Until([&] { return Judged() >= count; },
                      [] { std::this_thread::sleep_for(std::chrono::milliseconds(10)); }))
        << Judged() << " of " << count;
  }

  /// Until the group has committed every page of every partition.
  void WaitUntilExtracted() {
    auto group = std::move(*Consumer::Make(ExtractConsumer(setup_.kafka, ""), setup_.kafka, {}));
    std::vector<TopicPartition> partitions;
    for (int i = 0; i < kPartitions; ++i) partitions.push_back({input_, i});
    const auto extracted = [&] {
      std::int64_t pages = 0;
      const auto committed = group->Committed(partitions, testing::kPatience);
      if (!committed) return pages;
      for (const auto& offset : *committed) pages += offset.value_or(0);
      return pages;
    };
    EXPECT_TRUE(Until([&] { return extracted() == kPages; },
                      [] { std::this_thread::sleep_for(std::chrono::milliseconds(10)); }))
        << extracted() << " of " << kPages;
  }

  std::unique_ptr<Consumer> reader_;
};

TEST_F(ScaleTest, ProcessesThatJoinLeaveAndDieLoseAndDoubleNothing) {
  const auto judge = Start("judge", "judge");
  WaitForGroup("judge", setup_.kafka.log_topic);  // the log is there
  std::vector<FileRecord> records;
  for (int i = 0; i < kPages; ++i) records.push_back(Page(i));
  const auto feed = [&](int from, int to) {
    Feed({records.begin() + from, records.begin() + to}, kPartitions);
  };
  // Each step changes who extracts while pages come in and others are on their way.
  auto first = Start("first", "extract");
  feed(0, 800);
  WaitForVerdicts(100);
  auto second = Start("second", "extract");
  feed(800, 1'600);
  WaitForVerdicts(1'000);
  auto third = Start("third", "extract");
  auto fourth = Start("fourth", "extract");
  first->Signal(SIGKILL);
  (void)first->End();
  feed(1'600, 2'400);
  WaitForVerdicts(1'700);
  EXPECT_EQ(second->End(SIGTERM), 0);
  third->Signal(SIGKILL);
  (void)third->End();
  feed(2'400, kPages);
  WaitUntilExtracted();
  EXPECT_TRUE(Until(
      [&] {
        const auto end = reader_->QueryWatermarks({setup_.kafka.log_topic, 0}, testing::kPatience);
        const auto folded = reader_->Committed({{setup_.kafka.log_topic, 0}}, testing::kPatience);
        return end.has_value() && folded.has_value() && folded->front() == end->high;
      },
      [] { std::this_thread::sleep_for(std::chrono::milliseconds(10)); }));
  EXPECT_EQ(fourth->End(SIGTERM), 0);
  EXPECT_EQ(judge->End(SIGTERM), 0);

  std::map<std::pair<int, std::int64_t>, int> seen;
  for (const std::string& text : Verdicts()) {
    const auto source = nlohmann::json::parse(text)["source"];
    ++seen[{source["partition"].get<int>(), source["offset"].get<std::int64_t>()}];
  }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(kPages)) << "pages lost";
  for (const auto& [place, count] : seen) {
    EXPECT_EQ(count, 1) << "partition " << place.first << ", offset " << place.second;
  }
}

}  // namespace
}  // namespace crawlsieve::consumer
