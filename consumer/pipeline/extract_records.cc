#include "consumer/pipeline/extract_records.h"

#include "consumer/pipeline/ordered_workers.h"
#include "consumer/record_limits.h"

#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <thread>
#include <utility>

namespace crawlsieve::consumer {
namespace {

struct Task {
  SourceRecord source;
  std::string origin;
  std::size_t bytes = 0;
};

struct Done {
  ProcessedRecord processed;
  std::string origin;
  std::size_t bytes = 0;
  bool was_recognized = false;        ///< the record didn't say its format
  std::optional<StoreOutage> outage;  ///< its body can't be had
};

/// Fetches the body that `processed` claims, again and again for as long as the patience lasts.
std::optional<StoreOutage> FetchBody(const RecordOptions& options, const std::stop_token& stop,
                                     PageProcessor& processor, ProcessedRecord& processed) {
  constexpr std::chrono::milliseconds kPause{250};
  const auto deadline = std::chrono::steady_clock::now() + options.patience;
  for (;;) {
    auto body = options.bodies->Fetch(processed.claim->ref, stop);
    if (body) {
      processor.Finish(std::move(*body), processed);
      return std::nullopt;
    }
    if (stop.stop_requested() || std::chrono::steady_clock::now() >= deadline) {
      return std::move(body.error());
    }
    std::this_thread::sleep_for(kPause);
  }
}

OrderedWorkers<Task, Done>::Worker MakeWorker(const RecordOptions& options,
                                              const std::stop_token& stop, RepeatCache& repeats) {
  ProcessorOptions processing = options.processor;
  processing.takes_claims = options.bodies != nullptr;
  // std::function wants a copyable target, hence the shared_ptr.
  auto processor = std::make_shared<PageProcessor>(processing, &repeats);
  return [processor, &options, stop](Task&& task) {
    const bool is_auto = task.source.format == FormatKind::kAuto;
    Done done{processor->Process(std::move(task.source)), std::move(task.origin), task.bytes,
              is_auto, std::nullopt};
    if (done.processed.claim.has_value()) {
      done.outage = FetchBody(options, stop, *processor, done.processed);
    }
    // That of its file says nothing of a record: it came when it was fetched. Schedules take a
    // fetch for no further from the record's time than a day.
    log::Page& page = *done.processed.entry.mutable_page();
    page.mutable_source()->set_timestamp_ms(page.fetch_time_ms());
    return done;
  };
}

struct StopAtEnd {
  std::stop_source& stop;
  explicit StopAtEnd(std::stop_source& source) : stop(source) {}
  ~StopAtEnd() { stop.request_stop(); }
  StopAtEnd(const StopAtEnd&) = delete;
  StopAtEnd& operator=(const StopAtEnd&) = delete;
};

/// What a record takes while it is worked on.
std::size_t SizeOf(const InputRecord& record) {
  std::size_t bytes = record.key.has_value() ? record.key->size() : 0;
  if (record.value.has_value()) bytes += record.value->size();
  for (const Header& header : record.headers) {
    bytes += header.name.size() + header.value.size() + kHeaderOverheadBytes;
  }
  return bytes;
}

Task MakeTask(FileRecord&& file_record) {
  Task task;
  task.bytes = SizeOf(file_record.record);
  task.origin = std::move(file_record.origin);
  task.source.record = std::move(file_record.record);
  task.source.format = file_record.format;
  task.source.place = std::move(file_record.place);
  return task;
}

}  // namespace

Status ExtractRecords(FileReader& reader, const RecordOptions& options, RecordListener& listener,
                      const std::function<Status(log::Entry& entry)>& take) {
  RepeatCache repeats(options.repeat_cache_bytes);
  std::stop_source stop;
  OrderedWorkers<Task, Done> workers(
      options.threads, [&] { return MakeWorker(options, stop.get_token(), repeats); });
  // Destroyed before the workers: an extraction that ends early waits for no store.
  const StopAtEnd stop_fetching{stop};
  std::size_t in_flight_bytes = 0;
  std::set<FormatKind> formats;
  const auto hand_on = [&](Done& done) -> Status {
    in_flight_bytes -= done.bytes;
    if (done.outage.has_value()) {
      return MakeError(ErrorCode::kIo,
                       done.origin + ": its body can't be had: " + done.outage->message);
    }
    const FormatKind format = done.processed.format;
    if (done.was_recognized && format != FormatKind::kAuto && formats.insert(format).second) {
      listener.OnFormat(format, done.origin);
    }
    if (done.processed.failure.has_value()) {
      CRAWLSIEVE_RETURN_IF_ERROR(listener.OnDeadLetter(done.origin, *done.processed.failure));
    }
    return take(done.processed.entry);
  };

  bool at_end = false;
  while (!at_end || workers.in_flight() > 0) {
    const bool is_full = in_flight_bytes >= options.max_in_flight_bytes ||
                         workers.in_flight() >= options.max_in_flight_records;
    std::optional<Done> done;
    if (at_end || is_full) {
      done = workers.TakeNext(std::chrono::milliseconds(100));
    } else {
      FileRecord file_record;
      CRAWLSIEVE_ASSIGN_OR_RETURN(const auto has_record, reader.Next(file_record));
      if (has_record) {
        Task task = MakeTask(std::move(file_record));
        in_flight_bytes += task.bytes;
        workers.Submit(std::move(task));
      } else {
        at_end = true;
      }
      done = workers.TakeNext(std::chrono::milliseconds(0));
    }
    for (; done.has_value(); done = workers.TakeNext(std::chrono::milliseconds(0))) {
      CRAWLSIEVE_RETURN_IF_ERROR(hand_on(*done));
    }
  }
  return {};
}

}  // namespace crawlsieve::consumer
