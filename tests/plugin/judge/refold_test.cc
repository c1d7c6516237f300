#include "plugin/judge/refold.h"

#include "plugin/fingerprint/checksum.h"
#include "plugin/index/flat_index.h"
#include "plugin/judge/state_hash.h"
#include "tests/plugin/judge/judge_world.h"
#include "tests/support/entry_builder.h"
#include "tests/support/memory_log.h"
#include "tests/support/temporary_directory.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crawlsieve::testing {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

constexpr const char* kStray = "\xff\xff not an entry";

/// Delivers nothing.
class SilentSource final : public MemoryLogSource {
 public:
  using MemoryLogSource::MemoryLogSource;
  BrokerResult<std::span<const LogRecord>> Read(std::size_t /*most*/,
                                                milliseconds /*wait*/) override {
    return std::span<const LogRecord>();
  }
};

class RefoldTest : public ::testing::Test {
 protected:
  /// A log of parameters and `pages` pages.
  void MakeLog(int pages) {
    log_.Append(ParametersEntry(JudgeParameters(), JudgeWorld::kScheme).SerializeAsString());
    EntryBuilder entries(JudgeWorld::kScheme);
    for (int i = 0; i < pages; ++i) {
      const std::string url = "http://" + std::to_string(i % 7) + ".example/";
      log_.Append(entries.Text(url, "text " + std::to_string(i % 5), i % 5).SerializeAsString());
    }
  }

  template <typename Source = MemoryLogSource>
  Status Run(std::int64_t last, JudgeFold& fold, milliseconds patience = milliseconds(30'000)) {
    const auto open = [this]() -> BrokerResult<std::unique_ptr<LogSource>> {
      return std::unique_ptr<LogSource>(std::make_unique<Source>(log_));
    };
    return Refold(
        description_, open, last, fold, [this](std::int64_t folded) { progress_ = folded; },
        patience);
  }

  void ExpectRefused(std::int64_t last, ErrorCode code, const std::string& why) {
    const Status ended = Run(last, fold_);
    ASSERT_FALSE(ended.has_value());
    EXPECT_EQ(ended.error().code, code);
    EXPECT_THAT(ended.error().message, HasSubstr(why));
  }

  MemoryLog log_;
  LogDescription description_{"fingerprints", {}};
  ModelFold fold_{JudgeWorld::kScheme};
  std::int64_t progress_ = 0;
};

TEST_F(RefoldTest, FoldsUpToTheLastEntryThatIsAskedForAndNoFurther) {
  MakeLog(3000);
  const Status ended = Run(2500, fold_);
  ASSERT_TRUE(ended.has_value()) << ended.error().message;
  EXPECT_EQ(fold_.position().offset, 2500);
  EXPECT_EQ(progress_, 2501);
  EXPECT_EQ(fold_.open_hash(), Oracle(log_, description_, JudgeWorld::kScheme).HashAt(2500));
}

TEST_F(RefoldTest, AStateOfNothingReadsNothing) {
  const Status ended = Run(-1, fold_);
  ASSERT_TRUE(ended.has_value());
  EXPECT_EQ(fold_.position().offset, -1);
}

TEST_F(RefoldTest, AShorterLogIsRefused) {
  MakeLog(3);
  ExpectRefused(4, ErrorCode::kMismatch, "the log ends at 4");
}

TEST_F(RefoldTest, ALogWithoutItsBeginningIsRefused) {
  MakeLog(5);
  log_.DeleteBefore(2);
  ExpectRefused(4, ErrorCode::kMismatch, "a refold needs its first entry");
}

TEST_F(RefoldTest, AMissingOffsetIsRefused) {
  MakeLog(3);
  log_.LeaveOut();
  log_.Append("more");
  ExpectRefused(5, ErrorCode::kCorruption, "goes on with offset 5 where 4");
}

TEST_F(RefoldTest, WhatIsNotAnEntryIsRefusedUnlessItIsNamed) {
  MakeLog(3);
  log_.Append(kStray);
  ExpectRefused(4, ErrorCode::kInvalidInput, "is not an entry of crawlsieve (log fingerprints");
  description_.skipped = {{4, Hex(RawChecksum(kStray))}};
  ModelFold again(JudgeWorld::kScheme);
  EXPECT_TRUE(Run(4, again).has_value());
}

TEST_F(RefoldTest, ALogThatDeliversNothingIsGivenUp) {
  MakeLog(3);
  const Status ended = Run<SilentSource>(3, fold_, milliseconds(0));
  ASSERT_FALSE(ended.has_value());
  EXPECT_EQ(ended.error().code, ErrorCode::kIo);
  EXPECT_THAT(ended.error().message, HasSubstr("nothing came from offset 0 on"));
}

TEST_F(RefoldTest, TheDetectorsStateIsThatOfFoldingOneByOne) {
  MakeLog(60);
  const auto make_index = [](int) -> Result<std::unique_ptr<HammingIndex>> {
    return std::make_unique<FlatIndex>();
  };
  const TemporaryDirectory directory;
  auto state = Store::Open({.directory = directory.path() / "state"});
  auto scratch = Store::Open({.directory = directory.path() / "scratch"});
  ASSERT_TRUE(state.has_value() && scratch.has_value());
  auto detector = Detector::Open(**state, make_index, JudgeWorld::kScheme);
  auto refolded = Detector::Open(**scratch, make_index, JudgeWorld::kScheme);
  ASSERT_TRUE(detector.has_value() && refolded.has_value());
  for (const auto& [offset, stored] : log_.records()) {
    log::Entry entry;
    ASSERT_TRUE(ParseEntry(stored.value, entry));
    ASSERT_TRUE((*detector)->Fold(entry).has_value());
    ASSERT_TRUE((*detector)->Commit({offset, ToBytes(RawChecksum(stored.value))}).has_value());
  }
  DetectorFold fold(**refolded);
  const Status ended = Run(60, fold);
  ASSERT_TRUE(ended.has_value()) << ended.error().message;
  EXPECT_EQ(*StateHash(**state), *StateHash(**scratch));
}

}  // namespace
}  // namespace crawlsieve::testing
