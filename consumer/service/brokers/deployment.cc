#include "consumer/service/brokers/deployment.h"

#include "consumer/kafka/admin.h"
#include "consumer/kafka/consumer.h"
#include "consumer/service/brokers/kafka_log.h"
#include "plugin/base/result.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

tl::unexpected<BrokerError> Refused(std::string message) {
  return MakeBrokerError(ErrorClass::kRefused, std::move(message));
}

std::string IdPrefix(std::string_view role) { return fmt::format("crawlsieve-{}@", role); }

/// The log that a member's id names; empty if it names none.
std::string_view LogIn(std::string_view client_id, std::string_view role) {
  const std::string prefix = IdPrefix(role);
  if (!client_id.starts_with(prefix)) return {};
  client_id.remove_prefix(prefix.size());
  return client_id.substr(0, client_id.find('@'));
}

/// The number at the end of a judge's id; also of versions that put the time there.
std::uint64_t OrderIn(std::string_view client_id) {
  const auto begin = client_id.find_last_not_of("0123456789") + 1;
  std::uint64_t order = 0;
  std::from_chars(client_id.data() + begin, client_id.data() + client_id.size(), order);
  return order;
}

/// The ids of the members of group `<group>.<suffix>`, which has one role. Refused if one of them
/// belongs to another deployment.
BrokerResult<std::vector<std::string>> Members(Admin& admin, const KafkaOptions& options,
                                               std::string_view role, std::string_view suffix,
                                               std::chrono::milliseconds timeout) {
  const std::string group = fmt::format("{}.{}", options.group, suffix);
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto members, admin.GroupMembers(group, timeout));
  for (const std::string& id : members) {
    const std::string_view log = LogIn(id, role);
    if (log.empty() || log == options.log_topic) continue;
    return Refused(fmt::format(
        "group {} has a member of another deployment, whose admission log is {}; this one's is {}. "
        "Give each deployment a kafka.group of its own",
        group, log, options.log_topic));
  }
  return members;
}

BrokerResult<std::unique_ptr<Admin>> MakeAdmin(const KafkaOptions& options) {
  auto admin = Admin::Make(options, LoggingCallbacks("group"));
  if (!admin) return Refused(admin.error().message);
  return std::move(*admin);
}

/// If the group can't be queried now, work goes on. The next assignment queries it again.
BrokerStatus OnlyRefusals(const BrokerResult<std::vector<std::string>>& members) {
  if (members.has_value() || members.error().error_class != ErrorClass::kRefused) return {};
  return tl::unexpected(members.error());
}

/// Topics, other than the log, with committed offsets of the judge's group. A log has one
/// partition.
BrokerResult<std::vector<std::string>> OtherLogs(Admin& admin, const KafkaOptions& options,
                                                 std::chrono::milliseconds timeout) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto names, admin.TopicNames(timeout));
  std::vector<TopicPartition> places;
  for (const std::string& name : names) {
    if (name != options.log_topic) places.push_back({name, 0});
  }
  if (places.empty()) return std::vector<std::string>();
  auto consumer = Consumer::Make(JudgeConsumer(options), options, LoggingCallbacks("group"));
  if (!consumer) return Refused(consumer.error().message);
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto committed, (*consumer)->Committed(places, timeout));
  std::vector<std::string> others;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (committed[i].has_value()) others.push_back(places[i].topic);
  }
  return others;
}

}  // namespace

BrokerResult<std::string> JudgeClientId(const KafkaOptions& options,
                                        std::chrono::milliseconds timeout) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto admin, MakeAdmin(options));
  const std::string group = options.group + ".judge";
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto topics, OtherLogs(*admin, options, timeout));
  if (!topics.empty()) {
    return Refused(fmt::format(
        "group {} has committed offsets of {}, which is another deployment's admission log; this "
        "one's is {}. Give each deployment a kafka.group of its own. If nothing uses {} any more: "
        "kafka-consumer-groups.sh --bootstrap-server {} --group {} --topic {} --delete-offsets",
        group, fmt::join(topics, ", "), options.log_topic, topics.front(),
        options.bootstrap_servers, group, topics.front()));
  }
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto members, Members(*admin, options, "judge", "judge", timeout));
  std::uint64_t order = 0;
  for (const std::string& id : members) order = std::max(order, OrderIn(id));
  return fmt::format("{}{}@{:014}", IdPrefix("judge"), options.log_topic, order + 1);
}

std::string ExtractClientId(const KafkaOptions& options) {
  return IdPrefix("extract") + options.log_topic;
}

BrokerStatus CheckJudgeGroup(const KafkaOptions& options,
                             const std::vector<TopicPartition>& assigned,
                             std::chrono::milliseconds timeout) {
  const TopicPartition log{options.log_topic, 0};
  for (const TopicPartition& partition : assigned) {
    if (partition == log) continue;
    return Refused(fmt::format(
        "group {}.judge has given this judge {} [{}], which is not its admission log {}: another "
        "deployment uses the group. Give each deployment a kafka.group of its own",
        options.group, partition.topic, partition.partition, options.log_topic));
  }
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto admin, MakeAdmin(options));
  return OnlyRefusals(Members(*admin, options, "judge", "judge", timeout));
}

BrokerStatus CheckExtractGroup(const KafkaOptions& options, std::chrono::milliseconds timeout) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto admin, MakeAdmin(options));
  return OnlyRefusals(Members(*admin, options, "extract", "extract", timeout));
}

std::string IndexClientId(const KafkaOptions& options) {
  return IdPrefix("index") + options.log_topic;
}

BrokerStatus CheckIndexGroup(const KafkaOptions& options, std::chrono::milliseconds timeout) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto admin, MakeAdmin(options));
  const std::string& replica = options.slots.replica_group;
  const std::string suffix = replica.empty() ? "index" : "index-" + replica;
  return OnlyRefusals(Members(*admin, options, "index", suffix, timeout));
}

}  // namespace crawlsieve::consumer
