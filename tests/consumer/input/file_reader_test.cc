#include "consumer/input/file_reader.h"

#include "tests/support/compress.h"
#include "tests/support/warc_builder.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace crawlsieve::consumer {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::PageRecord;
using ::testing::Pair;
using testing::WarcRecord;
using testing::WriteWarc;

/// Everything one reading of some paths yields.
struct Reading {
  std::vector<FileRecord> records;
  std::vector<std::string> warnings;
  FileReaderCounts counts;
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_total = 0;
};

class FileReaderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(::testing::TempDir()) /
              ("file_reader." + std::string(test->name()) + "." + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path Write(const fs::path& name, std::string_view bytes) const {
    const fs::path path = folder_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }

  static Reading Read(const std::vector<fs::path>& paths, const FileReader::Options& options = {}) {
    Reading reading;
    auto reader = FileReader::Open(paths, options);
    EXPECT_TRUE(reader) << (reader ? "" : reader.error().message);
    if (!reader) return reading;
    for (;;) {
      FileRecord record;
      const Result<bool> more = (*reader)->Next(record);
      EXPECT_TRUE(more);
      EXPECT_LE((*reader)->bytes_read(), (*reader)->bytes_total());
      if (!more || !*more) break;
      reading.records.push_back(std::move(record));
    }
    reading.counts = (*reader)->counts();
    reading.warnings = (*reader)->TakeWarnings();
    EXPECT_THAT((*reader)->TakeWarnings(), IsEmpty());
    reading.bytes_read = (*reader)->bytes_read();
    reading.bytes_total = (*reader)->bytes_total();
    EXPECT_EQ(reading.counts.records, reading.records.size());
    return reading;
  }

  static extract::Page PageOf(const FileRecord& record) {
    Decoded decoded = Decode(record.record, record.format, {});
    EXPECT_TRUE(std::holds_alternative<extract::Page>(decoded)) << record.origin;
    auto* page = std::get_if<extract::Page>(&decoded);
    return page ? std::move(*page) : extract::Page{};
  }

  static std::vector<std::string> Urls(const Reading& reading) {
    std::vector<std::string> urls;
    for (const FileRecord& record : reading.records) urls.push_back(PageOf(record).url);
    return urls;
  }

  fs::path folder_;
};

std::string OfType(std::string type, std::string block = "x") {
  WarcRecord record;
  record.type = std::move(type);
  record.content_type = "text/plain";
  record.block = std::move(block);
  return WriteWarc(record);
}

TEST_F(FileReaderTest, ReadsWarcRecordsInEveryPacking) {
  const std::vector<std::string> records = {
      OfType("warcinfo"), OfType("request"),          PageRecord("http://a.example/1", "<p>one"),
      OfType("revisit"),  OfType("resource", "text"), PageRecord("http://a.example/2", "<p>two")};
  std::string plain;
  std::string by_record;
  for (const std::string& record : records) {
    plain += record;
    by_record += testing::Gzip(record);
  }
  for (const fs::path& path :
       {Write("a.warc", plain), Write("b.warc.gz", by_record),
        Write("c.warc.gz", testing::Gzip(plain)), Write("gzip-by-another-name.warc", by_record),
        Write("PLAIN.WARC.GZ", plain)}) {
    const Reading reading = Read({path});
    EXPECT_THAT(Urls(reading), ElementsAre("http://a.example/1", "http://a.example/page",
                                           "http://a.example/page", "http://a.example/2"));
    EXPECT_THAT(reading.warnings, IsEmpty());
    EXPECT_EQ(reading.counts.files, 1u);
    EXPECT_EQ(reading.counts.revisits, 1u);
    EXPECT_THAT(reading.counts.set_aside, ElementsAre(Pair("request", 1), Pair("warcinfo", 1)));
    EXPECT_EQ(reading.counts.damaged_files, 0u);
    EXPECT_EQ(reading.bytes_read, fs::file_size(path));
    EXPECT_EQ(reading.bytes_total, fs::file_size(path));
    ASSERT_EQ(reading.records.size(), 4u);
    EXPECT_EQ(PageOf(reading.records[1]).body_problem, "revisit_profile");
    const FileRecord& page = reading.records[0];
    EXPECT_EQ(page.format, FormatKind::kWarc);
    EXPECT_EQ(page.record.key, "http://a.example/1");
    EXPECT_EQ(page.record.timestamp, *ParseRfc3339("2024-05-06T07:08:09Z"));
    EXPECT_EQ(PageOf(page).body, "<p>one");
  }
}

TEST_F(FileReaderTest, CountsRecordsThatHoldNoPageByType) {
  const Reading reading =
      Read({Write("a.warc", OfType("request") + OfType("Request") + OfType("metadata") +
                                OfType("\x1b[2J") + OfType("continuation"))});
  EXPECT_THAT(reading.records, IsEmpty());
  EXPECT_THAT(reading.counts.set_aside, ElementsAre(Pair("continuation", 1), Pair("metadata", 1),
                                                    Pair("request", 2), Pair("unknown", 1)));
}

TEST_F(FileReaderTest, SetsAsideWhatCrawlersKeepBesidePages) {
  std::string records;
  for (const char* uri : {"urn:text:http://a.example/1", "URN:pageinfo:http://a.example/1",
                          "dns:a.example", "whois:a.example"}) {
    WarcRecord record;
    record.type = "resource";
    record.uri = uri;
    record.content_type = "text/plain";
    record.block = "words of the page";
    records += WriteWarc(record);
  }
  const Reading reading =
      Read({Write("a.warc", records + PageRecord("http://a.example/1", "<p>words of the page"))});
  EXPECT_THAT(Urls(reading), ElementsAre("http://a.example/1"));
  EXPECT_THAT(reading.counts.set_aside,
              ElementsAre(Pair("dns:", 1), Pair("urn:", 2), Pair("whois:", 1)));
}

TEST_F(FileReaderTest, ReadsTextsOfWetFiles) {
  WarcRecord record;
  record.type = "conversion";
  record.content_type = "text/plain";
  record.block = "Text of the page";
  const std::string text = OfType("warcinfo") + WriteWarc(record);
  for (const fs::path& path : {Write("a.warc.wet.gz", testing::Gzip(text)), Write("a.wet", text),
                               Write("a.warc.wet.zst", testing::Zstd(text))}) {
    const Reading reading = Read({path});
    ASSERT_THAT(Urls(reading), ElementsAre("http://a.example/page")) << path;
    EXPECT_EQ(PageOf(reading.records[0]).body, "Text of the page");
    EXPECT_EQ(PageOf(reading.records[0]).body_kind, extract::BodyKind::kText);
  }
}

/// Pages like each other, as a dictionary helps with.
std::vector<std::string> SimilarPages(int count) {
  std::vector<std::string> pages;
  for (int i = 0; i < count; ++i) {
    std::string text = "<title>page</title>";
    for (int word = 0; word < 200; ++word) text += std::to_string(word * (i + 1) % 977) + ' ';
    pages.push_back(PageRecord("http://a.example/" + std::to_string(i), text));
  }
  return pages;
}

TEST_F(FileReaderTest, ReadsWarcInZstdWithADictionary) {
  const std::vector<std::string> pages = SimilarPages(40);
  const std::string dictionary = testing::ZstdDictionary(pages);
  std::string frames;
  for (const std::string& page : pages) frames += testing::Zstd(page, 20, dictionary);
  std::vector<std::string> urls;
  for (int i = 0; i < 40; ++i) urls.push_back("http://a.example/" + std::to_string(i));
  for (const std::string& front : {testing::ZstdDictionaryFrame(dictionary),
                                   testing::ZstdDictionaryFrame(testing::Zstd(dictionary))}) {
    const Reading reading = Read({Write("a.warc.zst", front + frames)});
    EXPECT_EQ(Urls(reading), urls);
    EXPECT_THAT(reading.warnings, IsEmpty());
  }
  // Without it nothing can be read, and that is said.
  for (const std::string& front : {std::string(), testing::ZstdDictionaryFrame("no dictionary")}) {
    const Reading reading = Read({Write("a.warc.zst", front + frames)});
    EXPECT_THAT(reading.records, IsEmpty());
    EXPECT_EQ(reading.counts.damaged_files, 1u);
    EXPECT_THAT(reading.warnings, Not(IsEmpty()));
  }
}

TEST_F(FileReaderTest, DamagedFrameOfAZstdFileWithADictionaryCostsNoOther) {
  const std::vector<std::string> pages = SimilarPages(12);
  const std::string dictionary = testing::ZstdDictionary(SimilarPages(40));
  std::string file = testing::ZstdDictionaryFrame(dictionary);
  std::size_t begin = 0;
  for (std::size_t i = 0; i < pages.size(); ++i) {
    std::string frame = testing::Zstd(pages[i], 20, dictionary);
    if (i == 5) {
      begin = file.size();
      for (std::size_t at = frame.size() / 2; at < frame.size(); ++at) frame[at] = '\x55';
    }
    file += frame;
  }
  const Reading reading = Read({Write("a.warc.zst", file)});
  std::vector<std::string> whole;
  for (const FileRecord& record : reading.records) {
    const extract::Page page = PageOf(record);
    if (page.body_problem.empty()) whole.push_back(page.url);
  }
  std::vector<std::string> expected;
  for (int i = 0; i < 12; ++i) {
    if (i != 5) expected.push_back("http://a.example/" + std::to_string(i));
  }
  EXPECT_EQ(whole, expected);
  ASSERT_EQ(reading.warnings.size(), 1u);
  EXPECT_THAT(reading.warnings[0], HasSubstr("byte " + std::to_string(begin)));
}

/// Eighteen pages, each a gzip member of its own, and where the members start.
struct PackedPages {
  std::string bytes;
  std::vector<std::size_t> starts;
};

PackedPages PackEighteenPages() {
  PackedPages pages;
  for (int i = 0; i < 18; ++i) {
    std::string text;
    for (int word = 0; word < 300; ++word) text += std::to_string(word * 7919 * (i + 1)) + ' ';
    pages.starts.push_back(pages.bytes.size());
    pages.bytes += testing::Gzip(PageRecord("http://a.example/" + std::to_string(i), text));
  }
  pages.starts.push_back(pages.bytes.size());
  return pages;
}

TEST_F(FileReaderTest, DamagedMemberCostsNoOther) {
  const PackedPages pages = PackEighteenPages();
  const std::size_t begin = pages.starts[6];
  const std::size_t end = pages.starts[7];
  const auto damage = [&](std::size_t at) {
    std::string bytes = pages.bytes;
    for (std::size_t i = at; i < std::min(at + 8, end); ++i)
      bytes[i] = static_cast<char>(~bytes[i]);
    return bytes;
  };
  std::vector<std::string> damaged = {
      pages.bytes.substr(0, end - 20) + pages.bytes.substr(end),  // cut, and another behind it
      pages.bytes.substr(0, begin) + std::string(100, 'x') + pages.bytes.substr(end)};
  for (std::size_t at = begin; at < end; at += 37) damaged.push_back(damage(at));
  damaged.push_back(damage(end - 8));  // the checksum
  for (const std::string& bytes : damaged) {
    const Reading reading = Read({Write("a.warc.gz", bytes)});
    std::vector<std::string> whole;
    for (const FileRecord& record : reading.records) {
      const extract::Page page = PageOf(record);
      if (page.body_problem.empty()) whole.push_back(page.url);
    }
    std::vector<std::string> expected;
    for (int i = 0; i < 18; ++i) {
      if (i != 6) expected.push_back("http://a.example/" + std::to_string(i));
    }
    EXPECT_EQ(whole, expected);
    EXPECT_EQ(reading.counts.damaged_files, 1u);
    EXPECT_EQ(reading.counts.lost_stretches, 1u);
    ASSERT_EQ(reading.warnings.size(), 1u);
    EXPECT_THAT(reading.warnings[0], HasSubstr("a.warc.gz at byte "));
    EXPECT_THAT(reading.warnings[0], HasSubstr("of bytes " + std::to_string(begin) + " to "));
    EXPECT_THAT(reading.warnings[0], HasSubstr("of the file is lost, reading goes on"));
  }
}

TEST_F(FileReaderTest, TwoDamagedMembersAreTwoStretchesOfOneFile) {
  const PackedPages pages = PackEighteenPages();
  std::string bytes = pages.bytes;
  for (const int i : {3, 17}) bytes.replace(pages.starts[i] + 40, 4, "\xff\xff\xff\xff");
  const Reading reading = Read({Write("a.warc.gz", bytes)});
  EXPECT_EQ(reading.counts.damaged_files, 1u);
  EXPECT_EQ(reading.counts.lost_stretches, 2u);
  ASSERT_EQ(reading.warnings.size(), 2u);
  EXPECT_THAT(reading.warnings[1], HasSubstr("the rest of the file is not read"));
  EXPECT_GE(reading.records.size(), 16u);
}

TEST_F(FileReaderTest, DamagedMemberOfJsonLinesCostsNoOther) {
  std::string bytes;
  std::size_t second = 0;
  for (int i = 0; i < 5; ++i) {
    std::string text;
    for (int word = 0; word < 300; ++word) text += std::to_string(word * 104729 * (i + 1)) + ' ';
    if (i == 1) second = bytes.size();
    bytes += testing::Gzip(R"({"url":"http://a.example/)" + std::to_string(i) + R"(","body":")" +
                           text + "\"}\n");
  }
  for (std::size_t i = 60; i < 70; ++i) bytes[second + i] = static_cast<char>(~bytes[second + i]);
  const Reading reading = Read({Write("a.jsonl.gz", bytes)});
  std::vector<std::string> urls;
  for (const FileRecord& record : reading.records) {
    Decoded decoded = Decode(record.record, record.format, {});
    if (const auto* page = std::get_if<extract::Page>(&decoded)) urls.push_back(page->url);
  }
  EXPECT_THAT(urls, ElementsAre("http://a.example/0", "http://a.example/2", "http://a.example/3",
                                "http://a.example/4"));
  EXPECT_EQ(reading.counts.damaged_files, 1u);
  EXPECT_EQ(reading.counts.lost_stretches, 1u);
}

TEST_F(FileReaderTest, SaysWhereARecordStands) {
  const std::string first = PageRecord("http://a.example/1", "<p>one");
  const std::string second = PageRecord("http://a.example/2", "<p>two");
  const fs::path plain = Write("a.warc", first + second);
  const fs::path packed = Write("b.warc.gz", testing::Gzip(first) + testing::Gzip(second));
  const fs::path whole = Write("c.warc.gz", testing::Gzip(first + second));
  const Reading reading = Read({plain, packed, whole});
  ASSERT_EQ(reading.records.size(), 6u);
  EXPECT_EQ(reading.records[0].origin, plain.native() + " at byte 0");
  EXPECT_EQ(reading.records[1].origin, plain.native() + " at byte " + std::to_string(first.size()));
  EXPECT_EQ(reading.records[3].origin,
            packed.native() + " at byte " + std::to_string(testing::Gzip(first).size()));
  EXPECT_EQ(reading.records[5].origin,
            whole.native() + " at byte " + std::to_string(first.size()) + " after unpacking");
}

TEST_F(FileReaderTest, SaysWhereARecordCanBeReadByItself) {
  const std::string first = PageRecord("http://a.example/1", "<p>one");
  const std::string second = PageRecord("http://a.example/2", "<p>two");
  const auto places_of = [](const fs::path& path) {
    std::vector<std::string> places;
    for (const FileRecord& record : Read({path}).records) {
      places.push_back(record.place
                           ? record.place->file + " " + std::to_string(record.place->offset) + "+" +
                                 std::to_string(record.place->length)
                           : "none");
    }
    return places;
  };
  const auto size = [](const std::string& bytes) { return std::to_string(bytes.size()); };
  const std::string block = std::to_string(first.size() - 4);  // without the line ends behind it
  EXPECT_THAT(places_of(Write("a.warc", first + second)),
              ElementsAre("a.warc 0+" + block, "a.warc " + size(first) + "+" + block));
  using testing::Gzip;
  using testing::Zstd;
  EXPECT_THAT(places_of(Write("b.warc.gz", Gzip(first) + Gzip(second))),
              ElementsAre("b.warc.gz 0+" + size(Gzip(first)),
                          "b.warc.gz " + size(Gzip(first)) + "+" + size(Gzip(second))));
  EXPECT_THAT(places_of(Write("c.warc.zst", Zstd(first) + Zstd(second))),
              ElementsAre("c.warc.zst 0+" + size(Zstd(first)),
                          "c.warc.zst " + size(Zstd(first)) + "+" + size(Zstd(second))));
  // One member over all: its first byte is a place, of which the length of a record isn't known.
  EXPECT_THAT(places_of(Write("d.warc.gz", Gzip(first + second))),
              ElementsAre("d.warc.gz 0+0", "none"));
  EXPECT_THAT(places_of(Write("e.jsonl", R"({"url":"http://a.example/","body":"x"})")),
              ElementsAre("none"));
}

TEST_F(FileReaderTest, TakesLooseLineEndsBetweenRecords) {
  const std::string record = PageRecord("http://a.example/", "<p>");
  const std::string tight = record.substr(0, record.size() - 4);
  EXPECT_EQ(Read({Write("a.warc", "\r\n" + tight + record + "\n\n\n" + tight)}).records.size(), 3u);
}

TEST_F(FileReaderTest, HandsOutAPageOfAWarcFileCutAnywhere) {
  const std::string first = PageRecord("http://a.example/1", "<p>one");
  const std::string second = PageRecord("http://a.example/2", "<p>two");
  const std::size_t end_of_second = first.size() + second.size() - 4;
  const std::size_t url_known = first.size() + second.find("WARC-Date");
  const std::string whole = first + second;
  for (std::size_t size = first.size(); size <= whole.size(); ++size) {
    const Reading reading = Read({Write("cut.warc", whole.substr(0, size))});
    const bool cut = size > first.size() && size < end_of_second;
    ASSERT_EQ(reading.records.size(), size >= url_known ? 2u : 1u) << size;
    EXPECT_EQ(PageOf(reading.records[0]).body, "<p>one");
    EXPECT_EQ(reading.counts.damaged_files, cut ? 1u : 0u) << size;
    ASSERT_EQ(reading.warnings.size(), cut ? 1u : 0u) << size;
    if (cut) {
      EXPECT_THAT(reading.warnings[0],
                  HasSubstr("cut.warc at byte " + std::to_string(first.size())));
    }
    if (reading.records.size() == 2) {
      EXPECT_EQ(PageOf(reading.records[1]).url, "http://a.example/2");
      EXPECT_EQ(PageOf(reading.records[1]).body_problem, cut ? "truncated" : "") << size;
    }
  }
}

TEST_F(FileReaderTest, HandsOutAPageOfAPackedWarcFileCutAnywhere) {
  const std::string first = testing::Gzip(PageRecord("http://a.example/1", "<p>one"));
  const std::string second = testing::Gzip(PageRecord("http://a.example/2", "<p>two"));
  std::size_t with_second = 0;
  for (std::size_t size = 1; size < second.size(); ++size) {
    const Reading reading = Read({Write("cut.warc.gz", first + second.substr(0, size))});
    ASSERT_GE(reading.records.size(), 1u) << size;
    EXPECT_EQ(PageOf(reading.records[0]).body, "<p>one");
    EXPECT_EQ(reading.counts.damaged_files, 1u) << size;
    EXPECT_EQ(reading.warnings.size(), 1u) << size;
    if (reading.records.size() < 2) continue;
    ++with_second;
    EXPECT_EQ(PageOf(reading.records[1]).url, "http://a.example/2");
    EXPECT_EQ(PageOf(reading.records[1]).body_problem, "truncated") << size;
  }
  EXPECT_GT(with_second, 20u);
}

TEST_F(FileReaderTest, NeverHandsOutAWrongBodyOfAPackedWarcFile) {
  const std::string first = testing::Gzip(PageRecord("http://a.example/1", "<p>one"));
  const std::string second = testing::Gzip(PageRecord("http://a.example/2", "<p>two"));
  for (std::size_t i = 0; i < first.size(); ++i) {
    for (const int mask : {0x01, 0x40, 0xFF}) {
      std::string broken = first + second;
      broken[i] = static_cast<char>(broken[i] ^ mask);
      const Reading reading = Read({Write("broken.warc.gz", broken)});
      for (const FileRecord& record : reading.records) {
        const Decoded decoded = Decode(record.record, record.format, {});
        const auto* page = std::get_if<extract::Page>(&decoded);
        if (!page || !page->body_problem.empty()) continue;
        EXPECT_TRUE(page->body == "<p>one" || page->body == "<p>two") << i << " " << page->body;
      }
      // Flips of what gzip's header says about the packer do no harm; all others are noticed.
      if (reading.records.size() < 2) {
        EXPECT_EQ(reading.warnings.size(), 1u) << i;
      }
    }
  }
}

TEST_F(FileReaderTest, TruncatesARecordWhoseChecksumIsWrong) {
  std::string packed = testing::Gzip(PageRecord("http://a.example/1", testing::Noise(200'000)));
  packed[packed.size() - 7] ^= 1;
  const Reading reading = Read({Write("a.warc.gz", packed)});
  ASSERT_EQ(reading.records.size(), 1u);
  EXPECT_EQ(PageOf(reading.records[0]).body_problem, "truncated");
  EXPECT_EQ(reading.counts.damaged_files, 1u);
}

TEST_F(FileReaderTest, ReportsWhatIsNoWarcRecord) {
  const std::string record = PageRecord("http://a.example/", "<p>");
  for (const std::string& junk :
       {std::string("junk"), std::string("WAR"), std::string(100, '\0')}) {
    const Reading reading = Read({Write("a.warc", record + junk), Write("b.warc", record)});
    EXPECT_EQ(reading.records.size(), 2u);
    EXPECT_EQ(reading.counts.damaged_files, 1u);
    ASSERT_EQ(reading.warnings.size(), 1u);
    EXPECT_THAT(reading.warnings[0], HasSubstr("a.warc at byte " + std::to_string(record.size())));
  }
  const Reading after_gzip = Read({Write("c.warc.gz", testing::Gzip(record) + "junk")});
  EXPECT_EQ(after_gzip.counts.damaged_files, 1u);
  const Reading padded = Read({Write("d.warc.gz", testing::Gzip(record) + std::string(512, '\0'))});
  EXPECT_EQ(padded.counts.damaged_files, 0u);
  const Reading empty = Read({Write("e.warc", ""), Write("f.warc.gz", "")});
  EXPECT_THAT(empty.records, IsEmpty());
  EXPECT_EQ(empty.counts.damaged_files, 0u);
  EXPECT_EQ(empty.counts.files, 2u);
}

TEST_F(FileReaderTest, ReportsAWarcRecordWithoutLength) {
  const Reading reading = Read(
      {Write("a.warc",
             "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://a/\r\n\r\nabc\r\n\r\n")});
  ASSERT_EQ(reading.records.size(), 1u);
  EXPECT_EQ(PageOf(reading.records[0]).body_problem, "malformed_message");
  EXPECT_EQ(reading.counts.damaged_files, 1u);
}

TEST_F(FileReaderTest, ReportsACutRecordThatIsNoPage) {
  const std::string info = OfType("warcinfo", std::string(100, 'x'));
  const Reading reading = Read({Write("a.warc", info.substr(0, info.size() - 50))});
  EXPECT_THAT(reading.records, IsEmpty());
  EXPECT_EQ(reading.counts.damaged_files, 1u);
}

TEST_F(FileReaderTest, TruncatesWarcRecordsOverTheLimitAndGoesOn) {
  FileReader::Options options;
  options.max_record_bytes = 100'000;
  const std::string warc = PageRecord("http://a.example/big", testing::Noise(300'000)) +
                           PageRecord("http://a.example/small", "<p>");
  for (const fs::path& path : {Write("a.warc", warc), Write("b.warc.gz", testing::Gzip(warc))}) {
    const Reading reading = Read({path}, options);
    ASSERT_EQ(reading.records.size(), 2u);
    EXPECT_EQ(reading.records[0].record.value->size(), 100'000u);
    EXPECT_EQ(PageOf(reading.records[0]).body_problem, "truncated");
    EXPECT_EQ(PageOf(reading.records[1]).body, "<p>");
    ASSERT_EQ(reading.warnings.size(), 1u);
    EXPECT_THAT(reading.warnings[0], HasSubstr("over the limit of 100000"));
    EXPECT_EQ(reading.counts.damaged_files, 0u);
  }
}

TEST_F(FileReaderTest, BelievesNoLengthBeyondTheFile) {
  for (const char* length : {"18446744073709551615", "18446744073709551000", "99999999999"}) {
    const std::string head =
        std::string(
            "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://a/\r\nContent-Length: ") +
        length + "\r\n\r\n";
    const Reading reading = Read({Write("a.warc", head + "abc")});
    ASSERT_EQ(reading.records.size(), 1u) << length;
    EXPECT_EQ(PageOf(reading.records[0]).body_problem, "truncated");
    EXPECT_EQ(reading.counts.damaged_files, 1u);
  }
}

TEST_F(FileReaderTest, HandsOutRecordsWithLargeHeads) {
  WarcRecord record;
  record.extra = "X: " + std::string(1 << 20, 'x') + "\r\n";
  const std::string after = PageRecord("http://a.example/after", "<p>");
  Reading reading = Read({Write("a.warc", WriteWarc(record) + after)});
  ASSERT_EQ(reading.records.size(), 2u);
  EXPECT_EQ(PageOf(reading.records[0]).body_problem, "header_too_large");
  EXPECT_EQ(PageOf(reading.records[1]).url, "http://a.example/after");

  record.extra += record.extra + record.extra;
  reading = Read({Write("b.warc", WriteWarc(record) + after)});
  ASSERT_EQ(reading.records.size(), 1u);
  EXPECT_EQ(PageOf(reading.records[0]).body_problem, "header_too_large");
  EXPECT_EQ(reading.counts.damaged_files, 1u);
}

TEST_F(FileReaderTest, ReadsJsonLinesInEveryPacking) {
  const std::string lines = "{\"url\":\"u:1\"}\n\n  \r\n{\"url\":\"u:2\"}\r\n{\"url\":\"u:3\"}";
  const std::string packed = testing::Gzip(lines);
  for (const fs::path& path :
       {Write("a.jsonl", lines), Write("a.json", lines), Write("a.ndjson", lines),
        Write("a.jsonl.gz", packed), Write("a.json.zst", testing::Zstd(lines)),
        Write("two-frames.ndjson.zst",
              testing::Zstd(lines.substr(0, 8)) + testing::Zstd(lines.substr(8)))}) {
    const Reading reading = Read({path});
    EXPECT_THAT(Urls(reading), ElementsAre("u:1", "u:2", "u:3")) << path;
    ASSERT_EQ(reading.records.size(), 3u);
    EXPECT_EQ(reading.records[0].format, FormatKind::kCanonical);
    EXPECT_EQ(reading.records[0].record.key, std::nullopt);
    EXPECT_EQ(reading.records[0].record.value, "{\"url\":\"u:1\"}");
    EXPECT_THAT(reading.warnings, IsEmpty());
    EXPECT_EQ(reading.bytes_read, reading.bytes_total);
  }
}

TEST_F(FileReaderTest, ReadsZstdWithALongWindow) {
  // The second half repeats the first from farther back than ordinary windows reach.
  const std::string noise = testing::Base64(testing::Noise(7 << 20));
  const std::string lines = "{\"url\":\"u:1\",\"body\":\"" + noise +
                            "\"}\n{\"url\":\"u:2\",\"body\":\"" + noise + "\"}\n";
  const Reading reading = Read({Write("a.jsonl.zst", testing::Zstd(lines, 27))});
  EXPECT_EQ(reading.records.size(), 2u);
  EXPECT_THAT(reading.warnings, IsEmpty());
}

TEST_F(FileReaderTest, ReportsCutJsonLines) {
  std::string lines;
  for (int i = 0; i < 100; ++i)
    lines += "{\"url\":\"u:" + std::to_string(i * 7919 % 1000) + "\"}\n";
  for (const auto& [name, bytes] : std::vector<std::pair<std::string, std::string>>{
           {"a.jsonl.gz", testing::Gzip(lines)}, {"a.jsonl.zst", testing::Zstd(lines)}}) {
    for (std::size_t size = 10; size < bytes.size(); ++size) {
      const Reading reading = Read({Write(name, bytes.substr(0, size))});
      EXPECT_EQ(reading.counts.damaged_files, 1u) << name << " " << size;
      EXPECT_EQ(reading.warnings.size(), 1u) << name << " " << size;
      EXPECT_LE(reading.records.size(), 100u);
    }
  }
  // A plain file that ends without line end is not known to be cut: the line speaks for itself.
  const Reading reading = Read({Write("b.jsonl", "{\"url\":\"u:1\"}\n{\"url\":\"u")});
  EXPECT_EQ(reading.records.size(), 2u);
  EXPECT_EQ(reading.counts.damaged_files, 0u);
}

TEST_F(FileReaderTest, CutsLinesOverTheLimitAndGoesOn) {
  FileReader::Options options;
  options.max_record_bytes = 100;
  const std::string lines = std::string(100, 'a') + "\n" + std::string(101, 'b') + "\n" +
                            std::string(500'000, 'c') + "\n{\"url\":\"u:1\"}\n" +
                            std::string(300, 'd');
  const Reading reading = Read({Write("a.jsonl", lines)}, options);
  ASSERT_EQ(reading.records.size(), 5u);
  EXPECT_EQ(reading.records[0].record.value, std::string(100, 'a'));
  EXPECT_EQ(reading.records[1].record.value, std::string(100, 'b'));
  EXPECT_EQ(reading.records[2].record.value, std::string(100, 'c'));
  EXPECT_EQ(reading.records[3].record.value, "{\"url\":\"u:1\"}");
  EXPECT_EQ(reading.records[4].record.value, std::string(100, 'd'));
  ASSERT_EQ(reading.warnings.size(), 3u);
  EXPECT_THAT(reading.warnings[1], HasSubstr("a.jsonl at byte 203: line of 500000 bytes"));
}

TEST_F(FileReaderTest, ReadsPageFiles) {
  const fs::path html = Write("a page.html", "<p>html");
  const fs::path packed = Write("b.HTM.gz", testing::Gzip("<p>gzip"));
  const fs::path text = Write("c.txt", "text");
  const fs::path xhtml = Write("d.xhtml", "");
  const fs::path cut = Write("e.html.gz", testing::Gzip("<p>gzip").substr(0, 15));
  const Timestamp modified = *ParseRfc3339("2020-02-03T04:05:06Z");
  fs::last_write_time(html, fs::file_time_type::clock::from_sys(modified));
  const Reading reading = Read({html, packed, text, xhtml, cut});
  ASSERT_EQ(reading.records.size(), 5u);
  EXPECT_EQ(reading.records[0].format, FormatKind::kRaw);
  EXPECT_EQ(reading.records[0].origin, html.native());
  EXPECT_EQ(reading.records[0].record.timestamp, modified);
  const extract::Page page = PageOf(reading.records[0]);
  EXPECT_EQ(page.url, "file://" + folder_.native() + "/a%20page.html");
  EXPECT_EQ(reading.records[0].record.key, page.url);
  EXPECT_EQ(page.content_type, "text/html");
  EXPECT_EQ(page.fetch_time, modified);
  EXPECT_EQ(page.body, "<p>html");
  EXPECT_EQ(PageOf(reading.records[1]).body, "<p>gzip");
  EXPECT_EQ(PageOf(reading.records[1]).content_type, "text/html");
  EXPECT_EQ(PageOf(reading.records[2]).content_type, "text/plain");
  EXPECT_EQ(PageOf(reading.records[3]).content_type, "application/xhtml+xml");
  EXPECT_EQ(PageOf(reading.records[3]).body, "");
  EXPECT_EQ(PageOf(reading.records[4]).body_problem, "truncated");
  EXPECT_EQ(reading.bytes_read, reading.bytes_total);
}

TEST_F(FileReaderTest, TruncatesPageFilesOverTheLimit) {
  FileReader::Options options;
  options.max_record_bytes = 1000;
  const Reading reading = Read(
      {Write("a.html", std::string(1000, 'x')), Write("b.html", std::string(1001, 'x'))}, options);
  ASSERT_EQ(reading.records.size(), 2u);
  EXPECT_EQ(PageOf(reading.records[0]).body.size(), 1000u);
  EXPECT_EQ(PageOf(reading.records[1]).body_problem, "truncated");
  EXPECT_EQ(reading.records[1].record.value->size(), 1000u);
  EXPECT_EQ(reading.warnings.size(), 1u);
}

TEST_F(FileReaderTest, ReadsFoldersInByteOrder) {
  Write("f/b/2.html", "");
  Write("f/b-1.html", "");
  Write("f/B.html", "");
  Write("f/a.txt", "");
  Write("f/\xc3\xa4.html", "");
  Write("f/ignored.png", "");
  Write("f/no-ending", "");
  const Reading reading = Read({folder_ / "f"});
  const std::string base = "file://" + folder_.native() + "/f/";
  EXPECT_THAT(Urls(reading), ElementsAre(base + "B.html", base + "a.txt", base + "b-1.html",
                                         base + "b/2.html", base + "%C3%A4.html"));
  EXPECT_EQ(reading.counts.files, 5u);
}

TEST_F(FileReaderTest, FollowsLinksToFilesButNotToFolders) {
  const fs::path page = Write("page.html", "<p>x");
  Write("f/g/a.html", "");
  fs::create_directory_symlink(folder_ / "f", folder_ / "f/g/loop");
  fs::create_symlink(page, folder_ / "f/link.html");
  fs::create_symlink(folder_ / "nowhere", folder_ / "f/dangling.html");
  fs::create_symlink("self.html", folder_ / "f/self.html");
  const Reading reading = Read({folder_ / "f"});
  EXPECT_EQ(reading.counts.files, 2u);
}

TEST_F(FileReaderTest, WarnsAboutAFolderWithNothingInIt) {
  fs::create_directories(folder_ / "empty");
  const Reading reading = Read({folder_ / "empty"});
  EXPECT_THAT(reading.records, IsEmpty());
  EXPECT_THAT(reading.warnings, ElementsAre(HasSubstr("empty")));
}

TEST_F(FileReaderTest, NamesEveryPathThatItCannotRead) {
  const fs::path good = Write("a.html", "");
  const fs::path odd = Write("b.png", "");
  const fs::path odder = Write("c.html.zst", "");
  const auto reader =
      FileReader::Open({good, folder_ / "missing.html", odd, odder, "/dev/null"}, {});
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error().code, ErrorCode::kInvalidInput);
  for (const char* name : {"missing.html", "b.png", "c.html.zst", "/dev/null"}) {
    EXPECT_THAT(reader.error().message, HasSubstr(name));
  }
  EXPECT_THAT(reader.error().message, Not(HasSubstr("a.html")));
}

TEST_F(FileReaderTest, ReportsAFileThatIsGoneAndIsDoneThen) {
  const fs::path path = Write("a.html", "");
  auto reader = FileReader::Open({path}, {});
  ASSERT_TRUE(reader);
  fs::remove(path);
  FileRecord record;
  const Result<bool> more = (*reader)->Next(record);
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code, ErrorCode::kIo);
  EXPECT_THAT(more.error().message, HasSubstr("a.html"));
  EXPECT_EQ((*reader)->Next(record), false);
}

TEST_F(FileReaderTest, ReportsAReadThatFails) {
  const fs::path path = Write("a.warc", PageRecord("http://a.example/", "<p>"));
  auto reader = FileReader::Open({path}, {});
  ASSERT_TRUE(reader);
  // Reading a folder opens well and fails on the first read.
  fs::remove(path);
  fs::create_directory(path);
  FileRecord record;
  const Result<bool> more = (*reader)->Next(record);
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code, ErrorCode::kIo);
}

TEST_F(FileReaderTest, ReadsManyTinyMembersAndRecords) {
  std::string bytes;
  for (int i = 0; i < 2000; ++i) {
    bytes +=
        testing::Gzip("") + testing::Gzip(PageRecord("http://a.example/" + std::to_string(i), ""));
  }
  const Reading reading = Read({Write("a.warc.gz", bytes)});
  EXPECT_EQ(reading.records.size(), 2000u);
  EXPECT_THAT(reading.warnings, IsEmpty());
}

}  // namespace
}  // namespace crawlsieve::consumer
