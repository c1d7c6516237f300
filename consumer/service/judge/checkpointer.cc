#include "consumer/service/judge/checkpointer.h"

#include "consumer/observability/logging.h"
#include "plugin/base/thread_priority.h"
#include "plugin/checkpoint/repository.h"
#include "plugin/checkpoint/state_copy.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

using std::chrono::milliseconds;

/// From a failure to the next attempt, at most.
constexpr milliseconds kRetry{5 * 60'000};
/// The same while nothing of the log has come to the state's files.
constexpr milliseconds kNothingYet{1'000};
/// What is in files by then is as good: files are being written all the time.
constexpr std::chrono::seconds kLongestFlush{30};

/// How far clocks of processes that share a repository may differ.
constexpr std::chrono::minutes kClockSkew{5};

/// The newest one of a repository; nullopt where there is none, or none that can be read. One from
/// the future is none: a clock was wrong, and nothing would be made until that time has come.
std::optional<StoredCheckpoint> Newest(const std::filesystem::path& directory) {
  const auto repository = CheckpointRepository::Open(directory);
  if (!repository) return std::nullopt;
  auto list = repository->List();
  if (!list) return std::nullopt;
  const auto latest = std::chrono::system_clock::now() + kClockSkew;
  std::erase_if(list->checkpoints, [&](const StoredCheckpoint& checkpoint) {
    return checkpoint.manifest.created > latest;
  });
  if (list->checkpoints.empty()) return std::nullopt;
  return *std::ranges::max_element(list->checkpoints, {}, [](const StoredCheckpoint& checkpoint) {
    return checkpoint.manifest.created;
  });
}

/// Until the next one after `newest`. Never longer than the interval, whatever a clock said.
milliseconds UntilDue(const std::optional<StoredCheckpoint>& newest, milliseconds interval) {
  if (!newest.has_value()) return milliseconds(0);
  const auto now = std::chrono::floor<milliseconds>(std::chrono::system_clock::now());
  return std::clamp(interval - (now - newest->manifest.created), milliseconds(0), interval);
}

/// Whether another checkpoint would have nothing that `newest` hasn't.
bool IsCopyOf(const StoredCheckpoint& newest, const CheckpointManifest& state, bool uploads) {
  return newest.manifest.log_offset == state.log_offset &&
         newest.manifest.entry_checksum == state.entry_checksum &&
         newest.manifest.scheme == state.scheme && (newest.manifest.uploaded || !uploads);
}

}  // namespace

Checkpointer::Checkpointer(Options options, Store& store, Metrics& metrics)
    : options_(std::move(options)), store_(store), metrics_(metrics) {
  const auto newest = Newest(options_.checkpoints.directory);
  if (newest.has_value()) {
    metrics_.SetLastCheckpoint(newest->manifest.created, newest->manifest.log_offset);
  }
  due_ = Clock::now() + UntilDue(newest, options_.checkpoints.interval);
}

Checkpointer::~Checkpointer() = default;

void Checkpointer::Step() {
  const auto now = Clock::now();
  switch (phase_) {
    case Phase::kWaiting:
      if (now < due_) return;
      // If the store fails, the judge meets that with its next commit.
      if (!store_.IsFlushing()) (void)store_.BeginFlush();
      begun_ = now;
      metrics_.SetCheckpointBegun(
          std::chrono::floor<Timestamp::duration>(std::chrono::system_clock::now()));
      phase_ = Phase::kFlushing;
      return;
    case Phase::kFlushing:
      if (store_.IsFlushing() && now - begun_ < kLongestFlush) return;
      Begin();
      phase_ = Phase::kMaking;
      return;
    case Phase::kMaking:
      if (outcome_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
      Report(outcome_.get());
      metrics_.SetCheckpointBegun(std::nullopt);
      phase_ = Phase::kWaiting;
      return;
  }
}

void Checkpointer::Begin() {
  std::promise<Outcome> promise;
  outcome_ = promise.get_future();
  try {
    worker_ = std::jthread(
        [this](const std::stop_token& stop, std::promise<Outcome> made) {
          LowerThreadPriority();
          made.set_value(Make(stop));
        },
        std::move(promise));
  } catch (const std::system_error& error) {
    std::promise<Outcome> failed;
    outcome_ = failed.get_future();
    failed.set_value(Error{ErrorCode::kIo, fmt::format("no thread: {}", error.what())});
  }
}

Checkpointer::Outcome Checkpointer::Make(const std::stop_token& stop) const {
  const ServiceCheckpoints& checkpoints = options_.checkpoints;
  // Another process may have made one meanwhile.
  const auto newest = Newest(checkpoints.directory);
  const milliseconds wait = UntilDue(newest, checkpoints.interval);
  if (wait > milliseconds(0)) return Wait{wait, newest};
  const auto copy = StateCopy::Take(store_, options_.state_directory);
  if (!copy && copy.error().code == ErrorCode::kInvalidInput) return Wait{kNothingYet, {}};
  if (!copy) return copy.error();
  if (newest.has_value() && IsCopyOf(*newest, copy->origin(), !checkpoints.upload.empty())) {
    return Wait{checkpoints.interval, newest};
  }
  auto report = CreateCheckpoint(
      *copy,
      {.repository = checkpoints.directory,
       .keep = checkpoints.keep,
       .upload = checkpoints.upload,
       .upload_time_limit = std::chrono::ceil<std::chrono::seconds>(checkpoints.upload_timeout),
       .stop = stop,
       .rests = CheckpointOptions::kBesideAJudge},
      last_);
  if (report) return *std::move(report);
  // Another process is at it: it will be seen once it is done.
  if (report.error().code == ErrorCode::kBusy)
    return Wait{std::min(checkpoints.interval, kRetry), {}};
  return std::move(report).error();
}

void Checkpointer::Report(Outcome outcome) {
  milliseconds wait = options_.checkpoints.interval;
  if (const auto* early = std::get_if<Wait>(&outcome)) {
    wait = early->time;
    if (early->newest.has_value()) {
      const CheckpointManifest& newest = early->newest->manifest;
      metrics_.SetLastCheckpoint(newest.created, newest.log_offset);
    }
  } else if (const auto* error = std::get_if<Error>(&outcome)) {
    // Each attempt reads the state's files again.
    wait = std::min(wait, kRetry * ++failures_);
    metrics_.Add(Count::kCheckpointsFailed, 1);
    Log(LogLevel::kError, "checkpoint.failed",
        {{"error", error->message},
         {"meaning", "verdicts go on; the state has no newer checkpoint until one succeeds"},
         {"next_attempt_seconds", std::chrono::duration<double>(wait).count()}});
  } else {
    failures_ = 0;
    auto& report = std::get<CheckpointReport>(outcome);
    const CheckpointManifest& manifest = report.made.manifest;
    metrics_.Add(Count::kCheckpointsMade, 1);
    metrics_.SetLastCheckpoint(manifest.created, manifest.log_offset);
    Log(LogLevel::kInfo, "checkpoint.made",
        {{"name", report.made.name},
         {"offset", manifest.log_offset},
         {"bytes", manifest.bytes()},
         {"new_bytes", report.new_bytes},
         {"removed", report.removed},
         {"uploaded", manifest.uploaded},
         {"seconds", std::chrono::duration<double>(Clock::now() - begun_).count()}});
    if (!report.cleaned) {
      Log(LogLevel::kWarn, "checkpoint.not_cleaned",
          {{"error", report.cleaned.error().message},
           {"meaning", "the new checkpoint is whole; older ones stay and take room"}});
    }
    last_ = std::move(report.made.manifest);
  }
  due_ = Clock::now() + wait;
}

}  // namespace crawlsieve::consumer
