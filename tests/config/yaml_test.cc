#include "config/yaml.h"

#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crawlsieve::config {

void PrintTo(const Position& position, std::ostream* out) {
  *out << position.line << ':' << position.column;
}

namespace {

using ::testing::HasSubstr;

std::shared_ptr<const YamlNode> Parse(std::string_view text) {
  auto tree = ParseYaml(text);
  EXPECT_TRUE(tree) << tree.error().message;
  return tree ? *tree : std::make_shared<const YamlNode>();
}

YamlProblem Problem(std::string_view text) {
  auto tree = ParseYaml(text);
  EXPECT_FALSE(tree) << text.substr(0, 100);
  return tree ? YamlProblem{} : tree.error();
}

const YamlNode& At(const YamlNode& map, std::string_view key) {
  for (const YamlNode::Entry& entry : map.entries) {
    if (entry.key == key) return *entry.value;
  }
  static const YamlNode none;
  ADD_FAILURE() << "no key " << key;
  return none;
}

TEST(ParseYaml, TakesAnEmptyFileForNothing) {
  for (const char* text : {"", "\n\n", "# only a comment\n", "---\n", "---\n...\n", "~"}) {
    EXPECT_EQ(Parse(text)->kind, YamlNode::Kind::kNull) << text;
  }
}

TEST(ParseYaml, KeepsScalarsAsWritten) {
  const auto root = Parse("a: no\nb: 0x10\nc: '8080'\nd: \"x\\ty\"\ne: 1.50\n");
  EXPECT_EQ(At(*root, "a").text, "no");
  EXPECT_EQ(At(*root, "b").text, "0x10");
  EXPECT_EQ(At(*root, "c").text, "8080");
  EXPECT_EQ(At(*root, "d").text, "x\ty");
  EXPECT_EQ(At(*root, "e").text, "1.50");
}

TEST(ParseYaml, TellsNothingFromAnEmptyText) {
  const auto root = Parse("a:\nb: ''\nc: ~\nd: null\ne: 'null'\n");
  EXPECT_EQ(At(*root, "a").kind, YamlNode::Kind::kNull);
  EXPECT_EQ(At(*root, "b").kind, YamlNode::Kind::kScalar);
  EXPECT_EQ(At(*root, "c").kind, YamlNode::Kind::kNull);
  EXPECT_EQ(At(*root, "d").kind, YamlNode::Kind::kNull);
  EXPECT_EQ(At(*root, "e").text, "null");
}

TEST(ParseYaml, KnowsWhereThingsStand) {
  const auto root = Parse("# comment\na:\n  b: [x, {c: 1}]\n");
  const YamlNode::Entry& a = root->entries.at(0);
  EXPECT_EQ(a.position, (Position{2, 1}));
  const YamlNode::Entry& b = a.value->entries.at(0);
  EXPECT_EQ(b.position, (Position{3, 3}));
  EXPECT_EQ(b.value->position, (Position{3, 6}));
  EXPECT_EQ(b.value->items.at(0)->position, (Position{3, 7}));
  EXPECT_EQ(b.value->items.at(1)->entries.at(0).position, (Position{3, 11}));
}

TEST(ParseYaml, KeepsRepeatedKeysForTheReaderToRefuse) {
  EXPECT_EQ(Parse("a: 1\na: 2\n")->entries.size(), 2U);
}

TEST(ParseYaml, FollowsAliases) {
  const auto root = Parse("a: &x {k: v}\nb: *x\n");
  EXPECT_EQ(At(At(*root, "b"), "k").text, "v");
}

TEST(ParseYaml, MergesWithTheMapsOwnKeysFirst) {
  const auto root = Parse("base: &x {k: base, l: base}\nmap:\n  <<: *x\n  k: own\n");
  const YamlNode& map = At(*root, "map");
  EXPECT_EQ(map.entries.size(), 2U);
  EXPECT_EQ(At(map, "k").text, "own");
  EXPECT_EQ(At(map, "l").text, "base");
}

TEST(ParseYaml, MergesAListWithTheEarlierMapFirst) {
  const auto root = Parse("a: &a {k: 1}\nb: &b {k: 2, l: 2}\nmap: {<<: [*a, *b]}\n");
  EXPECT_EQ(At(At(*root, "map"), "k").text, "1");
  EXPECT_EQ(At(At(*root, "map"), "l").text, "2");
}

TEST(ParseYaml, RefusesToMergeAnythingElse) {
  EXPECT_THAT(Problem("a: {<<: 5}").message, HasSubstr("\"<<\" takes a section"));
  EXPECT_THAT(Problem("a: {<<: [5]}").message, HasSubstr("\"<<\" takes a section"));
}

TEST(ParseYaml, RefusesAnAliasInsideOfItself) {
  EXPECT_THAT(Problem("a: &x [*x]").message, HasSubstr("alias inside"));
  EXPECT_THAT(Problem("a: &x {<<: *x}").message, HasSubstr("alias inside"));
  EXPECT_FALSE(ParseYaml("a: *nobody"));
  EXPECT_FALSE(ParseYaml("*nobody"));
}

TEST(ParseYaml, RefusesTagsKeysThatAreNoWordsAndSecondDocuments) {
  EXPECT_EQ(Problem("a: !!int 5").message, "tags are not used here");
  EXPECT_EQ(Problem("a: !secret x").message, "tags are not used here");
  EXPECT_EQ(Problem("? [a, b]\n: 1\n").message, "a key must be a single word");
  const YamlProblem second = Problem("a: 1\n---\nb: 2\n");
  EXPECT_THAT(second.message, HasSubstr("second document"));
  EXPECT_EQ(second.position.line, 2);
}

TEST(ParseYaml, SaysWhereTheSyntaxIsWrong) {
  const YamlProblem problem = Problem("a:\n  b: 1\n c: 2\n");
  EXPECT_THAT(problem.message, HasSubstr("not YAML"));
  EXPECT_EQ(problem.position.line, 3);
}

TEST(ParseYaml, RefusesWhatIsNotText) {
  EXPECT_EQ(Problem("a: 1\nb: \xff\n").position, (Position{2, 4}));
  EXPECT_EQ(Problem("a: 1\nb: \x04 rest is lost").position, (Position{2, 4}));
  EXPECT_THAT(Problem(std::string_view("a\0b", 3)).message, HasSubstr("0x00"));
  for (const char* bad : {"\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\x80"}) {
    EXPECT_THAT(Problem(bad).message, HasSubstr("not UTF-8"));
  }
  EXPECT_EQ(At(*Parse("a: \xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"), "a").text,
            "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
}

TEST(ParseYaml, CountsColumnsInCharacters) {
  EXPECT_EQ(Problem("\xc3\xa4: \xff").position, (Position{1, 4}));
}

TEST(ParseYaml, RefusesLargeFiles) {
  EXPECT_TRUE(ParseYaml("#" + std::string(kMaxYamlBytes - 1, 'x')));
  EXPECT_THAT(Problem("#" + std::string(kMaxYamlBytes, 'x')).message, HasSubstr("larger than"));
}

TEST(ParseYaml, RefusesDeepNestingBeforeItCostsTheStack) {
  std::string block;
  for (int i = 0; i < 1000; ++i) block += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  EXPECT_THAT(Problem(block).message, HasSubstr("nested deeper"));
  std::string flow;
  for (int i = 0; i < 100'000; ++i) flow += '[';
  EXPECT_FALSE(ParseYaml(flow));
  std::string maps;
  for (int i = 0; i < 100'000; ++i) maps += "{a: ";
  EXPECT_FALSE(ParseYaml(maps));
  std::string dashes;
  for (int i = 0; i < 100'000; ++i) dashes += "- ";
  EXPECT_FALSE(ParseYaml(dashes));
}

TEST(ParseYaml, BoundsWhatAliasesAndMergesMultiply) {
  std::string laughs = "a0: &a0 {k: v}\n";
  for (int i = 1; i < 30; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    laughs += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " {<<: [" + before + ", " +
              before + "], k" + std::to_string(i) + ": v}\n";
  }
  EXPECT_TRUE(ParseYaml(laughs));  // merged entries don't multiply
  std::string wide = "a: &a {";
  for (int i = 0; i < 1000; ++i) wide += "k" + std::to_string(i) + ": v, ";
  wide += "}\nb: {<<: [";
  for (int i = 0; i < 1000; ++i) wide += "*a, ";
  wide += "]}\n";
  EXPECT_THAT(Problem(wide).message, HasSubstr("more than 10000 values"));
  std::string many = "a: &a x\nb: [";
  for (int i = 0; i < 20'000; ++i) many += "*a, ";
  EXPECT_THAT(Problem(many + "]\n").message, HasSubstr("more than 10000 values"));
}

}  // namespace
}  // namespace crawlsieve::config
