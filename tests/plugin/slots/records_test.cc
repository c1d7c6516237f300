// Records of the topics of changes and candidates: what is written is read again, and bytes from
// anywhere are refused or mean what they say.
#include "plugin/slots/candidates_record.h"
#include "plugin/slots/changes_record.h"
#include "plugin/slots/slots.pb.h"

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

constexpr const char* kChecksum = "0123456789abcdef";

CandidatesRecord SomeCandidates() {
  CandidatesRecord record;
  record.layout = {3, 2, "cs1-test"};
  record.slot = 1;
  record.place = {{90, kChecksum}, 80};
  record.first = 95;
  record.max_distance = 6;
  record.answers = {
      {95, Fingerprint{7}, {{DocId{5}, 0}, {DocId{17}, 0}, {DocId{4}, 6}}, true},
      {97, Fingerprint{~0ULL}, {}, false},
      {2'000, Fingerprint{9}, {{DocId{77}, 3}}, false},
  };
  return record;
}

ChangesRecord SomeChanges() {
  ChangesRecord record;
  record.layout = {3, 2, "cs1-test"};
  record.before = {{90, kChecksum}, 80};
  record.after = {{120, "fedcba9876543210"}, 105};
  record.parameters = JudgeParameters();
  record.ask = 32;
  record.inserted = {{Fingerprint{7}, DocId{81}}, {Fingerprint{~0ULL}, DocId{105}}};
  record.retired = {{Fingerprint{1}, DocId{3}}};
  record.consulted = {{DocId{81}, {}}, {DocId{99}, {DocId{80}, DocId{3}}}};
  return record;
}

TEST(CandidatesRecord, ComesBackAsItWasWritten) {
  const CandidatesRecord written = SomeCandidates();
  const auto read = CandidatesRecord::Parse(written.Encode());
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(read->layout, written.layout);
  EXPECT_EQ(read->slot, written.slot);
  EXPECT_EQ(read->place, written.place);
  EXPECT_EQ(read->max_distance, written.max_distance);
  EXPECT_EQ(read->answers, written.answers);
}

TEST(ChangesRecord, ComesBackAsItWasWritten) {
  const ChangesRecord written = SomeChanges();
  const auto read = ChangesRecord::Parse(written.Encode());
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(read->layout, written.layout);
  EXPECT_EQ(read->before, written.before);
  EXPECT_EQ(read->after, written.after);
  EXPECT_EQ(read->parameters, written.parameters);
  EXPECT_EQ(read->ask, written.ask);
  EXPECT_EQ(read->inserted, written.inserted);
  EXPECT_EQ(read->retired, written.retired);
  ASSERT_EQ(read->consulted.size(), written.consulted.size());
  for (std::size_t i = 0; i < read->consulted.size(); ++i) {
    EXPECT_EQ(read->consulted[i].page, written.consulted[i].page);
    EXPECT_EQ(read->consulted[i].documents, written.consulted[i].documents);
  }
}

TEST(CandidatesRecord, RefusesWhatContradictsItself) {
  using Change = std::function<void(slots::Candidates&)>;
  const std::vector<Change> changes = {
      [](auto& r) { r.mutable_layout()->set_slots(0); },
      [](auto& r) { r.mutable_layout()->set_slots(1'000'000); },
      [](auto& r) { r.mutable_layout()->set_stripe_bits(64); },
      [](auto& r) { r.mutable_layout()->set_scheme(std::string(1'000, 'x')); },
      [](auto& r) { r.mutable_layout()->set_scheme("\xff"); },
      [](auto& r) { r.set_slot(3); },
      [](auto& r) { r.set_slot(2); },  // the documents are another slot's
      [](auto& r) { r.mutable_place()->set_offset(-2); },
      [](auto& r) { r.mutable_place()->set_offset(INT64_MAX); },
      [](auto& r) { r.mutable_place()->set_entry_checksum("short"); },
      [](auto& r) { r.mutable_place()->set_sequence(76); },  // document 77 is later
      [](auto& r) { r.set_first(-1); },
      [](auto& r) { r.set_first(INT64_MAX); },
      [](auto& r) { r.set_max_distance(8); },
      [](auto& r) { r.set_max_distance(5); },
      [](auto& r) { r.add_entries(3'000); },
      [](auto& r) { r.add_queries(1); },
      [](auto& r) { r.add_counts(0); },
      [](auto& r) { r.set_entries(1, 0); },
      [](auto& r) { r.set_counts(1, 1); },  // cut, and none before it
      [](auto& r) { r.set_counts(0, ~0U); },
      [](auto& r) { r.set_counts(0, 2); },
      [](auto& r) { r.add_candidates(8 * 77); },
      [](auto& r) { r.set_candidates(0, 0); },
      [](auto& r) { r.set_candidates(0, ~0ULL); },
      [](auto& r) { r.mutable_candidates()->SwapElements(0, 1); },
      [](auto& r) { r.set_candidates(1, r.candidates(0)); },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    slots::Candidates record;
    ASSERT_TRUE(record.ParseFromString(SomeCandidates().Encode()));
    changes[i](record);
    const auto read = CandidatesRecord::Parse(record.SerializeAsString());
    ASSERT_FALSE(read.has_value()) << i;
    EXPECT_EQ(read.error().code, ErrorCode::kCorruption) << i;
  }
}

TEST(ChangesRecord, RefusesWhatContradictsItself) {
  using Change = std::function<void(slots::Changes&)>;
  const std::vector<Change> changes = {
      [](auto& r) { r.mutable_layout()->set_slots(0); },
      [](auto& r) { r.mutable_before()->set_offset(121); },
      [](auto& r) { r.mutable_before()->set_sequence(106); },
      [](auto& r) { r.mutable_before()->set_offset(120); },
      [](auto& r) { r.mutable_after()->clear_entry_checksum(); },
      [](auto& r) { r.set_parameters("none"); },
      [](auto& r) { r.add_inserted(5); },
      [](auto& r) { r.add_retired_fingerprints(5); },
      [](auto& r) { r.set_inserted(0, 0); },
      [](auto& r) { r.set_inserted(0, 106); },
      [](auto& r) { r.set_retired(0, ~0ULL); },
      [](auto& r) { r.add_page_steps(1); },
      [](auto& r) { r.set_page_steps(0, 0); },
      [](auto& r) { r.set_page_steps(1, ~0ULL); },
      [](auto& r) { r.set_candidate_counts(1, ~0U); },
      [](auto& r) { r.set_candidate_counts(1, 1); },
      [](auto& r) { r.set_candidates(0, 99); },
      [](auto& r) { r.set_candidates(0, 0); },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    slots::Changes record;
    ASSERT_TRUE(record.ParseFromString(SomeChanges().Encode()));
    changes[i](record);
    EXPECT_FALSE(ChangesRecord::Parse(record.SerializeAsString()).has_value()) << i;
  }
}

TEST(SlotRecords, BytesFromAnywhereAreRefusedOrMeanWhatTheySay) {
  std::mt19937_64 random(20'261'124);
  const std::vector<std::string> originals = {SomeCandidates().Encode(), SomeChanges().Encode()};
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes = originals[random() % 2];
    for (std::uint64_t n = random() % 4; n > 0; --n) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    if (random() % 4 == 0) bytes.resize(random() % bytes.size());
    if (const auto read = CandidatesRecord::Parse(bytes)) {
      const auto again = CandidatesRecord::Parse(read->Encode());
      ASSERT_TRUE(again.has_value()) << again.error().message;
      EXPECT_EQ(again->answers, read->answers);
    }
    if (const auto read = ChangesRecord::Parse(bytes)) {
      const auto again = ChangesRecord::Parse(read->Encode());
      ASSERT_TRUE(again.has_value()) << again.error().message;
      EXPECT_EQ(again->inserted, read->inserted);
    }
  }
}

}  // namespace
}  // namespace crawlsieve
