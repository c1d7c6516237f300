#include "consumer/kafka/topics.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string Problem(std::int32_t replicas, const std::string& min_insync, bool unclean,
                    std::int32_t brokers) {
  return TopicDurabilityProblem("log",
                                {1,
                                 replicas,
                                 {{"min.insync.replicas", min_insync},
                                  {"unclean.leader.election.enable", unclean ? "true" : "false"}}},
                                brokers, "broker:9092");
}

TEST(TopicDurability, OneBrokerIsATrialAndNoProblem) {
  EXPECT_THAT(Problem(1, "1", true, 1), IsEmpty());
}

TEST(TopicDurability, WhatLosesAcknowledgedRecordsIsNamed) {
  EXPECT_THAT(Problem(3, "2", false, 3), IsEmpty());
  EXPECT_THAT(Problem(1, "1", false, 3), HasSubstr("one replica, and there are 3 brokers"));
  EXPECT_THAT(Problem(3, "1", false, 3), HasSubstr("--add-config min.insync.replicas=2"));
  EXPECT_THAT(Problem(3, "2", true, 3), HasSubstr("unclean.leader.election.enable=false"));
  EXPECT_THAT(Problem(3, "1", true, 3),
              HasSubstr("min.insync.replicas=2,unclean.leader.election.enable=false"));
}

}  // namespace
}  // namespace crawlsieve::consumer
