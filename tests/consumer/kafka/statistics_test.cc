#include "consumer/kafka/statistics.h"

#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

TEST(ParseStatistics, AddsUpQueuesAndTakesTheSlowestBroker) {
  const auto parsed = ParseStatistics(R"({"msg_cnt": 3, "msg_size": 1000,
    "brokers": {"a:1/1": {"rtt": {"p99": 2500, "cnt": 7}}, "b:1/2": {"rtt": {"p99": 90000, "cnt": 1}},
                "c:1/bootstrap": {"rtt": {"p99": 500000, "cnt": 0}}, "d:1/3": {}},
    "topics": {"t": {"partitions": {"0": {"fetchq_cnt": 5, "fetchq_size": 70},
                                    "1": {"fetchq_cnt": 1, "fetchq_size": 30},
                                    "-1": {"fetchq_cnt": 0, "fetchq_size": -1}}}}})");
  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ(parsed->queued_records, 9U);
  EXPECT_EQ(parsed->queued_bytes, 1100U);
  ASSERT_TRUE(parsed->broker_latency.has_value());
  EXPECT_DOUBLE_EQ(*parsed->broker_latency, 0.09);
}

TEST(ParseStatistics, KnowsNoLatencyBeforeAnAnswer) {
  const auto parsed = ParseStatistics(R"({"brokers": {}, "topics": {}})");
  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ(parsed->queued_records, 0U);
  EXPECT_FALSE(parsed->broker_latency.has_value());
}

TEST(ParseStatistics, TakesNothingElse) {
  for (const char* text : {"", "{", "[]", "7", "null"}) EXPECT_FALSE(ParseStatistics(text)) << text;
  for (const char* text :
       {R"({"brokers": 7, "topics": []})", R"({"brokers": {"a": 7}, "topics": {"t": "x"}})",
        R"({"topics": {"t": {"partitions": {"0": null}}}, "msg_cnt": "x"})",
        R"({"brokers": {"a": {"rtt": 7}}})"}) {
    const auto parsed = ParseStatistics(text);
    ASSERT_TRUE(parsed.has_value()) << text;
    EXPECT_EQ(parsed->queued_records, 0U) << text;
  }
}

}  // namespace
}  // namespace crawlsieve::consumer
