#include "consumer/kafka/consumer.h"

#include "consumer/kafka/partition_list.h"
#include "consumer/record_limits.h"

#include <algorithm>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <librdkafka/rdkafka.h>

namespace crawlsieve::consumer {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kDestructorCloseTimeout{5'000};
constexpr milliseconds kCloseStep{50};
constexpr milliseconds kCommittedRetryPause{50};

struct DestroyQueue {
  void operator()(rd_kafka_queue_t* queue) const { rd_kafka_queue_destroy(queue); }
};
using Queue = std::unique_ptr<rd_kafka_queue_t, DestroyQueue>;

milliseconds Until(steady_clock::time_point deadline) {
  return std::max(milliseconds(0), std::chrono::ceil<milliseconds>(deadline - steady_clock::now()));
}

KafkaStatus StatusFrom(rd_kafka_resp_err_t code, std::string_view doing) {
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
    return {};
  }
  return tl::unexpected(KafkaErrorFromCode(code, doing));
}

/// Of a commit: the whole of it failed, or one of its partitions.
KafkaStatus CommitStatus(rd_kafka_resp_err_t code, const rd_kafka_topic_partition_list_t* offsets) {
  // There was nothing to commit.
  if (code == RD_KAFKA_RESP_ERR__NO_OFFSET) {
    return {};
  }
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR && offsets != nullptr) {
    code = static_cast<rd_kafka_resp_err_t>(FirstErrorIn(*offsets));
  }
  return StatusFrom(code, "committing offsets");
}

std::optional<std::string_view> ViewOf(const void* data, std::size_t size) {
  if (data == nullptr) {
    return std::nullopt;
  }
  return std::string_view(static_cast<const char*>(data), size);
}

std::size_t SizeOf(const std::optional<std::string_view>& bytes) {
  return bytes ? bytes->size() : 0;
}

}  // namespace

// --- ConsumedRecord --------------------------------------------------------------------------

void ConsumedRecord::Destroy::operator()(rd_kafka_message_s* message) const {
  rd_kafka_message_destroy(message);
}

std::string_view ConsumedRecord::topic() const& { return rd_kafka_topic_name(message_->rkt); }

std::int32_t ConsumedRecord::partition() const { return message_->partition; }

std::int64_t ConsumedRecord::offset() const { return message_->offset; }

Timestamp ConsumedRecord::timestamp() const {
  rd_kafka_timestamp_type_t type = RD_KAFKA_TIMESTAMP_NOT_AVAILABLE;
  const std::int64_t time = rd_kafka_message_timestamp(message_.get(), &type);
  return Timestamp(milliseconds(type == RD_KAFKA_TIMESTAMP_NOT_AVAILABLE ? 0 : time));
}

std::optional<std::string_view> ConsumedRecord::key() const& {
  return ViewOf(message_->key, message_->key_len);
}

std::optional<std::string_view> ConsumedRecord::value() const& {
  return ViewOf(message_->payload, message_->len);
}

std::vector<HeaderView> ConsumedRecord::headers() const& {
  std::vector<HeaderView> headers;
  rd_kafka_headers_t* list = nullptr;
  if (rd_kafka_message_headers(message_.get(), &list) != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return headers;  // there are none
  }
  const char* name = nullptr;
  const void* value = nullptr;
  std::size_t size = 0;
  for (std::size_t i = 0;
       rd_kafka_header_get_all(list, i, &name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR; ++i) {
    headers.push_back({name, ViewOf(value, size)});
  }
  return headers;
}

std::size_t ConsumedRecord::size_bytes() const {
  std::size_t bytes = message_->key_len + message_->len;
  for (const HeaderView& header : headers()) {
    bytes += header.name.size() + SizeOf(header.value) + kHeaderOverheadBytes;
  }
  return bytes;
}

InputRecord CopyRecord(const ConsumedRecord& record) {
  InputRecord copy;
  if (const auto key = record.key()) {
    copy.key.emplace(*key);
  }
  if (const auto value = record.value()) {
    copy.value.emplace(*value);
  }
  for (const HeaderView& header : record.headers()) {
    copy.headers.push_back({std::string(header.name), std::string(header.value.value_or(""))});
  }
  copy.timestamp = record.timestamp();
  return copy;
}

void DestroyGroupMetadata::operator()(rd_kafka_consumer_group_metadata_s* metadata) const {
  rd_kafka_consumer_group_metadata_destroy(metadata);
}

// --- Consumer --------------------------------------------------------------------------------

Result<std::unique_ptr<Consumer>> Consumer::Make(const ClientRecipe& recipe,
                                                 const KafkaOptions& options,
                                                 ClientCallbacks callbacks) {
  Result<ClientConfig> config = ClientConfig::Make(recipe, options);
  if (!config) {
    return tl::unexpected(config.error());
  }
  rd_kafka_conf_set_rebalance_cb(
      config->get(), [](rd_kafka_t*, rd_kafka_resp_err_t event,
                        rd_kafka_topic_partition_list_t* partitions, void* opaque) {
        static_cast<Consumer*>(Client::OwnerOf(opaque))->Rebalance(event, *partitions);
      });
  std::unique_ptr<Consumer> consumer(new Consumer());
  Result<std::unique_ptr<Client>> client =
      Client::Make(*std::move(config), std::move(callbacks), consumer.get());
  if (!client) {
    consumer->closed_ = true;
    return tl::unexpected(client.error());
  }
  consumer->client_ = *std::move(client);
  return consumer;
}

Consumer::~Consumer() {
  listener_ = nullptr;
  if (!closed_) {
    static_cast<void>(Close(kDestructorCloseTimeout));
  }
}

KafkaStatus Consumer::Subscribe(const std::vector<std::string>& topics,
                                RebalanceListener& listener) {
  listener_ = &listener;
  std::vector<TopicPartition> entries;
  entries.reserve(topics.size());
  for (const std::string& topic : topics) {
    entries.push_back({topic, RD_KAFKA_PARTITION_UA});
  }
  return StatusFrom(rd_kafka_subscribe(client_->handle(), MakePartitionList(entries).get()),
                    fmt::format("subscribing to {}", fmt::join(topics, ", ")));
}

KafkaStatus Consumer::Assign(const std::vector<PartitionOffset>& partitions) {
  states_.clear();
  KafkaStatus assigned = StatusFrom(
      rd_kafka_assign(client_->handle(), MakePartitionList(partitions).get()), "assigning");
  if (assigned) {
    for (const PartitionOffset& entry : partitions) {
      states_[entry.partition.topic][entry.partition.partition].next = entry.offset;
    }
  }
  return assigned;
}

void Consumer::Rebalance(std::int32_t event, rd_kafka_topic_partition_list_s& partitions) {
  if (event == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS) {
    AssignAll(PartitionsOf(partitions));
    return;
  }
  if (event != RD_KAFKA_RESP_ERR__REVOKE_PARTITIONS) {
    rebalance_error_ = KafkaErrorFromCode(event, "rebalancing");
  }
  // Asked before the partitions are given up, after which there is nothing to have lost.
  const bool lost = event != RD_KAFKA_RESP_ERR__REVOKE_PARTITIONS ||
                    rd_kafka_assignment_lost(client_->handle()) != 0;
  if (listener_ != nullptr) {
    if (lost) {
      listener_->OnLost(PartitionsOf(partitions));
    } else {
      listener_->OnRevoked(PartitionsOf(partitions));
    }
  }
  UnassignAll();
}

void Consumer::AssignAll(const std::vector<TopicPartition>& partitions) {
  // Nobody to ask any more: a rebalance that comes while the consumer is being destroyed.
  if (listener_ == nullptr) {
    UnassignAll();
    return;
  }
  KafkaResult<std::vector<PartitionOffset>> starts = listener_->OnAssigned(partitions);
  KafkaStatus assigned = starts ? Assign(*starts) : tl::unexpected(starts.error());
  if (!assigned) {
    rebalance_error_ = assigned.error();
    // Polling again won't take the assignment up: whoever owns this consumer must join anew.
    if (rebalance_error_->error_class == KafkaErrorClass::kRetriable) {
      rebalance_error_->error_class = KafkaErrorClass::kAbortable;
    }
    UnassignAll();
  }
}

void Consumer::UnassignAll() {
  states_.clear();
  // The answer that librdkafka waits for before the group can go on; without it, it never does.
  static_cast<void>(rd_kafka_assign(client_->handle(), nullptr));
}

KafkaResult<std::optional<ConsumedRecord>> Consumer::Poll(milliseconds timeout) {
  const auto deadline = steady_clock::now() + timeout;
  do {
    rd_kafka_message_t* message =
        rd_kafka_consumer_poll(client_->handle(), TimeoutMs(Until(deadline)));
    if (rebalance_error_) {
      if (message != nullptr) {
        rd_kafka_message_destroy(message);
      }
      return tl::unexpected(*std::exchange(rebalance_error_, std::nullopt));
    }
    if (message == nullptr) {
      return std::nullopt;
    }
    ConsumedRecord record(message);
    if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
      if (std::optional<KafkaError> fatal = client_->FatalError()) {
        return tl::unexpected(*std::move(fatal));
      }
      return tl::unexpected(KafkaErrorFromCode(
          message->err,
          message->rkt == nullptr
              ? std::string("consuming")
              : fmt::format("consuming {} [{}]", record.topic(), record.partition()),
          rd_kafka_message_errstr(message)));
    }
    PartitionState* state = FindState(record.topic(), record.partition());
    if (state != nullptr && record.offset() >= state->next) {
      state->next = record.offset() + 1;
      return record;
    }
    ++redelivered_count_;
  } while (steady_clock::now() < deadline);
  return std::nullopt;
}

Consumer::PartitionState* Consumer::FindState(std::string_view topic, std::int32_t partition) {
  return const_cast<PartitionState*>(std::as_const(*this).FindState(topic, partition));
}

const Consumer::PartitionState* Consumer::FindState(std::string_view topic,
                                                    std::int32_t partition) const {
  const auto of_topic = states_.find(topic);
  if (of_topic == states_.end()) {
    return nullptr;
  }
  const auto found = of_topic->second.find(partition);
  return found == of_topic->second.end() ? nullptr : &found->second;
}

KafkaStatus Consumer::SetPaused(const std::vector<TopicPartition>& partitions, bool paused) {
  std::vector<TopicPartition> changed;
  for (const TopicPartition& entry : partitions) {
    const PartitionState* state = FindState(entry.topic, entry.partition);
    if (state != nullptr && state->paused != paused) {
      changed.push_back(entry);
    }
  }
  // Resuming a partition that isn't paused makes librdkafka fetch it from an old place again.
  if (changed.empty()) {
    return {};
  }
  const PartitionList list = MakePartitionList(changed);
  rd_kafka_resp_err_t code = paused ? rd_kafka_pause_partitions(client_->handle(), list.get())
                                    : rd_kafka_resume_partitions(client_->handle(), list.get());
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
    code = static_cast<rd_kafka_resp_err_t>(FirstErrorIn(*list));
  }
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
    for (const TopicPartition& entry : changed) {
      FindState(entry.topic, entry.partition)->paused = paused;
    }
  }
  return StatusFrom(code, paused ? "pausing" : "resuming");
}

KafkaStatus Consumer::Pause(const std::vector<TopicPartition>& partitions) {
  return SetPaused(partitions, true);
}

KafkaStatus Consumer::Resume(const std::vector<TopicPartition>& partitions) {
  return SetPaused(partitions, false);
}

KafkaStatus Consumer::Seek(const PartitionOffset& target, milliseconds timeout) {
  const std::string doing = fmt::format("seeking {} [{}] to offset {}", target.partition.topic,
                                        target.partition.partition, target.offset);
  PartitionState* state = FindState(target.partition.topic, target.partition.partition);
  if (state == nullptr) {
    return tl::unexpected(KafkaErrorFromCode(RD_KAFKA_RESP_ERR__STATE, doing, "not assigned"));
  }
  // One partition a call: with several, librdkafka mixes their results up (its issue 4230).
  const PartitionList list = MakePartitionList(std::vector<PartitionOffset>{target});
  rd_kafka_error_t* error =
      rd_kafka_seek_partitions(client_->handle(), list.get(), std::max(TimeoutMs(timeout), 1));
  if (error != nullptr) {
    KafkaError failed = KafkaErrorFrom(error, doing);
    if (failed.code == RD_KAFKA_RESP_ERR__TIMED_OUT) {
      failed.error_class = KafkaErrorClass::kRetriable;  // seeking twice does no harm
    }
    return tl::unexpected(std::move(failed));
  }
  if (const std::int32_t code = FirstErrorIn(*list); code != 0) {
    return tl::unexpected(KafkaErrorFromCode(code, doing));
  }
  state->next = target.offset;
  return {};
}

KafkaStatus Consumer::Commit(const std::vector<PartitionOffset>& offsets, milliseconds timeout) {
  // A queue of its own, because rd_kafka_commit() waits without a limit. An answer that comes too
  // late finds the queue gone and is dropped.
  const Queue queue(rd_kafka_queue_new(client_->handle()));
  std::optional<KafkaStatus> result;
  const rd_kafka_resp_err_t code = rd_kafka_commit_queue(
      client_->handle(), MakePartitionList(offsets).get(), queue.get(),
      [](rd_kafka_t*, rd_kafka_resp_err_t outcome, rd_kafka_topic_partition_list_t* committed,
         void* opaque) {
        static_cast<std::optional<KafkaStatus>*>(opaque)->emplace(CommitStatus(outcome, committed));
      },
      &result);
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return CommitStatus(code, nullptr);
  }
  rd_kafka_queue_poll_callback(queue.get(), TimeoutMs(timeout));
  if (!result) {
    return tl::unexpected(
        KafkaErrorFromCode(RD_KAFKA_RESP_ERR__TIMED_OUT, "committing offsets",
                           fmt::format("no answer within {} ms", timeout.count())));
  }
  return *std::move(result);
}

KafkaStatus Consumer::CommitAsync(const std::vector<PartitionOffset>& offsets,
                                  std::function<void(const KafkaStatus&)> done) {
  const Queue queue(rd_kafka_queue_get_consumer(client_->handle()));
  const std::uintptr_t number = next_commit_++;
  pending_commits_.emplace(number, std::move(done));
  const rd_kafka_resp_err_t code = rd_kafka_commit_queue(
      client_->handle(), MakePartitionList(offsets).get(), queue.get(),
      [](rd_kafka_t* handle, rd_kafka_resp_err_t outcome,
         rd_kafka_topic_partition_list_t* committed, void* opaque) {
        static_cast<Consumer*>(Client::OwnerOf(rd_kafka_opaque(handle)))
            ->FinishCommit(reinterpret_cast<std::uintptr_t>(opaque),
                           CommitStatus(outcome, committed));
      },
      // A number in the clothes of a pointer, never followed.
      reinterpret_cast<void*>(number));  // NOLINT(performance-no-int-to-ptr)
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
    pending_commits_.erase(number);
    return CommitStatus(code, nullptr);
  }
  return {};
}

void Consumer::FinishCommit(std::uintptr_t number, const KafkaStatus& status) {
  const auto pending = pending_commits_.extract(number);
  if (!pending.empty()) {
    pending.mapped()(status);
  }
}

KafkaResult<std::vector<std::optional<std::int64_t>>> Consumer::Committed(
    const std::vector<TopicPartition>& partitions, milliseconds timeout) {
  auto places = CommittedPlaces(partitions, timeout);
  if (!places) return tl::unexpected(places.error());
  std::vector<std::optional<std::int64_t>> offsets;
  for (const std::optional<PartitionOffset>& place : *places) {
    offsets.push_back(place ? std::optional(place->offset) : std::nullopt);
  }
  return offsets;
}

KafkaResult<std::vector<std::optional<PartitionOffset>>> Consumer::CommittedPlaces(
    const std::vector<TopicPartition>& partitions, milliseconds timeout) {
  const auto deadline = steady_clock::now() + timeout;
  while (true) {
    const PartitionList list = MakePartitionList(partitions);
    rd_kafka_resp_err_t code =
        rd_kafka_committed(client_->handle(), list.get(), TimeoutMs(Until(deadline)));
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
      code = static_cast<rd_kafka_resp_err_t>(FirstErrorIn(*list));
    }
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
      std::vector<std::optional<PartitionOffset>> places;
      for (int i = 0; i < list->cnt; ++i) {
        const rd_kafka_topic_partition_t& found = list->elems[i];
        places.emplace_back();
        if (found.offset < 0) continue;
        places.back() = PartitionOffset{{found.topic, found.partition}, found.offset};
        if (found.metadata == nullptr) continue;
        places.back()->metadata.assign(static_cast<const char*>(found.metadata),
                                       found.metadata_size);
      }
      return places;
    }
    // An open transaction holds the offsets back (UNSTABLE_OFFSET_COMMIT) until it ends.
    KafkaError error =
        KafkaErrorFromCode(code, "reading committed offsets", client_->LastTrouble());
    if (error.error_class != KafkaErrorClass::kRetriable ||
        Until(deadline) <= kCommittedRetryPause) {
      return tl::unexpected(std::move(error));
    }
    std::this_thread::sleep_for(kCommittedRetryPause);
  }
}

KafkaResult<Watermarks> Consumer::QueryWatermarks(const TopicPartition& partition,
                                                  milliseconds timeout) {
  const auto deadline = steady_clock::now() + timeout;
  auto low = QueryEnd({partition, kOffsetBeginning}, deadline);
  if (!low) return tl::unexpected(std::move(low.error()));
  auto high = QueryEnd({partition, kOffsetEnd}, deadline);
  if (!high) return tl::unexpected(std::move(high.error()));
  return Watermarks{*low, *high};
}

KafkaResult<std::int64_t> Consumer::QueryEnd(const PartitionOffset& end,
                                             steady_clock::time_point deadline) {
  // Not rd_kafka_query_watermark_offsets: it knows no limit of time while the leader that it asked
  // is down, and goes on asking that one when there is another (librdkafka 2.0.2). A time of -1 or
  // -2 is an end of the partition here as well.
  const PartitionList list = MakePartitionList(std::vector<PartitionOffset>{end});
  const auto ask = [&] {
    list->elems[0].offset = end.offset;
    const rd_kafka_resp_err_t code =
        rd_kafka_offsets_for_times(client_->handle(), list.get(), TimeoutMs(Until(deadline)));
    return code == RD_KAFKA_RESP_ERR_NO_ERROR
               ? static_cast<rd_kafka_resp_err_t>(FirstErrorIn(*list))
               : code;
  };
  rd_kafka_resp_err_t code = ask();
  // What librdkafka says here also of a partition that had no leader when it last asked, as after a
  // broker was away for longer than its own session. It doesn't ask again for the 15 minutes that
  // it believes its metadata, unless the topic is subscribed to.
  if (code == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION &&
      client_->FindLeaders(end.partition.topic, Until(deadline))) {
    code = ask();
  }
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR) return list->elems[0].offset;
  KafkaError error = KafkaErrorFromCode(
      code,
      fmt::format("asking for the ends of {} [{}]", end.partition.topic, end.partition.partition));
  if (code == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION) {
    error.error_class = KafkaErrorClass::kRetriable;
  }
  return tl::unexpected(std::move(error));
}

std::optional<Watermarks> Consumer::CachedWatermarks(const TopicPartition& partition) const {
  Watermarks watermarks;
  const rd_kafka_resp_err_t code =
      rd_kafka_get_watermark_offsets(client_->handle(), partition.topic.c_str(),
                                     partition.partition, &watermarks.low, &watermarks.high);
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR || watermarks.high < 0) {
    return std::nullopt;
  }
  return watermarks;
}

std::optional<std::int64_t> Consumer::Position(const TopicPartition& partition) const {
  const PartitionState* state = FindState(partition.topic, partition.partition);
  if (state == nullptr || state->next < 0) {
    return std::nullopt;
  }
  return state->next;
}

std::vector<TopicPartition> Consumer::Assignment() const {
  std::vector<TopicPartition> assignment;
  for (const auto& [topic, partitions] : states_) {
    for (const auto& [partition, state] : partitions) {
      assignment.push_back({topic, partition});
    }
  }
  return assignment;
}

KafkaResult<GroupMetadata> Consumer::CurrentGroupMetadata() const {
  GroupMetadata metadata(rd_kafka_consumer_group_metadata(client_->handle()));
  if (metadata == nullptr) {
    return tl::unexpected(
        KafkaErrorFromCode(RD_KAFKA_RESP_ERR__UNKNOWN_GROUP, "asking for the group's metadata"));
  }
  return metadata;
}

KafkaStatus Consumer::Close(milliseconds timeout) {
  closed_ = true;
  const auto deadline = steady_clock::now() + timeout;
  const Queue queue(rd_kafka_queue_new(client_->handle()));
  rd_kafka_error_t* error = rd_kafka_consumer_close_queue(client_->handle(), queue.get());
  if (error != nullptr) {
    return tl::unexpected(KafkaErrorFrom(error, "closing the consumer"));
  }
  while (rd_kafka_consumer_closed(client_->handle()) == 0) {
    if (steady_clock::now() >= deadline) {
      return tl::unexpected(
          KafkaErrorFromCode(RD_KAFKA_RESP_ERR__TIMED_OUT, "closing the consumer",
                             fmt::format("not done within {} ms", timeout.count())));
    }
    // Serves the rebalance callbacks, on this thread: librdkafka forwards what it polls to `queue`.
    // To poll that itself would abort the process at the first record that was fetched ahead
    // (rd_kafka_queue_poll_callback takes no records).
    rd_kafka_message_t* message =
        rd_kafka_consumer_poll(client_->handle(), TimeoutMs(std::min(kCloseStep, Until(deadline))));
    if (message != nullptr) {
      rd_kafka_message_destroy(message);
    }
  }
  return {};
}

}  // namespace crawlsieve::consumer
