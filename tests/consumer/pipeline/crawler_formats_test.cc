#include "consumer/output/verdict_record.h"
#include "consumer/pipeline/scan.h"
#include "plugin/index/sharded_index.h"
#include "tests/support/compress.h"
#include "tests/support/memory_reader.h"
#include "tests/support/temporary_directory.h"

#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

// The same pages, as each crawler writes them and as canonical records of the same fields, must get
// the same verdicts.

namespace crawlsieve::consumer {
namespace {

using crawlsieve::testing::Base64;
using crawlsieve::testing::MemoryReader;
using crawlsieve::testing::TemporaryDirectory;
using nlohmann::json;

struct TestPage {
  std::string url;
  std::string final_url;
  std::string html;
  std::string text;
  int status = 200;
};

/// 200 pages: new ones, exact and near duplicates, second fetches, failed fetches, empty ones.
std::vector<TestPage> MakePages() {
  const std::uint64_t seed = 7;
  std::mt19937_64 random(seed);
  std::vector<TestPage> pages;
  for (int i = 0; i < 200; ++i) {
    TestPage page;
    page.url = "http://h" + std::to_string(i % 9) + ".example/größe/" + std::to_string(i);
    if (i % 6 == 1) page.final_url = page.url + "/final";
    std::string words;
    if (i > 0 && i % 5 == 3) {
      words = pages.back().text;
    } else if (i > 0 && i % 5 == 4) {
      words = pages.back().text + " einzeln";
    } else {
      for (int word = 0; word < 150 + i; ++word)
        words += "w" + std::to_string(random() % 5000) + ' ';
      words += "größe 日本語 \"zitat\" \\ / &";
    }
    if (i % 23 == 22) words.clear();
    if (i % 31 == 30) page.url = pages[static_cast<std::size_t>(i) - 1].url;
    if (i % 37 == 36) page.status = 404;
    page.text = words;
    page.html = "<!doctype html><html><head><title>Seite " + std::to_string(i / 5) +
                "</title></head><body><p>" + words + "</p></body></html>";
    pages.push_back(std::move(page));
  }
  return pages;
}

/// The verdicts of a scan, with what must not depend on the format.
class Collector final : public ScanListener {
 public:
  Status OnVerdict(const log::Page& page, const Verdict& verdict) override {
    const json record = json::parse(VerdictRecord(page, verdict, {"test", Timestamp{}}));
    json kept;
    for (const char* field : {"url", "final_url", "canonical_url", "verdict", "reason", "detail",
                              "match", "cluster", "fingerprint"}) {
      kept[field] = record.at(field);
    }
    verdicts.push_back(std::move(kept));
    return {};
  }
  Status OnDeadLetter(const std::string& /*origin*/, const DecodeFailure& failure) override {
    ADD_FAILURE() << failure.code << ": " << failure.message;
    return {};
  }
  Status OnCommit() override { return {}; }

  std::vector<json> verdicts;
};

using Write = std::function<json(const TestPage&)>;

std::vector<json> VerdictsOf(FormatKind format, const Write& write) {
  MemoryReader reader;
  for (const TestPage& page : MakePages()) {
    FileRecord record;
    record.format = format;
    record.record.value = write(page).dump();
    record.record.timestamp = Timestamp{std::chrono::milliseconds(1'700'000'000'000)};
    reader.Add(std::move(record));
  }
  ScanOptions options;
  options.processor.decode.json.url = JsonPath::Parse("$.request.url").value();
  options.processor.decode.json.final_url = JsonPath::Parse("$.request.loadedUrl").value();
  options.processor.decode.json.status_code = JsonPath::Parse("$.response.status").value();
  options.processor.decode.json.body = JsonPath::Parse("$.html").value();
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

void ExpectSameVerdicts(FormatKind format, const Write& write, const Write& canonical) {
  const std::vector<json> expected = VerdictsOf(FormatKind::kCanonical, canonical);
  ASSERT_EQ(expected.size(), 200u);
  for (const FormatKind kind : {format, FormatKind::kAuto}) {
    const std::vector<json> verdicts = VerdictsOf(kind, write);
    ASSERT_EQ(verdicts.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(verdicts[i], expected[i]) << FormatName(kind) << " record " << i;
    }
  }
}

json Canonical(const TestPage& page, const json& more, const std::string& fetch_time = "") {
  json record = {{"url", page.url}, {"content_type", "text/html"}};
  if (!fetch_time.empty()) record["fetch_time"] = fetch_time;
  record.update(more);
  return record;
}

constexpr const char* kSecond = "2024-05-06T07:08:09Z";
constexpr const char* kQuarter = "2024-05-06T07:08:09.250Z";

json ScrapyCluster(const TestPage& page, const std::string& body) {
  return {{"url", page.url},
          {"response_url", page.final_url},
          {"status_code", page.status},
          {"response_headers", {{"Content-Type", "text/html; charset=utf-8"}}},
          {"appid", "a"},
          {"crawlid", "c"},
          {"body", body}};
}

TEST(CrawlerFormats, ScrapyClusterGetsTheVerdictsOfCanonical) {
  const auto canonical = [](const TestPage& page) {
    return Canonical(page, {{"body", page.html},
                            {"status_code", page.status},
                            {"final_url", page.final_url},
                            {"crawl_id", "c"}});
  };
  ExpectSameVerdicts(
      FormatKind::kScrapyCluster,
      [](const TestPage& page) { return ScrapyCluster(page, page.html); }, canonical);
  ExpectSameVerdicts(
      FormatKind::kScrapyCluster,
      [](const TestPage& page) { return ScrapyCluster(page, Base64(page.html)); }, canonical);
}

TEST(CrawlerFormats, NutchGetsTheVerdictsOfCanonical) {
  const auto write = [](const TestPage& page) {
    json record;
    for (const auto& [name, value] : std::vector<std::pair<std::string, std::string>>{
             {"id", page.url},
             {"digest", "0"},
             {"segment", "1"},
             {"content", page.text},
             {"tstamp", "Mon May 06 07:08:09 UTC 2024"}}) {
      record[name] = json::array({value});
    }
    record["type"] = {"text", "text/html", "html"};
    return record;
  };
  ExpectSameVerdicts(FormatKind::kNutch, write, [](const TestPage& page) {
    return Canonical(page, {{"text", page.text}}, kSecond);
  });
  ExpectSameVerdicts(
      FormatKind::kNutch,
      [write](const TestPage& page) {
        json record = write(page);
        record["binaryContent"] = json::array({Base64(page.html)});
        return record;
      },
      [](const TestPage& page) {
        return Canonical(page, {{"body", Base64(page.html)}, {"body_encoding", "base64"}}, kSecond);
      });
}

TEST(CrawlerFormats, NorconexGetsTheVerdictsOfCanonical) {
  ExpectSameVerdicts(
      FormatKind::kNorconex,
      [](const TestPage& page) -> json {
        return {{"id", page.url},
                {"content", page.text},
                {"document.contentType", "text/html"},
                {"keywords", {"a", "b"}}};
      },
      [](const TestPage& page) {
        return Canonical(page, {{"text", page.text}});
      });
}

TEST(CrawlerFormats, AcheGetsTheVerdictsOfCanonical) {
  ExpectSameVerdicts(
      FormatKind::kAche,
      [](const TestPage& page) -> json {
        return {{"url", page.url},
                {"redirected_url", page.final_url},
                {"content", Base64(page.html)},
                {"content_type", "text/html"},
                {"response_headers", json::object()},
                {"fetch_time", 1714979289250}};
      },
      [](const TestPage& page) {
        return Canonical(page,
                         {{"body", Base64(page.html)},
                          {"body_encoding", "base64"},
                          {"final_url", page.final_url}},
                         kQuarter);
      });
  ExpectSameVerdicts(
      FormatKind::kAche,
      [](const TestPage& page) -> json {
        return {{"url", page.url},
                {"html", page.html},
                {"text", page.text},
                {"retrieved", "2024-05-06T07:08:09.250+0000"},
                {"topPrivateDomain", "h.example"},
                {"responseHeaders", {{"Content-Type", {"text/html"}}}}};
      },
      [](const TestPage& page) {
        return Canonical(page, {{"body", page.html}}, kQuarter);
      });
  ExpectSameVerdicts(
      FormatKind::kAche,
      [](const TestPage& page) -> json {
        return {{"_id", "AB"},
                {"url", page.url},
                {"raw_content", page.html},
                {"content_type", "text/html"},
                {"crawler", "c"},
                {"timestamp_index", "2024-05-06T07:08:09Z"}};
      },
      [](const TestPage& page) {
        return Canonical(page, {{"body", page.html}, {"id", "AB"}});
      });
}

TEST(CrawlerFormats, KatanaGetsTheVerdictsOfCanonical) {
  ExpectSameVerdicts(
      FormatKind::kKatana,
      [](const TestPage& page) -> json {
        return {{"timestamp", "2024-05-06T09:08:09.25+02:00"},
                {"request", {{"method", "GET"}, {"endpoint", page.url}}},
                {"response",
                 {{"status_code", page.status},
                  {"headers", {{"content-type", "text/html"}}},
                  {"body", page.html}}}};
      },
      [](const TestPage& page) {
        return Canonical(page, {{"body", page.html}, {"status_code", page.status}}, kQuarter);
      });
}

TEST(CrawlerFormats, JsonWithFieldPathsGetsTheVerdictsOfCanonical) {
  ExpectSameVerdicts(
      FormatKind::kJson,
      [](const TestPage& page) -> json {
        return {{"request", {{"url", page.url}, {"loadedUrl", page.final_url}}},
                {"response", {{"status", page.status}}},
                {"html", page.html}};
      },
      [](const TestPage& page) -> json {
        return {{"url", page.url},
                {"final_url", page.final_url},
                {"status_code", page.status},
                {"body", page.html}};
      });
}

}  // namespace
}  // namespace crawlsieve::consumer
