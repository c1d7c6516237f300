#include "consumer/service/slots/slot_group.h"

#include "consumer/service/brokers/deployment.h"
#include "consumer/service/brokers/kafka_log.h"
#include "plugin/base/hex.h"
#include "plugin/base/result.h"
#include "plugin/fingerprint/checksum.h"

#include <string>

#include <fmt/format.h>

namespace crawlsieve::consumer {

using std::chrono::milliseconds;

namespace {

constexpr milliseconds kGroupTimeout{3'000};

/// Brokers give a member that is back what it had, without a look at what it asks for now. So a
/// process that comes back with other slots is another member.
std::string MemberOf(const std::string& process, const SlotOptions& slots) {
  const std::string layout = fmt::format("{} {}", slots.candidates_topic, slots.count);
  return fmt::format("{}-{}", process, Hex(RawChecksum(layout).low).substr(0, 8));
}

}  // namespace

BrokerResult<std::unique_ptr<SlotGroup>> SlotGroup::Make(const KafkaOptions& options,
                                                         const std::string& process,
                                                         BrokerContact& contact) {
  ClientRecipe recipe = IndexConsumer(options, options.slots.replica_group);
  recipe.defaults["client.id"] = IndexClientId(options);
  if (!process.empty()) {
    recipe.required["group.instance.id"] = MemberOf(process, options.slots);
  }
  auto consumer =
      Consumer::Make(recipe, options, contact.Listen(LoggingCallbacks("index"), "group"));
  if (!consumer) return FinalError(std::move(consumer.error()));
  std::unique_ptr<SlotGroup> group(new SlotGroup(options, std::move(*consumer)));
  CRAWLSIEVE_RETURN_IF_ERROR(group->consumer_->Subscribe({options.slots.candidates_topic}, *group));
  return group;
}

BrokerStatus SlotGroup::Poll(milliseconds wait) {
  const auto polled = consumer_->Poll(wait);
  if (!polled && polled.error().error_class != ErrorClass::kRetriable) {
    return tl::unexpected(polled.error());
  }
  return {};
}

BrokerStatus SlotGroup::Close(milliseconds timeout) { return consumer_->Close(timeout); }

BrokerResult<std::vector<PartitionOffset>> SlotGroup::OnAssigned(
    const std::vector<TopicPartition>& partitions) {
  CRAWLSIEVE_RETURN_IF_ERROR(CheckIndexGroup(options_, kGroupTimeout));
  std::set<std::uint32_t> slots;
  for (const TopicPartition& partition : partitions) {
    if (partition.topic != options_.slots.candidates_topic ||
        static_cast<std::uint32_t>(partition.partition) >= options_.slots.count) {
      return MakeBrokerError(
          ErrorClass::kRefused,
          fmt::format("the group of slots has given this process {} [{}], which is none of the {} "
                      "slots (index.slots) of topic {}: give all processes of a group the same "
                      "index.slots and kafka.candidates.topic",
                      partition.topic, partition.partition, options_.slots.count,
                      options_.slots.candidates_topic));
    }
    slots.insert(static_cast<std::uint32_t>(partition.partition));
  }
  slots_ = std::move(slots);
  return std::vector<PartitionOffset>();
}

}  // namespace crawlsieve::consumer
