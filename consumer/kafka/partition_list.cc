#include "consumer/kafka/partition_list.h"

#include <cstdlib>
#include <cstring>

#include <librdkafka/rdkafka.h>

namespace crawlsieve::consumer {

void DestroyPartitionList::operator()(rd_kafka_topic_partition_list_s* list) const {
  rd_kafka_topic_partition_list_destroy(list);
}

PartitionList MakePartitionList(const std::vector<PartitionOffset>& offsets) {
  PartitionList list(rd_kafka_topic_partition_list_new(static_cast<int>(offsets.size())));
  for (const PartitionOffset& entry : offsets) {
    rd_kafka_topic_partition_t* const added = rd_kafka_topic_partition_list_add(
        list.get(), entry.partition.topic.c_str(), entry.partition.partition);
    added->offset = entry.offset;
    if (entry.metadata.empty()) continue;
    // The list frees it, as C does.
    added->metadata = std::malloc(entry.metadata.size());
    if (added->metadata == nullptr) continue;
    std::memcpy(added->metadata, entry.metadata.data(), entry.metadata.size());
    added->metadata_size = entry.metadata.size();
  }
  return list;
}

PartitionList MakePartitionList(const std::vector<TopicPartition>& partitions) {
  PartitionList list(rd_kafka_topic_partition_list_new(static_cast<int>(partitions.size())));
  for (const TopicPartition& entry : partitions) {
    rd_kafka_topic_partition_list_add(list.get(), entry.topic.c_str(), entry.partition);
  }
  return list;
}

std::vector<TopicPartition> PartitionsOf(const rd_kafka_topic_partition_list_s& list) {
  std::vector<TopicPartition> partitions;
  partitions.reserve(static_cast<std::size_t>(list.cnt));
  for (int i = 0; i < list.cnt; ++i) {
    partitions.push_back({list.elems[i].topic, list.elems[i].partition});
  }
  return partitions;
}

std::int32_t FirstErrorIn(const rd_kafka_topic_partition_list_s& list) {
  for (int i = 0; i < list.cnt; ++i) {
    if (list.elems[i].err != RD_KAFKA_RESP_ERR_NO_ERROR) {
      return list.elems[i].err;
    }
  }
  return 0;
}

}  // namespace crawlsieve::consumer
