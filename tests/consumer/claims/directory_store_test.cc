#include "consumer/claims/directory_store.h"

#include "tests/support/temporary_directory.h"

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

namespace crawlsieve::consumer {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using Kind = StoreFailure::Kind;

class DirectoryStoreTest : public ::testing::Test {
 protected:
  DirectoryStoreTest() {
    fs::create_directories(root() / "a/b");
    Write("top", "0123456789");
    Write("a/b/deep", "deep bytes");
    std::ofstream(directory_.path() / "secret") << "secret";
  }

  [[nodiscard]] fs::path root() const { return directory_.path() / "root"; }

  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(root() / name) << text;
  }

  void MakeOld(const std::string& name) const {
    fs::last_write_time(root() / name, fs::file_time_type::clock::now() - std::chrono::hours(1));
  }

  tl::expected<StoredBytes, StoreFailure> Read(const std::string& file, std::uint64_t offset = 0,
                                               std::size_t count = 1000) {
    return DirectoryStore(root().string(), std::chrono::minutes(10)).Read(file, offset, count, {});
  }

  Kind FailureOf(const std::string& file) {
    const auto read = Read(file);
    EXPECT_FALSE(read.has_value()) << file;
    if (read.has_value()) return Kind::kUnavailable;
    EXPECT_NE(read.error().message, "");
    return read.error().kind;
  }

  const testing::TemporaryDirectory directory_;
};

TEST_F(DirectoryStoreTest, ReadsPartsOfFiles) {
  EXPECT_EQ(Read("top")->bytes, "0123456789");
  EXPECT_EQ(Read("top", 3, 4)->bytes, "3456");
  EXPECT_EQ(Read("top", 8, 4)->bytes, "89");
  EXPECT_EQ(Read("top", 10)->bytes, "");
  EXPECT_EQ(Read("top", 1ULL << 62)->bytes, "");
  EXPECT_EQ(Read("a/b/deep", 5)->bytes, "bytes");
  EXPECT_EQ(Read("a//b/deep", 5)->bytes, "bytes");
  EXPECT_EQ(Read((root() / "a/b/deep").string())->bytes, "deep bytes");
}

TEST_F(DirectoryStoreTest, RefusesNamesThatLeadElsewhere) {
  for (const std::string& file :
       {std::string("../secret"), std::string("a/../../secret"), std::string("a/../top"),
        std::string("./top"), std::string(".."), std::string("/etc/passwd"),
        root().string() + "x/top", (root() / "../secret").string(),
        std::string("file:///etc/passwd"), std::string("file:top"),
        std::string("https://s.example/top"), std::string("/"), std::string(),
        std::string("to\0p", 4), std::string(5000, 'x')}) {
    EXPECT_EQ(FailureOf(file), Kind::kRefused) << file.substr(0, 80);
  }
}

TEST_F(DirectoryStoreTest, FollowsNoLink) {
  fs::create_symlink("../secret", root() / "link");
  fs::create_symlink("top", root() / "inside");
  fs::create_directory_symlink("a", root() / "folder");
  fs::create_symlink("nowhere", root() / "broken");
  for (const char* file : {"link", "inside", "folder/b/deep", "broken"}) {
    EXPECT_EQ(FailureOf(file), Kind::kRefused) << file;
  }
}

TEST_F(DirectoryStoreTest, ReadsRegularFilesOnly) {
  ASSERT_EQ(::mkfifo((root() / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(FailureOf("pipe"), Kind::kRefused);
  EXPECT_EQ(FailureOf("a"), Kind::kRefused);
}

TEST_F(DirectoryStoreTest, SaysWhatIsNotThere) {
  EXPECT_EQ(FailureOf("no"), Kind::kNotFound);
  EXPECT_EQ(FailureOf("no/such/file"), Kind::kNotFound);
  EXPECT_EQ(FailureOf("top/below"), Kind::kNotFound);
  EXPECT_EQ(FailureOf(std::string(300, 'x')), Kind::kNotFound);
}

TEST_F(DirectoryStoreTest, ARootThatIsGoneOrEmptyIsAnOutage) {
  fs::remove_all(root());
  EXPECT_EQ(FailureOf("top"), Kind::kUnavailable);
  fs::create_directory(root());
  EXPECT_EQ(FailureOf("top"), Kind::kUnavailable);
  EXPECT_THAT(Read("top").error().message, HasSubstr("mounted"));
  Write("other", "x");
  EXPECT_EQ(FailureOf("top"), Kind::kNotFound);
}

TEST_F(DirectoryStoreTest, AProcessThatMayOpenNothingHasAnOutage) {
  // Sanitizers open files for their first look at the type of an object: one failure comes before,
  // so that the types which its message takes are known.
  ASSERT_TRUE(Read("top").has_value());
  ASSERT_EQ(FailureOf("no"), Kind::kNotFound);
  ASSERT_FALSE(std::generic_category().message(EMFILE).empty());
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  rlimit none = limit;
  none.rlim_cur = 0;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto read = Read("top");
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().kind, Kind::kUnavailable);
}

TEST_F(DirectoryStoreTest, FindsAFileThatIsStillBeingWritten) {
  Write("x.warc.gz.open", "growing");
  EXPECT_EQ(Read("x.warc.gz")->bytes, "growing");
  Write("x.warc.gz", "done");
  EXPECT_EQ(Read("x.warc.gz")->bytes, "done");
  EXPECT_EQ(FailureOf("top.open"), Kind::kNotFound);
}

TEST_F(DirectoryStoreTest, AFileMayGrowUntilItWasLeftAloneForAWhile) {
  EXPECT_TRUE(Read("top")->may_grow);
  MakeOld("top");
  EXPECT_FALSE(Read("top")->may_grow);
  Write("x.open", "given up");
  MakeOld("x.open");
  EXPECT_FALSE(Read("x")->may_grow);
}

}  // namespace
}  // namespace crawlsieve::consumer
