#include "plugin/slots/candidates_record.h"

#include "plugin/slots/slots.pb.h"

#include <limits>
#include <tuple>

#include <fmt/format.h>

namespace crawlsieve {
namespace {

// A candidate is its number, with the distance in the last bits.
constexpr int kDistanceBits = 3;
constexpr std::uint64_t kDistanceMask = (1U << kDistanceBits) - 1;
static_assert(CandidatesRecord::kMostDistance == kDistanceMask);

tl::unexpected<Error> Damaged(std::string_view what) {
  return MakeError(ErrorCode::kCorruption, fmt::format("a record of candidates: {}", what));
}

Status ReadCandidates(const slots::Candidates& from, std::uint32_t count, int& taken,
                      const CandidatesRecord& record, SlotAnswer& answer) {
  if (count > static_cast<std::uint32_t>(from.candidates_size() - taken)) {
    return Damaged("fewer candidates than it counts");
  }
  answer.candidates.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t packed = from.candidates(taken++);
    const SlotCandidate candidate{DocId{packed >> kDistanceBits},
                                  static_cast<std::uint8_t>(packed & kDistanceMask)};
    if (candidate.document.sequence == 0 || candidate.document.sequence > record.place.sequence ||
        record.layout.SlotOf(candidate.document) != record.slot) {
      return Damaged("a document that isn't the slot's");
    }
    if (candidate.distance > record.max_distance) return Damaged("a candidate out of reach");
    if (!answer.candidates.empty()) {
      const SlotCandidate& last = answer.candidates.back();
      if (std::tie(candidate.distance, candidate.document) <=
          std::tie(last.distance, last.document)) {
        return Damaged("candidates out of order");
      }
    }
    answer.candidates.push_back(candidate);
  }
  return {};
}

}  // namespace

std::string CandidatesRecord::Encode() const {
  slots::Candidates record;
  Write(layout, *record.mutable_layout());
  record.set_slot(slot);
  Write(place, *record.mutable_place());
  record.set_first(first);
  record.set_max_distance(static_cast<std::uint32_t>(max_distance));
  for (const SlotAnswer& answer : answers) {
    record.add_entries(static_cast<std::uint32_t>(answer.offset - first));
    record.add_queries(answer.query.bits);
    record.add_counts(static_cast<std::uint32_t>(2 * answer.candidates.size()) +
                      (answer.is_cut ? 1 : 0));
    for (const SlotCandidate& candidate : answer.candidates) {
      record.add_candidates(candidate.document.sequence << kDistanceBits | candidate.distance);
    }
  }
  return record.SerializeAsString();
}

Result<CandidatesRecord> CandidatesRecord::Parse(std::string_view bytes) {
  slots::Candidates from;
  if (bytes.size() > std::numeric_limits<int>::max() ||
      !from.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return Damaged("its bytes are none");
  }
  CandidatesRecord record;
  CRAWLSIEVE_ASSIGN_OR_RETURN(record.layout, Read(from.layout()));
  CRAWLSIEVE_ASSIGN_OR_RETURN(record.place, Read(from.place()));
  record.slot = from.slot();
  record.first = from.first();
  if (record.slot >= record.layout.slots) return Damaged("a slot that the layout doesn't have");
  if (record.first < 0 || record.first > kLastSlotOffset) return Damaged("an offset past all");
  if (from.max_distance() > kMostDistance) return Damaged("a distance above 7");
  record.max_distance = static_cast<int>(from.max_distance());
  if (from.entries_size() != from.queries_size() || from.entries_size() != from.counts_size()) {
    return Damaged("columns of different lengths");
  }
  int taken = 0;
  record.answers.reserve(static_cast<std::size_t>(from.entries_size()));
  for (int i = 0; i < from.entries_size(); ++i) {
    if (i > 0 && from.entries(i) <= from.entries(i - 1)) return Damaged("entries out of order");
    SlotAnswer& answer = record.answers.emplace_back();
    answer.offset = record.first + from.entries(i);
    answer.query = Fingerprint{from.queries(i)};
    answer.is_cut = from.counts(i) % 2 != 0;
    CRAWLSIEVE_RETURN_IF_ERROR(ReadCandidates(from, from.counts(i) / 2, taken, record, answer));
    if (answer.is_cut && answer.candidates.empty()) return Damaged("a cut of nothing");
  }
  if (taken != from.candidates_size()) return Damaged("more candidates than it counts");
  return record;
}

}  // namespace crawlsieve
