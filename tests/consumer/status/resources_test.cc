#include "consumer/status/resources.h"

#include "tests/support/temporary_directory.h"

#include <fstream>
#include <string>

#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

/// Files of a kernel.
class ReadMemoryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Write("proc/self/status", "Name:\tx\nVmHWM:\t 9 kB\nVmRSS:\t    2048 kB\n");
    Write("proc/meminfo", "MemTotal:        8388608 kB\nMemFree: 1 kB\n");
  }

  void Write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories((root_.path() / path).parent_path());
    std::ofstream(root_.path() / path) << text;
  }

  [[nodiscard]] std::uint64_t Limit() const {
    const auto report = ReadMemory(root_.path());
    EXPECT_TRUE(report.has_value());
    return report.has_value() ? report->limit.value_or(0) : 0;
  }

  testing::TemporaryDirectory root_;
};

constexpr std::uint64_t kMachine = std::uint64_t{8} << 30;

TEST_F(ReadMemoryTest, SaysWhatIsResidentAndWhatTheMachineHas) {
  EXPECT_EQ(ReadMemory(root_.path())->resident, std::uint64_t{2} << 20);
  EXPECT_EQ(Limit(), kMachine);
}

TEST_F(ReadMemoryTest, TakesTheLowestLimitOfTheGroupsAbove) {
  Write("proc/self/cgroup", "0::/system.slice/crawlsieve.service\n");
  Write("sys/fs/cgroup/system.slice/memory.max", "1000000\n");
  Write("sys/fs/cgroup/system.slice/crawlsieve.service/memory.max", "max\n");
  EXPECT_EQ(Limit(), 1'000'000U);
  Write("sys/fs/cgroup/system.slice/crawlsieve.service/memory.max", "900000\n");
  EXPECT_EQ(Limit(), 900'000U);
}

TEST_F(ReadMemoryTest, KnowsTheLimitInsideOfAContainer) {
  Write("proc/self/cgroup", "0::/\n");
  Write("sys/fs/cgroup/memory.max", "500000\n");
  EXPECT_EQ(Limit(), 500'000U);
}

TEST_F(ReadMemoryTest, KnowsGroupsOfVersion1) {
  Write("proc/self/cgroup", "12:cpu,memory:/docker/a\n11:memoryless:/b\n1:name=systemd:/c\n");
  Write("sys/fs/cgroup/memory/docker/a/memory.limit_in_bytes", "700000\n");
  EXPECT_EQ(Limit(), 700'000U);
}

TEST_F(ReadMemoryTest, PassesOverALimitAboveWhatTheMachineHas) {
  Write("proc/self/cgroup", "2:memory:/\n");
  Write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(Limit(), kMachine);
}

TEST(ReadMemory, KnowsThisProcess) {
  const auto report = ReadMemory();
  ASSERT_TRUE(report.has_value());
  EXPECT_GT(report->resident, 100'000U);
  ASSERT_TRUE(report->limit.has_value());
  EXPECT_LE(report->resident, *report->limit);
}

TEST(ReadMemory, SaysNothingWithoutAKernel) {
  EXPECT_FALSE(ReadMemory("/nonexistent").has_value());
}

TEST(ReadStorage, AddsUpFilesInAndBelowADirectory) {
  const testing::TemporaryDirectory directory;
  std::filesystem::create_directories(directory.path() / "a/b");
  std::ofstream(directory.path() / "one") << std::string(1000, 'x');
  std::ofstream(directory.path() / "a/b/two") << std::string(500, 'x');
  const auto report = ReadStorage(directory.path());
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->used, 1500U);
  EXPECT_GT(report->free, 0U);
}

TEST(ReadStorage, SaysNothingOfADirectoryThatIsNotThere) {
  EXPECT_FALSE(ReadStorage("/nonexistent/state").has_value());
}

}  // namespace
}  // namespace crawlsieve::consumer
