#include "consumer/kafka/topics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

using ::testing::HasSubstr;

TEST(LogTopicProblem, NamesTheKeyAsTheConfigurationHasIt) {
  TopicDescription description;
  description.partitions = 2;
  const std::string problem = LogTopicProblem("pages.log", description, "broker:9092");
  EXPECT_THAT(problem, HasSubstr("topic pages.log has 2 partitions"));
  EXPECT_THAT(problem, HasSubstr("name another topic in kafka.log.topic, or delete"));
}

}  // namespace
}  // namespace crawlsieve::consumer
