#include "consumer/pipeline/entry_fold.h"

namespace crawlsieve::consumer {
namespace {

constexpr const char* kScanTopic = "scan";
constexpr int kEntriesPerCommit = 1000;

}  // namespace

Status EntryFold::SetParameters(const JudgeParameters& parameters, const std::string& scheme) {
  if (detector_.parameters() == parameters) return {};
  return Fold(ParametersEntry(parameters, scheme));
}

Status EntryFold::Append(log::Entry& entry) {
  // Every record becomes one entry, so offsets that go on from the log's never repeat.
  log::Source& source = *entry.mutable_page()->mutable_source();
  source.set_topic(kScanTopic);
  source.set_offset(offset_ + 1);
  source.set_previous_offset(previous_source_);
  previous_source_ = offset_ + 1;
  return Fold(entry);
}

Status EntryFold::Fold(const log::Entry& entry) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto folded, detector_.Fold(entry));
  ++offset_;
  if (folded.verdict.has_value()) {
    CRAWLSIEVE_RETURN_IF_ERROR(listener_.OnVerdict(entry.page(), *folded.verdict));
    if (listener_.takes_scores()) {
      CRAWLSIEVE_ASSIGN_OR_RETURN(const auto scores,
                                  detector_.ScoresOf(entry.page(), *folded.verdict));
      CRAWLSIEVE_RETURN_IF_ERROR(listener_.OnScores(scores));
    }
  }
  return ++uncommitted_ >= kEntriesPerCommit ? Commit() : Status();
}

Status EntryFold::Commit() {
  CRAWLSIEVE_RETURN_IF_ERROR(listener_.OnCommit());
  uncommitted_ = 0;
  return detector_.Commit(LogPosition{offset_, std::string()});
}

}  // namespace crawlsieve::consumer
