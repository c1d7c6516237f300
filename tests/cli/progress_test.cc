#include "cli/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::IsEmpty;

class ProgressTest : public ::testing::Test {
 protected:
  [[nodiscard]] Progress::Screen Screen(bool is_terminal, std::size_t width = 80) {
    return {.is_terminal = is_terminal,
            .width = width,
            .write = [this](std::string_view text) { written_ += text; },
            .now = [this] { return now_; }};
  }

  /// As a command does after each page.
  void Work(Progress& progress, std::uint64_t done, std::uint64_t total,
            std::string_view details = "") {
    for (int page = 0; page < 16; ++page) {
      if (progress.IsDue()) progress.Show(done, total, details);
    }
  }

  std::string Taken() { return std::exchange(written_, {}); }

  Progress::Clock::time_point now_{};
  std::string written_;
};

TEST_F(ProgressTest, IsSilentAboutShortCommands) {
  for (const bool is_terminal : {true, false}) {
    Progress progress("scan", Screen(is_terminal));
    Work(progress, 1, 2);
    now_ += milliseconds(1999);
    Work(progress, 1, 2);
    progress.Clear();
    EXPECT_THAT(written_, IsEmpty());
  }
}

TEST_F(ProgressTest, IsABarWithTheTimeLeftOnATerminal) {
  Progress progress("scan", Screen(true));
  now_ += seconds(10);
  Work(progress, 25, 100, "7 pages");
  EXPECT_EQ(Taken(), "\r\033[K[######..................] 25 %, 30 s left, 7 pages");
  now_ += seconds(10);
  Work(progress, 100, 100, "9 pages");
  EXPECT_EQ(Taken(), "\r\033[K[########################] 100 %, 0 s left, 9 pages");
  progress.Clear();
  EXPECT_EQ(Taken(), "\r\033[K");
  progress.Clear();
  EXPECT_THAT(written_, IsEmpty());
}

TEST_F(ProgressTest, IsRefreshedFourTimesASecondAtMost) {
  Progress progress("scan", Screen(true));
  now_ += seconds(3);
  Work(progress, 1, 4);
  (void)Taken();
  now_ += milliseconds(249);
  Work(progress, 2, 4);
  EXPECT_THAT(Taken(), IsEmpty());
  now_ += milliseconds(1);
  Work(progress, 2, 4);
  EXPECT_NE(Taken(), "");
}

TEST_F(ProgressTest, IsALineEveryHalfMinuteElsewhere) {
  Progress progress("feed", Screen(false));
  now_ += milliseconds(29'999);
  Work(progress, 1, 10);
  EXPECT_THAT(Taken(), IsEmpty());
  now_ += milliseconds(1);
  Work(progress, 1, 10, "3 records");
  EXPECT_EQ(Taken(), "feed: 10 %, 4 min 30 s left, 3 records\n");
  now_ += seconds(29);
  Work(progress, 2, 10, "4 records");
  EXPECT_THAT(Taken(), IsEmpty());
  now_ += seconds(31);
  Work(progress, 5, 10, "4 records");
  EXPECT_EQ(Taken(), "feed: 50 %, 1 min 30 s left, 4 records\n");
  progress.Clear();
  EXPECT_THAT(written_, IsEmpty());
}

TEST_F(ProgressTest, SaysHowLongItTookWhereTheEndIsNotKnown) {
  Progress progress("terms", Screen(true));
  now_ += minutes(2);
  Work(progress, 7, 0, "7 pages");
  EXPECT_EQ(Taken(), "\r\033[Kfor 2 min, 7 pages");
}

TEST_F(ProgressTest, SaysThatTheTimeLeftIsNotKnownBeforeAnythingIsDone) {
  Progress progress("scan", Screen(true));
  now_ += seconds(5);
  Work(progress, 0, 100);
  EXPECT_EQ(Taken(), "\r\033[K[........................] 0 %, time left not known yet");
}

TEST_F(ProgressTest, StaysInItsLine) {
  for (const std::size_t width : {0, 1, 10, 40, 48, 49, 80}) {
    now_ = {};
    Progress progress("scan", Screen(true, width));
    now_ += seconds(5);
    Work(progress, 50, 100, std::string(200, 'x'));
    const std::string shown = Taken();
    ASSERT_EQ(shown.substr(0, 4), "\r\033[K");
    EXPECT_LE(shown.size() - 4, width);
    progress.Clear();
    (void)Taken();
  }
}

TEST_F(ProgressTest, IsDoneAtMostWhateverTheCountsAre) {
  Progress progress("scan", Screen(false));
  now_ += seconds(40);
  Work(progress, 300, 100);
  EXPECT_EQ(Taken(), "scan: 100 %, 0 s left\n");
}

TEST_F(ProgressTest, RemovesItsBarAtTheEnd) {
  {
    Progress progress("scan", Screen(true));
    now_ += seconds(5);
    Work(progress, 50, 100);
    (void)Taken();
  }
  EXPECT_EQ(Taken(), "\r\033[K");
}

}  // namespace
}  // namespace crawlsieve::consumer
