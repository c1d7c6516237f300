// Cases of tree construction: what is visible of the expected tree must be what the parser reports,
// blocks, links and white space included, with each kernel. cases/ holds our own;
// CRAWLSIEVE_TREE_TESTS names a folder with those of html5lib and golang.org/x/net, which
// script/tree_tests fetches.

#include "extract/html/html_text.h"
#include "tests/extract/html/tree_exceptions.h"
#include "tests/support/html/event_log.h"
#include "tests/support/html/parsers.h"
#include "tests/support/html/tree_cases.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace crawlsieve::html_check {
namespace {

std::vector<TreeCase> CasesIn(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    // Folders of that name hold cases that scripts change while the page is parsed.
    if (entry.path().extension() == ".dat" && entry.path().parent_path().filename() != "scripted") {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  std::vector<TreeCase> cases;
  for (const auto& file : files) {
    auto read = ReadTreeCases(file);
    EXPECT_TRUE(read.has_value()) << file;
    if (!read) continue;
    for (TreeCase& one : *read) cases.push_back(std::move(one));
  }
  return cases;
}

/// Parses each case that has a document and no scripts; returns how many there are.
std::size_t ExpectVisibleTrees(const std::vector<TreeCase>& cases, bool exceptions_allowed) {
  std::size_t tried = 0;
  std::set<std::string> used;
  for (const std::string& kernel : KernelNames()) {
    const auto parser = MakeParser(WideLimits(), kernel);
    for (const TreeCase& one : cases) {
      if (one.fragment || one.scripting_on) continue;
      ++tried;
      EventLog expected;
      ReportVisible(one.document, expected);
      const ParsedLog parsed = ParseLog(*parser, one.data);
      const bool equal =
          parsed.end == extract::ParseEnd::kDone && parsed.log.events() == expected.events();
      const TreeException* exception =
          exceptions_allowed ? FindTreeException(one.file, one.data) : nullptr;
      if (exception != nullptr) {
        used.insert(std::string(exception->data));
        EXPECT_FALSE(equal) << one.file << ":" << one.line
                            << " passes and needs no exception any more";
        EXPECT_EQ(RenderShort(parsed.log.events()), exception->events)
            << one.file << ":" << one.line << " " << exception->reason;
        continue;
      }
      EXPECT_TRUE(equal) << fmt::format(
          "{}:{} with {}: {:?}\n  expected {}\n  found    {} {}", one.file, one.line, kernel,
          one.data, RenderShort(expected.events()), RenderShort(parsed.log.events()),
          extract::ParseEndCode(parsed.end));
    }
  }
  if (exceptions_allowed) {
    for (const TreeException& exception : TreeExceptions()) {
      EXPECT_TRUE(used.contains(std::string(exception.data)))
          << "no case needs the exception " << exception.data;
    }
  }
  return tried / KernelNames().size();
}

TEST(HtmlTree, OfOurOwnCasesIsReported) {
  const std::vector<TreeCase> cases =
      CasesIn(std::filesystem::path(CRAWLSIEVE_SOURCE_DIR) / "tests/extract/html/cases");
  EXPECT_GE(ExpectVisibleTrees(cases, /*exceptions_allowed=*/false), 100U);
}

TEST(HtmlTree, OfOthersCasesIsReported) {
  const char* const folder = std::getenv("CRAWLSIEVE_TREE_TESTS");
  ASSERT_NE(folder, nullptr) << "script/tree_tests fetches these cases and runs this test";
  const std::size_t tried = ExpectVisibleTrees(CasesIn(folder), /*exceptions_allowed=*/true);
  RecordProperty("cases", static_cast<int>(tried));
  EXPECT_GE(tried, 1500U);
  fmt::print("{} cases\n", tried);
}

}  // namespace
}  // namespace crawlsieve::html_check
