#include "plugin/checkpoint/manifest.h"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

CheckpointManifest Manifest() {
  CheckpointManifest manifest;
  manifest.log_offset = 1234;
  manifest.sequence = 1230;
  manifest.entry_checksum = std::string(32, 'a');
  manifest.state_format = 5;
  manifest.fold_version = 7;
  manifest.scheme = "cs1-test";
  manifest.parameters_sha256 = std::string(64, 'b');
  manifest.created = Timestamp(std::chrono::milliseconds(1'700'000'000'123));
  manifest.uploaded = true;
  manifest.files = {{"000012.sst", 5, std::string(64, 'c')}, {"CURRENT", 0, std::string(64, 'd')}};
  return manifest;
}

/// With another name for the first file, and the checksum that belongs to it.
std::string RenderWith(const std::string& name) {
  CheckpointManifest manifest = Manifest();
  manifest.files[0].name = name;
  return RenderManifest(manifest);
}

TEST(CheckpointManifest, IsReadAsItWasWritten) {
  const std::string text = RenderManifest(Manifest());
  const auto read = ParseManifest(text, "here");
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(*read, Manifest());
  EXPECT_EQ(read->bytes(), 5U);
  EXPECT_EQ(read->files[0].StoredName(), std::string(64, 'c') + "-5");
  EXPECT_TRUE(ManifestNameOf(text).starts_with("00000000000000001234-")) << ManifestNameOf(text);
}

TEST(CheckpointManifest, EveryChangedByteAndEveryTruncationIsNoticed) {
  const std::string text = RenderManifest(Manifest());
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (const int flip : {1, 2, 4, 8, 16, 32, 64, 128}) {
      std::string changed = text;
      changed[i] = static_cast<char>(changed[i] ^ flip);
      ASSERT_FALSE(ParseManifest(changed, "here").has_value()) << "byte " << i << ": " << changed;
    }
    ASSERT_FALSE(ParseManifest(text.substr(0, i), "here").has_value()) << i << " bytes";
    ASSERT_FALSE(ParseManifest(text.substr(0, i) + ' ' + text.substr(i), "here").has_value()) << i;
  }
  EXPECT_FALSE(ParseManifest(text + '\n', "here").has_value());
}

TEST(CheckpointManifest, OneOfANewerFormatIsRefusedByItsNumber) {
  std::string text = RenderManifest(Manifest());
  text.replace(text.find("\"format\": 1"), 11, "\"format\": 2");
  const auto read = ParseManifest(text, "here");
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().code, ErrorCode::kMismatch);
  EXPECT_NE(read.error().message.find("here: a checkpoint of format 2"), std::string::npos)
      << read.error().message;
}

TEST(CheckpointManifest, FileNamesThatLeadElsewhereOrComeTwiceAreRefused) {
  for (const char* name : {"../a", "/a", "", ".", "..", ".hidden", "a/b", "a b", "D", "CURRENT"}) {
    EXPECT_FALSE(ParseManifest(RenderWith(name), "here").has_value()) << name;
  }
  EXPECT_TRUE(ParseManifest(RenderWith("000013.sst"), "here").has_value());
}

}  // namespace
}  // namespace crawlsieve
