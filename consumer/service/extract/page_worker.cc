#include "consumer/service/extract/page_worker.h"

#include "consumer/input/formats/body.h"
#include "consumer/observability/logging.h"
#include "consumer/pipeline/question.h"
#include "consumer/service/extract/copy_record.h"

#include <chrono>
#include <utility>

namespace crawlsieve::consumer {

PageWorker::PageWorker(const KafkaOptions& kafka, const ProcessorOptions& options,
                       const Probe* probe, BodyFetcher* bodies, std::stop_token stop,
                       std::size_t slot, PageNotes& notes, RepeatCache& repeats, Metrics& metrics)
    : kafka_(kafka),
      options_(options),
      probe_(probe),
      bodies_(bodies),
      stop_(std::move(stop)),
      slot_(slot),
      notes_(notes),
      metrics_(metrics),
      scheme_(SchemeOf(options)),
      processor_(options, &repeats) {}

ProcessedPage PageWorker::Process(PageTask&& task) {
  const auto begin = std::chrono::steady_clock::now();
  SourceRecord source;
  source.record = CopyRecord(task.record);
  source.format = kafka_.input_format;
  source.source.set_topic(task.partition.topic);
  source.source.set_generation(kafka_.input_generation);
  source.source.set_partition(task.partition.partition);
  source.source.set_offset(task.record.offset());
  source.source.set_previous_offset(task.previous_offset);
  source.source.set_begins_unclaimed(task.begins_unclaimed);
  source.source.set_timestamp_ms(task.record.timestamp().time_since_epoch().count());
  ProcessedPage done{std::move(task.record),
                     std::move(task.partition),
                     task.epoch,
                     task.pass,
                     task.taken_before,
                     task.bytes,
                     {},
                     {}};
  if (done.partition.topic == kafka_.asked_topic) {
    done.processed = ProcessQuestion(std::move(source), options_.extract.url, scheme_);
  } else {
    done.outage = ProcessNoted(std::move(source), done.processed);
  }
  metrics_.Observe(Latency::kExtract, std::chrono::steady_clock::now() - begin);
  if (const auto repeated = done.processed.repeated) {
    metrics_.Add(*repeated ? Count::kPagesRepeated : Count::kPagesParsed);
  }
  return done;
}

std::optional<StoreOutage> PageWorker::ProcessNoted(SourceRecord&& source,
                                                    ProcessedRecord& processed) {
  const log::Source from = source.source;
  if (probe_ != nullptr &&
      notes_.suspects().contains(PageId{from.topic(), from.partition(), from.offset()})) {
    std::optional<StoreOutage> outage;
    const auto fetch = [&](const ClaimedPage& claim) -> std::optional<StoredBody> {
      auto body = Fetch(claim, from);
      if (body) return std::move(*body);
      outage = std::move(body.error());
      return std::nullopt;
    };
    auto probed = probe_->Process(source, options_, fetch);
    if (outage.has_value()) return outage;
    if (probed.has_value()) {
      processed = std::move(*probed);
      return std::nullopt;
    }
  }
  notes_.Begin(slot_, from.topic(), from.partition(), from.offset());
  processed = processor_.Process(std::move(source));
  notes_.End(slot_);
  if (!processed.claim.has_value()) return std::nullopt;
  // Not noted: a process that is killed while it waits for a store suspects no page.
  auto body = Fetch(*processed.claim, from);
  if (!body) return std::move(body.error());
  notes_.Begin(slot_, from.topic(), from.partition(), from.offset());
  processor_.Finish(std::move(*body), processed);
  notes_.End(slot_);
  return std::nullopt;
}

tl::expected<StoredBody, StoreOutage> PageWorker::Fetch(const ClaimedPage& claim,
                                                        const log::Source& from) {
  if (bodies_ == nullptr) return StoredBody{{}, std::string(kUnsupportedBodyRef), {}, {}};
  auto body = bodies_->Fetch(claim.ref, stop_);
  if (!body) return body;
  metrics_.Add(body->problem.empty() ? Count::kBodiesFetched : Count::kBodiesNotHad);
  if (!body->problem.empty()) {
    Log(LogLevel::kInfo, "extract.no_body",
        {{"topic", from.topic()},
         {"partition", from.partition()},
         {"offset", from.offset()},
         {"code", body->problem},
         {"error", body->message}});
  }
  return body;
}

}  // namespace crawlsieve::consumer
