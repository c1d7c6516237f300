#include "consumer/crash_probe/page_notes.h"

#include "tests/support/temporary_directory.h"

#include <fstream>
#include <functional>
#include <random>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace crawlsieve::consumer {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::TemporaryDirectory;

/// Does `work` with notes in a process that then dies without a word.
void DieAfter(const std::filesystem::path& directory, const std::function<void(PageNotes&)>& work) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    auto notes = PageNotes::Open(directory, 4);
    if (!notes) ::_exit(1);
    work(*notes);
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

PageNotes OpenNotes(const std::filesystem::path& directory) {
  auto notes = PageNotes::Open(directory, 4);
  EXPECT_TRUE(notes.has_value()) << notes.error().message;
  return notes ? std::move(*notes) : PageNotes();
}

TEST(PageNotes, WhatADeadProcessWasParsingIsSuspect) {
  const TemporaryDirectory directory;
  DieAfter(directory.path(), [](PageNotes& notes) {
    notes.Begin(0, "pages", 3, 17);
    notes.Begin(1, "pages", 0, 5);
    notes.End(1);
    notes.Begin(2, std::string(249, 't'), 1, std::int64_t{1} << 40);
  });
  EXPECT_THAT(
      OpenNotes(directory.path()).suspects(),
      ElementsAre(PageId{"pages", 3, 17}, PageId{std::string(249, 't'), 1, std::int64_t{1} << 40}));
}

TEST(PageNotes, SuspectsStayNotedUntilACleanEnd) {
  const TemporaryDirectory directory;
  DieAfter(directory.path(), [](PageNotes& notes) { notes.Begin(0, "pages", 0, 1); });
  DieAfter(directory.path(), [](PageNotes& notes) { notes.Begin(0, "pages", 0, 2); });
  EXPECT_THAT(OpenNotes(directory.path()).suspects(),
              ElementsAre(PageId{"pages", 0, 1}, PageId{"pages", 0, 2}));
  EXPECT_THAT(OpenNotes(directory.path()).suspects(), IsEmpty()) << "that was a clean end";
}

TEST(PageNotes, ProcessesThatShareAFolderDoNotSuspectEachOther) {
  const TemporaryDirectory directory;
  PageNotes first = OpenNotes(directory.path());
  first.Begin(0, "pages", 0, 1);
  PageNotes second = OpenNotes(directory.path());
  EXPECT_THAT(second.suspects(), IsEmpty());
  DieAfter(directory.path(), [](PageNotes& notes) { notes.Begin(0, "pages", 0, 3); });
  EXPECT_THAT(OpenNotes(directory.path()).suspects(), ElementsAre(PageId{"pages", 0, 3}));
}

TEST(PageNotes, DamagedNotesAreNoReasonToFail) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 50; ++round) {
    const TemporaryDirectory directory;
    DieAfter(directory.path(), [](PageNotes& notes) { notes.Begin(0, "pages", 0, 1); });
    const auto path = directory.path() / "pages-in-progress.0";
    std::string bytes(random() % 5000, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(random() % 400));
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.close();
    EXPECT_LE(OpenNotes(directory.path()).suspects().size(), PageNotes::kMaxSuspects);
  }
}

TEST(PageNotes, KeepsNoMoreSuspectsThanItSays) {
  const TemporaryDirectory directory;
  for (int i = 0; i < 70; ++i) {
    DieAfter(directory.path(), [i](PageNotes& notes) {
      for (std::size_t slot = 0; slot < 4; ++slot) {
        notes.Begin(slot, "pages", static_cast<std::int32_t>(slot), i);
      }
    });
  }
  EXPECT_EQ(OpenNotes(directory.path()).suspects().size(), PageNotes::kMaxSuspects);
}

TEST(PageNotes, ThoseThatAreNotKeptTakeEverything) {
  PageNotes none;
  none.Begin(0, "pages", 0, 1);
  none.End(0);
  EXPECT_THAT(none.suspects(), IsEmpty());
}

}  // namespace
}  // namespace crawlsieve::consumer
