#include "config/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crawlsieve::config {
namespace {

using ::testing::HasSubstr;

std::optional<std::string> Lookup(const std::string& name) {
  if (name == "HOST") return "broker:9092";
  if (name == "EMPTY") return "";
  if (name == "MEAN") return "${HOST} $$ : [";
  if (name == "_a1") return "underscore";
  return std::nullopt;
}

std::string Expanded(std::string_view text) {
  const Parsed<Expansion> expansion = Expand(text, Lookup);
  return expansion ? expansion->text : "error: " + expansion.error();
}

TEST(Expand, PutsInVariables) {
  EXPECT_EQ(Expanded("${HOST}"), "broker:9092");
  EXPECT_EQ(Expanded("a ${HOST},${_a1} z"), "a broker:9092,underscore z");
  EXPECT_EQ(Expanded("${EMPTY}"), "");
}

TEST(Expand, TakesTheDefaultOfAVariableThatIsUnsetOrEmpty) {
  EXPECT_EQ(Expanded("${NOPE:-there}"), "there");
  EXPECT_EQ(Expanded("${EMPTY:-there}"), "there");
  EXPECT_EQ(Expanded("${NOPE:-}"), "");
  EXPECT_EQ(Expanded("${NOPE:-a:-b}"), "a:-b");
  EXPECT_EQ(Expanded("${HOST:-there}"), "broker:9092");
}

TEST(Expand, LeavesOtherDollarsAlone) {
  EXPECT_EQ(Expanded("$$"), "$");
  EXPECT_EQ(Expanded("$${HOST}"), "${HOST}");
  EXPECT_EQ(Expanded("$$$${HOST}"), "$${HOST}");
  EXPECT_EQ(Expanded("$HOST costs 5$"), "$HOST costs 5$");
}

TEST(Expand, DoesNotExpandWhatAVariableHolds) { EXPECT_EQ(Expanded("${MEAN}"), "${HOST} $$ : ["); }

TEST(Expand, NamesTheVariableThatIsNotSet) {
  EXPECT_THAT(Expand("${NOPE}", Lookup).error(), HasSubstr("variable NOPE"));
}

TEST(Expand, RefusesMalformedReferences) {
  for (const char* text : {"${", "${HOST", "${}", "${1A}", "${A B}", "${:-x}", "${a-b}"}) {
    EXPECT_FALSE(Expand(text, Lookup)) << text;
  }
}

TEST(Expand, SaysWhetherThereWasAVariable) {
  EXPECT_FALSE(Expand("a $$ b", Lookup)->used_variable);
  EXPECT_TRUE(Expand("${HOST}", Lookup)->used_variable);
  EXPECT_TRUE(Expand("${NOPE:-x}", Lookup)->used_variable);
}

}  // namespace
}  // namespace crawlsieve::config
