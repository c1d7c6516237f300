#include "config/options.h"

#include "config/values.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crawlsieve::config {
namespace {

/// A value that differs from `value` and that `option` takes, out of a few that cover all types.
std::optional<Value> OtherValue(const Option& option, const Value& value) {
  std::vector<Value> candidates;
  if (std::holds_alternative<consumer::ClientProperties>(value)) {
    return consumer::ClientProperties{{"a", "b"}};
  }
  std::vector<std::string> texts{"true",    "false", "1",
                                 "2",       "2000",  "70B",
                                 "3KiB",    "3MiB",  "1s",
                                 "2s",      "warc",  "json",
                                 "connect", "debug", "at_least_once",
                                 "judge",   "host",  "https",
                                 "other",   "gumbo", "7:00112233445566778899aabbccddeeff",
                                 "$.page",  "2h",    "host/N 1s 2s",
                                 "2d",      "sha1",  "nutch t"};
  for (const std::string& text : texts) {
    const Value candidate = std::holds_alternative<std::string>(value)
                                ? Value(text)
                                : Value(std::vector<std::string>{text});
    Config scratch;
    if (candidate != value && !option.assign(scratch, candidate)) return candidate;
  }
  return std::nullopt;
}

TEST(Options, EachHasAFieldOfItsOwn) {
  for (const Option& option : Options()) {
    Config config;
    const auto other = OtherValue(option, option.read(config));
    ASSERT_TRUE(other) << option.key;
    ASSERT_FALSE(option.assign(config, *other)) << option.key;
    for (const Option& reader : Options()) {
      if (reader.key == option.key) {
        EXPECT_EQ(reader.read(config), *other) << option.key;
      } else {
        EXPECT_EQ(reader.read(config), reader.read(Config{})) << option.key << " " << reader.key;
      }
    }
  }
}

TEST(Options, OfRenderedScoresTakeAFormatAndATopic) {
  const Option* const option = FindOption("kafka.scores.rendered");
  ASSERT_NE(option, nullptr);
  Config config;
  const Value two(std::vector<std::string>{"nutch seeds", "scrapy_cluster demo.incoming"});
  ASSERT_FALSE(option->assign(config, two));
  EXPECT_EQ(option->read(config), two);
  ASSERT_EQ(config.kafka.rendered_topics.size(), 2U);
  EXPECT_EQ(config.kafka.rendered_topics[1],
            (consumer::RenderedTopic{"scrapy_cluster", "demo.incoming"}));
  for (const char* const text : {"", "nutch", "nutch ", " seeds", "json seeds", "Nutch seeds",
                                 "nutch a b", "nutch ..", "nutch\tseeds"}) {
    EXPECT_TRUE(option->assign(config, Value(std::vector<std::string>{text}))) << text;
  }
}

TEST(Options, OfBoundsTakeHostsAndPatternsAsTheyAreSpelt) {
  const Option* const option = FindOption("judge.schedule.bounds");
  ASSERT_NE(option, nullptr);
  const auto takes = [option](const std::string& text) {
    Config config;
    const bool is_taken = !option->assign(config, Value(std::vector<std::string>{text}));
    if (is_taken) {
      EXPECT_EQ(option->read(config), Value(std::vector<std::string>{text}));
    }
    return is_taken;
  };
  for (const char* text :
       {"news.example.org 1h 7d", "h:8080 1s 1s", "[::1] 1s 2s", "h/N/N/*?id&page 1m 1h",
        "*/archive/N/* 30d 365d", "*/ 1s 2s", "h/a?id 1s 2s"}) {
    EXPECT_TRUE(takes(text)) << text;
  }
  for (const char* text :
       {"", "h", "h 1h", "h 2h 1h", "h 0s 1h", "h 1h 1y", "h 1h 4000d", "h 1h 1d 2d", "H 1h 1d",
        "/a 1h 1d", " 1h 1d", "h/2024 1h 1d", "h/a/* 1h 1d", "h/* 1h 1d", "h/N/N/N 1h 1d",
        "h/a?b&a 1h 1d", "h/a#b 1h 1d"}) {
    EXPECT_FALSE(takes(text)) << text;
  }
}

/// The key of a judging parameter: durations carry their unit in the value.
std::string KeyOf(std::string_view field) {
  constexpr std::string_view kUnit = "_seconds";
  if (field.ends_with(kUnit)) field.remove_suffix(kUnit.size());
  return "judge." + std::string(field);
}

TEST(Options, HaveAKeyForEveryJudgingParameterThatSetsThatFieldAlone) {
  std::set<std::string> keys;
  JudgeParameters defaults;
  ForEachField(defaults, [&](std::string_view field, const auto& /*value*/) {
    // Only in logs of fold versions 4 and 5.
    if (field.starts_with("recrawl.")) return;
    const std::string key = KeyOf(field);
    keys.insert(key);
    const Option* option = FindOption(key);
    ASSERT_NE(option, nullptr) << "no key " << key << " for the parameter " << field;
    Config config;
    const auto other = OtherValue(*option, option->read(config));
    ASSERT_TRUE(other) << key;
    ASSERT_FALSE(option->assign(config, *other)) << key;
    // With the field set back, all are what they were.
    EXPECT_NE(config.judge, defaults) << key;
    ForEachField(config.judge, [&](std::string_view changed, auto& value) {
      ForEachField(defaults, [&](std::string_view name, auto& before) {
        if constexpr (std::is_same_v<decltype(value), decltype(before)>) {
          if (name == field && changed == field) value = before;
        }
      });
    });
    EXPECT_EQ(config.judge, defaults) << key << " sets another field than " << field;
  });
  for (const Option& option : Options()) {
    EXPECT_EQ(option.key.starts_with("judge."), keys.contains(std::string(option.key)))
        << option.key;
  }
}

TEST(Options, TakeTheirOwnDefaults) {
  for (const Option& option : Options()) {
    Config config;
    EXPECT_FALSE(option.assign(config, option.read(config))) << option.key;
  }
}

TEST(Options, LeaveTheFieldWhenTheyRefuseAValue) {
  for (const Option& option : Options()) {
    Config config;
    const Value before = option.read(config);
    const Value bad = std::holds_alternative<std::string>(before)
                          ? Value(std::string("\n"))
                          : Value(std::vector<std::string>{"\n"});
    if (std::holds_alternative<consumer::ClientProperties>(before)) continue;
    if (option.assign(config, bad)) {
      EXPECT_EQ(option.read(config), before) << option.key;
    } else {
      EXPECT_TRUE(option.is_text) << option.key;  // only free text takes a line end
    }
  }
}

TEST(Options, HaveDifferentKeysInKnownSections) {
  std::set<std::string_view> keys;
  std::set<std::string_view> sections;
  for (const Section& section : Sections()) EXPECT_TRUE(sections.insert(section.path).second);
  for (const Option& option : Options()) {
    EXPECT_TRUE(keys.insert(option.key).second) << option.key;
    EXPECT_FALSE(option.meaning.empty()) << option.key;
    EXPECT_TRUE(option.meaning.ends_with('.')) << option.key;
    EXPECT_EQ(FindOption(option.key), &option);
    for (std::size_t dot = option.key.find('.'); dot != std::string_view::npos;
         dot = option.key.find('.', dot + 1)) {
      EXPECT_TRUE(sections.contains(option.key.substr(0, dot))) << option.key;
    }
  }
  for (const std::string_view section : sections) {
    EXPECT_TRUE(std::any_of(keys.begin(), keys.end(), [&](std::string_view key) {
      return key.starts_with(std::string(section) + ".");
    })) << section;
  }
  EXPECT_EQ(FindOption("kafka"), nullptr);
  EXPECT_EQ(FindOption(""), nullptr);
}

TEST(Options, OfASectionAreNeighbours) {
  std::set<std::string> left;
  std::string section;
  for (const Option& option : Options()) {
    const std::string now(option.key.substr(0, option.key.rfind('.')));
    if (now == section) continue;
    // A section may go on behind a section inside of it, as kafka does; top ones may not.
    const std::string top = now.substr(0, now.find('.'));
    const std::string last_top = section.substr(0, section.find('.'));
    if (top != last_top) {
      EXPECT_TRUE(left.insert(last_top).second) << option.key;
      EXPECT_FALSE(left.contains(top)) << option.key;
    }
    section = now;
  }
}

TEST(Options, KnowTheSecrets) {
  const std::set<std::string_view> secrets = {"fingerprint.key", "kafka.input.bodies.s3.access_key",
                                              "kafka.input.bodies.s3.secret_key"};
  for (const Option& option : Options()) {
    EXPECT_EQ(option.secret, secrets.contains(option.key)) << option.key;
  }
}

TEST(IsSecretProperty, GoesByTheName) {
  for (const char* name :
       {"sasl.password", "ssl.key.password", "ssl.key.pem", "SASL.PASSWORD", "sasl.jaas.config",
        "sasl.oauthbearer.config", "sasl.oauthbearer.client.secret", "ssl.keystore.password"}) {
    EXPECT_TRUE(IsSecretProperty(name)) << name;
  }
  for (const char* name : {"security.protocol", "sasl.username", "linger.ms", "ssl.ca.location"}) {
    EXPECT_FALSE(IsSecretProperty(name)) << name;
  }
}

}  // namespace
}  // namespace crawlsieve::config
