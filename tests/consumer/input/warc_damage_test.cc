#include "consumer/input/file_reader.h"
#include "tests/support/compress.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/warc_builder.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

// Random damage of packed WARC files, one record a member: only the members that it meets are lost,
// each is named by its place, and no page is handed out with another body than its own.

namespace crawlsieve::consumer {
namespace {

using testing::Gzip;
using testing::Noise;
using testing::PageRecord;
using testing::TemporaryDirectory;
using testing::Zstd;

enum class Packing { kGzip, kZstd, kZstdWithDictionary };

/// A packed file, and what is in it.
struct Archive {
  std::string front;                          ///< the dictionary, if there is one
  std::vector<std::string> members;           ///< packed, one record each
  std::map<std::string, std::string> bodies;  ///< by URL
  std::vector<std::string> urls;              ///< of the members

  [[nodiscard]] std::string File() const {
    std::string file = front;
    for (const std::string& member : members) file += member;
    return file;
  }
};

Archive MakeArchive(Packing packing, std::mt19937_64& random) {
  Archive archive;
  std::vector<std::string> records;
  for (int i = 0; i < 20; ++i) {
    const std::string url = "http://a.example/" + std::to_string(i);
    const std::string body = "<p>" + Noise(200 + random() % 1500, random()) +
                             std::string(random() % 3000, static_cast<char>('a' + i));
    archive.bodies[url] = body;
    archive.urls.push_back(url);
    records.push_back(PageRecord(url, body));
  }
  std::string dictionary;
  if (packing == Packing::kZstdWithDictionary) {
    std::vector<std::string> samples;
    for (int i = 0; i < 200; ++i)
      samples.push_back(PageRecord("http://a.example/", Noise(300, static_cast<std::uint64_t>(i))));
    dictionary = testing::ZstdDictionary(samples);
    archive.front = testing::ZstdDictionaryFrame(dictionary);
  }
  for (const std::string& record : records) {
    archive.members.push_back(packing == Packing::kGzip ? Gzip(record)
                                                        : Zstd(record, 20, dictionary));
  }
  return archive;
}

/// Bytes of a file, the last one included.
struct Range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  [[nodiscard]] bool Meets(const Range& other) const {
    return begin <= other.end && other.begin <= end;
  }
};

struct Damage {
  std::string what;
  std::string file;
  std::vector<Range> places;  ///< in `file`
};

/// Not of the bytes in front of `first`.
Damage MakeDamage(std::string file, std::size_t first, std::mt19937_64& random) {
  const auto place = [&] { return first + random() % (file.size() - first); };
  const auto length = [&](std::size_t at) {
    return 1 + random() % std::min<std::size_t>(file.size() - at, 3000);
  };
  Damage damage;
  switch (random() % 6) {
    case 0: {
      damage.what = "flips";
      const std::size_t count = 1 + random() % 4;
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t at = place();
        file[at] = static_cast<char>(file[at] ^ (1 << random() % 8));
        damage.places.push_back({at, at});
      }
      break;
    }
    case 1: {
      damage.what = "truncation";
      file.resize(place());
      damage.places.push_back({file.size(), file.size()});
      break;
    }
    case 2: {
      damage.what = "overwritten";
      const std::size_t at = place();
      const std::size_t count = length(at);
      file.replace(at, count, Noise(count, random()));
      damage.places.push_back({at, at + count - 1});
      break;
    }
    case 3: {
      damage.what = "cut out";
      const std::size_t at = place();
      file.erase(at, length(at));
      damage.places.push_back({at - (at > 0 ? 1 : 0), at});
      break;
    }
    case 4: {
      damage.what = "inserted";
      const std::size_t at = place();
      const std::size_t count = 1 + random() % 3000;
      file.insert(at, Noise(count, random()));
      damage.places.push_back({at, at + count});
      break;
    }
    default: {
      damage.what = "splice of its own bytes";
      const std::size_t from = place();
      const std::string piece = file.substr(from, length(from));
      const std::size_t at = place();
      file.insert(at, piece);
      damage.places.push_back({at, at + piece.size()});
    }
  }
  damage.file = std::move(file);
  return damage;
}

/// The number behind `name` in `text`, if there is one.
std::optional<std::uint64_t> NumberBehind(const std::string& text, std::string_view name) {
  const std::size_t at = text.find(name);
  if (at == std::string::npos) return std::nullopt;
  return std::strtoull(text.c_str() + at + name.size(), nullptr, 10);
}

/// The bytes that a warning says are lost.
Range LostBytes(const std::string& warning) {
  constexpr std::uint64_t kEnd = std::numeric_limits<std::uint64_t>::max();
  if (const auto begin = NumberBehind(warning, "is left of bytes ")) {
    return {*begin, NumberBehind(warning, " to ").value_or(0)};
  }
  // The rest of the file: from the member on in which it stands.
  return {0, kEnd};
}

struct Outcome {
  std::multiset<std::string> whole;  ///< URLs of pages with their body
  std::vector<std::string> wrong;    ///< URLs of pages with another
  std::vector<std::string> warnings;
  FileReaderCounts counts;
};

Outcome Read(const std::filesystem::path& path, const Archive& archive) {
  Outcome outcome;
  auto reader = FileReader::Open({path}, {});
  EXPECT_TRUE(reader.has_value());
  for (FileRecord record; (*reader)->Next(record).value_or(false);) {
    const Decoded decoded = Decode(record.record, record.format, {});
    const auto* page = std::get_if<extract::Page>(&decoded);
    if (page == nullptr || !page->body_problem.empty()) continue;
    const auto body = archive.bodies.find(page->url);
    if (body != archive.bodies.end() && body->second == page->body) {
      outcome.whole.insert(page->url);
    } else {
      outcome.wrong.push_back(page->url);
    }
  }
  outcome.warnings = (*reader)->TakeWarnings();
  outcome.counts = (*reader)->counts();
  return outcome;
}

class WarcDamageTest : public ::testing::TestWithParam<Packing> {};

TEST_P(WarcDamageTest, CostsOnlyTheMembersThatItMeetsAndNamesThem) {
  constexpr int kDamages = 170;
  const std::uint64_t seed = 20240506 + static_cast<std::uint64_t>(GetParam());
  std::mt19937_64 random(seed);
  const TemporaryDirectory directory;
  const auto path = directory.path() / "damaged.warc";
  int lost_members = 0;
  for (int i = 0; i < kDamages; ++i) {
    const Archive archive = MakeArchive(GetParam(), random);
    const std::string whole = archive.File();
    const Damage damage = MakeDamage(whole, archive.front.size(), random);
    const std::string trace =
        "seed " + std::to_string(seed) + ", damage " + std::to_string(i) + ": " + damage.what;
    std::ofstream(path, std::ios::binary) << damage.file;
    const Outcome outcome = Read(path, archive);
    EXPECT_TRUE(outcome.wrong.empty()) << trace << ' ' << outcome.wrong.front();
    bool is_any_lost = false;
    for (std::size_t member = 0; member < archive.members.size(); ++member) {
      const bool has_page = outcome.whole.count(archive.urls[member]) > 0;
      const bool is_there = damage.file.find(archive.members[member]) != std::string::npos;
      EXPECT_TRUE(has_page || !is_there) << trace << ", member " << member << " is lost";
      if (!has_page) ++lost_members;
      is_any_lost = is_any_lost || !has_page;
    }
    // A cut between two members leaves nothing to be seen.
    bool is_at_border = false;
    std::uint64_t end = archive.front.size();
    for (const std::string& member : archive.members) {
      is_at_border = is_at_border || damage.file.size() == end;
      end += member.size();
    }
    if (!is_any_lost || (damage.what == "truncation" && is_at_border)) continue;
    EXPECT_EQ(outcome.counts.damaged_files, 1U) << trace;
    for (const Range& place : damage.places) {
      // What a flip does to a byte without meaning costs nothing.
      if (damage.what == "flips" && damage.places.size() > 1) continue;
      const bool is_named =
          std::any_of(outcome.warnings.begin(), outcome.warnings.end(),
                      [&](const std::string& warning) { return LostBytes(warning).Meets(place); });
      EXPECT_TRUE(is_named) << trace << ", bytes " << place.begin << " to " << place.end << ": "
                            << ::testing::PrintToString(outcome.warnings);
    }
  }
  EXPECT_GT(lost_members, kDamages / 2);
  RecordProperty("lost_members", lost_members);
}

std::string NameOf(const ::testing::TestParamInfo<Packing>& packing) {
  switch (packing.param) {
    case Packing::kGzip:
      return "gzip";
    case Packing::kZstd:
      return "zstd";
    case Packing::kZstdWithDictionary:
      break;
  }
  return "zstd_with_dictionary";
}

INSTANTIATE_TEST_SUITE_P(AllPackings, WarcDamageTest,
                         ::testing::Values(Packing::kGzip, Packing::kZstd,
                                           Packing::kZstdWithDictionary),
                         NameOf);

}  // namespace
}  // namespace crawlsieve::consumer
