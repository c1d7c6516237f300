// The vectors of tests/data/scores: records, and what each format makes of them. With
// CRAWLSIEVE_UPDATE set in the environment the formats' files are written instead of compared.

#include "consumer/output/scores/score_format.h"
#include "consumer/output/scores/score_record.h"
#include "tests/support/schema.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

const std::filesystem::path kRoot = CRAWLSIEVE_SOURCE_DIR;

std::vector<std::string> Records() {
  std::ifstream file(kRoot / "tests/data/scores/records.jsonl");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

UrlScore Parsed(const std::string& line) {
  Result<UrlScore> record = ParseUrlScoreRecord(line);
  EXPECT_TRUE(record.has_value()) << record.error().message << ": " << line;
  return record.value_or(UrlScore());
}

TEST(ScoreVectors, AreReadAndWrittenByteForByte) {
  ASSERT_GE(Records().size(), 10U);
  for (const std::string& line : Records()) {
    EXPECT_TRUE(
        ConformsTo(nlohmann::json::parse(line), kRoot / "docs/schemas/url_score.schema.json"));
    EXPECT_EQ(UrlScoreRecord(Parsed(line)), line);
  }
}

TEST(ScoreVectors, AreRenderedByteForByte) {
  for (const ScoreFormat& format : ScoreFormats()) {
    std::string rendered;
    for (const std::string& line : Records()) {
      for (const RenderedScore& score : format.render(Parsed(line))) {
        // The key too, and a line for each score, so that a difference shows where it is.
        rendered += score.key + '\n';
        AppendFramed(format.framing, score.value, rendered);
        if (format.framing != Framing::kLines) rendered += '\n';
      }
    }
    const auto path = kRoot / "tests/data/scores" / (std::string(format.name) + ".rendered");
    if (std::getenv("CRAWLSIEVE_UPDATE") != nullptr) {
      std::ofstream(path, std::ios::binary) << rendered;
    }
    std::ifstream file(path, std::ios::binary);
    std::ostringstream golden;
    golden << file.rdbuf();
    EXPECT_FALSE(rendered.empty()) << format.name;
    EXPECT_EQ(golden.str(), rendered) << format.name;
  }
}

}  // namespace
}  // namespace crawlsieve::consumer
