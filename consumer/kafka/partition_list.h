#pragma once

#include "consumer/kafka/record.h"

#include <memory>
#include <vector>

struct rd_kafka_topic_partition_list_s;

namespace crawlsieve::consumer {

struct DestroyPartitionList {
  void operator()(rd_kafka_topic_partition_list_s* list) const;
};
using PartitionList = std::unique_ptr<rd_kafka_topic_partition_list_s, DestroyPartitionList>;

/// librdkafka's form of these.
[[nodiscard]] PartitionList MakePartitionList(const std::vector<PartitionOffset>& offsets);
[[nodiscard]] PartitionList MakePartitionList(const std::vector<TopicPartition>& partitions);

[[nodiscard]] std::vector<TopicPartition> PartitionsOf(const rd_kafka_topic_partition_list_s& list);

/// The first error that one of the partitions has, as rd_kafka_resp_err_t; 0 if none has.
[[nodiscard]] std::int32_t FirstErrorIn(const rd_kafka_topic_partition_list_s& list);

}  // namespace crawlsieve::consumer
