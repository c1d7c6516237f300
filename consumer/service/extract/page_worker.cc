#include "consumer/service/extract/page_worker.h"

#include "consumer/service/extract/copy_record.h"

#include <chrono>
#include <utility>

namespace crawlsieve::consumer {

PageWorker::PageWorker(const KafkaOptions& kafka, const ProcessorOptions& options,
                       const Probe* probe, std::size_t slot, PageNotes& notes, RepeatCache& repeats,
                       Metrics& metrics)
    : kafka_(kafka),
      options_(options),
      probe_(probe),
      slot_(slot),
      notes_(notes),
      metrics_(metrics),
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
  ProcessedPage done{std::move(task.record), std::move(task.partition), task.epoch, task.bytes,
                     ProcessNoted(std::move(source))};
  metrics_.Observe(Latency::kExtract, std::chrono::steady_clock::now() - begin);
  if (const auto repeated = done.processed.repeated) {
    metrics_.Add(*repeated ? Count::kPagesRepeated : Count::kPagesParsed);
  }
  return done;
}

ProcessedRecord PageWorker::ProcessNoted(SourceRecord&& source) {
  const log::Source from = source.source;
  if (probe_ != nullptr &&
      notes_.suspects().contains(PageId{from.topic(), from.partition(), from.offset()})) {
    if (auto probed = probe_->Process(source, options_)) return std::move(*probed);
  }
  notes_.Begin(slot_, from.topic(), from.partition(), from.offset());
  ProcessedRecord processed = processor_.Process(std::move(source));
  notes_.End(slot_);
  return processed;
}

}  // namespace crawlsieve::consumer
