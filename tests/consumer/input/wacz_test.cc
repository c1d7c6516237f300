#include "consumer/input/file_reader.h"
#include "consumer/input/formats/decompressor.h"
#include "consumer/input/zip_directory.h"
#include "tests/support/compress.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/warc_builder.h"

#include <array>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::Gzip;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::PageRecord;
using testing::TemporaryDirectory;

template <std::size_t Bytes>
std::string Number(std::uint64_t value) {
  std::string bytes;
  for (std::size_t i = 0; i < Bytes; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xFF);
  return bytes;
}

constexpr int kDeflated = 8;
constexpr int kLzma = 14;

/// A ZIP file in the making.
class Zip {
 public:
  struct Entry {
    std::string name;
    std::string bytes;
    int method = 0;
    int flags = 0;
    bool is_64 = false;                           ///< sizes and place in a field of their own
    std::optional<std::uint64_t> claimed_size{};  ///< in place of the true one
  };

  Zip& Add(const Entry& entry) {
    AddToDirectory(entry, file_.size());
    const std::string packed = Packed(entry);
    file_ += std::string("PK\3\4") + Number<2>(20) + Number<2>(entry.flags) +
             Number<2>(entry.method) + Number<4>(0) + Number<4>(Crc32(0, entry.bytes)) +
             Number<4>(packed.size()) + Number<4>(entry.bytes.size()) +
             Number<2>(entry.name.size()) + Number<2>(0) + entry.name + packed;
    return *this;
  }

  /// An entry whose bytes are those of a local header that is there already.
  void AddToDirectory(const Entry& entry, std::uint64_t place) {
    const std::uint64_t size = Packed(entry).size();
    const std::uint64_t unpacked = entry.claimed_size.value_or(entry.bytes.size());
    const std::string extra = entry.is_64 ? Number<2>(1) + Number<2>(24) + Number<8>(unpacked) +
                                                Number<8>(size) + Number<8>(place)
                                          : "";
    const auto narrow = [&](std::uint64_t value) {
      return Number<4>(entry.is_64 ? 0xFFFFFFFF : value);
    };
    directory_ += std::string("PK\1\2") + Number<2>(45) + Number<2>(20) + Number<2>(entry.flags) +
                  Number<2>(entry.method) + Number<4>(0) + Number<4>(Crc32(0, entry.bytes)) +
                  narrow(size) + narrow(unpacked) + Number<2>(entry.name.size()) +
                  Number<2>(extra.size()) + Number<2>(0) + Number<2>(0) + Number<2>(0) +
                  Number<4>(0) + narrow(place) + entry.name + extra;
    ++count_;
  }

  [[nodiscard]] std::string Finish(bool is_64 = false) const {
    std::string end;
    if (is_64) {
      end += std::string("PK\6\6") + Number<8>(44) + Number<2>(45) + Number<2>(45) + Number<4>(0) +
             Number<4>(0) + Number<8>(count_) + Number<8>(count_) + Number<8>(directory_.size()) +
             Number<8>(file_.size());
      end += std::string("PK\6\7") + Number<4>(0) + Number<8>(file_.size() + directory_.size()) +
             Number<4>(1);
    }
    end += std::string("PK\5\6") + Number<4>(0) + Number<2>(is_64 ? 0xFFFF : count_) +
           Number<2>(is_64 ? 0xFFFF : count_) + Number<4>(is_64 ? 0xFFFFFFFF : directory_.size()) +
           Number<4>(is_64 ? 0xFFFFFFFF : file_.size()) + Number<2>(0);
    return file_ + directory_ + end;
  }

 private:
  static std::string Packed(const Entry& entry) {
    return entry.method == kDeflated ? testing::RawDeflate(entry.bytes) : entry.bytes;
  }

  std::string file_;
  std::string directory_;
  std::uint64_t count_ = 0;
};

std::string Warc(int first, int count) {
  std::string packed;
  for (int i = first; i < first + count; ++i) {
    packed += Gzip(PageRecord("http://a.example/" + std::to_string(i), "<p>page"));
  }
  return packed;
}

class WaczTest : public ::testing::Test {
 protected:
  struct Reading {
    std::vector<FileRecord> records;
    std::vector<std::string> warnings;
    FileReaderCounts counts;
  };

  Reading Read(std::string_view bytes) {
    Reading reading;
    const auto path = directory_.path() / "crawl.wacz";
    std::ofstream(path, std::ios::binary) << bytes;
    auto reader = FileReader::Open({path}, {});
    EXPECT_TRUE(reader.has_value());
    for (FileRecord record; (*reader)->Next(record).value_or(false);) {
      EXPECT_LE((*reader)->bytes_read(), (*reader)->bytes_total());
      reading.records.push_back(std::move(record));
    }
    reading.warnings = (*reader)->TakeWarnings();
    reading.counts = (*reader)->counts();
    return reading;
  }

  static std::vector<std::string> Urls(const Reading& reading) {
    std::vector<std::string> urls;
    for (const FileRecord& record : reading.records) urls.push_back(record.record.key.value_or(""));
    return urls;
  }

  TemporaryDirectory directory_;
};

std::string TwoArchives(bool is_64, int method = 0) {
  Zip zip;
  zip.Add({"archive/a.warc.gz", Warc(0, 2), method, 0, is_64});
  zip.Add({"indexes/index.cdx.gz", "not looked at", kDeflated, 0, is_64});
  zip.Add({"pages/pages.jsonl", "{\"url\": \"http://a.example/0\"}\n", method, 0, is_64});
  zip.Add({"archive/b.warc", PageRecord("http://a.example/2", "<p>page"), method, 0, is_64});
  zip.Add({"datapackage.json", "{}", kDeflated, 0, is_64});
  return zip.Finish(is_64);
}

TEST_F(WaczTest, TheWarcFilesInItsArchiveAreRead) {
  for (const auto& [is_64, method] : {std::pair(false, 0), std::pair(true, 0),
                                      std::pair(false, kDeflated), std::pair(true, kDeflated)}) {
    const Reading reading = Read(TwoArchives(is_64, method));
    EXPECT_THAT(Urls(reading),
                ElementsAre("http://a.example/0", "http://a.example/1", "http://a.example/2"));
    EXPECT_THAT(reading.warnings, IsEmpty());
    EXPECT_EQ(reading.counts.files, 3U);
    ASSERT_EQ(reading.records.size(), 3U);
    EXPECT_THAT(reading.records[0].origin, HasSubstr("crawl.wacz/archive/a.warc.gz at byte 0"));
    EXPECT_EQ(reading.records[2].format, FormatKind::kWarc);
  }
}

TEST_F(WaczTest, ADamagedMemberOfAnArchiveCostsNoOther) {
  std::string file = TwoArchives(false);
  const std::size_t in_first = file.find(".warc.gz") + 30;
  file[in_first] = static_cast<char>(file[in_first] ^ 0x55);
  const Reading reading = Read(file);
  // The list of pages has the one that is lost.
  EXPECT_THAT(Urls(reading),
              ElementsAre("http://a.example/1", "http://a.example/2", "http://a.example/0"));
  EXPECT_EQ(reading.records.back().format, FormatKind::kBrowsertrix);
  EXPECT_EQ(reading.counts.damaged_files, 1U);
}

TEST_F(WaczTest, EntriesThatShareBytesAreRefused) {
  Zip zip;
  const std::string warc = Warc(0, 1);
  zip.Add({"archive/a.warc.gz", warc});
  for (int i = 0; i < 1000; ++i) {
    zip.AddToDirectory({"archive/" + std::to_string(i) + ".warc.gz", warc}, 0);
  }
  const Reading reading = Read(zip.Finish());
  EXPECT_THAT(reading.records, IsEmpty());
  EXPECT_THAT(reading.warnings, ElementsAre(HasSubstr("share bytes, as in a ZIP bomb")));
  EXPECT_EQ(reading.counts.damaged_files, 1U);
}

TEST_F(WaczTest, ADirectoryThatIsTooLargeIsRefused) {
  std::string file = TwoArchives(true);
  const std::size_t end = file.find("PK\6\6");
  file.replace(end + 32, 8, Number<8>(1'000'000'000));
  const Reading reading = Read(file);
  EXPECT_THAT(reading.records, IsEmpty());
  EXPECT_THAT(reading.warnings, ElementsAre(HasSubstr("1000000000 entries")));
}

TEST_F(WaczTest, PartsThatCannotBeReadAreNamed) {
  Zip zip;
  zip.Add({"archive/packed.warc", "x", kLzma});
  zip.Add({"archive/secret.warc", "x", 0, 1});
  zip.Add({"archive/bomb.warc", std::string(10 << 20, '0'), kDeflated});
  zip.Add({"elsewhere/c.warc.gz", Warc(7, 1)});
  zip.Add({"archive/a.warc.gz", Warc(0, 1)});
  const Reading reading = Read(zip.Finish());
  EXPECT_THAT(Urls(reading), ElementsAre("http://a.example/0"));
  EXPECT_THAT(reading.warnings,
              ElementsAre(AllOf(HasSubstr("archive/packed.warc"), HasSubstr("it is not read")),
                          HasSubstr("archive/secret.warc: encrypted"),
                          AllOf(HasSubstr("archive/bomb.warc"), HasSubstr("as in a ZIP bomb")),
                          HasSubstr("elsewhere/c.warc.gz")));
  EXPECT_EQ(reading.counts.damaged_files, 4U);
}

TEST_F(WaczTest, AZipFileOfSomethingElseIsNamed) {
  const Reading reading = Read(Zip().Add({"a.txt", "x"}).Finish());
  EXPECT_THAT(reading.warnings, ElementsAre(HasSubstr("no WACZ file")));
}

TEST_F(WaczTest, NoMoreIsUnpackedThanTheDirectorySays) {
  const std::string warc = Warc(0, 3);
  Zip zip;
  zip.Add({"archive/a.warc.gz", warc, kDeflated, 0, false, Warc(0, 2).size()});
  const Reading reading = Read(zip.Finish());
  EXPECT_THAT(Urls(reading), ElementsAre("http://a.example/0", "http://a.example/1"));
  EXPECT_THAT(reading.warnings, ElementsAre(HasSubstr("checksum")));
}

TEST_F(WaczTest, DeflatedPartsThatAreDamagedAreNamed) {
  std::string text;
  for (int i = 0; i < 50; ++i) {
    text += PageRecord("http://a.example/" + std::to_string(i), testing::Noise(500, i));
  }
  Zip zip;
  zip.Add({"archive/a.warc", text, kDeflated});
  zip.Add({"archive/b.warc.gz", Warc(100, 1)});
  const std::string whole = zip.Finish();
  const std::size_t begin = whole.find("a.warc") + 6;
  for (std::size_t at = begin; at < whole.find("PK\3\4", begin); at += 101) {
    std::string file = whole;
    file[at] = static_cast<char>(file[at] ^ 0x10);
    const Reading reading = Read(file);
    EXPECT_EQ(reading.counts.damaged_files, 1U) << at;
    EXPECT_THAT(reading.warnings, ElementsAre(HasSubstr("archive/a.warc"))) << at;
    EXPECT_EQ(Urls(reading).back(), "http://a.example/100") << at;
  }
}

TEST_F(WaczTest, AStoredWarcFileWhoseBytesChangedIsNamed) {
  std::string file = TwoArchives(false);
  file[file.find("<p>page") + 3] = 'P';
  const Reading reading = Read(file);
  EXPECT_THAT(reading.warnings,
              ElementsAre(AllOf(HasSubstr("archive/b.warc"), HasSubstr("checksum"))));
}

TEST_F(WaczTest, PagesWithoutARecordAreReadFromTheListOfPages) {
  Zip zip;
  zip.Add({"pages/pages.jsonl",
           "{\"format\": \"json-pages-1.0\", \"id\": \"pages\", \"title\": \"All Pages\"}\n"
           "{\"id\": \"1\", \"url\": \"http://a.example/0#part\", \"ts\": "
           "\"2024-05-06T07:08:09Z\", \"title\": \"in the archive\", \"text\": \"zero\"}\n"
           "{\"id\": \"2\", \"url\": \"http://a.example/only-text\", \"ts\": "
           "\"2024-05-06T07:08:09Z\", \"title\": \"x\", \"text\": \"some words\"}\n",
           kDeflated});
  zip.Add({"pages/extraPages.jsonl",
           "{\"url\": \"http://a.example/nothing\", \"ts\": \"2024-05-06T07:08:09Z\"}\n"
           "{\"url\": \"http://a.example/1\", \"ts\": \"2024-05-06T07:08:09Z\"}\nno JSON\n"});
  zip.Add({"archive/a.warc.gz", Warc(0, 2)});
  const Reading reading = Read(zip.Finish());
  ASSERT_THAT(Urls(reading),
              ElementsAre("http://a.example/0", "http://a.example/1", "http://a.example/only-text",
                          "http://a.example/nothing", ""));
  EXPECT_THAT(reading.warnings, IsEmpty());
  EXPECT_EQ(reading.records[2].format, FormatKind::kBrowsertrix);
  const Decoded decoded = Decode(reading.records[2].record, reading.records[2].format, {});
  ASSERT_TRUE(std::holds_alternative<extract::Page>(decoded));
  const auto& page = std::get<extract::Page>(decoded);
  EXPECT_EQ(page.body, "some words");
  EXPECT_EQ(page.body_kind, extract::BodyKind::kText);
  EXPECT_EQ(page.fetch_time, ParseRfc3339("2024-05-06T07:08:09Z"));
  EXPECT_EQ(page.id, "2");
}

TEST_F(WaczTest, ArchivesOfOneFileSayNothingOfAnothersPages) {
  const std::string list = "{\"url\": \"http://a.example/0\", \"text\": \"words\"}\n";
  const auto first = directory_.path() / "first.wacz";
  const auto second = directory_.path() / "second.wacz";
  std::ofstream(first, std::ios::binary)
      << Zip().Add({"archive/a.warc.gz", Warc(0, 1)}).Add({"pages/pages.jsonl", list}).Finish();
  std::ofstream(second, std::ios::binary) << Zip().Add({"pages/pages.jsonl", list}).Finish();
  auto reader = FileReader::Open({first, second}, {});
  ASSERT_TRUE(reader.has_value());
  std::vector<std::string> origins;
  for (FileRecord record; (*reader)->Next(record).value_or(false);) {
    origins.push_back(record.origin);
  }
  EXPECT_THAT(origins, ElementsAre(HasSubstr("first.wacz/archive/"),
                                   HasSubstr("second.wacz/pages/pages.jsonl at byte 0")));
}

TEST_F(WaczTest, TextsThatStandBeforeTheirPageDontReplaceIt) {
  testing::WarcRecord text;
  text.type = "resource";
  text.uri = "urn:text:http://a.example/0";
  text.content_type = "text/plain";
  text.block = "what the browser showed";
  Zip zip;
  zip.Add({"archive/a.warc.gz", Gzip(testing::WriteWarc(text)) + Warc(0, 1)});
  const Reading reading = Read(zip.Finish());
  EXPECT_THAT(Urls(reading), ElementsAre("http://a.example/0"));
  EXPECT_THAT(reading.counts.set_aside, ElementsAre(::testing::Pair("urn:", 1)));
}

TEST_F(WaczTest, AFileThatIsNoZipIsNamed) {
  for (const std::string_view bytes : {"", "PK", "no ZIP file, but some text in its place"}) {
    const Reading reading = Read(bytes);
    EXPECT_THAT(reading.records, IsEmpty());
    EXPECT_THAT(reading.warnings, ElementsAre(HasSubstr("no ZIP file")));
    EXPECT_EQ(reading.counts.damaged_files, 1U);
  }
}

TEST_F(WaczTest, CutAnywhereItIsNamed) {
  const std::string file = TwoArchives(true);
  for (std::size_t size = 0; size < file.size(); size += 3) {
    const Reading reading = Read(std::string_view(file).substr(0, size));
    EXPECT_THAT(reading.records, IsEmpty()) << size;
    EXPECT_EQ(reading.counts.damaged_files, 1U) << size;
  }
}

TEST_F(WaczTest, AnyOtherByteIsRightOrSaidAndNeverACrash) {
  constexpr std::array<int, 3> kFlips = {0x01, 0x80, 0xFF};
  for (const bool is_64 : {false, true}) {
    const std::string whole = TwoArchives(is_64);
    const auto expected = Urls(Read(whole));
    const std::size_t archives_end = whole.find("PK\1\2");
    for (std::size_t at = is_64 ? 0 : 1; at < whole.size(); at += 2) {
      std::string file = whole;
      file[at] = static_cast<char>(file[at] ^ kFlips[at / 2 % kFlips.size()]);
      const Reading reading = Read(file);
      // Names may change: then a file is no archive any more, or a page of the list isn't in one.
      EXPECT_LE(reading.records.size(), expected.size() + 1) << at;
      if (at < archives_end && reading.warnings.empty() && reading.counts.damaged_files > 0) {
        ADD_FAILURE() << "damage at " << at << " that isn't said";
      }
    }
  }
}

}  // namespace
}  // namespace crawlsieve::consumer
