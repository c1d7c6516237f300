#include "consumer/kafka/consumer.h"

#include "consumer/kafka/calls.h"
#include "consumer/kafka/partition_list.h"
#include "plugin/base/result.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <librdkafka/rdkafka.h>

namespace crawlsieve::consumer {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kDestructorCloseTimeout{5'000};
constexpr milliseconds kCloseStep{50};

}  // namespace

void DestroyGroupMetadata::operator()(rd_kafka_consumer_group_metadata_s* metadata) const {
  rd_kafka_consumer_group_metadata_destroy(metadata);
}

Result<std::unique_ptr<Consumer>> Consumer::Make(const ClientRecipe& recipe,
                                                 const KafkaClientOptions& options,
                                                 ClientCallbacks callbacks) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(ClientConfig config, ClientConfig::Make(recipe, options));
  rd_kafka_conf_set_rebalance_cb(
      config.get(), [](rd_kafka_t*, rd_kafka_resp_err_t event,
                       rd_kafka_topic_partition_list_t* partitions, void* opaque) {
        static_cast<Consumer*>(Client::OwnerOf(opaque))->Rebalance(event, *partitions);
      });
  std::unique_ptr<Consumer> consumer(new Consumer());
  Result<std::unique_ptr<Client>> client =
      Client::Make(std::move(config), std::move(callbacks), consumer.get());
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

BrokerStatus Consumer::Subscribe(const std::vector<std::string>& topics,
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

BrokerStatus Consumer::Assign(const std::vector<PartitionOffset>& partitions) {
  states_.clear();
  BrokerStatus assigned = StatusFrom(
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
    rebalance_error_ = client_->Explain(KafkaErrorFromCode(event, "rebalancing"));
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
  BrokerResult<std::vector<PartitionOffset>> starts = listener_->OnAssigned(partitions);
  BrokerStatus assigned = starts ? Assign(*starts) : tl::unexpected(starts.error());
  if (!assigned) {
    rebalance_error_ = assigned.error();
    // Polling again won't take the assignment up: whoever owns this consumer must join anew.
    if (rebalance_error_->error_class == ErrorClass::kRetriable) {
      rebalance_error_->Reclassify(ErrorClass::kAbortable);
    }
    UnassignAll();
  }
}

void Consumer::UnassignAll() {
  states_.clear();
  // The answer that librdkafka waits for before the group can go on; without it, it never does.
  static_cast<void>(rd_kafka_assign(client_->handle(), nullptr));
}

BrokerResult<std::optional<ConsumedRecord>> Consumer::Poll(milliseconds timeout) {
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
    if (message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
      PartitionState* const ended = FindState(record.topic(), record.partition());
      if (ended != nullptr) {
        ended->is_at_end = true;
        // Behind the ends of transactions, too, which are no records.
        ended->next = std::max(ended->next, message->offset);
      }
      return std::nullopt;
    }
    if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
      if (std::optional<BrokerError> fatal = client_->FatalError()) {
        return tl::unexpected(*std::move(fatal));
      }
      const bool has_topic = message->rkt != nullptr;
      return tl::unexpected(client_->Explain(
          KafkaErrorFromCode(
              message->err,
              has_topic ? fmt::format("consuming {} [{}]", record.topic(), record.partition())
                        : std::string("consuming"),
              rd_kafka_message_errstr(message)),
          {"Read", has_topic ? record.topic() : std::string_view()}));
    }
    PartitionState* state = FindState(record.topic(), record.partition());
    if (state != nullptr && record.offset() >= state->next) {
      state->next = record.offset() + 1;
      state->is_at_end = false;
      return record;
    }
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

BrokerStatus Consumer::SetPaused(const std::vector<TopicPartition>& partitions, bool paused) {
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

BrokerStatus Consumer::Pause(const std::vector<TopicPartition>& partitions) {
  return SetPaused(partitions, true);
}

BrokerStatus Consumer::Resume(const std::vector<TopicPartition>& partitions) {
  return SetPaused(partitions, false);
}

BrokerStatus Consumer::Seek(const PartitionOffset& target, milliseconds timeout) {
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
    BrokerError failed = KafkaErrorFrom(error, doing);
    if (failed.broker_code == RD_KAFKA_RESP_ERR__TIMED_OUT) {
      failed.Reclassify(ErrorClass::kRetriable);  // seeking twice does no harm
    }
    return tl::unexpected(std::move(failed));
  }
  if (const std::int32_t code = FirstErrorIn(*list); code != 0) {
    return tl::unexpected(KafkaErrorFromCode(code, doing));
  }
  state->next = target.offset;
  state->is_at_end = false;
  return {};
}

BrokerResult<Watermarks> Consumer::QueryWatermarks(const TopicPartition& partition,
                                                   milliseconds timeout) {
  const auto deadline = steady_clock::now() + timeout;
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto low, QueryOffset({partition, kOffsetBeginning}, deadline));
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto high, QueryOffset({partition, kOffsetEnd}, deadline));
  return Watermarks{low, high};
}

BrokerResult<std::int64_t> Consumer::QueryEnd(const TopicPartition& partition,
                                              milliseconds timeout) {
  return QueryOffset({partition, kOffsetEnd}, steady_clock::now() + timeout);
}

BrokerResult<std::int64_t> Consumer::QueryOffset(const PartitionOffset& end,
                                                 steady_clock::time_point deadline) {
  // Not rd_kafka_query_watermark_offsets: it knows no limit of time while the leader that it asked
  // is down, and goes on asking that one when there is another (librdkafka 2.0.2). A time of -1 or
  // -2 is an end of the partition here as well.
  const PartitionList list = MakePartitionList(std::vector<PartitionOffset>{end});
  const auto find_leaders = [&](milliseconds timeout) {
    return client_->FindLeaders(end.partition.topic, timeout).has_value();
  };
  const auto ask = [&] {
    list->elems[0].offset = end.offset;
    const rd_kafka_resp_err_t code =
        rd_kafka_offsets_for_times(client_->handle(), list.get(), TimeoutMs(Until(deadline)));
    return code == RD_KAFKA_RESP_ERR_NO_ERROR
               ? static_cast<rd_kafka_resp_err_t>(FirstErrorIn(*list))
               : code;
  };
  // librdkafka believes what it was told of a topic for up to 15 minutes, unless it is subscribed
  // to: also that a broker leads it which is down by now, or that none did (UNKNOWN_PARTITION). An
  // answer may take as long as the fetch that the broker serves before it on the same connection,
  // so the time isn't divided: who leads is asked after a failure, in the next question.
  if (std::exchange(is_leader_in_doubt_, false)) (void)find_leaders(Until(deadline) / 2);
  rd_kafka_resp_err_t code = ask();
  if (code == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION && find_leaders(Until(deadline))) code = ask();
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR) return list->elems[0].offset;
  is_leader_in_doubt_ = true;
  BrokerError error = KafkaErrorFromCode(
      code,
      fmt::format("asking for the ends of {} [{}]", end.partition.topic, end.partition.partition));
  if (code == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION) {
    error.Reclassify(ErrorClass::kRetriable);
  }
  return tl::unexpected(client_->Explain(std::move(error), {"Describe", end.partition.topic}));
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

bool Consumer::IsAtEnd(const TopicPartition& partition) const {
  const PartitionState* state = FindState(partition.topic, partition.partition);
  return state != nullptr && state->is_at_end;
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

BrokerResult<GroupMetadata> Consumer::CurrentGroupMetadata() const {
  GroupMetadata metadata(rd_kafka_consumer_group_metadata(client_->handle()));
  if (metadata == nullptr) {
    return tl::unexpected(
        KafkaErrorFromCode(RD_KAFKA_RESP_ERR__UNKNOWN_GROUP, "asking for the group's metadata"));
  }
  return metadata;
}

BrokerStatus Consumer::Close(milliseconds timeout) {
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
