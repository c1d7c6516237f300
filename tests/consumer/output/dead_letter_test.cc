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
       DeadLetterHeaderList(source, {"missing_url", "the object has no url"},
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

}  // namespace
}  // namespace crawlsieve::consumer
