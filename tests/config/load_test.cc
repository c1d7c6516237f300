#include "config/load.h"

#include "config/options.h"
#include "extract/features/term_weights.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace crawlsieve::config {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;
using ::testing::StartsWith;

std::optional<std::string> Lookup(const std::string& name) {
  if (name == "PASSWORD") return "hunter2";
  if (name == "PORT") return "9999";
  if (name == "WORD") return "hunter2";
  if (name == "TRICK") return "x\nlog: {level: debug}";
  return std::nullopt;
}

Config Good(std::string_view text) {
  Loaded loaded = ParseConfig(text, "c.yaml", Lookup);
  EXPECT_TRUE(loaded) << (loaded ? "" : Describe(loaded.error()));
  return loaded ? *std::move(loaded) : Config{};
}

std::vector<std::string> Mistakes(std::string_view text) {
  const Loaded loaded = ParseConfig(text, "c.yaml", Lookup);
  std::vector<std::string> lines;
  if (loaded) return lines;
  for (const Mistake& mistake : loaded.error()) lines.push_back(Describe(mistake));
  return lines;
}

TEST(ParseConfig, TakesDefaultsForWhatIsNotThere) {
  for (const char* text : {"", "# nothing\n", "kafka:\n", "kafka:\n  input:\nlog: {}\n"}) {
    const Config config = Good(text);
    for (const Option& option : Options()) {
      EXPECT_EQ(option.read(config), option.read(Config{})) << option.key;
    }
  }
}

TEST(ParseConfig, FillsEveryKindOfValue) {
  const Config config = Good(R"(
kafka:
  bootstrap_servers: one:9092,two:9092
  input:
    topics: [pages.a, pages.b]
    format: warc
    generation: 7
  verdicts: {pass_headers: true}
  delivery: at_least_once
  commit: {interval: 150ms, entries: 500}
  client:
    security.protocol: SSL
    socket.nagle.disable: true
    linger.ms: 5
service: {roles: [judge]}
extract: {in_flight: {bytes: 128MiB}, limits: {max_body_bytes: 16MiB}}
judge: {schedule: {fetches_a_day: 5000, min: 2h, max: 30d}}
http: {port: 0}
log: {format: json, level: warn}
)");
  EXPECT_EQ(config.kafka.bootstrap_servers, "one:9092,two:9092");
  EXPECT_THAT(config.kafka.input_topics, ElementsAre("pages.a", "pages.b"));
  EXPECT_EQ(config.kafka.input_format, consumer::FormatKind::kWarc);
  EXPECT_EQ(config.kafka.input_generation, 7U);
  EXPECT_TRUE(config.kafka.pass_headers);
  EXPECT_EQ(config.kafka.delivery, consumer::Delivery::kAtLeastOnce);
  EXPECT_EQ(config.kafka.commit_interval, milliseconds(150));
  EXPECT_EQ(config.kafka.commit_entries, 500U);
  EXPECT_THAT(config.kafka.client,
              ElementsAre(Pair("linger.ms", "5"), Pair("security.protocol", "SSL"),
                          Pair("socket.nagle.disable", "true")));
  EXPECT_THAT(config.service.roles, ElementsAre(consumer::Role::kJudge));
  EXPECT_EQ(config.extract_stage.max_in_flight_bytes, 128U << 20);
  EXPECT_EQ(config.judge.schedule.fetches_a_day, 5'000U);
  EXPECT_EQ(config.judge.schedule.min_seconds, 7200U);
  EXPECT_EQ(config.http.port, 0);
  EXPECT_EQ(config.log.format, consumer::LogFormat::kJson);
  EXPECT_EQ(config.log.level, "warn");
}

TEST(ParseConfig, GivesDecodingAndExtractionTheSameLimit) {
  const Config config = Good("extract: {limits: {max_body_bytes: 2MiB}}");
  EXPECT_EQ(config.extract.limits.max_body_bytes, 2U << 20);
  EXPECT_EQ(config.decode.max_body_bytes, 2U << 20);
}

TEST(ParseConfig, TakesQuotedNumbersAndBareTexts) {
  EXPECT_EQ(Good("http: {port: '81'}").http.port, 81);
  EXPECT_EQ(Good("service: {instance: 12}").service.instance, "12");
  EXPECT_EQ(Good("service: {instance: no}").service.instance, "no");
}

TEST(ParseConfig, SuggestsTheNearestKey) {
  EXPECT_THAT(
      Mistakes("kafka:\n  input:\n    topcs: [a]\n"),
      ElementsAre("c.yaml:3:5: kafka.input.topcs: unknown key; did you mean kafka.input.topics?"));
  EXPECT_THAT(Mistakes("kafak:\n  group: x\n"),
              ElementsAre("c.yaml:1:1: kafak: unknown key; did you mean kafka?"));
  EXPECT_THAT(Mistakes("threads: 3\n"),
              ElementsAre("c.yaml:1:1: threads: unknown key; did you mean extract.threads?"));
  EXPECT_THAT(Mistakes("entirely_elsewhere: 3\n"),
              ElementsAre("c.yaml:1:1: entirely_elsewhere: unknown key"));
}

TEST(ParseConfig, RefusesDottedKeys) {
  EXPECT_THAT(
      Mistakes("http.port: 80"),
      ElementsAre("c.yaml:1:1: http.port: unknown key; instead of a dot, nest one section in "
                  "another"));
}

TEST(ParseConfig, CutsAndEscapesKeysFromTheFile) {
  const auto mistakes = Mistakes("\"a\\nb" + std::string(1000, 'x') + "\": 1");
  ASSERT_EQ(mistakes.size(), 1U);
  EXPECT_THAT(mistakes[0], StartsWith("c.yaml:1:1: a\\nbxxx"));
  EXPECT_LT(mistakes[0].size(), 200U);
}

TEST(ParseConfig, RefusesRepeatedKeys) {
  EXPECT_THAT(Mistakes("log:\n  level: info\nhttp: {}\nlog:\n  level: warn\n"),
              ElementsAre("c.yaml:4:1: log: is there twice, first in line 1"));
  EXPECT_THAT(Mistakes("kafka:\n  client:\n    a: 1\n    a: 2\n"),
              ElementsAre("c.yaml:4:5: kafka.client.a: is there twice, first in line 3"));
}

TEST(ParseConfig, RefusesOtherShapes) {
  EXPECT_THAT(Mistakes("- kafka\n"),
              ElementsAre("c.yaml:1:1: the file must hold sections, such as \"kafka:\""));
  EXPECT_THAT(Mistakes("http: 8080\n"),
              ElementsAre("c.yaml:1:7: http: must be a section: keys with values"));
  EXPECT_THAT(Mistakes("http:\n  port: [80]\n"),
              ElementsAre("c.yaml:2:9: http.port: must be a single value (number), not a list"));
  EXPECT_THAT(Mistakes("http:\n  port: {a: 1}\n"),
              ElementsAre("c.yaml:2:9: http.port: must be a single value (number), not a section"));
  EXPECT_THAT(Mistakes("kafka:\n  input: {topics: crawl.pages}\n"),
              ElementsAre("c.yaml:2:19: kafka.input.topics: must be a list, such as [a, b]"));
  EXPECT_THAT(Mistakes("kafka:\n  client: [a]\n"),
              ElementsAre("c.yaml:2:11: kafka.client: must be properties: names with values, such "
                          "as {linger.ms: 5}"));
  EXPECT_THAT(
      Mistakes("kafka:\n  client: {a: [b]}\n"),
      ElementsAre("c.yaml:2:15: kafka.client.a: must be a single value (text), not a list"));
}

TEST(ParseConfig, RefusesKeysWithoutAValue) {
  EXPECT_THAT(Mistakes("http:\n  port:\n  address: ~\n"),
              ElementsAre("c.yaml:2:3: http.port: has no value; leave it out for its default, or "
                          "write \"\" for an empty text",
                          "c.yaml:3:3: http.address: has no value; leave it out for its default, "
                          "or write \"\" for an empty text"));
}

TEST(ParseConfig, RefusesWrongTypes) {
  EXPECT_THAT(Mistakes("http:\n  port: http\n"),
              ElementsAre("c.yaml:2:9: http.port: \"http\" is not a whole number"));
  EXPECT_THAT(Mistakes("http:\n  enabled: yes\n"),
              ElementsAre("c.yaml:2:12: http.enabled: \"yes\" is neither true nor false"));
  EXPECT_THAT(Mistakes("log:\n  format: xml\n"),
              ElementsAre("c.yaml:2:11: log.format: \"xml\" is not one of text, json"));
  EXPECT_THAT(Mistakes("kafka:\n  commit: {interval: 200}\n"),
              ElementsAre("c.yaml:2:22: kafka.commit.interval: \"200\" has no unit; write a "
                          "duration in ms, s, m, h or d such as 10s"));
  EXPECT_THAT(
      Mistakes("extract:\n  in_flight: {bytes: 64M}\n"),
      ElementsAre(HasSubstr("c.yaml:2:22: extract.in_flight.bytes: \"64M\" is not a size")));
}

TEST(ParseConfig, RefusesValuesOutOfBounds) {
  EXPECT_THAT(Mistakes("judge:\n  max_distance: 8\n"),
              ElementsAre("c.yaml:2:17: judge.max_distance: \"8\" must be 0 to 7"));
  EXPECT_THAT(Mistakes("http:\n  port: 65536\n"),
              ElementsAre("c.yaml:2:9: http.port: \"65536\" must be 0 to 65535"));
  EXPECT_THAT(Mistakes("kafka:\n  commit: {interval: 1h}\n"),
              ElementsAre("c.yaml:2:22: kafka.commit.interval: \"1h\" must be 10ms to 5s"));
  EXPECT_THAT(Mistakes("judge:\n  schedule: {min: 1500ms}\n"),
              ElementsAre("c.yaml:2:19: judge.schedule.min: \"1500ms\" must be whole seconds"));
  EXPECT_THAT(Mistakes("kafka:\n  group: ''\n"),
              ElementsAre("c.yaml:2:10: kafka.group: \"\" must not be empty"));
}

TEST(ParseConfig, RefusesAnExpiryOfZeroAndTakesNever) {
  for (const std::string value : {"0s", "0", "23h"}) {
    const auto mistakes = Mistakes("judge:\n  retention: {expire: " + value + "}\n");
    ASSERT_EQ(mistakes.size(), 1U) << value;
    EXPECT_THAT(mistakes[0], StartsWith("c.yaml:2:23: judge.retention.expire: \"" + value));
    EXPECT_TRUE(mistakes[0].ends_with(", or never")) << mistakes[0];
  }
  EXPECT_EQ(Good("judge: {retention: {expire: never}}").judge.retention.expire_seconds, 0U);
  EXPECT_EQ(Good("judge: {retention: {expire: 1d}}").judge.retention.expire_seconds, 86'400U);
}

TEST(ParseConfig, RefusesWhatKafkaTakesForNoTopic) {
  for (const char* name : {"a b", "a/b", "..", "\"^crawl\"", "\xc3\xa4"}) {
    EXPECT_THAT(Mistakes("kafka: {log: {topic: " + std::string(name) + "}}"),
                ElementsAre(HasSubstr("is not a name for Kafka")))
        << name;
  }
  EXPECT_THAT(Mistakes("kafka: {log: {topic: " + std::string(250, 'a') + "}}"),
              ElementsAre(HasSubstr("is not a name for Kafka")));
  EXPECT_EQ(Good("metrics: {topic: ''}").metrics.topic, "");
}

TEST(ParseConfig, PointsAtTheItemOfAList) {
  EXPECT_THAT(
      Mistakes("service:\n  roles:\n    - judge\n    - jugde\n"),
      ElementsAre("c.yaml:4:7: service.roles: \"jugde\" is not one of extract, judge, index"));
  EXPECT_THAT(Mistakes("service:\n  roles: [judge, judge]\n"),
              ElementsAre("c.yaml:2:18: service.roles: \"judge\" is there twice"));
  EXPECT_THAT(Mistakes("service:\n  roles: []\n"),
              ElementsAre("c.yaml:2:10: service.roles: must not be empty"));
  EXPECT_THAT(Mistakes("kafka: {input: {topics: [a, a]}}"),
              ElementsAre("c.yaml:1:29: kafka.input.topics: \"a\" is there twice"));
}

TEST(ParseConfig, FindsAllMistakesInTheOrderOfTheFile) {
  EXPECT_THAT(Mistakes(R"(judge:
  priority: {novelty: 500}
http:
  prot: 1
  port: -1
kafka:
  client: {group.id: x}
  commit:
    entries: 0
)"),
              ElementsAre("c.yaml:2:3: judge.priority: the four weights must add up to 1000",
                          "c.yaml:4:3: http.prot: unknown key; did you mean http.port?",
                          "c.yaml:5:9: http.port: \"-1\" is not a whole number",
                          "c.yaml:7:12: kafka.client.group.id: is set by crawlsieve itself; use "
                          "kafka.group",
                          "c.yaml:9:14: kafka.commit.entries: \"0\" must be 1 to 100000"));
}

TEST(ParseConfig, GivesThePlaceOfASyntaxError) {
  const auto mistakes = Mistakes("http:\n  port: [80\nlog: {}\n");
  ASSERT_EQ(mistakes.size(), 1U);
  EXPECT_THAT(mistakes[0], StartsWith("c.yaml:3:4: not YAML: "));
}

TEST(ParseConfig, UsesAnchorsAndMergeKeys) {
  const Config config = Good(R"(
kafka:
  consumer: &tls
    security.protocol: SSL
    linger.ms: 1
  producer:
    <<: *tls
    linger.ms: 9
)");
  EXPECT_THAT(config.kafka.producer,
              ElementsAre(Pair("linger.ms", "9"), Pair("security.protocol", "SSL")));
}

TEST(ParseConfig, WantsPriorityWeightsThatAddUp) {
  EXPECT_EQ(Good("judge: {priority: {novelty: 1000, host: 0, depth: 0, change: 0}}")
                .judge.priority.novelty,
            1000U);
  EXPECT_THAT(Mistakes("judge:\n  priority:\n    host: 301\n"),
              ElementsAre("c.yaml:2:3: judge.priority: the four weights must add up to 1000"));
}

TEST(ParseConfig, DoesNotJudgeCombinationsOfValuesItCouldNotRead) {
  EXPECT_THAT(Mistakes("judge:\n  priority: {novelty: x, host: 600}\n"),
              ElementsAre("c.yaml:2:23: judge.priority.novelty: \"x\" is not a whole number"));
}

TEST(ParseConfig, WantsTimesBetweenFetchesInOrder) {
  EXPECT_THAT(Mistakes("judge:\n  schedule:\n    min: 400d\n"),
              ElementsAre("c.yaml:3:5: judge.schedule.min: must not be longer than "
                          "judge.schedule.max"));
  EXPECT_EQ(Good("judge: {schedule: {min: 1h, max: 1h}}").judge.schedule.max_seconds, 3600U);
}

TEST(ParseConfig, WantsDifferentTopics) {
  EXPECT_THAT(Mistakes("kafka:\n  log: {topic: crawl.pages}\n"),
              ElementsAre("c.yaml:2:9: kafka.log.topic: must not be one of kafka.input.topics"));
  EXPECT_THAT(
      Mistakes("kafka:\n  input:\n    topics: [crawl.verdicts]\n"),
      ElementsAre("c.yaml:3:5: kafka.verdicts.topic: must not be one of kafka.input.topics"));
  EXPECT_THAT(Mistakes("kafka:\n  verdicts: {topic: crawl.fingerprints}\n"),
              ElementsAre("c.yaml:2:14: kafka.verdicts.topic: must differ from kafka.log.topic"));
  EXPECT_EQ(Good("kafka: {log: {topic: crawl.changes}, verdicts: {topic: crawl.candidates}}")
                .kafka.slots.count,
            0U)
      << "without slots there are no topics of theirs";
  EXPECT_THAT(Mistakes("metrics:\n  topic: crawl.verdicts\n"),
              ElementsAre("c.yaml:2:3: metrics.topic: must differ from kafka.verdicts.topic"));
  EXPECT_THAT(Mistakes("kafka:\n  log: {topic: crawl.pages.dlq}\n"),
              ElementsAre("c.yaml:2:9: kafka.log.topic: must not be a topic of dead letters"));
  EXPECT_THAT(Mistakes("kafka:\n  input: {topics: [a, a.dlq]}\n"),
              ElementsAre("c.yaml:2:11: kafka.input.topics: one of the topics takes the dead "
                          "letters of another"));
  EXPECT_THAT(Mistakes("kafka:\n  input: {topics: [" + std::string(248, 'a') + "]}\n"),
              ElementsAre(HasSubstr("kafka.dead_letters.suffix: makes a name longer than")));
}

TEST(ParseConfig, WantsATopicOfItsOwnForEachRenderingOfScores) {
  EXPECT_THAT(Mistakes("kafka:\n  scores: {rendered: [nutch crawl.verdicts]}\n"),
              ElementsAre("c.yaml:2:12: kafka.scores.rendered: must differ from "
                          "kafka.verdicts.topic"));
  EXPECT_THAT(Mistakes("kafka:\n  scores: {rendered: [nutch crawl.pages]}\n"),
              ElementsAre(HasSubstr("must not be one of kafka.input.topics")));
  EXPECT_THAT(Mistakes("kafka:\n  scores: {rendered: [nutch a, bubing a]}\n"),
              ElementsAre(HasSubstr("kafka.scores.rendered: has a topic twice")));
  EXPECT_THAT(Mistakes("kafka:\n  scores: {rendered: [json a]}\n"),
              ElementsAre(HasSubstr("doesn't begin with one of the formats browsertrix, bubing")));
  EXPECT_EQ(Good("kafka: {scores: {rendered: [nutch a, nutch b]}}").kafka.rendered_topics.size(),
            2U);
}

TEST(ParseConfig, WantsNoTopicOfSitesWhileNothingIsLearnedOfThem) {
  EXPECT_THAT(Mistakes("kafka:\n  sites: {topic: crawl.sites}\n"),
              ElementsAre("c.yaml:2:11: kafka.sites.topic: is of no use while nothing is learned "
                          "of sites: judge.sites.max is 0"));
  EXPECT_EQ(Good("kafka: {sites: {topic: crawl.sites}}\njudge: {sites: {max: 9}}").kafka.site_topic,
            "crawl.sites");
}

TEST(ParseConfig, RefusesPropertiesThatItSetsItself) {
  for (const char* name :
       {"bootstrap.servers", "metadata.broker.list", "group.id", "transactional.id",
        "enable.auto.commit", "auto.commit.enable", "enable.auto.offset.store", "auto.offset.reset",
        "isolation.level", "partition.assignment.strategy", "enable.partition.eof",
        "enable.gapless.guarantee"}) {
    for (const char* section : {"client", "consumer", "producer"}) {
      EXPECT_THAT(Mistakes("kafka:\n  " + std::string(section) + ":\n    " + name + ": x\n"),
                  ElementsAre(StartsWith("c.yaml:3:5: kafka." + std::string(section) + "." + name +
                                         ": is set by crawlsieve itself; ")));
    }
  }
}

TEST(ParseConfig, RefusesWhatContradictsAnIdempotentProducer) {
  EXPECT_THAT(Mistakes("kafka:\n  producer:\n    enable.idempotence: false\n"),
              ElementsAre("c.yaml:3:5: kafka.producer.enable.idempotence: must be true: delivery "
                          "exactly_once needs an idempotent producer"));
  EXPECT_THAT(Mistakes("kafka:\n  delivery: at_least_once\n  client:\n    acks: 1\n"),
              ElementsAre("c.yaml:4:5: kafka.client.acks: must be all: the admission log needs an "
                          "idempotent producer"));
  EXPECT_THAT(Mistakes("kafka: {producer: {max.in.flight: 6}}"),
              ElementsAre(HasSubstr("kafka.producer.max.in.flight: must be 1 to 5")));
  EXPECT_THAT(Mistakes("kafka: {producer: {retries: 0}}"),
              ElementsAre(HasSubstr("kafka.producer.retries: must be at least 1")));
  EXPECT_THAT(Mistakes("kafka: {producer: {queuing.strategy: lifo}}"),
              ElementsAre(HasSubstr("kafka.producer.queuing.strategy: must be fifo")));
  Good("kafka: {producer: {enable.idempotence: true, acks: all, max.in.flight: 5, retries: 9}}");
  Good("kafka: {producer: {request.required.acks: -1, queuing.strategy: fifo}}");
}

TEST(ParseConfig, LetsTheProducerOverrideTheClient) {
  Good("kafka: {client: {acks: 1}, producer: {acks: all}}");
}

TEST(ParseConfig, WantsTransactionsToOutliveTheirMessages) {
  EXPECT_THAT(Mistakes("kafka:\n  producer:\n    transaction.timeout.ms: 10000\n"
                       "    message.timeout.ms: 10000\n"),
              ElementsAre("c.yaml:4:5: kafka.producer.message.timeout.ms: must be less than "
                          "transaction.timeout.ms, or a transaction ends before its messages do"));
  EXPECT_THAT(
      Mistakes("kafka: {client: {delivery.timeout.ms: 0}, producer: {transaction.timeout.ms: 9}}"),
      ::testing::SizeIs(2));  // never times out; and the commit interval is 200 ms
  EXPECT_THAT(Mistakes("kafka:\n  commit: {interval: 2s}\n  producer: {transaction.timeout.ms: "
                       "2000}\n"),
              ElementsAre("c.yaml:2:12: kafka.commit.interval: must be less than "
                          "transaction.timeout.ms, or every transaction times out"));
  Good("kafka: {producer: {transaction.timeout.ms: 10000, message.timeout.ms: 9999}}");
}

TEST(ParseConfig, TakesValuesFromTheEnvironment) {
  const Config config = Good(R"(
kafka:
  bootstrap_servers: ${NOBODY:-b:9092}
  client: {sasl.password: "${PASSWORD}", ssl.ca.location: /etc/ca.pem}
  input: {topics: [a, "${WORD}"]}
http: {port: "${PORT}"}
fingerprint: {key: "a$$b"}
)");
  EXPECT_EQ(config.kafka.bootstrap_servers, "b:9092");
  EXPECT_EQ(config.kafka.client.at("sasl.password"), "hunter2");
  EXPECT_THAT(config.kafka.input_topics, ElementsAre("a", "hunter2"));
  EXPECT_EQ(config.http.port, 9999);
  EXPECT_EQ(config.fingerprint.key, "a$b");
  EXPECT_THAT(config.from_environment,
              ElementsAre("http.port", "kafka.bootstrap_servers", "kafka.client.sasl.password",
                          "kafka.input.topics"));
}

TEST(ParseConfig, GivesThePlaceOfAMissingVariable) {
  EXPECT_THAT(Mistakes("kafka:\n  client:\n    sasl.password: ${MISSING}\n"),
              ElementsAre("c.yaml:3:20: kafka.client.sasl.password: needs the environment "
                          "variable MISSING, which is not set"));
}

TEST(ParseConfig, KeepsVariablesFromBringingKeys) {
  const Config config = Good("service:\n  instance: ${TRICK}\n");
  EXPECT_EQ(config.service.instance, "x\nlog: {level: debug}");
  EXPECT_EQ(config.log.level, "info");
}

TEST(ParseConfig, NeverRepeatsASecretInAMistake) {
  for (const char* text : {
           "http: {port: \"${WORD}\"}",
           "log: {level: \"${WORD}\"}",
           "kafka: {commit: {interval: \"${WORD}\"}}",
           "extract: {in_flight: {bytes: \"${WORD}\"}}",
           "http: {enabled: \"${WORD}\"}",
           "service: {roles: [\"${WORD}\"]}",
           "kafka: {log: {topic: \"${WORD}\"}, verdicts: {topic: \"${WORD}\"}}",
           "kafka: {input: {topics: [\"${WORD}\"]}, log: {topic: \"${WORD}\"}}",
           "kafka: {input: {topics: [\"${WORD}\", \"${WORD}\"]}}",
           "kafka: {client: {group.id: \"${WORD}\"}}",
           "kafka: {client: {acks: \"${WORD}\"}}",
           "kafka: {client: {sasl.password: [hunter2]}}",
           "fingerprint: {key: [hunter2]}",
           "fingerprint: {key: \"hunter2${\"}",
       }) {
    const auto mistakes = Mistakes(text);
    EXPECT_FALSE(mistakes.empty()) << text;
    for (const std::string& mistake : mistakes) EXPECT_THAT(mistake, Not(HasSubstr("hunter2")));
  }
}

TEST(ParseConfig, RefusesTheMaskOfAShownConfiguration) {
  EXPECT_THAT(Mistakes("fingerprint:\n  key: \"********\"\n"),
              ElementsAre("c.yaml:2:8: fingerprint.key: is masked; give the value itself"));
}

class LoadConfigTest : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = std::filesystem::temp_directory_path() /
            ("crawlsieve_load_test_" + std::to_string(getpid()) + ".yaml");
  }
  void TearDown() override { std::filesystem::remove(path_); }

  std::filesystem::path path_;
};

TEST_F(LoadConfigTest, ReadsAFile) {
  std::ofstream(path_) << "log: {level: debug}\n";
  const Loaded loaded = LoadConfig(path_);
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->log.level, "debug");
}

TEST_F(LoadConfigTest, NamesTheFileInMistakes) {
  std::ofstream(path_) << "log: {level: loud}\n";
  const Loaded loaded = LoadConfig(path_);
  ASSERT_FALSE(loaded);
  EXPECT_THAT(Describe(loaded.error()), StartsWith(path_.string() + ":1:14: log.level: "));
}

TEST_F(LoadConfigTest, SaysWhyAFileCanNotBeRead) {
  const Loaded missing = LoadConfig(path_);
  ASSERT_FALSE(missing);
  EXPECT_EQ(Describe(missing.error()),
            path_.string() + ": can't be read: No such file or directory\n");
  const Loaded directory = LoadConfig(std::filesystem::temp_directory_path());
  ASSERT_FALSE(directory);
  EXPECT_THAT(Describe(directory.error()), HasSubstr("can't be read: Is a directory"));
}

TEST_F(LoadConfigTest, RefusesALargeFile) {
  std::ofstream(path_) << "#" + std::string(kMaxYamlBytes, 'x');
  const Loaded loaded = LoadConfig(path_);
  ASSERT_FALSE(loaded);
  EXPECT_THAT(Describe(loaded.error()), HasSubstr("larger than"));
}

TEST_F(LoadConfigTest, ReadsTheTableOfWeightsThatItNames) {
  const std::string table_path = path_.string() + ".terms";
  std::ofstream(path_) << "extract: {features: {terms: {weights: " + table_path + "}}}\n";
  const std::string advice = "; `crawlsieve terms` makes such a table\n";
  const std::string place = path_.string() + ": extract.features.terms.weights: " + table_path;
  Loaded loaded = LoadConfig(path_);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(Describe(loaded.error()), place + " can't be read: No such file or directory" + advice);

  std::ofstream(table_path) << "words\n";
  loaded = LoadConfig(path_);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(Describe(loaded.error()), place + ": line 1: this isn't a table of terms" + advice);

  extract::TermCounter counter;
  for (int i = 0; i < 4; ++i) counter.Add({"page"});
  std::ofstream(table_path) << counter.Table(1);
  loaded = LoadConfig(path_);
  std::filesystem::remove(table_path);
  ASSERT_TRUE(loaded) << Describe(loaded.error());
  ASSERT_NE(loaded->extract.features.terms.weights, nullptr);
  EXPECT_EQ(loaded->extract.features.terms.weights->WeightOf("page"), 1U);
}

TEST_F(LoadConfigTest, UsesTheEnvironmentOfTheProcess) {
  std::ofstream(path_) << "service: {instance: \"${PATH}\"}\n";
  const Loaded loaded = LoadConfig(path_);
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->service.instance, std::getenv("PATH"));
}

}  // namespace
}  // namespace crawlsieve::config
