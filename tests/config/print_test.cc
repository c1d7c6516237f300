#include "config/print.h"

#include "config/load.h"
#include "config/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crawlsieve::config {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::optional<std::string> NoVariables(const std::string&) { return std::nullopt; }

std::optional<std::string> Lookup(const std::string& name) { return "from_" + name; }

void ExpectSame(const Config& a, const Config& b) {
  for (const Option& option : Options()) EXPECT_EQ(option.read(a), option.read(b)) << option.key;
  EXPECT_EQ(a.decode.max_body_bytes, b.decode.max_body_bytes);
}

TEST(ReferenceConfig, LoadsAsTheDefaults) {
  const Loaded loaded = ParseConfig(ReferenceConfig(), "reference", NoVariables);
  ASSERT_TRUE(loaded) << Describe(loaded.error());
  ExpectSame(*loaded, Config{});
}

TEST(ReferenceConfig, HasEveryKeyAndLinesOfAFairLength) {
  const std::string reference = ReferenceConfig();
  for (const Option& option : Options()) {
    const std::string name(option.key.substr(option.key.rfind('.') + 1));
    EXPECT_THAT(reference, HasSubstr(" " + name + ":")) << option.key;
  }
  std::istringstream lines(reference);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
}

TEST(EffectiveConfig, LoadsAsTheSameConfiguration) {
  Config config;
  config.kafka.bootstrap_servers = "a:9092,b:9092";
  config.kafka.group = "123";
  config.kafka.input_topics = {"one", "true", "3.0"};
  config.kafka.client = {{"security.protocol", "SSL"},
                         {"linger.ms", "5"},
                         {"odd name: #", "x: \"y\" # \\ ${HOME} $$ \n\t \xc3\xa4"},
                         {"$", "null"},
                         {"<<", ""}};
  config.service.instance = "~";
  config.service.roles = {consumer::Role::kJudge};
  config.extract.limits.max_body_bytes = (8 << 20) + 1;
  config.decode.max_body_bytes = (8 << 20) + 1;
  config.judge.schedule.min_seconds = 86'401;
  config.http.enabled = false;
  config.kafka.client.erase("<<");
  const std::string text = EffectiveConfig(config);
  const Loaded loaded = ParseConfig(text, "effective", NoVariables);
  ASSERT_TRUE(loaded) << Describe(loaded.error()) << text;
  ExpectSame(*loaded, config);
  EXPECT_EQ(EffectiveConfig(*loaded), text);
}

TEST(EffectiveConfig, MasksSecrets) {
  Config config;
  config.fingerprint.key = "hunter2";
  config.kafka.client = {{"sasl.password", "hunter2"}, {"sasl.username", "hunter"}};
  const std::string text = EffectiveConfig(config);
  EXPECT_THAT(text, Not(HasSubstr("hunter2")));
  EXPECT_THAT(text, HasSubstr("\n  key: \"********\"\n"));
  EXPECT_THAT(text, HasSubstr("\n    sasl.password: \"********\"\n"));
  EXPECT_THAT(text, HasSubstr("\n    sasl.username: hunter\n"));
  EXPECT_FALSE(ParseConfig(text, "effective", NoVariables));
}

TEST(EffectiveConfig, ShowsThatThereIsNoSecret) {
  EXPECT_THAT(EffectiveConfig(Config{}), HasSubstr("\n  key: \"\"\n"));
}

TEST(EffectiveConfig, MasksWhatCameFromTheEnvironment) {
  const Loaded loaded = ParseConfig(R"(
kafka:
  bootstrap_servers: ${A}:9092
  group: literal
  input: {topics: ["${B}", c]}
  consumer: {client.rack: "${C}", fetch.min.bytes: 1}
)",
                                    "c.yaml", Lookup);
  ASSERT_TRUE(loaded) << Describe(loaded.error());
  const std::string text = EffectiveConfig(*loaded);
  EXPECT_THAT(text, Not(HasSubstr("from_")));
  EXPECT_THAT(text, HasSubstr("  bootstrap_servers: \"********\"\n"));
  EXPECT_THAT(text, HasSubstr("    topics: [\"********\", \"********\"]\n"));
  EXPECT_THAT(text, HasSubstr("    client.rack: \"********\"\n"));
  EXPECT_THAT(text, HasSubstr("    fetch.min.bytes: \"1\"\n"));
  EXPECT_THAT(text, HasSubstr("  group: literal\n"));
}

TEST(ConfigDocument, HasARowForEveryKey) {
  const std::string document = ConfigDocument();
  for (const Option& option : Options()) {
    EXPECT_THAT(document, HasSubstr("| `" + std::string(option.key) + "` | ")) << option.key;
  }
  EXPECT_THAT(document, HasSubstr("| `http.port` | number, 0 to 65535 | `8080` | "));
}

}  // namespace
}  // namespace crawlsieve::config
