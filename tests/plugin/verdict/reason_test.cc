#include "plugin/verdict/reason.h"

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

std::string Trim(const std::string& text) {
  const auto first = text.find_first_not_of(" `");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" `") - first + 1);
}

/// Rows of the first table in docs/verdicts.md, by the first cell.
std::map<std::string, std::vector<std::string>> DocumentedRules() {
  std::map<std::string, std::vector<std::string>> rows;
  std::ifstream file(CRAWLSIEVE_SOURCE_DIR "/docs/verdicts.md");
  std::string line;
  bool in_table = false;
  while (std::getline(file, line)) {
    if (!line.starts_with("|")) {
      if (in_table) break;
      continue;
    }
    in_table = true;
    std::vector<std::string> cells;
    std::stringstream stream(line.substr(1));
    for (std::string cell; std::getline(stream, cell, '|');) cells.push_back(Trim(cell));
    rows[cells.front()] = cells;
  }
  return rows;
}

TEST(Rule, TableInTheDocumentationIsTheTableInTheCode) {
  const auto documented = DocumentedRules();
  for (int i = 0; i < kReasonCount; ++i) {
    const Rule& rule = RuleFor(static_cast<Reason>(i));
    const auto row = documented.find(std::string(rule.name));
    ASSERT_NE(row, documented.end()) << rule.name << " is missing in docs/verdicts.md";
    const char* match = rule.match == MatchRule::kNone        ? "none"
                        : rule.match == MatchRule::kOtherPage ? "other page"
                                                              : "own version";
    const char* host = rule.host_count == HostCount::kNot      ? "no"
                       : rule.host_count == HostCount::kAsPage ? "page"
                                                               : "duplicate";
    std::ostringstream novelty;
    novelty << rule.novelty / 10'000.0;
    const std::vector<std::string> expected = {std::string(rule.name),
                                               rule.decision == Decision::kKeep ? "keep" : "drop",
                                               rule.inserts ? "yes" : "no",
                                               rule.retires_own ? "yes" : "no",
                                               match,
                                               rule.follow_links ? "yes" : "no",
                                               host,
                                               novelty.str()};
    std::vector<std::string> cells = row->second;
    ASSERT_GE(cells.size(), expected.size());
    cells.resize(expected.size());
    EXPECT_EQ(cells, expected);
  }
  EXPECT_EQ(documented.size(), kReasonCount + 2U) << "a row too many (header and rule apart)";
}

TEST(Rule, TheDocumentationNamesTheCodesThatCountForTheHost) {
  std::ifstream file(CRAWLSIEVE_SOURCE_DIR "/docs/verdicts.md");
  std::stringstream text;
  text << file.rdbuf();
  std::string codes;
  for (const std::string_view code : kLimitCodes) {
    codes += (codes.empty() ? "`" : ", `") + std::string(code) + '`';
    EXPECT_EQ(HostCountOf(Reason::kNotEvaluated, code), HostCount::kAsDuplicate) << code;
    EXPECT_EQ(HostCountOf(Reason::kUnique, code), HostCount::kAsPage) << code;
  }
  EXPECT_NE(text.str().find(codes), std::string::npos) << codes;
  EXPECT_EQ(HostCountOf(Reason::kNotEvaluated, "missing_body"), HostCount::kNot);
}

TEST(Rule, AFetchThatFailedOrCameTooLateRetiresNothing) {
  for (const Reason reason : {Reason::kErrorStatus, Reason::kNotEvaluated, Reason::kNotModified,
                              Reason::kGone, Reason::kRedirect, Reason::kOutdated}) {
    EXPECT_FALSE(RuleFor(reason).retires_own) << RuleFor(reason).name;
    EXPECT_EQ(RuleFor(reason).host_count, HostCount::kNot) << RuleFor(reason).name;
  }
}

TEST(Rule, DropsNameAMatchUnlessThereIsNothingToKeep) {
  for (int i = 0; i < kReasonCount; ++i) {
    const Rule& rule = RuleFor(static_cast<Reason>(i));
    if (rule.decision == Decision::kKeep) {
      const bool is_in_budget = rule.reason == Reason::kClusterBudget;
      EXPECT_EQ(rule.match, is_in_budget ? MatchRule::kOtherPage : MatchRule::kNone) << rule.name;
    } else {
      const bool has_content = rule.reason == Reason::kExactDuplicate ||
                               rule.reason == Reason::kNearDuplicate ||
                               rule.reason == Reason::kUnchanged;
      EXPECT_EQ(rule.match != MatchRule::kNone, has_content) << rule.name;
      EXPECT_FALSE(rule.inserts) << rule.name;
    }
  }
}

}  // namespace
}  // namespace crawlsieve
