#include "consumer/output/verdict_record.h"
#include "consumer/pipeline/scan.h"
#include "plugin/index/sharded_index.h"
#include "tests/support/crawler_records.h"
#include "tests/support/memory_reader.h"
#include "tests/support/temporary_directory.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

// The same pages, as each crawler writes them and as canonical records of the same fields, must get
// the same verdicts. FormatsServiceTest does the same through a broker.

namespace crawlsieve::consumer {
namespace {

using crawlsieve::testing::CrawledPage;
using crawlsieve::testing::CrawlerFormat;
using crawlsieve::testing::CrawlerFormats;
using crawlsieve::testing::CrawlerJsonPaths;
using crawlsieve::testing::MadeUpPages;
using crawlsieve::testing::MemoryReader;
using crawlsieve::testing::OfAllFormats;
using crawlsieve::testing::TemporaryDirectory;
using crawlsieve::testing::WritePage;

/// When all pages were fetched.
constexpr Timestamp kFetched{std::chrono::milliseconds(1'714'979'289'250)};

class Collector final : public ScanListener {
 public:
  Status OnVerdict(const log::Page& page, const Verdict& verdict) override {
    verdicts.push_back(OfAllFormats(VerdictRecord(page, verdict, {"test", Timestamp{}})));
    return {};
  }
  Status OnDeadLetter(const std::string& /*origin*/, const DecodeFailure& failure) override {
    ADD_FAILURE() << failure.code << ": " << failure.message;
    return {};
  }
  Status OnCommit() override { return {}; }

  std::vector<std::string> verdicts;
};

std::vector<std::string> VerdictsOf(FormatKind format, const WritePage& write) {
  MemoryReader reader;
  for (const CrawledPage& page : MadeUpPages()) {
    FileRecord record;
    record.format = format;
    record.record = write(page);
    record.record.timestamp = Timestamp{std::chrono::milliseconds(1'700'000'000'000)};
    reader.Add(std::move(record));
  }
  ScanOptions options;
  options.processor.decode.json = CrawlerJsonPaths();
  TemporaryDirectory directory;
  auto store = Store::Open({.directory = directory.path()});
  EXPECT_TRUE(store.has_value());
  auto detector = Detector::Open(
      **store,
      [](int max_distance) -> Result<std::unique_ptr<HammingIndex>> {
        return ShardedIndex::Create(
            {.max_distance = max_distance, .shards = 4, .expected_entries = 1000});
      },
      SchemeOf(options.processor));
  EXPECT_TRUE(detector.has_value());
  Collector collector;
  EXPECT_TRUE(Scan(reader, **detector, options, collector).has_value());
  return collector.verdicts;
}

class CrawlerFormatsTest : public ::testing::TestWithParam<CrawlerFormat> {};

TEST_P(CrawlerFormatsTest, GetsTheVerdictsOfCanonical) {
  const CrawlerFormat& format = GetParam();
  const auto expected = VerdictsOf(FormatKind::kCanonical, format.canonical);
  ASSERT_EQ(expected.size(), 200u);
  std::vector<FormatKind> kinds = {format.kind};
  if (format.is_recognized) kinds.push_back(FormatKind::kAuto);
  for (const FormatKind kind : kinds) {
    const auto verdicts = VerdictsOf(kind, format.write);
    ASSERT_EQ(verdicts.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(verdicts[i], expected[i]) << FormatName(kind) << " record " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllFormats, CrawlerFormatsTest,
                         ::testing::ValuesIn(CrawlerFormats(kFetched)),
                         [](const auto& format) { return format.param.name; });

}  // namespace
}  // namespace crawlsieve::consumer
