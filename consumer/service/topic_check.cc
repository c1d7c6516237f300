#include "consumer/service/topic_check.h"

#include "consumer/kafka/topics.h"
#include "consumer/logging.h"

#include <optional>

#include <fmt/format.h>

namespace crawlsieve::consumer {

Status CheckDurability(Admin& admin, const KafkaOptions& options,
                       const std::vector<std::string>& topics, std::chrono::milliseconds timeout) {
  const auto brokers = admin.CountBrokers(timeout);
  if (!brokers) return tl::unexpected(Error{ErrorCode::kIo, brokers.error().message});
  bool is_trial = false;
  for (const std::string& topic : topics) {
    const auto described = admin.DescribeTopic(topic, timeout);
    if (!described) return tl::unexpected(Error{ErrorCode::kIo, described.error().message});
    if (!described->has_value()) continue;
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
    is_trial = is_trial || (problem.empty() && found.replicas < 2);
    if (problem.empty()) continue;
    if (!options.accept_weak_durability) {
      return MakeError(ErrorCode::kInvalidConfig,
                       problem + ". Or accept the loss: kafka.log.accept_weak_durability: true");
    }
    Log(LogLevel::kWarn, "start.weak_durability", {{"topic", topic}, {"problem", problem}});
  }
  if (is_trial) {
    Log(LogLevel::kWarn, "start.trial",
        {{"brokers", *brokers},
         {"meaning",
          "one broker keeps one copy of everything: this is a trial. What it loses, "
          "is lost"}});
  }
  return {};
}

}  // namespace crawlsieve::consumer
