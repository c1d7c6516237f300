#include "consumer/service/judge/rendered_topics.h"

#include "tests/consumer/output/scores/sample_scores.h"

#include <cstdint>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

using ::testing::IsEmpty;

constexpr std::uint64_t kSeed = 20;

using Topics = std::vector<RenderedTopic>;
using Produced = std::tuple<std::string, std::string, std::string>;  // topic, key, value

std::vector<Produced> RecordsOf(const RenderedTopics& topics, const UrlScore& score) {
  std::vector<Produced> records;
  const auto rendered = topics.Render(score, [&](const RecordView& record) -> BrokerStatus {
    EXPECT_TRUE(record.headers.empty());
    EXPECT_FALSE(record.partition.has_value());
    records.emplace_back(record.topic, record.key.value_or("no key"), record.value.value_or(""));
    return {};
  });
  EXPECT_TRUE(rendered.has_value());
  return records;
}

TEST(RenderedTopics, HaveWhatEachFormatMakesOfAScoreInTheirOrder) {
  Topics configured;
  for (const ScoreFormat& format : ScoreFormats()) {
    configured.push_back({std::string(format.name), "of." + std::string(format.name)});
  }
  const RenderedTopics topics(configured);
  std::mt19937_64 random(kSeed);
  std::size_t records = 0;
  for (int i = 0; i < 500; ++i) {
    const UrlScore score = RandomScore(random);
    std::vector<Produced> expected;
    for (const ScoreFormat& format : ScoreFormats()) {
      for (const RenderedScore& rendered : format.render(score)) {
        expected.emplace_back("of." + std::string(format.name), rendered.key, rendered.value);
      }
    }
    ASSERT_EQ(RecordsOf(topics, score), expected) << "seed " << kSeed << ", record " << i;
    records += expected.size();
  }
  EXPECT_GT(records, 1000U);
}

TEST(RenderedTopics, WithoutDatesLeaveOutWhatIsNotDue) {
  const RenderedTopics topics(Topics{{"nutch", "seeds"}, {"scrapy_cluster", "incoming"}});
  EXPECT_EQ(RecordsOf(topics, DueScore()).size(), 2U);
  EXPECT_THAT(RecordsOf(topics, LaterScore()), IsEmpty());
  const RenderedTopics dated(Topics{{"urlfrontier_json", "items"}});
  EXPECT_EQ(RecordsOf(dated, LaterScore()).size(), 1U);
}

TEST(RenderedTopics, WhatCantBeHandedToAFrontierComesOutInNone) {
  const RenderedTopics topics(Topics{{"nutch", "seeds"}, {"browsertrix", "queue"}});
  int left_out = 0;
  for (const std::string& url : HostileUrls()) {
    UrlScore score = DueScore();
    score.url = url;
    EXPECT_EQ(RecordsOf(topics, score).size(), IsRenderable(url) ? 2U : 0U) << url;
    left_out += IsRenderable(url) ? 0 : 1;
  }
  EXPECT_GT(left_out, 10);
}

TEST(RenderedTopics, AreNoneWhereNoneIsConfigured) {
  EXPECT_THAT(RecordsOf(RenderedTopics(Topics()), DueScore()), IsEmpty());
}

TEST(RenderedTopics, EndWithTheFirstError) {
  const RenderedTopics topics(Topics{{"nutch", "a"}, {"nutch", "b"}});
  int records = 0;
  const auto rendered =
      topics.Render(DueScore(), [&](const RecordView& /*record*/) -> BrokerStatus {
        ++records;
        return tl::unexpected(BrokerError{});
      });
  EXPECT_FALSE(rendered.has_value());
  EXPECT_EQ(records, 1);
}

}  // namespace
}  // namespace crawlsieve::consumer
