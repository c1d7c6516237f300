#include "consumer/pipeline/entry_file.h"

#include "consumer/output/verdict_record.h"
#include "consumer/pipeline/scan.h"
#include "plugin/index/sharded_index.h"
#include "tests/support/memory_reader.h"
#include "tests/support/temporary_directory.h"

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

using crawlsieve::testing::MemoryReader;
using crawlsieve::testing::TemporaryDirectory;
using ::testing::HasSubstr;

std::string ReadAll(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void WriteAll(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

class EntryFileTest : public ::testing::Test {
 protected:
  void Write(int entries) const {
    auto writer = EntryFileWriter::Open(file_);
    ASSERT_TRUE(writer.has_value());
    for (int i = 0; i < entries; ++i) {
      log::Entry entry;
      entry.mutable_page()->set_scheme("scheme");
      entry.mutable_page()->set_url("http://a.example/" + std::to_string(i));
      ASSERT_TRUE(writer->Write(entry).has_value());
    }
    ASSERT_TRUE(writer->Finish().has_value());
  }

  /// The URLs; or the error.
  Result<std::vector<std::string>> Read() const {
    CRAWLSIEVE_ASSIGN_OR_RETURN(auto reader, EntryFileReader::Open(file_));
    std::vector<std::string> urls;
    log::Entry entry;
    for (;;) {
      CRAWLSIEVE_ASSIGN_OR_RETURN(const auto more, reader.Next(entry));
      if (!more) return urls;
      urls.push_back(entry.page().url());
    }
  }

  TemporaryDirectory directory_;
  const std::filesystem::path file_ = directory_.path() / "entries";
};

TEST_F(EntryFileTest, GivesBackWhatWasWritten) {
  Write(3);
  const auto urls = Read();
  ASSERT_TRUE(urls.has_value()) << urls.error().message;
  EXPECT_EQ(*urls, (std::vector<std::string>{"http://a.example/0", "http://a.example/1",
                                             "http://a.example/2"}));
  Write(0);
  EXPECT_EQ(Read()->size(), 0U);
}

TEST_F(EntryFileTest, IsRefusedWhereverItIsCut) {
  Write(3);
  const std::string whole = ReadAll(file_);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    WriteAll(file_, whole.substr(0, size));
    const auto urls = Read();
    ASSERT_FALSE(urls.has_value()) << size;
    EXPECT_EQ(urls.error().code, ErrorCode::kCorruption);
    EXPECT_THAT(urls.error().message, HasSubstr(file_.string()));
  }
  WriteAll(file_, whole + "x");
  EXPECT_FALSE(Read().has_value());
}

TEST_F(EntryFileTest, IsRefusedWithAnyByteChanged) {
  Write(3);
  const std::string whole = ReadAll(file_);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const unsigned flip : {1U, 0x80U}) {
      std::string changed = whole;
      changed[at] = static_cast<char>(static_cast<unsigned char>(changed[at]) ^ flip);
      WriteAll(file_, changed);
      EXPECT_FALSE(Read().has_value()) << at;
    }
  }
}

/// The records of verdicts.
class Records final : public ScanListener {
 public:
  Status OnVerdict(const log::Page& page, const Verdict& verdict) override {
    records.push_back(VerdictRecord(page, verdict, {"test", Timestamp{}}));
    return {};
  }
  Status OnDeadLetter(const std::string& origin, const DecodeFailure& /*failure*/) override {
    dead_letters.push_back(origin);
    return {};
  }
  Status OnCommit() override { return {}; }

  std::vector<std::string> records;
  std::vector<std::string> dead_letters;
};

FileRecord Page(const std::string& url, int words, const std::string& stem) {
  std::string text;
  for (int i = 0; i < words; ++i) text += stem + std::to_string(i) + ' ';
  FileRecord record;
  record.format = FormatKind::kCanonical;
  record.record.value = R"({"url":")" + url + R"(","body":"<p>)" + text + R"(</p>"})";
  record.record.timestamp = Timestamp{std::chrono::milliseconds(1'700'000'000'000)};
  return record;
}

// Extraction on many machines and one fold are a scan.
TEST_F(EntryFileTest, ExtractedInPartsAndFoldedIsAScan) {
  std::vector<FileRecord> pages;
  for (int i = 0; i < 60; ++i) {
    pages.push_back(Page("http://h" + std::to_string(i % 5) + ".example/" + std::to_string(i % 23),
                         100 + i % 3, "w" + std::to_string(i % 7)));
    if (i % 10 == 5) pages.back().record.value = "{}";  // a dead letter
  }
  const auto open = [](Store& store) {
    return Detector::Open(
        store,
        [](int max_distance) -> Result<std::unique_ptr<HammingIndex>> {
          return ShardedIndex::Create(
              {.max_distance = max_distance, .shards = 4, .expected_entries = 1000});
        },
        SchemeOf(ScanOptions().processor));
  };
  const ScanOptions options;

  Records scanned;
  {
    const TemporaryDirectory state;
    auto store = Store::Open({.directory = state.path()});
    auto detector = open(**store);
    MemoryReader reader;
    for (const FileRecord& page : pages) reader.Add(page);
    ASSERT_TRUE(Scan(reader, **detector, options, scanned).has_value());
  }
  Records folded;
  const TemporaryDirectory state;
  auto store = Store::Open({.directory = state.path()});
  auto detector = open(**store);
  EntryFold fold(**detector, folded);
  ASSERT_TRUE(fold.SetParameters(options.judge, SchemeOf(options.processor)).has_value());
  for (std::size_t begin = 0; begin < pages.size(); begin += 17) {
    MemoryReader reader;
    for (std::size_t i = begin; i < std::min(begin + 17, pages.size()); ++i) reader.Add(pages[i]);
    auto writer = EntryFileWriter::Open(file_);
    const auto write = [&](log::Entry& entry) { return writer->Write(entry); };
    ASSERT_TRUE(ExtractRecords(reader, options, folded, write).has_value());
    ASSERT_TRUE(writer->Finish().has_value());
    auto entries = EntryFileReader::Open(file_);
    log::Entry entry;
    for (auto more = entries->Next(entry); *more; more = entries->Next(entry)) {
      ASSERT_TRUE(fold.Append(entry).has_value());
    }
  }
  ASSERT_TRUE(fold.Commit().has_value());
  EXPECT_EQ(scanned.records.size(), 54U);
  EXPECT_EQ(folded.records, scanned.records);
  EXPECT_EQ(folded.dead_letters.size(), scanned.dead_letters.size());
}

}  // namespace
}  // namespace crawlsieve::consumer
