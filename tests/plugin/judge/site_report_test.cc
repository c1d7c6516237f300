// What is told of a site out of a state directory.
#include "plugin/judge/site_report.h"

#include "plugin/judge/detector.h"
#include "plugin/judge/rows.h"
#include "plugin/judge/state_reader.h"
#include "tests/plugin/judge/random_log.h"
#include "tests/support/entry_builder.h"
#include "tests/support/make_flat_index.h"
#include "tests/support/temporary_directory.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

using testing::EntryBuilder;
using testing::kScheme;

class SiteReportTest : public ::testing::Test {
 protected:
  /// Folds `entries` behind the parameters, and leaves the state in files.
  void FoldAll(const std::vector<log::Entry>& entries,
               const JudgeParameters& parameters = testing::Parameters()) {
    const auto store = Store::Open({.directory = directory_.path()}).value();
    const auto detector = Detector::Open(*store, testing::MakeFlatIndex, kScheme).value();
    ASSERT_TRUE(detector->Fold(ParametersEntry(parameters, kScheme)).has_value());
    for (const log::Entry& entry : entries) ASSERT_TRUE(detector->Fold(entry).has_value());
    ASSERT_TRUE(detector->Commit({static_cast<std::int64_t>(entries.size()), "0123456789abcdef"})
                    .has_value());
    ASSERT_TRUE(detector->Flush().has_value());
    if (const auto site = detector->SiteAt("host.example").value()) learned_ = site->Encode();
  }

  /// `pages` pages, each at two session ids.
  std::vector<log::Entry> Sessions(int pages) {
    std::vector<log::Entry> log;
    for (int i = 0; i < 2 * pages; ++i) {
      const std::string content = fmt::format("page {}", i / 2);
      log.push_back(
          entries_.Text(fmt::format("http://host.example/p{}.html?sid={}", i / 2, 100 + i), content,
                        RawChecksum(content).low));
    }
    return log;
  }

  std::optional<SiteReport> Report(const std::string& name) {
    const auto state = StateReader::Open(directory_.path());
    EXPECT_TRUE(state.has_value()) << state.error().message;
    return ReportOfSite(name, (*state)->progress(), **state).value();
  }

  testing::TemporaryDirectory directory_;
  EntryBuilder entries_{kScheme};
  std::string learned_;  ///< of host.example, as the fold has it
};

TEST_F(SiteReportTest, TellsWhatTheFoldLearned) {
  FoldAll(Sessions(40));  // more than a host's latest pages
  const auto report = Report("host.example");
  ASSERT_TRUE(report.has_value() && report->site.has_value());
  EXPECT_EQ(report->site->Encode(), learned_);
  EXPECT_EQ(report->sequence, 81U);
  EXPECT_EQ(report->site->AdviceFor("http://host.example/p0.html?sid=7", 1).action,
            site::Action::kSuppress);
  ASSERT_EQ(report->hosts.size(), 1U);
  EXPECT_EQ(report->hosts[0].host, "host.example");
  EXPECT_EQ(report->hosts[0].pages, 80U);
  EXPECT_EQ(report->hosts[0].duplicates, 40U);
  EXPECT_FALSE(report->hosts[0].mean_change.has_value());
}

TEST_F(SiteReportTest, AHostWhosePagesWereFetchedAgainHasAChangeRate) {
  std::vector<log::Entry> log;
  for (int visit = 0; visit < 4; ++visit) {
    log.push_back(entries_.Text("http://host.example/a", fmt::format("content {}", visit),
                                RawChecksum(std::to_string(visit)).low));
    log.back().mutable_page()->set_fetch_time_ms(1'700'000'000'000 + visit * 86'400'000LL);
  }
  FoldAll(log);
  const auto report = Report("host.example");
  ASSERT_TRUE(report.has_value());
  ASSERT_EQ(report->hosts.size(), 1U);
  ASSERT_TRUE(report->hosts[0].mean_change.has_value());
  EXPECT_LT(*report->hosts[0].mean_change, 30U * 86'400);
  EXPECT_GT(*report->hosts[0].mean_change, 3'600U);
}

TEST_F(SiteReportTest, NothingIsToldOfAHostWithoutPages) {
  FoldAll(Sessions(1));
  EXPECT_FALSE(Report("other.example").has_value());
}

TEST_F(SiteReportTest, WithoutRoomForSitesTheHostIsLeft) {
  JudgeParameters parameters = testing::Parameters();
  parameters.sites.max = 0;
  FoldAll(Sessions(2), parameters);
  const auto report = Report("host.example");
  ASSERT_TRUE(report.has_value());
  EXPECT_FALSE(report->site.has_value());
  EXPECT_EQ(report->hosts.size(), 1U);
}

TEST_F(SiteReportTest, AStateOfAnotherFormatIsRefused) {
  FoldAll(Sessions(1));
  {
    const auto store = Store::Open({.directory = directory_.path()}).value();
    PositionRow row;
    row.record.set_format(99);
    Changes changes;
    row.Write(changes);
    ASSERT_TRUE(store->Apply(changes).has_value());
    ASSERT_TRUE(store->Flush().has_value());
  }
  const auto state = StateReader::Open(directory_.path());
  ASSERT_FALSE(state.has_value());
  EXPECT_EQ(state.error().code, ErrorCode::kMismatch);
  EXPECT_NE(state.error().message.find("state format 99"), std::string::npos);
}

TEST_F(SiteReportTest, AStateThatNothingWasFoldedIntoIsRefused) {
  { ASSERT_TRUE(Store::Open({.directory = directory_.path()}).has_value()); }
  const auto state = StateReader::Open(directory_.path());
  ASSERT_FALSE(state.has_value());
  EXPECT_EQ(state.error().code, ErrorCode::kInvalidInput);
  EXPECT_NE(state.error().message.find("is empty"), std::string::npos);
}

}  // namespace
}  // namespace crawlsieve
