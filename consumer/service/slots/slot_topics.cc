#include "consumer/service/slots/slot_topics.h"

#include "consumer/kafka/topics.h"
#include "consumer/service/brokers/topic_check.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

Status OfChanges(Status status) {
  if (!status) {
    status.error().message =
        fmt::format("the topic of changes (kafka.changes.topic): {}", status.error().message);
  }
  return status;
}

}  // namespace

Status EnsureSlotTopics(Admin& admin, const KafkaOptions& options,
                        std::chrono::milliseconds timeout) {
  const SlotOptions& slots = options.slots;
  // A slot that was away reads on where it was, whenever that is.
  KafkaOptions as_log = options;
  as_log.log_topic = slots.changes_topic;
  CRAWLSIEVE_RETURN_IF_ERROR(
      OfChanges(EnsureLogTopic(admin, as_log, MissingTopic::kCreate, timeout)));
  const auto kept = CheckDurability(admin, options, {slots.changes_topic}, timeout);
  if (!kept) return OfChanges(tl::unexpected(kept.error()));

  const auto made = EnsureTopic(admin, options, slots.candidates_topic,
                                static_cast<std::int32_t>(slots.count), timeout, TopicKeeps::kDay);
  if (!made) return tl::unexpected(made.error());
  auto described = admin.DescribeTopic(slots.candidates_topic, timeout);
  if (!described) return MakeError(ErrorCode::kIo, described.error().message);
  if (!described->has_value()) {
    return MakeError(ErrorCode::kIo, fmt::format("topic {} is not known to every broker yet",
                                                 slots.candidates_topic));
  }
  std::string problem = CandidatesTopicProblem(slots.candidates_topic, **described, slots.count,
                                               options.bootstrap_servers);
  if (problem.empty()) return {};
  return MakeError(ErrorCode::kInvalidConfig, std::move(problem));
}

}  // namespace crawlsieve::consumer
