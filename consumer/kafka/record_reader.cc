#include "consumer/kafka/record_reader.h"

#include "consumer/kafka/consumer.h"
#include "consumer/kafka/partition_list.h"
#include "plugin/base/result.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <librdkafka/rdkafka.h>

namespace crawlsieve::consumer {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// Reading over so many records is cheaper than seeking.
constexpr std::int64_t kMostReadOver = 1000;

}  // namespace

Result<std::unique_ptr<RecordReader>> RecordReader::Make(ClientRecipe recipe,
                                                         const KafkaClientOptions& options,
                                                         ClientCallbacks callbacks) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(ClientConfig config, ClientConfig::Make(recipe, options));
  std::unique_ptr<RecordReader> reader(new RecordReader(std::move(recipe), options));
  CRAWLSIEVE_ASSIGN_OR_RETURN(reader->client_,
                              Client::Make(std::move(config), std::move(callbacks), reader.get()));
  return reader;
}

BrokerResult<RecordReader::Answer> RecordReader::Read(const TopicPartition& partition,
                                                      std::int64_t offset, milliseconds patience) {
  // Callbacks and errors of the connection; no record is forwarded there.
  if (rd_kafka_message_t* message = rd_kafka_consumer_poll(client_->handle(), 0)) {
    rd_kafka_message_destroy(message);
  }
  if (auto fatal = client_->FatalError()) return tl::unexpected(*std::move(fatal));
  CRAWLSIEVE_ASSIGN_OR_RETURN(Stream * stream, StreamAt(partition, offset, patience));
  if (offset < stream->low) return MissingRecord::kExpired;
  if (auto record = Take(*stream, offset, patience)) return Answer(*std::move(record));
  return LookFor(partition, *stream, offset, patience);
}

BrokerResult<RecordReader::Stream*> RecordReader::StreamAt(const TopicPartition& partition,
                                                           std::int64_t offset,
                                                           milliseconds patience) {
  const auto [found, is_new] = streams_.try_emplace(partition);
  Stream& stream = found->second;
  if (!is_new && offset >= stream.next && offset - stream.next <= kMostReadOver) return &stream;
  stream.next = offset;
  stream.held.reset();
  if (!is_new) {
    const PartitionList list = MakePartitionList(std::vector<PartitionOffset>{{partition, offset}});
    // Where it fails, Take finds nothing, and LookFor the record.
    if (rd_kafka_error_t* error = rd_kafka_seek_partitions(client_->handle(), list.get(),
                                                           std::max(TimeoutMs(patience), 1))) {
      rd_kafka_error_destroy(error);
    }
    return &stream;
  }
  stream.queue.reset(rd_kafka_queue_get_partition(client_->handle(), partition.topic.c_str(),
                                                  partition.partition));
  if (stream.queue == nullptr) {
    streams_.erase(found);
    return tl::unexpected(
        KafkaErrorFromCode(RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION,
                           fmt::format("reading {} [{}]", partition.topic, partition.partition)));
  }
  rd_kafka_queue_forward(stream.queue.get(), nullptr);
  std::vector<PartitionOffset> all;
  all.reserve(streams_.size());
  for (auto& [name, other] : streams_) {
    other.held.reset();
    all.push_back({name, other.next});
  }
  auto assigned = StatusFrom(rd_kafka_assign(client_->handle(), MakePartitionList(all).get()),
                             "assigning the partitions of kept pages");
  if (!assigned) {
    streams_.erase(found);
    return tl::unexpected(std::move(assigned.error()));
  }
  return &stream;
}

std::optional<ConsumedRecord> RecordReader::Take(Stream& stream, std::int64_t offset,
                                                 milliseconds patience) const {
  const auto deadline = steady_clock::now() + patience;
  stream.next = offset + 1;
  while (true) {
    if (!stream.held.has_value()) {
      rd_kafka_message_t* message =
          rd_kafka_consume_queue(stream.queue.get(), TimeoutMs(Until(deadline)));
      if (message == nullptr) return std::nullopt;
      const bool is_record = message->err == RD_KAFKA_RESP_ERR_NO_ERROR;
      ConsumedRecord record(message);
      if (!is_record) return std::nullopt;
      stream.held = std::move(record);
    }
    if (stream.held->offset() > offset) return std::nullopt;
    std::optional<ConsumedRecord> record = std::exchange(stream.held, std::nullopt);
    if (record->offset() == offset) return record;
  }
}

BrokerResult<RecordReader::Answer> RecordReader::LookFor(const TopicPartition& partition,
                                                         Stream& stream, std::int64_t offset,
                                                         milliseconds patience) {
  auto made = Consumer::Make(recipe_, options_, {});
  if (!made) return FinalError(std::move(made.error()));
  finder_ = std::move(*made);
  CRAWLSIEVE_ASSIGN_OR_RETURN(const Watermarks ends, finder_->QueryWatermarks(partition, patience));
  stream.low = std::max(stream.low, ends.low);
  if (offset < ends.low) return MissingRecord::kExpired;
  if (offset >= ends.high) return MissingRecord::kBeyond;
  CRAWLSIEVE_RETURN_IF_ERROR(finder_->Assign({{partition, offset}}));
  auto polled = finder_->Poll(patience);
  if (!polled) {
    // It went since the ends were asked for.
    if (polled.error().broker_code == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET) {
      polled.error().Reclassify(ErrorClass::kRetriable);
    }
    return tl::unexpected(std::move(polled.error()));
  }
  std::optional<ConsumedRecord>& record = *polled;
  if (!record.has_value()) {
    return MakeBrokerError(ErrorClass::kRetriable,
                           fmt::format("record {} of {} [{}] did not come within {} ms", offset,
                                       partition.topic, partition.partition, patience.count()));
  }
  if (record->offset() > offset) return MissingRecord::kRemoved;
  return Answer(*std::move(record));
}

}  // namespace crawlsieve::consumer
