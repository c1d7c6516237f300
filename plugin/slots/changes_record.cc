#include "plugin/slots/changes_record.h"

#include "plugin/judge/parameters_entry.h"
#include "plugin/slots/slots.pb.h"

#include <limits>

#include <fmt/format.h>

namespace crawlsieve {
namespace {

using Numbers = google::protobuf::RepeatedField<std::uint64_t>;

tl::unexpected<Error> Damaged(std::string_view what) {
  return MakeError(ErrorCode::kCorruption, fmt::format("a record of changes: {}", what));
}

void WriteEntries(const std::vector<IndexEntry>& entries, Numbers& documents,
                  Numbers& fingerprints) {
  documents.Reserve(static_cast<int>(entries.size()));
  fingerprints.Reserve(static_cast<int>(entries.size()));
  for (const IndexEntry& entry : entries) {
    documents.Add(entry.document.sequence);
    fingerprints.Add(entry.fingerprint.bits);
  }
}

/// Documents have numbers from 1 to `last`.
Result<std::vector<IndexEntry>> ReadEntries(const Numbers& documents, const Numbers& fingerprints,
                                            std::uint64_t last) {
  if (documents.size() != fingerprints.size()) return Damaged("columns of different lengths");
  std::vector<IndexEntry> entries;
  entries.reserve(static_cast<std::size_t>(documents.size()));
  for (int i = 0; i < documents.size(); ++i) {
    if (documents[i] == 0 || documents[i] > last)
      return Damaged("a document of later than its end");
    entries.push_back({Fingerprint{fingerprints[i]}, DocId{documents[i]}});
  }
  return entries;
}

Status ReadConsulted(const slots::Changes& record, ChangesRecord& changes) {
  if (record.page_steps_size() != record.candidate_counts_size()) {
    return Damaged("columns of different lengths");
  }
  std::uint64_t page = changes.before.sequence;
  int taken = 0;
  for (int i = 0; i < record.page_steps_size(); ++i) {
    const std::uint64_t step = record.page_steps(i);
    if (step == 0 || step > changes.after.sequence - page) return Damaged("pages out of order");
    page += step;
    const std::uint32_t count = record.candidate_counts(i);
    if (count > static_cast<std::uint32_t>(record.candidates_size() - taken)) {
      return Damaged("fewer candidates than it counts");
    }
    Consulted& consulted = changes.consulted.emplace_back();
    consulted.page = DocId{page};
    consulted.documents.reserve(count);
    for (std::uint32_t j = 0; j < count; ++j) {
      const std::uint64_t document = record.candidates(taken++);
      if (document == 0 || document >= page) return Damaged("a candidate that isn't older");
      consulted.documents.push_back(DocId{document});
    }
  }
  if (taken != record.candidates_size()) return Damaged("more candidates than it counts");
  return {};
}

}  // namespace

std::string ChangesRecord::Encode() const {
  slots::Changes record;
  Write(layout, *record.mutable_layout());
  Write(before, *record.mutable_before());
  Write(after, *record.mutable_after());
  if (parameters.has_value()) {
    record.set_parameters(
        ParametersEntry(*parameters, layout.scheme).parameters().SerializeAsString());
  }
  record.set_ask(ask);
  WriteEntries(inserted, *record.mutable_inserted(), *record.mutable_inserted_fingerprints());
  WriteEntries(retired, *record.mutable_retired(), *record.mutable_retired_fingerprints());
  std::uint64_t page = before.sequence;
  for (const Consulted& one : consulted) {
    record.add_page_steps(one.page.sequence - page);
    page = one.page.sequence;
    record.add_candidate_counts(static_cast<std::uint32_t>(one.documents.size()));
    for (const DocId document : one.documents) record.add_candidates(document.sequence);
  }
  return record.SerializeAsString();
}

Result<ChangesRecord> ChangesRecord::Parse(std::string_view bytes) {
  slots::Changes record;
  if (bytes.size() > std::numeric_limits<int>::max() ||
      !record.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return Damaged("its bytes are none");
  }
  ChangesRecord changes;
  CRAWLSIEVE_ASSIGN_OR_RETURN(changes.layout, Read(record.layout()));
  CRAWLSIEVE_ASSIGN_OR_RETURN(changes.before, Read(record.before()));
  CRAWLSIEVE_ASSIGN_OR_RETURN(changes.after, Read(record.after()));
  if (changes.after.position.offset < changes.before.position.offset ||
      changes.after.sequence < changes.before.sequence ||
      (changes.after.position.offset == changes.before.position.offset &&
       !(changes.after == changes.before))) {
    return Damaged("it ends before it begins");
  }
  if (!record.parameters().empty()) {
    log::Parameters parameters;
    if (!parameters.ParseFromString(record.parameters())) return Damaged("its parameters");
    CRAWLSIEVE_ASSIGN_OR_RETURN(changes.parameters, ParametersOf(parameters));
  }
  changes.ask = record.ask();
  CRAWLSIEVE_ASSIGN_OR_RETURN(
      changes.inserted,
      ReadEntries(record.inserted(), record.inserted_fingerprints(), changes.after.sequence));
  CRAWLSIEVE_ASSIGN_OR_RETURN(
      changes.retired,
      ReadEntries(record.retired(), record.retired_fingerprints(), changes.after.sequence));
  CRAWLSIEVE_RETURN_IF_ERROR(ReadConsulted(record, changes));
  return changes;
}

}  // namespace crawlsieve
