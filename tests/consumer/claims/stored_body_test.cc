#include "consumer/claims/stored_body.h"

#include "tests/support/compress.h"
#include "tests/support/memory_store.h"
#include "tests/support/warc_builder.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

using crawlsieve::testing::Gzip;
using crawlsieve::testing::MemoryStore;
using crawlsieve::testing::Noise;
using crawlsieve::testing::PageRecord;
using crawlsieve::testing::Zstd;
using ::testing::HasSubstr;

/// The record without the two line ends that follow it.
std::string Trimmed(std::string record) {
  record.resize(record.size() - 4);
  return record;
}

class StoredBodyTest : public ::testing::Test {
 protected:
  /// What reading comes to: "bytes" and `bytes_` set, a code, "growing", "down" or "stopped".
  std::string Read(const BodyRef& ref, const DecodeLimits& limits = {}) {
    auto read = ReadStoredBody(store_, ref, limits, large_, stop_.get_token());
    if (!read) {
      message_ = read.error().message;
      switch (read.error().kind) {
        case StoreOutage::Kind::kStoreDown:
          return "down";
        case StoreOutage::Kind::kFileGrowing:
          return "growing";
        case StoreOutage::Kind::kStopped:
          return "stopped";
      }
    }
    bytes_ = read->bytes;
    message_ = read->message;
    return read->problem.empty() ? "bytes" : read->problem;
  }

  BodyRef At(std::uint64_t offset, std::optional<std::uint64_t> length = {}) const {
    return {"f", offset, length, "", BodyRef::Holds::kWarcRecord};
  }

  MemoryStore store_;
  LargeBodies large_{1};
  std::stop_source stop_;
  std::string bytes_;
  std::string message_;
  const std::string first_ = PageRecord("http://a.example/1", "<p>one");
  const std::string second_ = PageRecord("http://a.example/2", Noise(200'000));
};

TEST_F(StoredBodyTest, ReadsTheRecordThatBeginsAtAnOffset) {
  for (const auto& pack :
       {+[](const std::string& s) { return s; }, +[](const std::string& s) { return Gzip(s); },
        +[](const std::string& s) { return Zstd(s); }}) {
    const std::string a = pack(first_);
    const std::string b = pack(second_);
    store_.Put("f", a + b + a);
    ASSERT_EQ(Read(At(0)), "bytes") << message_;
    EXPECT_EQ(bytes_, Trimmed(first_));
    ASSERT_EQ(Read(At(a.size())), "bytes") << message_;
    EXPECT_EQ(bytes_, Trimmed(second_));
    ASSERT_EQ(Read(At(a.size(), b.size())), "bytes") << message_;
    EXPECT_EQ(bytes_, Trimmed(second_));
    ASSERT_EQ(Read(At(a.size() + b.size())), "bytes") << message_;
    EXPECT_EQ(bytes_, Trimmed(first_));
  }
}

TEST_F(StoredBodyTest, ReadsNoMoreThanTheReferenceSays) {
  const std::string a = Gzip(first_);
  store_.Put("f", a + Gzip(second_));
  ASSERT_EQ(Read(At(0, a.size())), "bytes");
  EXPECT_EQ(store_.reads(), 1);
  EXPECT_EQ(store_.most_asked_for(), a.size());
}

TEST_F(StoredBodyTest, ReadsARecordInAFileThatIsPackedAsAWhole) {
  store_.Put("f", Gzip(first_ + second_ + second_));
  ASSERT_EQ(Read(At(0)), "bytes") << message_;
  EXPECT_EQ(bytes_, Trimmed(first_));
}

TEST_F(StoredBodyTest, ReadsABodyThatLiesByItself) {
  store_.Put("f", "xx<p>body");
  EXPECT_EQ(Read({"f", 2, {}, "", BodyRef::Holds::kBody}), "bytes");
  EXPECT_EQ(bytes_, "<p>body");
  EXPECT_EQ(Read({"f", 2, 3, "", BodyRef::Holds::kBody}), "bytes");
  EXPECT_EQ(bytes_, "<p>");
  EXPECT_EQ(Read({"f", 2, 8, "", BodyRef::Holds::kBody}), "body_damaged");
  DecodeLimits limits;
  limits.max_body_bytes = 6;
  EXPECT_EQ(Read({"f", 2, {}, "", BodyRef::Holds::kBody}, limits), "body_too_large");
  EXPECT_EQ(Read({"f", 2, 6, "", BodyRef::Holds::kBody}, limits), "bytes");
  store_.Put("f", "xx<p>body", /*may_grow=*/true);
  EXPECT_EQ(Read({"f", 2, {}, "", BodyRef::Holds::kBody}), "growing") << "its end isn't known";
  EXPECT_EQ(Read({"f", 2, 3, "", BodyRef::Holds::kBody}), "bytes");
}

TEST_F(StoredBodyTest, SaysWhatIsDamaged) {
  const std::string a = Gzip(first_);
  std::string flipped = a;
  flipped[flipped.size() / 2] = static_cast<char>(flipped[flipped.size() / 2] ^ 0x40);
  store_.Put("f", flipped + a);
  EXPECT_EQ(Read(At(0)), "body_damaged");
  EXPECT_THAT(message_, HasSubstr("f at byte 0"));
  EXPECT_EQ(Read(At(1)), "body_damaged") << "no record begins there";
  store_.Put("f", a + Gzip("no record"));
  EXPECT_EQ(Read(At(a.size())), "body_damaged");
  store_.Put("f", a);
  EXPECT_EQ(Read(At(0, a.size() - 1)), "body_damaged") << "the reference is too short";
  EXPECT_EQ(Read(At(a.size())), "body_not_found");
  EXPECT_EQ(Read(At(1ULL << 62)), "body_not_found");
  EXPECT_EQ(Read({"g", 0, {}, "", BodyRef::Holds::kWarcRecord}), "body_not_found");
}

TEST_F(StoredBodyTest, EveryCutIsSeenForWhatItIs) {
  for (const std::string& record : {first_, Gzip(first_), Zstd(first_)}) {
    const std::size_t whole = record == first_ ? record.size() - 4 : record.size();
    for (std::size_t size = 0; size < whole; ++size) {
      store_.Put("f", record.substr(0, size), /*may_grow=*/true);
      ASSERT_EQ(Read(At(0)), "growing") << size;
      store_.Put("f", record.substr(0, size), /*may_grow=*/false);
      ASSERT_EQ(Read(At(0)), size == 0 ? "body_not_found" : "body_damaged") << size;
    }
  }
}

TEST_F(StoredBodyTest, DamageInTheMiddleOfAFileThatGrowsIsNotWaitedFor) {
  std::string flipped = Gzip(first_);
  flipped[flipped.size() / 2] = static_cast<char>(flipped[flipped.size() / 2] ^ 0x40);
  store_.Put("f", flipped + Gzip(second_), /*may_grow=*/true);
  EXPECT_EQ(Read(At(0)), "body_damaged");
}

TEST_F(StoredBodyTest, KeepsToTheLimits) {
  DecodeLimits limits;
  limits.max_body_bytes = 40'000;
  limits.max_header_bytes = 1000;
  const std::string bomb =
      "WARC/1.0\r\nContent-Length: 9\r\nX: " + std::string(50 << 20, 'x') + "\r\n\r\n";
  for (const std::string& record : {second_, Gzip(second_), bomb, Gzip(bomb), Zstd(bomb)}) {
    store_.Put("f", record);
    EXPECT_EQ(Read(At(0), limits), "body_too_large");
  }
  store_.Put("f", "WARC/1.0\r\n" + std::string(10 << 20, 'x'));
  EXPECT_EQ(Read(At(0), limits), "body_too_large");
  EXPECT_LT(store_.most_asked_for(), 2U << 20);
}

TEST_F(StoredBodyTest, TellsAnOutageFromEverythingElse) {
  store_.SetDown(true);
  EXPECT_EQ(Read(At(0)), "down");
  EXPECT_EQ(message_, "no answer");
  stop_.request_stop();
  EXPECT_EQ(Read(At(0)), "stopped");
  store_.SetTrouble([](const std::string&) {
    return StoreFailure{StoreFailure::Kind::kRefused, "not this one"};
  });
  EXPECT_EQ(Read(At(0)), "bad_body_ref");
}

TEST_F(StoredBodyTest, LargeBodiesWaitForEachOther) {
  store_.Put("f", Gzip(PageRecord("http://a.example/3", Noise(2 << 20))));
  auto held = ReadStoredBody(store_, At(0), {}, large_, {});
  ASSERT_TRUE(held.has_value());
  EXPECT_NE(held->lease, nullptr);
  stop_.request_stop();
  EXPECT_EQ(Read(At(0)), "stopped") << "there is one place only";
  held->lease.reset();
  EXPECT_EQ(Read(At(0)), "bytes");
  store_.Put("f", Gzip(first_));
  EXPECT_EQ(ReadStoredBody(store_, At(0), {}, large_, {})->lease, nullptr);
}

}  // namespace
}  // namespace crawlsieve::consumer
