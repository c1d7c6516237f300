#include "tests/integration/service_fixture.h"
#include "tests/support/compress.h"
#include "tests/support/crawler_records.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

using testing::CrawledPage;
using testing::CrawlerFormat;
using testing::CrawlerFormats;
using testing::CrawlerJsonPaths;
using testing::OfAllFormats;
using testing::RunningService;
using testing::UniqueName;

/// When all pages were fetched, within a day of their records.
Timestamp Fetched() {
  static const Timestamp at = std::chrono::floor<std::chrono::milliseconds>(
      std::chrono::system_clock::now() - std::chrono::hours(1));
  return at;
}

/// Made-up pages, or those of the folder that CRAWLSIEVE_TEST_PAGES names.
const std::vector<CrawledPage>& Pages() {
  static const std::vector<CrawledPage> pages = [] {
    const char* folder = std::getenv("CRAWLSIEVE_TEST_PAGES");
    return folder == nullptr ? testing::MadeUpPages() : testing::PagesOfFolder(folder);
  }();
  return pages;
}

/// Pages as each crawler writes them get the verdicts of canonical records of the same fields,
/// record by record, through a broker.
class FormatsServiceTest : public testing::ServiceTest {
 protected:
  /// The verdicts of a service of its own.
  std::vector<std::string> VerdictsOf(FormatKind kind, const testing::WritePage& write) {
    setup_.kafka.group = UniqueName("group");
    setup_.kafka.input_topics = {UniqueName("pages")};
    setup_.kafka.log_topic = UniqueName("log");
    setup_.kafka.key_topic = UniqueName("key");
    setup_.kafka.verdict_topic = UniqueName("verdicts");
    setup_.kafka.input_format = kind;
    setup_.processor.decode.json = CrawlerJsonPaths();
    setup_.service.state_directory = (directory_.path() / setup_.kafka.group).string();
    input_ = setup_.kafka.input_topics.front();
    testing::MakeTopic(setup_.kafka, input_);
    std::vector<FileRecord> records;
    for (const CrawledPage& page : Pages()) {
      FileRecord record;
      record.record = write(page);
      record.record.headers.push_back({std::string(kFetchTimeHeader), FormatRfc3339(Fetched())});
      records.push_back(std::move(record));
    }
    FeedAt(records);
    RunUntilDone();
    std::vector<std::string> verdicts;
    for (const std::string& verdict : Verdicts()) verdicts.push_back(OfAllFormats(verdict));
    return verdicts;
  }

  /// All records have one time: what a page's fetch time may be depends on it.
  void FeedAt(const std::vector<FileRecord>& records) {
    testing::TestProducer producer(testing::IdempotentProducer(setup_.kafka), setup_.kafka);
    for (const FileRecord& file_record : records) {
      testing::RecordView record;
      record.topic = input_;
      record.partition = 0;
      record.value = *file_record.record.value;
      record.timestamp = Fetched();
      for (const Header& header : file_record.record.headers) {
        record.headers.push_back({header.name, header.value});
      }
      ASSERT_TRUE(producer->Produce(record, 0).has_value());
    }
    ASSERT_TRUE(producer->Flush(testing::kPatience).has_value());
  }

  static void ExpectEqual(const std::vector<std::string>& got,
                          const std::vector<std::string>& expected) {
    ASSERT_EQ(expected.size(), Pages().size());
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], expected[i]) << "record " << i;
  }
};

class EachFormatServiceTest : public FormatsServiceTest,
                              public ::testing::WithParamInterface<CrawlerFormat> {};

TEST_P(EachFormatServiceTest, GetsTheVerdictsOfCanonicalThroughABroker) {
  const CrawlerFormat& format = GetParam();
  const auto expected = VerdictsOf(FormatKind::kCanonical, format.canonical);
  ExpectEqual(VerdictsOf(format.kind, format.write), expected);
}

INSTANTIATE_TEST_SUITE_P(AllFormats, EachFormatServiceTest,
                         ::testing::ValuesIn(CrawlerFormats(Fetched())),
                         [](const auto& format) { return format.param.name; });

/// The formats whose records say where the page lies: the same pages in a WARC file.
TEST_F(FormatsServiceTest, FormatsOfReferencesGetTheVerdictsOfWarcRecords) {
  const auto formats = CrawlerFormats(Fetched());
  const auto warc = std::find_if(formats.begin(), formats.end(),
                                 [](const CrawlerFormat& format) { return format.name == "warc"; });
  ASSERT_NE(warc, formats.end());
  const auto expected = VerdictsOf(FormatKind::kWarc, warc->write);

  setup_.claims.directory = (directory_.path() / "warcs").string();
  std::filesystem::create_directory(setup_.claims.directory);
  setup_.processor.takes_claims = true;
  std::string file;
  std::vector<std::pair<std::size_t, std::size_t>> places;
  for (const CrawledPage& page : Pages()) {
    const std::string member = testing::Gzip(*warc->write(page).value);
    places.emplace_back(file.size(), member.size());
    file += member;
  }
  std::ofstream(setup_.claims.directory + "/pages.warc.gz", std::ios::binary) << file;
  std::size_t next = 0;
  const auto heritrix = [&](const CrawledPage& page) {
    InputRecord record;
    record.value = nlohmann::json{{"url", page.url},
                                  {"status_code", page.status},
                                  {"mimetype", "text/html"},
                                  {"timestamp", FormatRfc3339(Fetched())},
                                  {"content_digest", nullptr},
                                  {"start_time_plus_duration", "20260101000000000+5"},
                                  {"warc_filename", "pages.warc.gz"},
                                  {"warc_offset", places[next++].first}}
                       .dump();
    return record;
  };
  ExpectEqual(VerdictsOf(FormatKind::kHeritrix, heritrix), expected);
  next = 0;
  const auto commoncrawl = [&](const CrawledPage& page) {
    const auto [offset, length] = places[next++];
    InputRecord record;
    record.value = "example,h)/" + std::to_string(next) + " 20260101000000 " +
                   nlohmann::json{{"url", page.url},
                                  {"status", std::to_string(page.status)},
                                  {"mime", "text/html"},
                                  {"filename", "pages.warc.gz"},
                                  {"offset", std::to_string(offset)},
                                  {"length", std::to_string(length)}}
                       .dump();
    return record;
  };
  ExpectEqual(VerdictsOf(FormatKind::kCommonCrawl, commoncrawl), expected);
  next = 0;
  const auto canonical = [&](const CrawledPage& page) {
    InputRecord record;
    record.value =
        nlohmann::json{{"url", page.url},
                       {"body_ref", {{"uri", "pages.warc.gz"}, {"offset", places[next++].first}}}}
            .dump();
    return record;
  };
  ExpectEqual(VerdictsOf(FormatKind::kCanonical, canonical), expected);
}

}  // namespace
}  // namespace crawlsieve::consumer
