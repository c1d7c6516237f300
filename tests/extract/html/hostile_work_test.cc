// The parser's work on hostile pages grows as they do. Counted, so that the machine has no say.

#include "extract/html/html_text.h"
#include "tests/support/html/event_log.h"
#include "tests/support/html/hostile_pages.h"
#include "tests/support/html/parsers.h"
#include "tests/support/sanitized.h"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

namespace crawlsieve::html_check {
namespace {

constexpr std::size_t kSmallest = 64 << 10;
constexpr std::size_t kLargest = testing::kIsSanitized ? 256 << 10 : 4 << 20;

class HostileWork : public ::testing::TestWithParam<HostileFamily> {};

TEST_P(HostileWork, AtMostDoublesWithTheSize) {
  const HostileFamily& family = GetParam();
  const auto parser = MakeParser(extract::Limits{}, KernelNames().front());
  std::uint64_t last = 0;
  for (std::size_t bytes = kSmallest; bytes <= kLargest; bytes *= 2) {
    EventLog log;
    const extract::ParseEnd end = parser->Parse(family.make(bytes), log);
    EXPECT_TRUE(end == extract::ParseEnd::kDone || end == extract::ParseEnd::kNodes)
        << bytes << " bytes end with " << extract::ParseEndCode(end);
    const std::uint64_t work = WorkOf(*parser);
    ASSERT_GT(work, 0U);
    if (last != 0) {
      const double growth = static_cast<double>(work) / static_cast<double>(last);
      EXPECT_LE(growth, 2.1) << bytes << " bytes: " << last << " -> " << work;
    }
    last = work;
  }
}

TEST_P(HostileWork, IsTheSameWithEachKernel) {
  const std::string page = GetParam().make(kSmallest);
  EventLog first;
  const auto best = MakeParser(extract::Limits{}, KernelNames().front());
  const extract::ParseEnd end = best->Parse(page, first);
  for (const std::string& kernel : KernelNames()) {
    const auto parser = MakeParser(extract::Limits{}, kernel);
    EventLog log;
    EXPECT_EQ(parser->Parse(page, log), end) << kernel;
    EXPECT_EQ(log.events(), first.events()) << kernel;
    EXPECT_EQ(WorkOf(*parser), WorkOf(*best)) << kernel;
  }
}

INSTANTIATE_TEST_SUITE_P(Families, HostileWork,
                         ::testing::ValuesIn(HostileFamilies().begin(), HostileFamilies().end()),
                         [](const auto& family) { return std::string(family.param.name); });

}  // namespace
}  // namespace crawlsieve::html_check
