#include "consumer/service/judge/judge_reporter.h"

#include "consumer/observability/logging.h"
#include "consumer/status/quantities.h"
#include "plugin/base/result.h"
#include "plugin/log/entries.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace crawlsieve::consumer {

using std::chrono::milliseconds;

namespace {

/// From one line in the log about a restore to the next.
constexpr std::chrono::seconds kRestoreLines{30};

Timestamp Now() { return std::chrono::floor<milliseconds>(std::chrono::system_clock::now()); }

/// Adds what a verdict tells an operator.
void AddFinding(const log::Page& page, const Verdict& verdict, BatchFindings& findings) {
  if (RuleFor(verdict.reason).host_count != HostCount::kAsDuplicate) return;
  if (!page.host().empty()) findings.AddDuplicate(page.host());
  if (verdict.reason != Reason::kNearDuplicate || !verdict.match.has_value()) return;
  if (!findings.WantsPair()) return;
  findings.AddPair({.url = page.url(),
                    .match_url = verdict.match->url,
                    .distance = verdict.match->distance,
                    .similarity = verdict.match->similarity.value(),
                    .words = page.features(),
                    .text_length = page.text_length(),
                    .language = page.language(),
                    .first_seen = verdict.match->first_seen});
}

}  // namespace

SnapshotReporter::SnapshotReporter(const RestartReport& report, Metrics& metrics)
    : report_(report), metrics_(metrics) {
  metrics_.Add(Count::kSnapshotsRefused, report_.refused.size());
}

void SnapshotReporter::Report() {
  if (report_.written != written_) {
    metrics_.Add(Count::kSnapshotsWritten, report_.written - written_);
    written_ = report_.written;
    last_ = Now();
    Log(LogLevel::kInfo, "judge.snapshot",
        {{"offset", report_.last->origin.log_offset},
         {"documents", report_.last->entries},
         {"bytes", report_.last->bytes}});
  }
  if (report_.given_up != given_up_) {
    metrics_.Add(Count::kSnapshotsGivenUp, report_.given_up - given_up_);
    given_up_ = report_.given_up;
    Log(LogLevel::kWarn, "judge.snapshot_given_up",
        {{"error", report_.last_error ? report_.last_error->message : "an aborted transaction"},
         {"meaning", "the next one is written later; until then a restart takes longer"}});
  }
}

JudgeReporter::JudgeReporter(Options options, const Detector& detector, StatusBoard& board,
                             Metrics& metrics, StatusRecorder& recorder,
                             SnapshotReporter& snapshots)
    : options_(std::move(options)),
      detector_(detector),
      board_(board),
      metrics_(metrics),
      recorder_(recorder),
      snapshots_(snapshots),
      reported_work_(detector.lookup_work()),
      reported_confirm_work_(detector.confirm_work()) {}

JudgeReporter::~JudgeReporter() {
  EndRestore();
  metrics_.SetRestoring(false);
  metrics_.SetStandby(false);
  metrics_.SetSilentSlots({});
  board_.SetPartitions(Role::kJudge, {});
}

Status JudgeReporter::OnMove(JudgeState from, JudgeState to, std::int64_t published) {
  has_silent_slots_ = false;
  metrics_.SetSilentSlots({});
  metrics_.SetRestoring(to == JudgeState::kWarming || to == JudgeState::kRestoring);
  metrics_.SetStandby(to == JudgeState::kStandby);
  if (to == JudgeState::kWarming || to == JudgeState::kRestoring) {
    BeginRestore();
  } else {
    EndRestore();
  }
  switch (to) {
    case JudgeState::kStandby:
      if (from == JudgeState::kWarming) {
        Log(LogLevel::kInfo, "judge.standby", {{"offset", published}});
      } else {
        Log(LogLevel::kInfo, "judge.revoked", {{"log", options_.log.topic}});
      }
      return {};
    case JudgeState::kRestoring:
      metrics_.Add(Count::kRebalances);
      Log(LogLevel::kInfo, "judge.assigned", {{"log", options_.log.topic}});
      return {};
    case JudgeState::kLive:
      return ReportLive(published);
    case JudgeState::kCreated:
    case JudgeState::kWarming:
    case JudgeState::kClosed:
      return {};
  }
  return {};
}

Status JudgeReporter::ReportLive(std::int64_t published) {
  ReportIndex();
  CRAWLSIEVE_RETURN_IF_ERROR(ReportOpenGaps(/*is_alarm=*/true));
  Log(LogLevel::kInfo, "judge.live",
      {{"offset", published}, {"documents", detector_.index_stats().documents}});
  return {};
}

void JudgeReporter::OnRestoring(std::int64_t from, std::int64_t to) {
  Log(LogLevel::kInfo, "judge.restoring", {{"from", from}, {"to", to}});
  BeginRestore();
  restore_->from = from;
  ReportRestore(from, to);
}

void JudgeReporter::BeginRestore() {
  const auto now = std::chrono::steady_clock::now();
  restore_logged_ = now;
  const std::int64_t from = detector_.position().offset + 1;
  restore_ = RestoreReport{.from = from, .next = from, .to = from, .began = now};
}

void JudgeReporter::ReportRestore(std::int64_t next, std::int64_t to) {
  if (!restore_.has_value()) return;
  restore_->next = next;
  restore_->to = std::max(next, to);
  metrics_.SetRestore(restore_);
  const auto now = std::chrono::steady_clock::now();
  if (now < restore_logged_ + kRestoreLines) return;
  restore_logged_ = now;
  const std::chrono::duration<double> passed = now - restore_->began;
  const auto left = SecondsLeft(static_cast<double>(next - restore_->from),
                                static_cast<double>(restore_->to - next), passed.count());
  Log(LogLevel::kInfo, "judge.restore_progress",
      {{"folded", next - restore_->from},
       {"entries", restore_->to - restore_->from},
       {"left", left.has_value() ? DurationText(*left) : "not known yet"}});
}

void JudgeReporter::EndRestore() {
  restore_.reset();
  metrics_.SetRestore(std::nullopt);
}

void JudgeReporter::OnSkipped(std::int64_t offset, const log::Entry* entry, bool is_live) {
  const bool has_source = entry != nullptr && !entry->has_parameters();
  const log::Source& source =
      has_source ? SourceOfEntry(*entry) : log::Page::default_instance().source();
  Log(LogLevel::kError, "judge.entry_skipped",
      {{"log", options_.log.topic},
       {"entry", offset},
       {"topic", has_source ? source.topic() : "unknown"},
       {"partition", has_source ? source.partition() : -1},
       {"offset", has_source ? source.offset() : -1},
       {"meaning",
        "kafka.log.skip names this entry; the record that it may stand for gets no "
        "verdict from it"}});
  if (is_live) batch_.counts.AddSkipped();
}

void JudgeReporter::OnJudged(const log::Entry& entry, const Folded& folded,
                             std::chrono::steady_clock::duration took) {
  const log::Page& page = entry.page();
  batch_.counts.Add(folded, page);
  batch_.alarms.Add(folded, SourceOfEntry(entry));
  batch_.removals.Add(entry, folded);
  if (folded.verdict.has_value()) {
    batch_.sources.emplace_back(milliseconds(page.source().timestamp_ms()));
    AddFinding(page, *folded.verdict, batch_.findings);
  }
  metrics_.Observe(Latency::kJudge, took);
}

Status JudgeReporter::OnPublished(const LogProgress& progress) {
  const Batch batch = std::exchange(batch_, Batch());
  batch.counts.AddTo(metrics_);
  batch.alarms.Report(stale_generation_reported_, other_topic_reported_);
  batch.removals.Report();
  if (batch.alarms.has_gaps_changed()) {
    CRAWLSIEVE_RETURN_IF_ERROR(ReportOpenGaps(/*is_alarm=*/false));
  }
  if (std::exchange(has_silent_slots_, false)) metrics_.SetSilentSlots({});
  const Timestamp now = Now();
  recorder_.AddBatch(batch.findings, now);
  for (const Timestamp source : batch.sources) metrics_.Observe(Latency::kEndToEnd, now - source);
  ReportIndex();
  ReportLag(progress);
  return {};
}

void JudgeReporter::OnDiscarded() { batch_ = Batch(); }

void JudgeReporter::OnReplayed(const LogProgress& progress) {
  const auto committed = options_.committed ? options_.committed() : std::nullopt;
  ReportRestore(progress.next, committed.value_or(progress.next));
  ReportIndex();
  ReportLag(progress);
}

void JudgeReporter::OnAsked(bool lacks_depth, bool is_again) {
  metrics_.Add(lacks_depth ? Count::kSlotDepthAsks : Count::kSlotAsks);
  // The first time is nothing unusual: a judge begins, or candidates were cut.
  if (!is_again || options_.replies == nullptr) return;
  const std::vector<std::uint32_t> slots = options_.replies->waited_for();
  metrics_.SetSilentSlots(slots);
  if (std::exchange(has_silent_slots_, true)) return;
  Log(LogLevel::kWarn, "judge.slots_silent",
      {{"slots", fmt::format("{}", fmt::join(slots, ", "))},
       {"meaning", "the judge waits for their candidates; verdicts are late, and none is lost"}});
}

void JudgeReporter::OnParametersAppended() {
  Log(LogLevel::kInfo, "judge.parameters",
      {{"max_distance", options_.parameters.max_distance},
       {"min_features", options_.parameters.min_features},
       {"scheme", options_.scheme}});
}

/// Names the input records that the log has no entry for, and shows their number.
Status JudgeReporter::ReportOpenGaps(bool is_alarm) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto gaps, detector_.OpenGaps());
  std::vector<GapReport> reports;
  for (const InputGap& gap : gaps) {
    reports.push_back({gap.topic, gap.partition,
                       static_cast<std::uint64_t>(gap.offsets.to - gap.offsets.from + 1)});
    Log(is_alarm ? LogLevel::kWarn : LogLevel::kInfo, "judge.open_gap",
        {{"topic", gap.topic},
         {"partition", gap.partition},
         {"from", gap.offsets.from},
         {"to", gap.offsets.to}});
  }
  metrics_.SetOpenGaps(reports);
  return {};
}

void JudgeReporter::ReportIndex() {
  snapshots_.Report();
  const IndexStats stats = detector_.index_stats();
  metrics_.SetIndex({.entries = stats.documents,
                     .fingerprints = stats.fingerprints,
                     .bytes = stats.bytes,
                     .shards = options_.index_shards,
                     .last_snapshot = snapshots_.last()});
  const LookupWork& work = detector_.lookup_work();
  metrics_.Add(Count::kIndexProbes, work.probes - reported_work_.probes);
  metrics_.Add(Count::kIndexCandidates, work.candidates - reported_work_.candidates);
  reported_work_ = work;
  const ConfirmWork& confirmed = detector_.confirm_work();
  metrics_.Add(Count::kCandidatesCompared, confirmed.compared - reported_confirm_work_.compared);
  metrics_.Add(Count::kCandidatesCut, confirmed.cut - reported_confirm_work_.cut);
  reported_confirm_work_ = confirmed;
}

void JudgeReporter::ReportLag(const LogProgress& progress) {
  PartitionReport report{options_.log.topic, options_.log.partition, progress.next, std::nullopt,
                         std::nullopt};
  if (progress.end.has_value()) {
    report.lag = std::max<std::int64_t>(0, *progress.end - progress.next);
    report.lag_seconds =
        *report.lag > 0 ? std::chrono::duration<double>(Now() - progress.last).count() : 0.0;
  }
  board_.SetPartitions(Role::kJudge, {report});
  if (progress.last != Timestamp{}) metrics_.SetLogClock(progress.last);
}

}  // namespace crawlsieve::consumer
