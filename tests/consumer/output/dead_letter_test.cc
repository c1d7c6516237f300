#include "consumer/output/dead_letter.h"

#include <map>

#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

std::map<std::string, std::string> Headers(DeadLetterHeaders style) {
  log::Source source;
  source.set_topic("crawl.pages");
  source.set_partition(3);
  source.set_offset(42);
  source.set_timestamp_ms(1'700'000'000'000);
  std::map<std::string, std::string> headers;
  for (const Header& header :
       DeadLetterHeaderList(source, {"missing_url", "the object has no url", "url"},
                            {"host-1", "0.1.0", "crawlsieve.extract"}, style)) {
    EXPECT_TRUE(headers.emplace(header.name, header.value).second) << header.name << " twice";
  }
  return headers;
}

TEST(DeadLetter, HeadersSayWhereFromAndWhy) {
  const std::map<std::string, std::string> expected = {
      {"__crawlsieve.errors.topic", "crawl.pages"},
      {"__crawlsieve.errors.partition", "3"},
      {"__crawlsieve.errors.offset", "42"},
      {"__crawlsieve.errors.timestamp", "1700000000000"},
      {"__crawlsieve.errors.stage", "decode"},
      {"__crawlsieve.errors.code", "missing_url"},
      {"__crawlsieve.errors.message", "the object has no url"},
      {"__crawlsieve.errors.field", "url"},
      {"__crawlsieve.errors.group", "crawlsieve.extract"},
      {"__crawlsieve.errors.id", "crawl.pages-3-42"},
      {"__crawlsieve.errors.instance", "host-1"},
      {"__crawlsieve.errors.version", "0.1.0"}};
  EXPECT_EQ(Headers(DeadLetterHeaders::kCrawlsieve), expected);
}

TEST(DeadLetter, ConnectStyleHasTheNamesOfKafkaConnect) {
  const auto headers = Headers(DeadLetterHeaders::kConnect);
  EXPECT_EQ(headers.at("__connect.errors.topic"), "crawl.pages");
  EXPECT_EQ(headers.at("__connect.errors.partition"), "3");
  EXPECT_EQ(headers.at("__connect.errors.offset"), "42");
  EXPECT_EQ(headers.at("__connect.errors.stage"), "decode");
  EXPECT_EQ(headers.at("__connect.errors.exception.class.name"), "missing_url");
  EXPECT_EQ(headers.at("__connect.errors.exception.message"), "the object has no url");
  EXPECT_EQ(headers.at("__connect.errors.connector.name"), "crawlsieve.extract");
}

/// The dead letter of a record with key, value and one header, for a topic that takes `limit`.
RecordView Complete(std::size_t limit, DeadLetterHeaders style = DeadLetterHeaders::kCrawlsieve) {
  static const std::string key(1'000, 'k');
  static const std::string value(10'000, 'v');
  static const std::vector<Header> added = {{"__crawlsieve.errors.topic", "crawl.pages"}};
  RecordView letter;
  letter.key = key;
  letter.value = value;
  letter.headers = {{"own", "header"}};
  CompleteDeadLetter(added, style, limit, letter);
  return letter;
}

TEST(DeadLetter, IsWholeWhereItFits) {
  const RecordView letter = Complete(20'000);
  EXPECT_EQ(letter.key->size(), 1'000U);
  EXPECT_EQ(letter.value->size(), 10'000U);
  ASSERT_EQ(letter.headers.size(), 2U);
  EXPECT_EQ(letter.headers[0], (HeaderView{"own", "header"}));
  EXPECT_EQ(letter.headers[1], (HeaderView{"__crawlsieve.errors.topic", "crawl.pages"}));
}

TEST(DeadLetter, LosesItsValueAndSaysSoWhereItIsTooLarge) {
  const RecordView letter = Complete(11'000);
  EXPECT_EQ(letter.key->size(), 1'000U);
  EXPECT_FALSE(letter.value.has_value());
  ASSERT_EQ(letter.headers.size(), 3U);
  EXPECT_EQ(letter.headers[2], (HeaderView{"__crawlsieve.errors.omitted", "value"}));
  EXPECT_EQ(Complete(11'000, DeadLetterHeaders::kConnect).headers[2].name,
            "__connect.errors.omitted");
}

TEST(DeadLetter, LosesKeyAndHeadersTooWhereTheyAreTooLarge) {
  const RecordView letter = Complete(1'000);
  EXPECT_FALSE(letter.key.has_value());
  EXPECT_FALSE(letter.value.has_value());
  ASSERT_EQ(letter.headers.size(), 2U);
  EXPECT_EQ(letter.headers[0].name, "__crawlsieve.errors.topic");
  EXPECT_EQ(letter.headers[1], (HeaderView{"__crawlsieve.errors.omitted", "value,key,headers"}));
}

}  // namespace
}  // namespace crawlsieve::consumer
