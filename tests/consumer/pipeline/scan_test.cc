#include "consumer/pipeline/scan.h"

#include "consumer/output/verdict_record.h"
#include "plugin/index/sharded_index.h"
#include "tests/support/memory_reader.h"
#include "tests/support/schema.h"
#include "tests/support/temporary_directory.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

using crawlsieve::testing::MemoryReader;
using crawlsieve::testing::TemporaryDirectory;

/// A record as a file would give it.
FileRecord Record(FormatKind format, std::optional<std::string> key,
                  std::optional<std::string> value) {
  FileRecord record;
  record.format = format;
  record.record.key = std::move(key);
  record.record.value = std::move(value);
  record.record.timestamp = Timestamp{std::chrono::milliseconds(1'700'000'000'000)};
  return record;
}

/// Keeps what a scan reports.
class Collector final : public ScanListener {
 public:
  Status OnVerdict(const log::Page& page, const Verdict& verdict) override {
    const std::string text = VerdictRecord(page, verdict, {"test", Timestamp{}});
    verdicts.push_back(nlohmann::json::parse(text));
    EXPECT_TRUE(
        ConformsTo(verdicts.back(), CRAWLSIEVE_SOURCE_DIR "/docs/schemas/verdict.schema.json"))
        << text;
    return {};
  }
  Status OnDeadLetter(const std::string& origin, const DecodeFailure& failure) override {
    dead_letters[origin] = failure.code;
    return {};
  }
  Status OnCommit() override { return {}; }

  [[nodiscard]] std::string Reasons() const {
    std::string text;
    for (const auto& verdict : verdicts) {
      if (!text.empty()) text += ' ';
      text += verdict["reason"].get<std::string>();
    }
    return text;
  }

  std::vector<nlohmann::json> verdicts;
  std::map<std::string, std::string> dead_letters;
};

std::string Words(int count, const std::string& stem) {
  std::string text;
  for (int i = 0; i < count; ++i) text += stem + std::to_string(i) + ' ';
  return text;
}

std::string Html(const std::string& text) {
  return "<!doctype html><html><head><title>Title</title></head><body><p>" + text +
         "</p></body></html>";
}

std::string Canonical(const std::string& url, const nlohmann::json& more) {
  nlohmann::json record = {{"url", url}, {"content_type", "text/html"}};
  record.update(more);
  return record.dump();
}

class ScanTest : public ::testing::Test {
 protected:
  void Open() {
    auto store = Store::Open({.directory = directory_.path()});
    ASSERT_TRUE(store.has_value()) << store.error().message;
    store_ = std::move(*store);
    auto detector = Detector::Open(
        *store_,
        [](int max_distance) -> Result<std::unique_ptr<HammingIndex>> {
          return ShardedIndex::Create(
              {.max_distance = max_distance, .shards = 4, .expected_entries = 1000});
        },
        SchemeOf(options_.processor));
    ASSERT_TRUE(detector.has_value()) << detector.error().message;
    detector_ = std::move(*detector);
  }

  Collector ScanAll() {
    if (detector_ == nullptr) Open();
    Collector collector;
    const Status scanned = Scan(reader_, *detector_, options_, collector);
    EXPECT_TRUE(scanned.has_value()) << scanned.error().message;
    return collector;
  }

  void AddPage(const std::string& url, const std::string& text) {
    reader_.Add(
        Record(FormatKind::kCanonical, std::nullopt, Canonical(url, {{"body", Html(text)}})));
  }

  TemporaryDirectory directory_;
  ScanOptions options_;
  MemoryReader reader_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Detector> detector_;
};

TEST_F(ScanTest, JudgesEveryPageInOrder) {
  AddPage("http://a.example/1", Words(200, "alpha"));
  AddPage("http://b.example/1", Words(200, "alpha"));
  AddPage("http://c.example/1", Words(200, "alpha") + "one more");
  AddPage("http://d.example/1", Words(200, "beta"));
  AddPage("http://a.example/1", Words(200, "alpha"));
  AddPage("http://a.example/1", Words(200, "gamma"));
  const Collector seen = ScanAll();
  EXPECT_EQ(seen.Reasons(), "unique exact_duplicate near_duplicate unique unchanged updated");
  EXPECT_EQ(seen.verdicts[1]["match"]["url"], "http://a.example/1");
  EXPECT_EQ(seen.verdicts[2]["match"]["kind"], "near");
}

// Schedules take a fetch for no further from its record's time than a day, and the time of a file
// says nothing of its records.
TEST_F(ScanTest, ARecordCameWhenItWasFetched) {
  for (const std::string month : {"01", "05"}) {
    reader_.Add(Record(
        FormatKind::kCanonical, std::nullopt,
        Canonical("http://a.example/", {{"body", Html(Words(200, "w" + month))},
                                        {"fetch_time", "2026-" + month + "-01T00:00:00Z"}})));
  }
  const Collector seen = ScanAll();
  EXPECT_EQ(seen.Reasons(), "unique updated");
  EXPECT_EQ(seen.verdicts[1]["source"]["timestamp"], "2026-05-01T00:00:00Z");
  EXPECT_GE(seen.verdicts[1]["recrawl"]["next_fetch"].get<std::string>(), "2026-05-01");
  EXPECT_LT(seen.verdicts[1]["recrawl"]["next_fetch"].get<std::string>(), "2027");
  EXPECT_GT(seen.verdicts[1]["recrawl"]["interval_seconds"], 86'400)
      << "it changed within four months, not at once";
}

TEST_F(ScanTest, RecordWithoutABodyLeavesTheKeptVersionOfItsUrlAlone) {
  const std::string page = Words(200, "alpha");
  const auto add = [&](const nlohmann::json& fields) {
    reader_.Add(
        Record(FormatKind::kCanonical, std::nullopt, Canonical("http://a.example/", fields)));
  };
  AddPage("http://a.example/", page);
  add({{"content", Html(page)}});
  add({{"body", nullptr}});
  AddPage("http://b.example/", page);
  AddPage("http://a.example/", page);
  const Collector seen = ScanAll();
  EXPECT_EQ(seen.Reasons(), "unique not_evaluated not_evaluated exact_duplicate unchanged");
  for (const int i : {1, 2}) {
    EXPECT_EQ(seen.verdicts[i]["detail"], "missing_body");
    EXPECT_EQ(seen.verdicts[i]["verdict"], "keep");
  }
  EXPECT_EQ(seen.verdicts[3]["match"]["url"], "http://a.example/");
}

TEST_F(ScanTest, IsTheSameWithAnyNumberOfThreads) {
  std::vector<std::vector<nlohmann::json>> seen;
  for (const std::size_t threads : {1, 4}) {
    TemporaryDirectory directory;
    auto store = Store::Open({.directory = directory.path()});
    ASSERT_TRUE(store.has_value());
    auto detector = Detector::Open(
        **store,
        [](int max_distance) -> Result<std::unique_ptr<HammingIndex>> {
          return ShardedIndex::Create(
              {.max_distance = max_distance, .shards = 4, .expected_entries = 1000});
        },
        SchemeOf(options_.processor));
    MemoryReader reader;
    for (int i = 0; i < 100; ++i) {
      reader.Add(
          Record(FormatKind::kCanonical, std::nullopt,
                 Canonical("http://h" + std::to_string(i % 7) + "/" + std::to_string(i),
                           {{"body", Html(Words(100 + i % 9, "w" + std::to_string(i % 5)))}})));
    }
    options_.threads = threads;
    options_.max_in_flight_records = 16;
    Collector collector;
    ASSERT_TRUE(Scan(reader, **detector, options_, collector).has_value());
    seen.push_back(collector.verdicts);
  }
  ASSERT_EQ(seen[0].size(), 100U);
  EXPECT_EQ(seen[0], seen[1]);
}

TEST_F(ScanTest, GoesOnFromItsState) {
  AddPage("http://a.example/", Words(200, "alpha"));
  EXPECT_EQ(ScanAll().Reasons(), "unique");
  detector_.reset();
  ASSERT_TRUE(store_->Flush().has_value());
  store_.reset();
  Open();
  AddPage("http://b.example/", Words(200, "alpha"));
  const Collector second = ScanAll();
  EXPECT_EQ(second.Reasons(), "exact_duplicate");
  EXPECT_EQ(second.verdicts[0]["sequence"], 3);
}

TEST_F(ScanTest, ChangedParametersJudgeTheNextScan) {
  AddPage("http://a.example/", Words(30, "alpha"));
  EXPECT_EQ(ScanAll().Reasons(), "unique");
  options_.judge.min_features = 50;
  AddPage("http://b.example/", Words(30, "alpha"));
  EXPECT_EQ(ScanAll().Reasons(), "too_short");
}

TEST_F(ScanTest, EchoesWhatTheCrawlerSaid) {
  reader_.Add(
      Record(FormatKind::kCanonical, std::nullopt,
             Canonical("http://a.example/", {{"body", Html(Words(50, "alpha"))},
                                             {"id", "page-1"},
                                             {"crawl_id", "crawl-7"},
                                             {"attrs", {{"list", {1, 2}}, {"text", "\u00e9"}}}})));
  const auto verdict = ScanAll().verdicts.at(0);
  EXPECT_EQ(verdict["id"], "page-1");
  EXPECT_EQ(verdict["crawl_id"], "crawl-7");
  EXPECT_EQ(verdict["attrs"], nlohmann::json({{"list", {1, 2}}, {"text", "\u00e9"}}));
}

/// What can be wrong with a record, each with what must become of it. A good page before and after
/// shows that the stream goes on.
struct BadInput {
  const char* name;
  FormatKind format;
  std::optional<std::string> key;
  std::optional<std::string> value;
  std::string expected;  ///< "dead: CODE" or "REASON" or "REASON DETAIL"
};

class BadInputTest : public ScanTest, public ::testing::WithParamInterface<BadInput> {};

TEST_P(BadInputTest, GetsItsReasonAndTheStreamGoesOn) {
  const BadInput& input = GetParam();
  options_.processor.decode.max_body_bytes = 100'000;
  options_.processor.extract.limits.max_body_bytes = 100'000;
  AddPage("http://before.example/", Words(200, "before"));
  reader_.Add(Record(input.format, input.key, input.value));
  AddPage("http://after.example/", Words(200, "after"));
  const Collector seen = ScanAll();
  if (input.expected.starts_with("dead: ")) {
    EXPECT_EQ(seen.Reasons(), "unique unique");
    ASSERT_EQ(seen.dead_letters.size(), 1U);
    EXPECT_EQ("dead: " + seen.dead_letters.begin()->second, input.expected);
    return;
  }
  ASSERT_EQ(seen.verdicts.size(), 3U);
  EXPECT_TRUE(seen.dead_letters.empty());
  EXPECT_EQ(seen.verdicts[0]["reason"], "unique");
  EXPECT_EQ(seen.verdicts[2]["reason"], "unique");
  std::string got = seen.verdicts[1]["reason"];
  if (!seen.verdicts[1]["detail"].is_null()) {
    got += ' ' + seen.verdicts[1]["detail"].get<std::string>();
  }
  EXPECT_EQ(got, input.expected);
}

const std::string kPng("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1", 20);

std::string Utf16(const std::string& ascii) {
  std::string text = "\xff\xfe";
  for (const char c : ascii) text += {c, '\0'};
  return text;
}

INSTANTIATE_TEST_SUITE_P(
    All, BadInputTest,
    ::testing::Values(
        BadInput{"not_json", FormatKind::kCanonical, "k", "json failed to parse",
                 "dead: invalid_json"},
        BadInput{"no_url", FormatKind::kCanonical, "k", R"({"body":"x"})", "dead: missing_url"},
        BadInput{"null_value_without_key", FormatKind::kCanonical, std::nullopt, std::nullopt,
                 "dead: missing_url"},
        BadInput{"wrong_base64", FormatKind::kCanonical, std::nullopt,
                 Canonical("http://x/", {{"body", "!!!"}, {"body_encoding", "base64"}}),
                 "not_evaluated bad_encoding"},
        BadInput{"body_over_the_limit", FormatKind::kCanonical, std::nullopt,
                 Canonical("http://x/", {{"body", Html(Words(30'000, "w"))}}),
                 "not_evaluated body_too_large"},
        BadInput{"no_body", FormatKind::kCanonical, std::nullopt,
                 Canonical("http://x/", nlohmann::json::object()), "not_evaluated missing_body"},
        BadInput{"status_404_without_a_body", FormatKind::kCanonical, std::nullopt,
                 Canonical("http://x/", {{"status_code", 404}}), "error_status 404"},
        BadInput{"raw_empty_value", FormatKind::kRaw, "http://x/", "", "too_short"},
        BadInput{"raw_null_value", FormatKind::kRaw, "http://x/", std::nullopt, "deleted"},
        BadInput{"warc_404_cut", FormatKind::kWarc, std::nullopt,
                 "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://x/\r\n"
                 "Content-Type: application/http\r\nContent-Length: 500\r\n\r\n"
                 "HTTP/1.1 404 Not Found\r\nContent-Length: 400\r\n\r\n<html>",
                 "error_status 404"},
        BadInput{"warc_response_without_http", FormatKind::kWarc, std::nullopt,
                 "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://x/\r\n"
                 "Content-Type: application/http\r\nContent-Length: 0\r\n\r\n",
                 "not_evaluated malformed_message"},
        BadInput{"warc_empty_resource", FormatKind::kWarc, std::nullopt,
                 "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://x/\r\n"
                 "Content-Type: text/html\r\nContent-Length: 0\r\n\r\n",
                 "too_short"},
        BadInput{"empty_body", FormatKind::kCanonical, std::nullopt,
                 Canonical("http://x/", {{"body", ""}}), "too_short"},
        BadInput{"ten_words", FormatKind::kCanonical, std::nullopt,
                 Canonical("http://x/", {{"body", Html(Words(10, "w"))}}), "too_short"},
        BadInput{"image_labelled_html", FormatKind::kRaw, "http://x/", kPng, "not_html"},
        BadInput{"invalid_utf8", FormatKind::kRaw, "http://x/",
                 Html(Words(50, "w") + "\xff\xfe\xc0 end"), "unique"},
        BadInput{"utf16_with_bom", FormatKind::kRaw, "http://x/", Utf16(Html(Words(50, "w"))),
                 "unique"},
        BadInput{"shift_jis_with_meta", FormatKind::kRaw, "http://x/",
                 "<html><head><meta charset=shift_jis></head><body>" + Words(50, "w") +
                     "\x93\xfa\x96\x7b\x8c\xea</body></html>",
                 "unique"},
        BadInput{"status_404", FormatKind::kCanonical, std::nullopt,
                 Canonical("http://x/", {{"status_code", 404}, {"body", Html(Words(50, "w"))}}),
                 "error_status 404"},
        BadInput{"warc_record_cut", FormatKind::kWarc, std::nullopt,
                 "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://x/\r\n"
                 "Content-Type: application/http\r\nContent-Length: 500\r\n\r\n"
                 "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 400\r\n\r\n<html>",
                 "not_evaluated truncated"},
        BadInput{"warc_header_of_1_mb", FormatKind::kWarc, std::nullopt,
                 "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://x/\r\nX: " +
                     std::string(1 << 20, 'x') + "\r\nContent-Length: 0\r\n\r\n",
                 "not_evaluated header_too_large"},
        BadInput{"tombstone", FormatKind::kCanonical, "http://x/", std::nullopt, "deleted"}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace crawlsieve::consumer
