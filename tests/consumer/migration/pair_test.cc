#include "consumer/migration/pair.h"

#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A deployment with a topic for everything.
struct Deployment {
  explicit Deployment(const std::string& suffix) {
    kafka.group += suffix;
    kafka.log_topic += suffix;
    kafka.verdict_topic += suffix;
    kafka.score_topic = "scores" + suffix;
    kafka.rendered_topics = {{"nutch", "seeds" + suffix}};
    kafka.kept_topic = "kept" + suffix;
    kafka.site_topic = "sites" + suffix;
    kafka.dead_letter_suffix += suffix;
    service.state_directory = "/state" + suffix;
    service.checkpoints.directory = "/checkpoints" + suffix;
  }

  KafkaOptions kafka;
  ServiceOptions service;
};

std::vector<std::string> Problems(const std::function<void(Deployment& after)>& change = {}) {
  const Deployment before("");
  Deployment after("-next");
  if (change) change(after);
  return PairProblems({before.kafka, before.service}, {after.kafka, after.service});
}

TEST(PairProblems, AreNoneWhereEverythingHasANameOfItsOwn) { EXPECT_THAT(Problems(), IsEmpty()); }

TEST(PairProblems, NameTheSettingThatBothShare) {
  const Deployment before("");
  const auto one = [](const std::string& text) { return ElementsAre(HasSubstr(text)); };
  EXPECT_THAT(Problems([&](auto& after) { after.kafka.group = before.kafka.group; }),
              one("kafka.group is " + before.kafka.group));
  EXPECT_THAT(Problems([&](auto& after) { after.kafka.log_topic = before.kafka.log_topic; }),
              one("kafka.log.topic: both write to topic"));
  EXPECT_THAT(
      Problems([&](auto& after) { after.kafka.verdict_topic = before.kafka.verdict_topic; }),
      one("kafka.verdicts.topic: both write to topic"));
  EXPECT_THAT(Problems([](auto& after) { after.kafka.score_topic = "scores"; }),
              one("kafka.scores.topic: both write to topic scores"));
  EXPECT_THAT(Problems([](auto& after) {
                after.kafka.rendered_topics = {{"bubing", "seeds"}};
              }),
              one("kafka.scores.rendered: both write to topic seeds"));
  EXPECT_THAT(Problems([](auto& after) { after.kafka.kept_topic = "kept"; }),
              one("kafka.kept.topic: both write to topic kept"));
  EXPECT_THAT(Problems([](auto& after) { after.kafka.site_topic = "sites"; }),
              one("kafka.sites.topic: both write to topic sites"));
  EXPECT_THAT(Problems([&](auto& after) {
                after.kafka.dead_letter_suffix = before.kafka.dead_letter_suffix;
              }),
              one("kafka.dead_letters.suffix: both write to topic crawl.pages.dlq"));
}

TEST(PairProblems, NameATopicThatOneWritesByOneNameAndTheOtherByAnother) {
  EXPECT_THAT(Problems([](auto& after) { after.kafka.kept_topic = "crawl.verdicts"; }),
              ElementsAre("kafka.kept.topic of the new one is kafka.verdicts.topic of the old: "
                          "topic crawl.verdicts"));
}

TEST(PairProblems, NameATopicThatOneWritesAndTheOtherReads) {
  EXPECT_THAT(Problems([](auto& after) { after.kafka.kept_topic = "crawl.pages"; }),
              ElementsAre("kafka.kept.topic: the new one writes to topic crawl.pages, which the "
                          "old one reads"));
  EXPECT_THAT(Problems([](auto& after) { after.kafka.asked_topic = "crawl.verdicts"; }),
              ElementsAre("kafka.verdicts.topic of the old one: the new one reads topic "
                          "crawl.verdicts, and the old one writes to it"));
}

TEST(PairProblems, NameTopicsOfSlotsOnlyWhereBothHaveSlots) {
  Deployment before("");
  Deployment after("-next");
  const auto problems = [&] {
    return PairProblems({before.kafka, before.service}, {after.kafka, after.service});
  };
  before.kafka.slots.count = 2;
  EXPECT_THAT(problems(), IsEmpty());
  after.kafka.slots.count = 2;
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("kafka.changes.topic: both write"),
                                      HasSubstr("kafka.candidates.topic: both write")));
}

TEST(PairProblems, AShadowReadsEveryInputTopicOnTheSameBrokers) {
  EXPECT_THAT(Problems([](auto& after) { after.kafka.input_topics = {"other"}; }),
              ElementsAre(HasSubstr("doesn't read topic crawl.pages")));
  EXPECT_THAT(Problems([](auto& after) { after.kafka.input_topics.push_back("more"); }), IsEmpty());
  EXPECT_THAT(Problems([](auto& after) { after.kafka.bootstrap_servers = "elsewhere:9092"; }),
              ElementsAre(HasSubstr("kafka.bootstrap_servers differ")));
}

TEST(PairProblems, DirectoriesDontOverlapHoweverTheyAreWritten) {
  for (const char* directory : {"/state", "/state/", "/a/../state", "/state/next", "/"}) {
    EXPECT_THAT(Problems([&](auto& after) { after.service.state_directory = directory; }),
                ElementsAre(HasSubstr("service.state_directory")))
        << directory;
  }
  EXPECT_THAT(Problems([](auto& after) { after.service.state_directory = "/state2"; }), IsEmpty());
  EXPECT_THAT(
      Problems([](auto& after) { after.service.checkpoints.directory = "/checkpoints/next"; }),
      ElementsAre(HasSubstr("service.checkpoints.directory")));
  EXPECT_THAT(Problems([](auto& after) { after.service.checkpoints.directory.clear(); }),
              IsEmpty());
}

}  // namespace
}  // namespace crawlsieve::consumer
