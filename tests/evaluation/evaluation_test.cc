#include "evaluation/evaluation.h"

#include "consumer/pipeline/scan.h"
#include "plugin/index/flat_index.h"
#include "tests/support/memory_reader.h"
#include "tests/support/sanitized.h"
#include "tests/support/temporary_directory.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "evaluation/summary.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

using crawlsieve::testing::MemoryReader;
using crawlsieve::testing::TemporaryDirectory;

std::string Words(int first, int count) {
  std::string text;
  for (int i = first; i < first + count; ++i) text += "word" + std::to_string(i) + ' ';
  return text;
}

FileRecord PageRecord(const std::string& id, const std::string& url, const std::string& text) {
  FileRecord record;
  record.format = FormatKind::kCanonical;
  record.record.value = nlohmann::json{{"id", id}, {"url", url}, {"text", text}}.dump();
  return record;
}

/// Five versions of one text, from another counter to another text.
class EvaluationTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Add("base", "http://a.example/base", Words(0, 400));
    Add("copy", "http://a.example/copy", Words(0, 400));
    Add("counter", "http://a.example/counter", Words(0, 400) + "12345");
    Add("template", "http://b.example/template", Words(0, 200) + Words(1000, 200));
    Add("other", "http://b.example/other", Words(2000, 400));
    Add("short", "http://b.example/short", "a few words");
  }

  void Add(const std::string& id, const std::string& url, const std::string& text) {
    records_.push_back(PageRecord(id, url, text));
  }

  PageSet Load() {
    MemoryReader reader;
    for (const FileRecord& record : records_) reader.Add(record);
    auto pages = PageSet::Load(reader, ProcessorOptions(), 2, true);
    EXPECT_TRUE(pages.has_value());
    return std::move(*pages);
  }

  std::vector<FileRecord> records_;
};

using Kind = PairOutcome::Verdict;

TEST_F(EvaluationTest, CountsWhatWasJudgedOfEachPair) {
  const PageSet pages = Load();
  const std::vector<LabelledPair> pairs = {
      {"base", "copy", Label::kNear, "same-text"},     // found, counted apart
      {"base", "counter", Label::kNear, "counter"},    // found
      {"base", "other", Label::kNear, "mislabelled"},  // missed
      {"base", "template", Label::kDifferent, "template"},
      {"copy", "counter", Label::kDifferent, "mislabelled"},  // a false duplicate
      {"short", "short", Label::kNear, "short"},              // too short: missed
      {"base", "template", Label::kOther, "updated"},         // not scored
      {"base", "nowhere", Label::kNear, "lost"},
  };
  const auto evaluation = Evaluate(pages, pairs, JudgeParameters());
  ASSERT_TRUE(evaluation.has_value()) << evaluation.error().message;
  EXPECT_EQ(
      evaluation->total,
      (Counts{.true_duplicates = 1, .false_duplicates = 1, .missed = 2, .true_different = 1}));
  EXPECT_EQ(evaluation->same_text, (Rate{1, 1}));
  EXPECT_EQ(evaluation->other, 1U);
  EXPECT_EQ(evaluation->not_found, std::vector<std::string>{"nowhere"});
  EXPECT_EQ(evaluation->by_kind.at("mislabelled"), (Counts{.false_duplicates = 1, .missed = 1}));
  EXPECT_EQ(evaluation->by_length.at("    0 to 19 words").missed, 1U);
  EXPECT_EQ(evaluation->sites, 2U);

  const auto json = nlohmann::json::parse(EvaluationJson(*evaluation, pages));
  EXPECT_EQ(json["near"], 3);
  EXPECT_EQ(json["different"], 2);
  EXPECT_EQ(json["precision"], 0.5);
  EXPECT_EQ(json["false_duplicates"], 1);
  EXPECT_EQ(json["missed"], 2);
  EXPECT_EQ(json["same_text_recall"], 1.0);
  ASSERT_EQ(json["wrong"].size(), 3U);
  EXPECT_EQ(json["wrong"][0]["b"], "other");
  EXPECT_EQ(json["wrong"][2]["judged"], "too_short");
}

TEST_F(EvaluationTest, CurvesAgreeWithTheTotalAtTheSettings) {
  const PageSet pages = Load();
  const std::vector<LabelledPair> pairs = {{"base", "counter", Label::kNear, ""},
                                           {"base", "template", Label::kDifferent, ""},
                                           {"copy", "other", Label::kDifferent, ""}};
  JudgeParameters parameters;
  parameters.max_distance = 5;
  parameters.min_similarity = Score{7'500};
  const auto evaluation = Evaluate(pages, pairs, parameters);
  ASSERT_TRUE(evaluation.has_value());
  EXPECT_EQ(evaluation->over_distance.at(5).counts, evaluation->total);
  EXPECT_EQ(evaluation->over_similarity.at(15).setting, 0.75);
  EXPECT_EQ(evaluation->over_similarity.at(15).counts, evaluation->total);
}

TEST_F(EvaluationTest, NeedsAPairToScore) {
  const PageSet pages = Load();
  const std::vector<LabelledPair> pairs = {{"base", "nowhere", Label::kNear, ""}};
  EXPECT_FALSE(Evaluate(pages, pairs, JudgeParameters()).has_value());
}

/// Collects the reasons of a scan.
class Reasons final : public ScanListener {
 public:
  Status OnVerdict(const log::Page& /*page*/, const Verdict& verdict) override {
    last = verdict.reason;
    return {};
  }
  Status OnDeadLetter(const std::string& /*origin*/, const DecodeFailure& /*failure*/) override {
    return {};
  }
  Status OnCommit() override { return {}; }
  Reason last = Reason::kUnique;
};

/// The judge itself is the oracle: it sees the two pages one after the other.
TEST_F(EvaluationTest, JudgesEveryPairAsTheJudgeDoes) {
  for (int changed = 0; changed < 400; changed += 23) {
    Add("changed" + std::to_string(changed), "http://c.example/" + std::to_string(changed),
        Words(3000, changed) + Words(changed, 400 - changed));
    Add("titled" + std::to_string(changed), "http://d.example/" + std::to_string(changed),
        Words(3000, changed) + Words(changed, 400 - changed));
  }
  const PageSet pages = Load();
  int duplicates = 0;
  for (std::size_t a = 0; a < records_.size(); a += testing::kIsSanitized ? 3 : 1) {
    for (std::size_t b = a + 1; b < records_.size(); b += 7) {
      TemporaryDirectory directory;
      auto store = Store::Open({.directory = directory.path()});
      ASSERT_TRUE(store.has_value());
      const ScanOptions options;
      auto detector = Detector::Open(
          **store,
          [](int) -> Result<std::unique_ptr<HammingIndex>> {
            return std::make_unique<FlatIndex>();
          },
          SchemeOf(options.processor));
      ASSERT_TRUE(detector.has_value());
      MemoryReader reader;
      reader.Add(records_[a]);
      reader.Add(records_[b]);
      Reasons reasons;
      ASSERT_TRUE(Scan(reader, **detector, options, reasons).has_value());
      const PairOutcome outcome =
          JudgePair(pages.pages()[a].entry, pages.pages()[b].entry, options.judge);
      EXPECT_EQ(outcome.verdict == Kind::kNear, reasons.last == Reason::kNearDuplicate) << a << b;
      EXPECT_EQ(outcome.verdict == Kind::kExact, reasons.last == Reason::kExactDuplicate) << a << b;
      duplicates += outcome.is_duplicate() ? 1 : 0;
    }
  }
  EXPECT_GT(duplicates, 3);
}

TEST(SiteOf, IsTheHostAndTheFirstFolder) {
  log::Page page;
  const auto site = [&page](const char* url) {
    page.set_canonical_url(url);
    return SiteOf(page);
  };
  EXPECT_EQ(site("http://a.example/"), "a.example");
  EXPECT_EQ(site("http://a.example/page.html"), "a.example");
  EXPECT_EQ(site("http://a.example/folder/page.html"), "a.example/folder");
  EXPECT_EQ(site("http://a.example/?x=/y/"), "a.example");
  EXPECT_EQ(site("http://a.example"), "a.example");
}

}  // namespace
}  // namespace crawlsieve::consumer
