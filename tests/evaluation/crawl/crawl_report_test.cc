#include "evaluation/crawl/crawl_report.h"

#include "consumer/pipeline/scan.h"
#include "plugin/index/flat_index.h"
#include "plugin/state/store.h"
#include "tests/support/memory_reader.h"
#include "tests/support/temporary_directory.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "evaluation/crawl/crawl_findings.h"
#include "evaluation/crawl/neighbours.h"
#include "evaluation/crawl/sampled_texts.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

using crawlsieve::testing::MemoryReader;
using crawlsieve::testing::TemporaryDirectory;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// Feeds findings with what a scan tells.
class Finder final : public ScanListener {
 public:
  explicit Finder(CrawlFindings& findings) : findings_(findings) {}
  Status OnVerdict(const log::Page& page, const Verdict& verdict) override {
    findings_.Add(page, verdict);
    verdicts.push_back(verdict);
    return {};
  }
  Status OnDeadLetter(const std::string& /*origin*/, const DecodeFailure& /*failure*/) override {
    findings_.AddDeadLetter();
    return {};
  }
  Status OnCommit() override { return {}; }

  std::vector<Verdict> verdicts;

 private:
  CrawlFindings& findings_;
};

std::string Words(int first, int count) {
  std::string text;
  for (int i = first; i < first + count; ++i) text += "word" + std::to_string(i) + ' ';
  return text;
}

std::string Record(const std::string& url, const std::string& text) {
  return nlohmann::json{{"url", url}, {"text", text}, {"fetch_time", "2026-03-01T12:00:00Z"}}
      .dump();
}

/// Files with these records, to be read again and again.
class Records {
 public:
  explicit Records(std::vector<std::string> values) : values_(std::move(values)) {}

  [[nodiscard]] MemoryReader Reader() const {
    MemoryReader reader;
    for (const std::string& value : values_) {
      FileRecord record;
      record.format = FormatKind::kCanonical;
      record.record.value = value;
      reader.Add(std::move(record));
    }
    return reader;
  }

 private:
  std::vector<std::string> values_;
};

/// One scan, and a report of it.
struct Scanned {
  explicit Scanned(const Records& records, const JudgeParameters& parameters = {})
      : findings(parameters), finder(findings) {
    store = *Store::Open({.directory = directory.path() / "state"});
    ScanOptions options;
    options.judge = parameters;
    auto detector = Detector::Open(
        *store,
        [](int) -> Result<std::unique_ptr<HammingIndex>> { return std::make_unique<FlatIndex>(); },
        SchemeOf(options.processor));
    MemoryReader reader = records.Reader();
    const Status done = Scan(reader, **detector, options, finder);
    EXPECT_TRUE(done.has_value());
    neighbours = *FindNeighbours(*store, findings.kept().values(), parameters);
    pairs = PairsToShow(findings, neighbours);
    MemoryReader again = records.Reader();
    texts = *ReadTexts(again, options.processor, RecordsOf(pairs, findings), [this] { ++reread; });
    report = CrawlReport({.findings = findings,
                          .neighbours = neighbours,
                          .pairs = pairs,
                          .texts = texts,
                          .files = {},
                          .parameters = parameters,
                          .elapsed = std::chrono::seconds(1)});
  }

  TemporaryDirectory directory;
  CrawlFindings findings;
  Finder finder;
  std::unique_ptr<Store> store;
  Neighbourhood neighbours;
  std::vector<CrawlPair> pairs;
  std::map<std::uint64_t, SampledText> texts;
  int reread = 0;
  std::string report;
};

TEST(CrawlReport, CountsAScanAndShowsItsPairsWithTheirWords) {
  const Records records({
      Record("http://a.example/1", Words(0, 400)),
      "no record",  // a dead letter between: the numbers of records go on
      Record("http://a.example/2", Words(0, 400)),
      Record("http://b.example/item/3", Words(0, 400) + "zebra"),
      Record("http://b.example/item/4", Words(5000, 400)),
      Record("http://b.example/item/5", "a few words"),
      Record("http://c.example/6", Words(9000, 400)),
  });
  const Scanned scanned(records);
  const CrawlFindings& findings = scanned.findings;
  EXPECT_EQ(findings.pages(), 6U);
  EXPECT_EQ(findings.dropped(), 2U);
  EXPECT_EQ(findings.dead_letters(), 1U);
  EXPECT_EQ(findings.records(), 7U);
  EXPECT_EQ(findings.kept().offered(), 3U) << "not the short one";
  const auto clusters = findings.Clusters();
  ASSERT_EQ(clusters.size(), 1U);
  EXPECT_EQ(clusters[0].size, 3U);
  EXPECT_EQ(clusters[0].representative, "http://a.example/1");
  EXPECT_THAT(clusters[0].members,
              ::testing::ElementsAre("http://a.example/2", "http://b.example/item/3"));
  ASSERT_EQ(scanned.pairs.size(), 1U);
  EXPECT_EQ(scanned.reread, 4) << "up to the last record that is shown";
  EXPECT_THAT(scanned.report,
              AllOf(HasSubstr("Of 6 pages 2 were dropped (33 %): 1 with the same content as a kept "
                              "page, 1 with nearly the same, and 0 for other reasons."),
                    HasSubstr("<mark>zebra </mark>"), HasSubstr("b.example/item/N"),
                    HasSubstr("data-a=\"http://a.example/1\" data-b=\"http://b.example/item/3\""),
                    HasSubstr("too few words to be told from others"),
                    HasSubstr("2026-03-01T12:00:00Z"), Not(HasSubstr("nan"))));
}

TEST(CrawlReport, OfTheSamePagesIsTheSame) {
  std::vector<std::string> values;
  constexpr std::uint32_t kSeed = 20261125;
  std::mt19937 random(kSeed);
  for (int i = 0; i < 600; ++i) {
    std::string text = Words(static_cast<int>(random() % 40) * 1000, 150);
    for (std::uint64_t n = random() % 6; n > 0; --n) text += " x" + std::to_string(random() % 1000);
    values.push_back(
        Record("http://h" + std::to_string(i % 7) + ".example/" + std::to_string(i), text));
  }
  const Records records(values);
  const Scanned one(records);
  const Scanned other(records);
  EXPECT_EQ(one.report, other.report) << "seed " << kSeed;
  EXPECT_GT(one.pairs.size(), 10U);
  // Words of every pair were found again: distances agree.
  EXPECT_THAT(one.report, Not(HasSubstr("could not be read again")));
}

TEST(CrawlReport, SaysWhatOneBitMoreWouldDrop) {
  JudgeParameters parameters;
  std::vector<std::string> values;
  for (int i = 0; i < 200; ++i) {
    std::string changed = Words(i * 1000, 120);
    for (int n = 0; n < i % 9; ++n) changed += " y" + std::to_string(i * 10 + n);
    values.push_back(Record("http://a.example/" + std::to_string(2 * i), Words(i * 1000, 120)));
    values.push_back(Record("http://b.example/" + std::to_string(2 * i + 1), changed));
  }
  const Records records(values);
  for (parameters.max_distance = 0; parameters.max_distance < 7; ++parameters.max_distance) {
    const Scanned strict(records, parameters);
    JudgeParameters laxer = parameters;
    ++laxer.max_distance;
    const Scanned lax(records, laxer);
    // Every kept page is in the sample here, and no near page hides another: the estimate is exact.
    EXPECT_EQ(strict.findings.dropped() + strict.neighbours.would_be_near, lax.findings.dropped())
        << parameters.max_distance;
    EXPECT_EQ(lax.findings.dropped() - lax.findings.distances()[laxer.max_distance],
              strict.findings.dropped());
  }
}

TEST(CrawlReport, SaysWhyWordsAreMissing) {
  const Records records({Record("http://a.example/1", Words(0, 400)),
                         Record("http://a.example/2", Words(0, 400) + "zebra")});
  const Scanned scanned(records);
  const std::map<std::uint64_t, SampledText> none;
  const auto report_with = [&](const std::map<std::uint64_t, SampledText>& texts) {
    return CrawlReport({.findings = scanned.findings,
                        .neighbours = scanned.neighbours,
                        .pairs = scanned.pairs,
                        .texts = texts,
                        .files = {}});
  };
  EXPECT_THAT(report_with(none), HasSubstr("could not be read again"));
  auto changed = scanned.texts;
  changed.at(1).simhash ^= 0xFF00U;
  EXPECT_THAT(report_with(changed),
              AllOf(HasSubstr("could not be read again"), Not(HasSubstr("<mark>zebra </mark>"))));
  auto moved = scanned.texts;
  moved.at(0).url = "http://a.example/other";
  EXPECT_THAT(report_with(moved), HasSubstr("could not be read again"));
}

TEST(CrawlReport, StaysBelow5MBAndIsTextWhateverPagesHold) {
  const std::string evil = "\"'><script>document.title='owned'</script>\xE2\x80\xAE";
  std::string long_evil;
  while (long_evil.size() < 3'000) long_evil += evil;
  CrawlFindings findings{JudgeParameters()};
  std::map<std::uint64_t, SampledText> texts;
  Verdict verdict;
  for (std::uint64_t i = 1; i <= 4'000; ++i) {
    log::Page page;
    page.set_url("http://" + std::to_string(i) + long_evil);
    page.set_canonical_url(page.url());
    page.set_host(std::to_string(i) + evil + evil);
    page.set_detail(std::to_string(i) + long_evil);
    page.set_outcome(log::OUTCOME_TEXT);
    page.set_features(100);
    page.set_fetch_time_ms(static_cast<std::int64_t>(i) * 86'400'000 * 300);
    verdict.sequence = i;
    verdict.reason = Reason::kNearDuplicate;
    verdict.match.emplace();
    verdict.match->document = DocId{i / 2};
    verdict.match->id = long_evil;
    verdict.match->url = "http://" + std::to_string(i / 2) + long_evil;
    verdict.match->distance = static_cast<int>(i % 8);
    verdict.cluster = Cluster{DocId{i % 200}, 2 + i, {}};
    findings.Add(page, verdict);
    std::string text;
    for (int n = 0; n < 400; ++n)
      text += evil + std::to_string(i * 1000 + static_cast<std::uint64_t>(n)) + ' ';
    texts[i - 1] = {.url = page.url(), .simhash = 0, .words = 400, .text = text};
  }
  Neighbourhood neighbours;
  for (int i = 0; i < 400; ++i) {
    neighbours.pairs.push_back({{1, "http://1" + long_evil, ""},
                                {2, "http://2" + long_evil, ""},
                                i % 8,
                                Score{5000},
                                false});
  }
  auto pairs = PairsToShow(findings, neighbours);
  EXPECT_LE(pairs.size(), 150U);
  EXPECT_GT(pairs.size(), 140U);
  for (CrawlPair& pair : pairs) pair.distance = 0;  // that of the texts
  const std::string report = CrawlReport({.findings = findings,
                                          .neighbours = neighbours,
                                          .pairs = pairs,
                                          .texts = texts,
                                          .files = {}});
  RecordProperty("bytes", std::to_string(report.size()));
  EXPECT_LT(report.size(), 5'000'000U);
  EXPECT_GT(report.size(), 1'000'000U);
  EXPECT_EQ(report.find("<script>"), report.rfind("<script>")) << "its own";
  EXPECT_THAT(report, Not(HasSubstr("<script>document")));
  EXPECT_THAT(report, Not(HasSubstr("\xE2\x80\xAE")));
}

TEST(CrawlFindings, FindTheLargestClustersOfMany) {
  CrawlFindings findings{JudgeParameters()};
  constexpr std::uint32_t kSeed = 7;
  std::mt19937 random(kSeed);
  std::map<std::uint64_t, std::uint64_t> sizes;
  Verdict verdict;
  log::Page page;
  for (int i = 0; i < 50'000; ++i) {
    const std::uint64_t id = 1 + random() % (1 + random() % 2'000);
    verdict.sequence = 10'000 + static_cast<std::uint64_t>(i);
    verdict.reason = Reason::kExactDuplicate;
    verdict.cluster = Cluster{DocId{id}, ++sizes[id], {}};
    page.set_url("http://e/" + std::to_string(i));
    findings.Add(page, verdict);
  }
  std::vector<std::uint64_t> expected;
  for (const auto& [id, size] : sizes) expected.push_back(size);
  std::ranges::sort(expected, std::greater());
  expected.resize(CrawlFindings::kClusters);
  std::vector<std::uint64_t> found;
  for (const FoundCluster& cluster : findings.Clusters()) {
    EXPECT_EQ(cluster.size, sizes.at(cluster.id));
    found.push_back(cluster.size);
  }
  EXPECT_EQ(found, expected) << "seed " << kSeed;
}

}  // namespace
}  // namespace crawlsieve::consumer
