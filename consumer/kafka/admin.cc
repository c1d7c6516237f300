#include "consumer/kafka/admin.h"

#include "consumer/kafka/calls.h"
#include "consumer/kafka/error.h"
#include "plugin/base/result.h"

#include <algorithm>
#include <array>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <librdkafka/rdkafka.h>

namespace crawlsieve::consumer {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kNewTopicPause{50};
/// How often a request that waits looks whether the brokers refuse its connections.
constexpr milliseconds kStep{100};
/// The first of the requests for metadata; each waits twice as long as the one before.
constexpr milliseconds kFirstMetadataWait{500};

template <auto destroy>
struct DestroyWith {
  template <typename T>
  void operator()(T* object) const {
    destroy(object);
  }
};
using Event = std::unique_ptr<rd_kafka_event_t, DestroyWith<rd_kafka_event_destroy>>;
using AdminOptions =
    std::unique_ptr<rd_kafka_AdminOptions_t, DestroyWith<rd_kafka_AdminOptions_destroy>>;
using NewTopic = std::unique_ptr<rd_kafka_NewTopic_t, DestroyWith<rd_kafka_NewTopic_destroy>>;
using DeadTopic =
    std::unique_ptr<rd_kafka_DeleteTopic_t, DestroyWith<rd_kafka_DeleteTopic_destroy>>;
using DeadRecords =
    std::unique_ptr<rd_kafka_DeleteRecords_t, DestroyWith<rd_kafka_DeleteRecords_destroy>>;
using Offsets = std::unique_ptr<rd_kafka_topic_partition_list_t,
                                DestroyWith<rd_kafka_topic_partition_list_destroy>>;
using ConfigResource =
    std::unique_ptr<rd_kafka_ConfigResource_t, DestroyWith<rd_kafka_ConfigResource_destroy>>;
using Topic = std::unique_ptr<rd_kafka_topic_t, DestroyWith<rd_kafka_topic_destroy>>;

AdminOptions MakeOptions(rd_kafka_t* handle, rd_kafka_admin_op_t operation, milliseconds timeout) {
  AdminOptions options(rd_kafka_AdminOptions_new(handle, operation));
  std::array<char, 256> reason{};
  const int timeout_ms = std::max(TimeoutMs(timeout), 1);
  rd_kafka_AdminOptions_set_request_timeout(options.get(), timeout_ms, reason.data(),
                                            reason.size());
  if (operation != RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS) {
    // How long the brokers may take to make it known among themselves.
    rd_kafka_AdminOptions_set_operation_timeout(options.get(), timeout_ms, reason.data(),
                                                reason.size());
  }
  return options;
}

}  // namespace

void Admin::DestroyMetadata::operator()(const struct rd_kafka_metadata* metadata) const {
  rd_kafka_metadata_destroy(metadata);
}

struct Admin::Answer {
  Event event;
};

Result<std::unique_ptr<Admin>> Admin::Make(const KafkaClientOptions& options,
                                           ClientCallbacks callbacks) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(ClientConfig config,
                              ClientConfig::Make(AdminClient(options), options));
  std::unique_ptr<Admin> admin(new Admin());
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto client,
                              Client::Make(std::move(config), std::move(callbacks), admin.get()));
  admin->client_ = std::move(client);
  return admin;
}

BrokerError Admin::Failed(std::int32_t code, std::string_view doing, std::string_view detail,
                          const TopicAccess& access) {
  rd_kafka_poll(client_->handle(), 0);  // brings in what went wrong with the connections
  BrokerError error = client_->Explain(KafkaErrorFromCode(code, doing, detail), access);
  const std::string trouble = client_->LastTrouble();
  if (error.error_class == ErrorClass::kRetriable && !trouble.empty()) {
    error.message += "; last trouble: " + trouble;
  }
  return error;
}

bool Admin::IsRefused() {
  rd_kafka_poll(client_->handle(), 0);  // brings in what went wrong with the connections
  return client_->IsRefused();
}

BrokerResult<Admin::Answer> Admin::Await(rd_kafka_queue_s* queue, milliseconds timeout,
                                         std::string_view doing) {
  // A little longer than the request's own timeout, whose error says more than silence.
  const auto deadline = steady_clock::now() + timeout + std::chrono::seconds(1);
  Answer answer;
  while (answer.event == nullptr && steady_clock::now() < deadline && !IsRefused()) {
    answer.event.reset(rd_kafka_queue_poll(queue, TimeoutMs(std::min(kStep, Until(deadline)))));
  }
  if (answer.event == nullptr) {
    return tl::unexpected(Failed(RD_KAFKA_RESP_ERR__TIMED_OUT, doing, {}));
  }
  if (const rd_kafka_resp_err_t code = rd_kafka_event_error(answer.event.get())) {
    return tl::unexpected(Failed(code, doing, rd_kafka_event_error_string(answer.event.get())));
  }
  return answer;
}

BrokerStatus Admin::CheckTopics(const rd_kafka_topic_result_s* const* results, std::size_t count,
                                std::string_view doing, std::string_view operation) {
  for (std::size_t i = 0; i < count; ++i) {
    if (const rd_kafka_resp_err_t code = rd_kafka_topic_result_error(results[i])) {
      const char* text = rd_kafka_topic_result_error_string(results[i]);
      return tl::unexpected(Failed(code, doing, text == nullptr ? "" : text,
                                   {operation, rd_kafka_topic_result_name(results[i])}));
    }
  }
  return {};
}

BrokerStatus Admin::CreateTopic(const TopicSpec& spec, milliseconds timeout) {
  const auto deadline = steady_clock::now() + timeout;
  CRAWLSIEVE_RETURN_IF_ERROR(AskToCreate(spec, false, timeout));
  // The controller has it; the brokers that answer metadata requests may learn of it later.
  while (true) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - steady_clock::now());
    BrokerResult<PartitionCounts> partitions = CountPartitions(spec.name, left);
    if (partitions) {
      return {};
    }
    if (left <= kNewTopicPause) {
      return tl::unexpected(partitions.error());
    }
    std::this_thread::sleep_for(kNewTopicPause);
  }
}

BrokerStatus Admin::TryCreateTopic(const TopicSpec& spec, milliseconds timeout) {
  return AskToCreate(spec, true, timeout);
}

BrokerStatus Admin::AskToCreate(const TopicSpec& spec, bool only_try, milliseconds timeout) {
  const std::string doing = fmt::format("creating topic {}", spec.name);
  std::array<char, 256> reason{};
  const NewTopic topic(rd_kafka_NewTopic_new(
      spec.name.c_str(), spec.partitions, spec.replication_factor, reason.data(), reason.size()));
  if (topic == nullptr) {
    return tl::unexpected(Failed(RD_KAFKA_RESP_ERR__INVALID_ARG, doing, reason.data()));
  }
  for (const auto& [name, value] : spec.settings) {
    rd_kafka_NewTopic_set_config(topic.get(), name.c_str(), value.c_str());
  }
  const Queue queue(rd_kafka_queue_new(client_->handle()));
  rd_kafka_NewTopic_t* topics[] = {topic.get()};
  const AdminOptions options =
      MakeOptions(client_->handle(), RD_KAFKA_ADMIN_OP_CREATETOPICS, timeout);
  rd_kafka_AdminOptions_set_validate_only(options.get(), only_try ? 1 : 0, reason.data(),
                                          reason.size());
  rd_kafka_CreateTopics(client_->handle(), topics, 1, options.get(), queue.get());
  CRAWLSIEVE_ASSIGN_OR_RETURN(const Answer answer, Await(queue.get(), timeout, doing));
  std::size_t count = 0;
  const rd_kafka_topic_result_t** results = rd_kafka_CreateTopics_result_topics(
      rd_kafka_event_CreateTopics_result(answer.event.get()), &count);
  return CheckTopics(results, count, doing, "Create");
}

BrokerResult<std::optional<std::map<std::string, std::string>>> Admin::DescribeSettings(
    const std::string& name, milliseconds timeout) {
  const std::string doing = fmt::format("asking for the settings of topic {}", name);
  const ConfigResource topic(rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, name.c_str()));
  if (topic == nullptr) {
    return tl::unexpected(Failed(RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION, doing, {}));
  }
  const Queue queue(rd_kafka_queue_new(client_->handle()));
  rd_kafka_ConfigResource_t* resources[] = {topic.get()};
  rd_kafka_DescribeConfigs(
      client_->handle(), resources, 1,
      MakeOptions(client_->handle(), RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS, timeout).get(),
      queue.get());
  CRAWLSIEVE_ASSIGN_OR_RETURN(const Answer answer, Await(queue.get(), timeout, doing));
  std::map<std::string, std::string> settings;
  std::size_t count = 0;
  const rd_kafka_ConfigResource_t** results = rd_kafka_DescribeConfigs_result_resources(
      rd_kafka_event_DescribeConfigs_result(answer.event.get()), &count);
  for (std::size_t i = 0; i < count; ++i) {
    const rd_kafka_resp_err_t code = rd_kafka_ConfigResource_error(results[i]);
    if (code == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART) {
      return std::nullopt;
    }
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
      const char* text = rd_kafka_ConfigResource_error_string(results[i]);
      return tl::unexpected(
          Failed(code, doing, text == nullptr ? "" : text, {"DescribeConfigs", name}));
    }
    std::size_t entry_count = 0;
    const rd_kafka_ConfigEntry_t** entries =
        rd_kafka_ConfigResource_configs(results[i], &entry_count);
    for (std::size_t j = 0; j < entry_count; ++j) {
      const char* value = rd_kafka_ConfigEntry_value(entries[j]);
      settings[rd_kafka_ConfigEntry_name(entries[j])] = value == nullptr ? "" : value;
    }
  }
  return settings;
}

BrokerResult<Admin::Metadata> Admin::AskForMetadata(rd_kafka_topic_s* topic, bool all_topics,
                                                    milliseconds timeout, std::string_view doing) {
  const auto deadline = steady_clock::now() + timeout;
  // The call can't be interrupted. So it is made again and again, and ends early when the brokers
  // refuse the connections of this client.
  for (milliseconds wait = kFirstMetadataWait;; wait *= 2) {
    const struct rd_kafka_metadata* answer = nullptr;
    const rd_kafka_resp_err_t code =
        rd_kafka_metadata(client_->handle(), all_topics ? 1 : 0, topic, &answer,
                          TimeoutMs(std::min(wait, Until(deadline))));
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR) return Metadata(answer);
    const bool may_wait =
        code == RD_KAFKA_RESP_ERR__TIMED_OUT || code == RD_KAFKA_RESP_ERR__TRANSPORT;
    if (!may_wait || Until(deadline) == milliseconds(0) || IsRefused()) {
      return tl::unexpected(Failed(code, doing, {}, {"Describe", {}}));
    }
    if (code == RD_KAFKA_RESP_ERR__TRANSPORT) std::this_thread::sleep_for(kStep);
  }
}

BrokerResult<Admin::PartitionCounts> Admin::CountPartitions(const std::string& name,
                                                            milliseconds timeout) {
  const std::string doing = fmt::format("asking for the partitions of topic {}", name);
  const Topic topic(rd_kafka_topic_new(client_->handle(), name.c_str(), nullptr));
  if (topic == nullptr) {
    return tl::unexpected(Failed(rd_kafka_last_error(), doing, {}));
  }
  CRAWLSIEVE_ASSIGN_OR_RETURN(const Metadata metadata,
                              AskForMetadata(topic.get(), false, timeout, doing));
  for (int i = 0; i < metadata->topic_cnt; ++i) {
    const rd_kafka_metadata_topic& found = metadata->topics[i];
    if (found.topic != name) {
      continue;
    }
    if (found.err != RD_KAFKA_RESP_ERR_NO_ERROR) {
      return tl::unexpected(Failed(found.err, doing, {}, {"Describe", name}));
    }
    PartitionCounts counts{found.partition_cnt, 0};
    for (int j = 0; j < found.partition_cnt; ++j) {
      const std::int32_t replicas = found.partitions[j].replica_cnt;
      counts.replicas = j == 0 ? replicas : std::min(counts.replicas, replicas);
    }
    return counts;
  }
  return tl::unexpected(Failed(RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART, doing, {}));
}

BrokerResult<std::optional<TopicDescription>> Admin::DescribeTopic(const std::string& name,
                                                                   milliseconds timeout) {
  const auto deadline = steady_clock::now() + timeout;
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto settings, DescribeSettings(name, timeout));
  if (!settings.has_value()) {
    return std::nullopt;
  }
  BrokerResult<PartitionCounts> counts =
      CountPartitions(name, std::chrono::ceil<milliseconds>(deadline - steady_clock::now()));
  if (!counts) {
    BrokerError error = counts.error();
    // One broker knows the topic and the one that was asked now doesn't yet: it is new.
    if (error.broker_code == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART) {
      error.Reclassify(ErrorClass::kRetriable);
    }
    return tl::unexpected(std::move(error));
  }
  return TopicDescription{counts->partitions, counts->replicas, *std::move(settings)};
}

BrokerResult<std::vector<std::string>> Admin::GroupMembers(const std::string& group,
                                                           milliseconds timeout) {
  // With metadata at hand librdkafka needn't wait for it on a condition variable whose deadline it
  // takes from the wall clock.
  CRAWLSIEVE_RETURN_IF_ERROR(CountBrokers(timeout));
  const struct rd_kafka_group_list* list = nullptr;
  // Not DescribeConsumerGroups: with it, processes ended by SIGSEGV after requests of it had timed
  // out (librdkafka 2.0.2).
  const rd_kafka_resp_err_t code =
      rd_kafka_list_groups(client_->handle(), group.c_str(), &list, TimeoutMs(timeout));
  const std::unique_ptr<const struct rd_kafka_group_list, DestroyWith<rd_kafka_group_list_destroy>>
      groups(list);
  if (groups == nullptr) {
    return tl::unexpected(
        Failed(code, fmt::format("asking for the members of group {}", group), {}));
  }
  std::vector<std::string> members;
  for (int i = 0; i < groups->group_cnt; ++i) {
    const struct rd_kafka_group_info& found = groups->groups[i];
    if (found.group != group) continue;
    for (int j = 0; j < found.member_cnt; ++j) members.emplace_back(found.members[j].client_id);
  }
  return members;
}

BrokerResult<std::vector<std::string>> Admin::TopicNames(milliseconds timeout) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const Metadata metadata,
                              AskForMetadata(nullptr, true, timeout, "asking for all topics"));
  std::vector<std::string> names;
  for (int i = 0; i < metadata->topic_cnt; ++i) {
    if (metadata->topics[i].partition_cnt > 0) names.emplace_back(metadata->topics[i].topic);
  }
  return names;
}

BrokerResult<std::int32_t> Admin::CountBrokers(milliseconds timeout) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const Metadata metadata,
                              AskForMetadata(nullptr, false, timeout, "asking for the brokers"));
  return metadata->broker_cnt;
}

BrokerResult<std::vector<std::string>> Admin::BrokerAddresses(milliseconds timeout) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const Metadata metadata,
                              AskForMetadata(nullptr, false, timeout, "asking for the brokers"));
  std::vector<std::string> addresses;
  addresses.reserve(static_cast<std::size_t>(metadata->broker_cnt));
  for (int i = 0; i < metadata->broker_cnt; ++i) {
    addresses.push_back(fmt::format("{}:{}", metadata->brokers[i].host, metadata->brokers[i].port));
  }
  return addresses;
}

BrokerResult<std::int64_t> Admin::DeleteRecords(const std::string& topic, std::int32_t partition,
                                                std::int64_t before, milliseconds timeout) {
  const std::string doing =
      fmt::format("deleting the records of {} [{}] below offset {}", topic, partition, before);
  const Offsets offsets(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(offsets.get(), topic.c_str(), partition)->offset = before;
  const DeadRecords records(rd_kafka_DeleteRecords_new(offsets.get()));
  const Queue queue(rd_kafka_queue_new(client_->handle()));
  rd_kafka_DeleteRecords_t* requests[] = {records.get()};
  rd_kafka_DeleteRecords(
      client_->handle(), requests, 1,
      MakeOptions(client_->handle(), RD_KAFKA_ADMIN_OP_DELETERECORDS, timeout).get(), queue.get());
  CRAWLSIEVE_ASSIGN_OR_RETURN(const Answer answer, Await(queue.get(), timeout, doing));
  const rd_kafka_topic_partition_list_t* result = rd_kafka_DeleteRecords_result_offsets(
      rd_kafka_event_DeleteRecords_result(answer.event.get()));
  if (result == nullptr || result->cnt != 1) {
    return tl::unexpected(
        Failed(RD_KAFKA_RESP_ERR__FAIL, doing, "an answer without the partition"));
  }
  const rd_kafka_topic_partition_t& found = result->elems[0];
  if (found.err != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return tl::unexpected(Failed(found.err, doing, {}, {"Delete", topic}));
  }
  return found.offset;
}

BrokerStatus Admin::DeleteTopic(const std::string& name, milliseconds timeout) {
  const std::string doing = fmt::format("deleting topic {}", name);
  const DeadTopic topic(rd_kafka_DeleteTopic_new(name.c_str()));
  const Queue queue(rd_kafka_queue_new(client_->handle()));
  rd_kafka_DeleteTopic_t* topics[] = {topic.get()};
  rd_kafka_DeleteTopics(
      client_->handle(), topics, 1,
      MakeOptions(client_->handle(), RD_KAFKA_ADMIN_OP_DELETETOPICS, timeout).get(), queue.get());
  CRAWLSIEVE_ASSIGN_OR_RETURN(const Answer answer, Await(queue.get(), timeout, doing));
  std::size_t count = 0;
  const rd_kafka_topic_result_t** results = rd_kafka_DeleteTopics_result_topics(
      rd_kafka_event_DeleteTopics_result(answer.event.get()), &count);
  return CheckTopics(results, count, doing, "Delete");
}

}  // namespace crawlsieve::consumer
