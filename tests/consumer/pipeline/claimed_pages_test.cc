#include "consumer/claims/directory_store.h"
#include "consumer/output/verdict_record.h"
#include "consumer/pipeline/scan.h"
#include "plugin/index/sharded_index.h"
#include "tests/support/compress.h"
#include "tests/support/http_server.h"
#include "tests/support/memory_reader.h"
#include "tests/support/memory_store.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/warc_builder.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <openssl/evp.h>

// Pages by reference must get the verdicts that a scan of the WARC files gives them.

namespace crawlsieve::consumer {
namespace {

using crawlsieve::testing::Gzip;
using crawlsieve::testing::HttpPeer;
using crawlsieve::testing::HttpRequest;
using crawlsieve::testing::HttpServer;
using crawlsieve::testing::MemoryReader;
using crawlsieve::testing::MemoryStore;
using crawlsieve::testing::RangeAnswer;
using crawlsieve::testing::TemporaryDirectory;
using crawlsieve::testing::WarcRecord;
using crawlsieve::testing::WriteWarc;
using nlohmann::json;
using ::testing::HasSubstr;

constexpr int kPages = 1000;
constexpr int kPagesInAFile = 120;

std::string Sha1Base32(std::string_view bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  EXPECT_EQ(EVP_Digest(bytes.data(), bytes.size(), digest, &size, EVP_sha1(), nullptr), 1);
  std::string text;
  unsigned window = 0;
  unsigned bits = 0;
  for (unsigned i = 0; i < size; ++i) {
    window = window << 8 | digest[i];
    for (bits += 8; bits >= 5;)
      text += "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[window >> (bits -= 5) & 31];
  }
  return text;
}

/// A page in a WARC file.
struct StoredPage {
  std::string url;
  int status = 200;
  std::string payload;  ///< as stored
  std::string file;
  std::size_t offset = 0;
  std::size_t length = 0;
};

std::string Chunked(const std::string& body) {
  return fmt::format("{:x}\r\n{}\r\n0\r\n\r\n", body.size(), body);
}

class Archive {
 public:
  Archive() {
    const std::uint64_t seed = 11;
    std::mt19937_64 random(seed);
    std::string words;
    for (int i = 0; i < kPages; ++i) {
      if (i % 5 == 4) {
        words += "einzeln";  // nearly the page before
      } else if (i % 5 != 3) {
        words.clear();
        for (int word = 0; word < 100 + i % 300; ++word) {
          words += "w" + std::to_string(random() % 5000) + ' ';
        }
      }
      Add(i, i % 23 == 22 ? "few words" : words);
    }
    Close();
  }

  void Add(int number, const std::string& words) {
    StoredPage page;
    page.url =
        fmt::format("http://h{}.example/größe/{}", number % 9, number % 29 == 28 ? 1 : number);
    page.status = number % 37 == 36 ? 404 : number % 41 == 40 ? 301 : 200;
    page.file = fmt::format("part/{:02}.warc.gz", number / kPagesInAFile);
    std::string fields = "Content-Type: text/html; charset=utf-8\r\nLocation: /elsewhere\r\n";
    page.payload = "<!doctype html><html><head><title>Seite " + std::to_string(number / 5) +
                   "</title></head><body><p>" + words + "</p></body></html>";
    if (number % 3 == 1) {
      fields += "Content-Encoding: gzip\r\n";
      page.payload = Gzip(page.payload);
    }
    if (number % 4 == 1) {
      fields += "Transfer-Encoding: chunked\r\n";
      page.payload = Chunked(page.payload);
    }
    WarcRecord record;
    record.uri = page.url;
    record.date = fmt::format("2024-05-06T07:{:02}:{:02}Z", number / 60 % 60, number % 60);
    record.block = fmt::format("HTTP/1.1 {} x\r\n{}\r\n{}", page.status, fields, page.payload);
    if (!pages_.empty() && pages_.back().file != page.file) Close();
    const std::string packed = Gzip(WriteWarc(record));
    page.offset = bytes_.size();
    page.length = packed.size();
    bytes_ += packed;
    record.type = "request";
    record.block = "GET / HTTP/1.1\r\n\r\n";
    bytes_ += Gzip(WriteWarc(record));
    pages_.push_back(std::move(page));
  }

  [[nodiscard]] const std::vector<StoredPage>& pages() const { return pages_; }
  [[nodiscard]] std::filesystem::path root() const { return directory_.path(); }

  /// The whole file, as it lies there.
  [[nodiscard]] std::string Read(const std::string& file) const {
    std::ifstream in(root() / file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  void Close() {
    const auto path = root() / pages_.back().file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << std::exchange(bytes_, {});
  }

  const TemporaryDirectory directory_;
  std::vector<StoredPage> pages_;
  std::string bytes_;
};

const Archive& TheArchive() {
  static const Archive archive;
  return archive;
}

class Collector final : public ScanListener {
 public:
  Status OnVerdict(const log::Page& page, const Verdict& verdict) override {
    json record = json::parse(VerdictRecord(page, verdict, {"test", Timestamp{}}));
    for (const char* field : {"source", "id", "attrs", "crawl_id"}) record.erase(field);
    verdicts.push_back(std::move(record));
    return {};
  }
  Status OnDeadLetter(const std::string& /*origin*/, const DecodeFailure& failure) override {
    ADD_FAILURE() << failure.code << ": " << failure.message;
    return {};
  }
  Status OnCommit() override { return {}; }

  std::vector<json> verdicts;
};

struct Outcome {
  Status status;
  std::vector<json> verdicts;
};

Outcome Judge(FileReader& reader, BodyFetcher* bodies,
              std::chrono::milliseconds patience = std::chrono::seconds(60)) {
  ScanOptions options;
  options.threads = 4;
  options.bodies = bodies;
  options.patience = patience;
  const TemporaryDirectory directory;
  auto store = Store::Open({.directory = directory.path()});
  EXPECT_TRUE(store.has_value());
  auto detector = Detector::Open(
      **store,
      [](int max_distance) -> Result<std::unique_ptr<HammingIndex>> {
        return ShardedIndex::Create(
            {.max_distance = max_distance, .shards = 4, .expected_entries = 1000});
      },
      SchemeOf(options.processor));
  EXPECT_TRUE(detector.has_value());
  Collector collector;
  Status status = Scan(reader, **detector, options, collector);
  return {std::move(status), std::move(collector.verdicts)};
}

const std::vector<json>& ScannedVerdicts() {
  static const std::vector<json> verdicts = [] {
    auto reader = FileReader::Open({TheArchive().root()}, {});
    EXPECT_TRUE(reader.has_value());
    return Judge(**reader, nullptr).verdicts;
  }();
  return verdicts;
}

using Write = std::function<std::string(const StoredPage&)>;

MemoryReader References(FormatKind format, const Write& write) {
  MemoryReader reader;
  for (const StoredPage& page : TheArchive().pages()) {
    FileRecord record;
    record.format = format;
    record.record.value = write(page);
    record.record.timestamp = Timestamp{std::chrono::milliseconds(1'700'000'000'000)};
    reader.Add(std::move(record));
  }
  return reader;
}

std::string Canonical(const StoredPage& page) {
  return json{{"url", page.url},
              {"body_ref",
               {{"uri", page.file},
                {"offset", page.offset},
                {"length", page.length},
                {"sha1", Sha1Base32(page.payload)}}}}
      .dump();
}

std::string Heritrix(const StoredPage& page) {
  return json{{"url", page.url},
              {"status_code", page.status},
              {"timestamp", "2024-05-06T09:00:00.000Z"},
              {"mimetype", "text/html"},
              {"content_digest", "sha1:" + Sha1Base32(page.payload)},
              {"start_time_plus_duration", nullptr},
              {"warc_filename", page.file},
              {"warc_offset", page.offset}}
      .dump();
}

std::string CommonCrawl(const StoredPage& page) {
  return "key 20240506090000 " + json{{"url", page.url},
                                      {"status", std::to_string(page.status)},
                                      {"mime", "text/html"},
                                      {"filename", page.file},
                                      {"offset", std::to_string(page.offset)},
                                      {"length", std::to_string(page.length)}}
                                     .dump();
}

void ExpectScanned(const Outcome& outcome) {
  ASSERT_TRUE(outcome.status.has_value()) << outcome.status.error().message;
  const std::vector<json>& expected = ScannedVerdicts();
  ASSERT_EQ(expected.size(), static_cast<std::size_t>(kPages));
  ASSERT_EQ(outcome.verdicts.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(outcome.verdicts[i], expected[i]) << "record " << i;
  }
}

std::unique_ptr<BodyFetcher> DirectoryFetcher() {
  ClaimOptions options;
  options.directory = TheArchive().root();
  return MakeBodyFetcher(options, {}, 64 << 20).value();
}

TEST(ClaimedPages, GetTheVerdictsOfAScanOfTheirFiles) {
  for (const auto& [format, write] :
       {std::pair<FormatKind, Write>(FormatKind::kCanonical, Canonical),
        std::pair<FormatKind, Write>(FormatKind::kHeritrix, Heritrix),
        std::pair<FormatKind, Write>(FormatKind::kCommonCrawl, CommonCrawl)}) {
    for (const FormatKind kind : {format, FormatKind::kAuto}) {
      SCOPED_TRACE(FormatName(format));
      MemoryReader reader = References(kind, write);
      ExpectScanned(Judge(reader, DirectoryFetcher().get()));
    }
  }
  // Or the test would show nothing.
  std::map<std::string, int> reasons;
  for (const json& verdict : ScannedVerdicts()) ++reasons[verdict.at("reason")];
  for (const char* reason :
       {"unique", "exact_duplicate", "near_duplicate", "too_short", "redirect", "error_status"}) {
    EXPECT_GT(reasons[reason], 9) << reason;
  }
}

TEST(ClaimedPages, AreNotEvaluatedWithoutAStore) {
  MemoryReader reader = References(FormatKind::kCanonical, Canonical);
  const Outcome outcome = Judge(reader, nullptr);
  ASSERT_TRUE(outcome.status.has_value());
  ASSERT_EQ(outcome.verdicts.size(), static_cast<std::size_t>(kPages));
  for (const json& verdict : outcome.verdicts) {
    EXPECT_EQ(verdict.at("reason"), "not_evaluated");
    EXPECT_EQ(verdict.at("detail"), "unsupported_body_ref");
  }
}

/// All files of the archive in memory.
std::unique_ptr<MemoryStore> StoreOfTheArchive() {
  auto store = std::make_unique<MemoryStore>();
  std::string last;
  for (const StoredPage& page : TheArchive().pages()) {
    if (page.file != last) store->Put(page.file, TheArchive().Read(page.file));
    last = page.file;
  }
  return store;
}

/// Sends the files of the archive, with or without a query, and something wrong for the one or
/// other request.
bool AnswerNowAndThen(int number, const HttpRequest& request, HttpPeer& peer) {
  const std::string path = request.target.substr(1, request.target.find('?') - 1);
  const std::string right = RangeAnswer(request, TheArchive().Read(path));
  const auto status = [&peer](const char* line) {
    return peer.Send(std::string("HTTP/1.1 ") + line + "\r\nContent-Length: 0\r\n\r\n");
  };
  // More in a row than the attempts at one body.
  if (number % 400 < 6) return status("503 Service Unavailable");
  switch (number % 60) {
    case 7:
      return status("429 Too Many Requests");
    case 11:
      return status("401 Unauthorized");
    case 13:
      return status("403 Forbidden");
    case 17:
      return status("302 Found\r\nLocation: /part/00.warc.gz");
    case 19:
      return false;
    case 23:
      peer.Send(std::string_view(right).substr(0, right.size() / 2));
      return false;
    case 29:
      return peer.Send("garbage\r\n\r\n");
    case 31: {
      HttpRequest other = request;
      other.fields["range"] = "bytes=0-99";
      return peer.Send(RangeAnswer(other, TheArchive().Read(path)));
    }
    case 37: {
      HttpRequest whole = request;
      whole.fields.erase("range");
      return peer.Send(RangeAnswer(whole, TheArchive().Read(path), "Content-Encoding: gzip\r\n"));
    }
    case 39:
      for (const char byte : right) {
        if (!peer.Send({&byte, 1})) return false;
      }
      return true;
    case 41:
      peer.Send("HTTP/1.1 206 x\r\nContent-Range: bytes 0-9/10\r\n\r\n");
      peer.SendForever("body without end", 1'000'000'000);
      return false;
    default:
      return peer.Send(right);
  }
}

TEST(ClaimedPages, AServerThatDoesEverythingWrongNowAndThenChangesNoVerdict) {
  std::atomic<int> requests = 0;
  HttpServer server([&requests](const HttpRequest& request, HttpPeer& peer) {
    return AnswerNowAndThen(requests++, request, peer);
  });
  ClaimOptions options;
  options.url = server.url();
  options.allow_private_addresses = true;
  const auto bodies = MakeBodyFetcher(options, {}, 64 << 20).value();
  MemoryReader reader = References(FormatKind::kCanonical, [&](const StoredPage& page) {
    json record = json::parse(Canonical(page));
    if (page.offset % 2 == 0) {
      record["body_ref"]["uri"] = server.url() + page.file + "?X-Amz-Signature=secret";
    }
    return record.dump();
  });
  const Outcome outcome = Judge(reader, bodies.get());
  ExpectScanned(outcome);
  EXPECT_GT(requests, kPages);
  for (const json& verdict : outcome.verdicts) {
    ASSERT_EQ(verdict.dump().find("secret"), std::string::npos);
  }
}

TEST(ClaimedPages, AStoreThatFailsNowAndThenChangesNoVerdict) {
  auto store = StoreOfTheArchive();
  std::atomic<int> reads = 0;
  store->SetTrouble([&reads](const std::string&) -> std::optional<StoreFailure> {
    // Alone, and six in a row, which is more than the attempts at one body.
    const int read = reads++;
    if (read % 50 != 7 && read % 400 > 5) return std::nullopt;
    return StoreFailure{StoreFailure::Kind::kUnavailable, "503"};
  });
  BodyFetcher bodies(std::move(store), nullptr, {}, {}, 64 << 20);
  MemoryReader reader = References(FormatKind::kHeritrix, Heritrix);
  ExpectScanned(Judge(reader, &bodies));
  EXPECT_GT(reads, kPages);
}

TEST(ClaimedPages, AStoreThatStaysDownEndsTheScanWithoutAWrongVerdict) {
  auto store = StoreOfTheArchive();
  std::atomic<int> reads = 0;
  store->SetTrouble([&reads](const std::string&) -> std::optional<StoreFailure> {
    if (reads++ < 500) return std::nullopt;
    return StoreFailure{StoreFailure::Kind::kUnavailable, "connection refused"};
  });
  BodyFetcher bodies(std::move(store), nullptr, {}, {}, 64 << 20);
  MemoryReader reader = References(FormatKind::kHeritrix, Heritrix);
  const Outcome outcome = Judge(reader, &bodies, std::chrono::milliseconds(0));
  ASSERT_FALSE(outcome.status.has_value());
  EXPECT_EQ(outcome.status.error().code, ErrorCode::kIo);
  EXPECT_THAT(outcome.status.error().message, HasSubstr("connection refused"));
  EXPECT_LT(outcome.verdicts.size(), static_cast<std::size_t>(kPages));
  for (std::size_t i = 0; i < outcome.verdicts.size(); ++i) {
    ASSERT_EQ(outcome.verdicts[i], ScannedVerdicts()[i]) << "record " << i;
  }
}

TEST(ClaimedPages, MissingAndDamagedOnesRetireNothing) {
  MemoryReader reader;
  const StoredPage& page = TheArchive().pages()[2];
  const auto add = [&](const json& ref) {
    FileRecord record;
    record.format = FormatKind::kCanonical;
    record.record.value =
        json{{"url", page.url}, {"fetch_time", "2024-05-06T07:00:02Z"}, {"body_ref", ref}}.dump();
    record.record.timestamp = Timestamp{std::chrono::milliseconds(1'700'000'000'000)};
    reader.Add(std::move(record));
  };
  const json good = {{"file", page.file}, {"offset", page.offset}};
  const json other = {{"file", page.file}, {"offset", TheArchive().pages()[3].offset}};
  json lying = good;
  lying["sha1"] = Sha1Base32("another payload");
  add(good);
  add({{"file", "part/99.warc.gz"}, {"offset", 0}});
  add({{"file", page.file}, {"offset", page.offset + 1}});
  add({{"file", page.file}, {"offset", 1 << 30}});
  add(other);
  add(lying);
  add({{"file", "../part/00.warc.gz"}});
  add(good);
  ClaimOptions options;
  options.directory = TheArchive().root();
  options.growing = std::chrono::milliseconds(0);
  const Outcome outcome = Judge(reader, MakeBodyFetcher(options, {}, 64 << 20).value().get());
  std::string details;
  for (const json& verdict : outcome.verdicts) {
    details += verdict.at("reason").get<std::string>() + " " +
               (verdict.at("detail").is_string() ? verdict.at("detail").get<std::string>() : "") +
               "\n";
  }
  EXPECT_EQ(details,
            "unique \n"
            "not_evaluated body_not_found\n"
            "not_evaluated body_damaged\n"
            "not_evaluated body_not_found\n"
            "not_evaluated body_of_other_page\n"
            "not_evaluated digest_mismatch\n"
            "not_evaluated bad_body_ref\n"
            "unchanged \n");
}

}  // namespace
}  // namespace crawlsieve::consumer
