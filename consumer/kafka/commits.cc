// The methods of Consumer that commit offsets and read them back.

#include "consumer/kafka/calls.h"
#include "consumer/kafka/consumer.h"
#include "consumer/kafka/partition_list.h"
#include "plugin/base/result.h"

#include <string_view>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <librdkafka/rdkafka.h>

namespace crawlsieve::consumer {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kCommittedRetryPause{50};

/// Of a commit: the whole of it failed, or one of its partitions.
BrokerStatus CommitStatus(rd_kafka_resp_err_t code,
                          const rd_kafka_topic_partition_list_t* offsets) {
  // There was nothing to commit.
  if (code == RD_KAFKA_RESP_ERR__NO_OFFSET) {
    return {};
  }
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR && offsets != nullptr) {
    code = static_cast<rd_kafka_resp_err_t>(FirstErrorIn(*offsets));
  }
  return StatusFrom(code, "committing offsets");
}

}  // namespace

BrokerStatus Consumer::Commit(const std::vector<PartitionOffset>& offsets, milliseconds timeout) {
  // A queue of its own, because rd_kafka_commit() waits without a limit. An answer that comes too
  // late finds the queue gone and is dropped.
  const Queue queue(rd_kafka_queue_new(client_->handle()));
  std::optional<BrokerStatus> result;
  const rd_kafka_resp_err_t code = rd_kafka_commit_queue(
      client_->handle(), MakePartitionList(offsets).get(), queue.get(),
      [](rd_kafka_t*, rd_kafka_resp_err_t outcome, rd_kafka_topic_partition_list_t* committed,
         void* opaque) {
        static_cast<std::optional<BrokerStatus>*>(opaque)->emplace(
            CommitStatus(outcome, committed));
      },
      &result);
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return CommitStatus(code, nullptr);
  }
  rd_kafka_queue_poll_callback(queue.get(), TimeoutMs(timeout));
  const TopicAccess access{"Read",
                           offsets.empty() ? std::string_view() : offsets.front().partition.topic};
  if (!result) {
    return tl::unexpected(
        KafkaErrorFromCode(RD_KAFKA_RESP_ERR__TIMED_OUT, "committing offsets",
                           fmt::format("no answer within {} ms", timeout.count())));
  }
  return std::move(*result).map_error(
      [&](BrokerError error) { return client_->Explain(std::move(error), access); });
}

BrokerStatus Consumer::CommitAsync(const std::vector<PartitionOffset>& offsets,
                                   std::function<void(const BrokerStatus&)> done) {
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

void Consumer::FinishCommit(std::uintptr_t number, const BrokerStatus& status) {
  const auto pending = pending_commits_.extract(number);
  if (!pending.empty()) {
    pending.mapped()(status.map_error([this](BrokerError error) {
      return client_->Explain(std::move(error), {"Read", {}});
    }));
  }
}

BrokerResult<std::vector<std::optional<std::int64_t>>> Consumer::Committed(
    const std::vector<TopicPartition>& partitions, milliseconds timeout) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto places, CommittedPlaces(partitions, timeout));
  std::vector<std::optional<std::int64_t>> offsets;
  offsets.reserve(places.size());
  for (const std::optional<PartitionOffset>& place : places) {
    offsets.push_back(place ? std::optional(place->offset) : std::nullopt);
  }
  return offsets;
}

BrokerResult<std::vector<std::optional<PartitionOffset>>> Consumer::CommittedPlaces(
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
    BrokerError error = client_->Explain(
        KafkaErrorFromCode(code, "reading committed offsets", client_->LastTrouble()),
        {"Describe", partitions.empty() ? std::string_view() : partitions.front().topic});
    if (error.error_class != ErrorClass::kRetriable || Until(deadline) <= kCommittedRetryPause) {
      return tl::unexpected(std::move(error));
    }
    std::this_thread::sleep_for(kCommittedRetryPause);
  }
}

}  // namespace crawlsieve::consumer
