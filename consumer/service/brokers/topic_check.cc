#include "consumer/service/brokers/topic_check.h"

#include "consumer/kafka/topics.h"
#include "consumer/observability/logging.h"

#include <optional>

#include <fmt/format.h>

namespace crawlsieve::consumer {

Result<Durability> CheckDurability(Admin& admin, const KafkaOptions& options,
                                   const std::vector<std::string>& topics,
                                   std::chrono::milliseconds timeout) {
  const auto brokers = admin.CountBrokers(timeout);
  if (!brokers) return tl::unexpected(Error{ErrorCode::kIo, brokers.error().message});
  auto durability = Durability::kKept;
  for (const std::string& topic : topics) {
    const auto described = admin.DescribeTopic(topic, timeout);
    if (!described) return tl::unexpected(Error{ErrorCode::kIo, described.error().message});
    // Brokers learn of a new topic one after the other.
    if (!described->has_value()) {
      return MakeError(ErrorCode::kIo,
                       fmt::format("topic {} is not known to every broker yet", topic));
    }
    const TopicDescription& found = **described;
    const auto setting = [&](const char* name) {
      const auto value = found.settings.find(name);
      return value == found.settings.end() ? std::string("unknown") : value->second;
    };
    Log(LogLevel::kInfo, "start.topic",
        {{"topic", topic},
         {"brokers", *brokers},
         {"replicas", found.replicas},
         {"min.insync.replicas", setting("min.insync.replicas")},
         {"unclean.leader.election.enable", setting("unclean.leader.election.enable")}});
    const std::string problem =
        TopicDurabilityProblem(topic, found, *brokers, options.bootstrap_servers);
    if (problem.empty() && found.replicas < 2) durability = Durability::kTrial;
    if (problem.empty()) continue;
    if (!options.accept_weak_durability) {
      return MakeError(ErrorCode::kInvalidConfig,
                       problem + ". Or accept the loss: kafka.log.accept_weak_durability: true");
    }
    Log(LogLevel::kWarn, "start.weak_durability", {{"topic", topic}, {"problem", problem}});
  }
  return durability;
}

}  // namespace crawlsieve::consumer
