#include "config/print.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace crawlsieve::config {
namespace {

/// Compares a file of the source tree with what it is made from. With CRAWLSIEVE_UPDATE set in the
/// environment the file is written instead.
void ExpectGenerated(const std::string& path, const std::string& text) {
  const auto file = std::filesystem::path(CRAWLSIEVE_SOURCE_DIR) / path;
  if (std::getenv("CRAWLSIEVE_UPDATE") != nullptr) std::ofstream(file) << text;
  std::ifstream in(file);
  std::ostringstream content;
  content << in.rdbuf();
  EXPECT_EQ(content.str(), text)
      << path << " doesn't match the option table; CRAWLSIEVE_UPDATE=1 with this test writes it";
}

TEST(GeneratedFiles, ReferenceConfigurationMatchesTheOptionTable) {
  ExpectGenerated("config/crawlsieve.yaml", ReferenceConfig());
}

TEST(GeneratedFiles, ConfigurationDocumentMatchesTheOptionTable) {
  ExpectGenerated("docs/configuration.md", ConfigDocument());
}

}  // namespace
}  // namespace crawlsieve::config
