#include "consumer/service/cluster_check.h"

#include "consumer/kafka/admin.h"
#include "consumer/kafka/error.h"
#include "consumer/kafka/probe.h"
#include "consumer/kafka/topics.h"
#include "consumer/service/brokers/deployment.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// For one question.
constexpr milliseconds kPatience{10'000};

std::string_view Trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::vector<std::string> Addresses(std::string_view servers) {
  std::vector<std::string> addresses;
  while (!servers.empty()) {
    const auto comma = servers.find(',');
    if (const auto address = Trimmed(servers.substr(0, comma)); !address.empty()) {
      addresses.emplace_back(address);
    }
    if (comma == std::string_view::npos) break;
    servers.remove_prefix(comma + 1);
  }
  return addresses;
}

std::string Setting(const TopicDescription& topic, const std::string& name) {
  const auto found = topic.settings.find(name);
  return found == topic.settings.end() ? "unknown" : found->second;
}

std::string Summary(const TopicDescription& topic) {
  return fmt::format(
      "partitions {}, replicas {}, cleanup.policy {}, retention.ms {}, max.message.bytes {}, "
      "min.insync.replicas {}, unclean.leader.election.enable {}",
      topic.partitions, topic.replicas, Setting(topic, "cleanup.policy"),
      Setting(topic, "retention.ms"), Setting(topic, "max.message.bytes"),
      Setting(topic, "min.insync.replicas"), Setting(topic, "unclean.leader.election.enable"));
}

class Checker {
 public:
  Checker(const ClusterNeeds& needs, milliseconds timeout)
      : needs_(needs), deadline_(steady_clock::now() + timeout) {}

  std::vector<Finding> Run() {
    if (!CheckBrokers()) return std::move(findings_);
    is_group_usable_ = CanUseGroup(OwnGroup(), "group " + OwnGroup().required.at("group.id"));
    if (Has(Role::kExtract)) {
      for (const std::string& topic : TopicsRead(needs_.kafka)) CheckInput(topic);
    }
    CheckForever(needs_.kafka.log_topic, Has(Role::kJudge));
    if (needs_.needs_key) CheckForever(needs_.kafka.key_topic, Has(Role::kJudge));
    if (Has(Role::kJudge)) {
      CheckOutput(needs_.kafka.verdict_topic, Kept::kYes);
      if (!needs_.kafka.kept_topic.empty()) CheckKept();
      if (!needs_.kafka.score_topic.empty()) CheckOutput(needs_.kafka.score_topic, Kept::kYes);
      for (const RenderedTopic& rendered : needs_.kafka.rendered_topics) {
        CheckOutput(rendered.topic, Kept::kYes);
      }
      if (!needs_.kafka.site_topic.empty()) CheckOutput(needs_.kafka.site_topic, Kept::kYes);
    }
    if (needs_.kafka.slots.is_used() && (Has(Role::kJudge) || Has(Role::kIndex))) CheckSlots();
    if (Has(Role::kExtract)) {
      for (const std::string& topic : TopicsRead(needs_.kafka)) {
        CheckOutput(topic + needs_.kafka.dead_letter_suffix, Kept::kNo);
      }
    }
    if (!needs_.metrics_topic.empty()) CheckMetrics();
    if (Has(Role::kExtract) && is_group_usable_) CheckExtractMembers();
    if (Has(Role::kIndex)) CheckIndexMembers();
    if (!Has(Role::kJudge)) CheckReadersGroup();
    if (Has(Role::kJudge)) CheckJudgeMembers();
    return std::move(findings_);
  }

 private:
  /// Whether what the topic holds must survive the loss of a broker.
  enum class Kept { kYes, kNo };
  /// What this process does with a topic.
  struct Access {
    bool read = false;
    bool written = false;
  };

  [[nodiscard]] bool Has(Role role) const {
    return std::find(needs_.roles.begin(), needs_.roles.end(), role) != needs_.roles.end();
  }

  [[nodiscard]] milliseconds Left() const {
    return std::clamp(std::chrono::ceil<milliseconds>(deadline_ - steady_clock::now()),
                      milliseconds(1), kPatience);
  }

  void Add(FindingLevel level, std::string subject, std::string text) {
    findings_.push_back({level, std::move(subject), std::move(text)});
  }
  void Ok(std::string subject, std::string text) {
    Add(FindingLevel::kOk, std::move(subject), std::move(text));
  }
  void Warn(std::string subject, std::string text) {
    Add(FindingLevel::kWarning, std::move(subject), std::move(text));
  }
  void Problem(std::string subject, std::string text) {
    Add(FindingLevel::kProblem, std::move(subject), std::move(text));
  }

  /// Adds a problem and returns true, if there is no time left for another question.
  bool IsLate(const std::string& subject) {
    if (steady_clock::now() < deadline_) return false;
    Problem(subject, "not asked, because the time of --timeout is over");
    return true;
  }

  /// Each address alone, given or advertised. False if no broker answers.
  bool CheckBrokers() {
    std::set<std::string> advertised;
    const std::vector<std::string> given = Addresses(needs_.kafka.bootstrap_servers);
    bool is_any_there = false;
    for (const std::string& address : given) {
      const auto others = AskBroker(address, "kafka.bootstrap_servers");
      if (!others) continue;
      is_any_there = true;
      advertised.insert(others->begin(), others->end());
    }
    if (!is_any_there) return false;
    auto admin = Admin::Make(needs_.kafka, {});
    if (!admin) {
      Problem("kafka", admin.error().message);
      return false;
    }
    admin_ = std::move(*admin);
    for (const std::string& address : advertised) {
      if (std::find(given.begin(), given.end(), address) == given.end()) {
        static_cast<void>(AskBroker(address, "advertised by the brokers"));
      }
    }
    broker_count_ = static_cast<std::int32_t>(advertised.size());
    return true;
  }

  /// The addresses of all brokers; nullopt if this one doesn't answer.
  std::optional<std::vector<std::string>> AskBroker(const std::string& address,
                                                    std::string_view origin) {
    const std::string subject = fmt::format("broker {}", address);
    if (IsLate(subject)) return std::nullopt;
    KafkaOptions alone = needs_.kafka;
    alone.bootstrap_servers = address;
    auto admin = Admin::Make(alone, {});
    if (!admin) {
      Problem(subject, admin.error().message);
      return std::nullopt;
    }
    auto addresses = (*admin)->BrokerAddresses(Left());
    if (!addresses) {
      Problem(subject, fmt::format("({}) {}", origin, addresses.error().message));
      return std::nullopt;
    }
    Ok(subject, fmt::format("({}) answers {}; the cluster has {}", origin, (*admin)->principal(),
                            fmt::join(*addresses, ", ")));
    return std::move(*addresses);
  }

  /// Asks for a topic. nullopt, and a problem, if the brokers don't say; an empty optional inside
  /// if there is no such topic.
  std::optional<std::optional<TopicDescription>> Describe(const std::string& topic,
                                                          const Access& access) {
    const std::string subject = "topic " + topic;
    if (IsLate(subject)) return std::nullopt;
    auto described = admin_->DescribeTopic(topic, Left());
    if (described) return std::move(*described);
    Problem(subject, described.error().message);
    // Describe comes with Read and Write, so one of these is what is missing.
    if (IsMissingTopicPermission(described.error())) {
      if (access.written) static_cast<void>(CanWrite(topic));
      if (access.read) static_cast<void>(CanRead(topic));
    }
    return std::nullopt;
  }

  void CheckInput(const std::string& topic) {
    const std::string subject = "topic " + topic;
    const auto described = Describe(topic, {.read = true});
    if (!described.has_value()) return;
    if (!described->has_value()) return Problem(subject, MissingInputProblem(topic));
    const TopicDescription& found = **described;
    if (std::string problem = InputTopicProblem(topic, found, needs_.kafka); !problem.empty()) {
      return Problem(subject, std::move(problem));
    }
    if (!CanRead(topic)) return;
    if (Setting(found, "cleanup.policy").find("compact") != std::string::npos) {
      return Warn(subject,
                  fmt::format("cleanup.policy={}: compaction removes pages, read or not; input "
                              "topics want delete",
                              Setting(found, "cleanup.policy")));
    }
    Ok(subject, "input: " + Summary(found));
  }

  /// A topic that must keep every record for ever.
  void CheckForever(const std::string& topic, bool is_made) {
    const std::string subject = "topic " + topic;
    // All roles read both. Extract processes write entries, judges parameters, the key and changes.
    const bool is_written =
        Has(Role::kJudge) || (topic == needs_.kafka.log_topic && Has(Role::kExtract));
    const auto described = Describe(topic, {.read = true, .written = is_written});
    if (!described.has_value()) return;
    if (!described->has_value()) {
      if (is_made) return TryToMake(LogTopicSpec(*admin_, needs_.kafka, topic, Left()), topic);
      if (topic == needs_.kafka.log_topic) {
        return Problem(subject, MissingLogProblem(needs_.kafka));
      }
      return Problem(subject, "does not exist; the first judge makes it (kafka.key.topic)");
    }
    std::string problem = LogTopicProblem(topic, **described, needs_.kafka.bootstrap_servers);
    if (!problem.empty()) return Problem(subject, std::move(problem));
    if (is_written && !CanWrite(topic)) return;
    if (!CanRead(topic)) return;
    if (IsKept(topic, **described)) Ok(subject, Summary(**described));
  }

  void CheckOutput(const std::string& topic, Kept kept) {
    const std::string subject = "topic " + topic;
    const auto described = Describe(topic, {.written = true});
    if (!described.has_value()) return;
    if (!described->has_value()) {
      return TryToMake(OutputTopicSpec(*admin_, needs_.kafka, topic, 1, Left()), topic);
    }
    std::string problem =
        RecordSizeProblem(topic, MaxMessageBytes(**described), needs_.kafka.bootstrap_servers);
    if (!problem.empty()) return Problem(subject, std::move(problem));
    if (!CanWrite(topic)) return;
    if (kept == Kept::kNo || IsKept(topic, **described)) Ok(subject, Summary(**described));
  }

  /// The judge reads the input topics again.
  void CheckKept() {
    CheckOutput(needs_.kafka.kept_topic, Kept::kYes);
    if (Has(Role::kExtract)) return;
    for (const std::string& topic : needs_.kafka.input_topics) CheckInput(topic);
  }

  /// Role index makes both topics too.
  void CheckSlots() {
    CheckForever(needs_.kafka.slots.changes_topic, /*is_made=*/true);
    const std::string& topic = needs_.kafka.slots.candidates_topic;
    const std::string subject = "topic " + topic;
    const std::uint32_t slots = needs_.kafka.slots.count;
    const auto described = Describe(topic, {.read = true, .written = Has(Role::kIndex)});
    if (!described.has_value()) return;
    if (!described->has_value()) {
      return TryToMake(
          OutputTopicSpec(*admin_, needs_.kafka, topic, static_cast<std::int32_t>(slots), Left()),
          topic);
    }
    std::string problem =
        CandidatesTopicProblem(topic, **described, slots, needs_.kafka.bootstrap_servers);
    if (!problem.empty()) return Problem(subject, std::move(problem));
    if (Has(Role::kIndex) && !CanWrite(topic)) return;
    if (CanRead(topic)) Ok(subject, Summary(**described));
  }

  void CheckMetrics() {
    const std::string& topic = needs_.metrics_topic;
    const auto described = Describe(topic, {.written = true});
    if (!described.has_value()) return;
    if (!described->has_value()) {
      return TryToMake(OutputTopicSpec(*admin_, needs_.kafka, topic, 1, Left()), topic);
    }
    if (CanWrite(topic)) Ok("topic " + topic, Summary(**described));
  }

  void TryToMake(const Result<TopicSpec>& spec, const std::string& topic) {
    const std::string subject = "topic " + topic;
    if (!spec) return Problem(subject, spec.error().message);
    if (const auto tried = admin_->TryCreateTopic(*spec, Left()); !tried) {
      return Problem(subject,
                     fmt::format("does not exist and can't be made: {}", tried.error().message));
    }
    Ok(subject, fmt::format("does not exist; the service makes it with {} replicas",
                            spec->replication_factor));
  }

  bool IsKept(const std::string& topic, const TopicDescription& found) {
    const std::string subject = "topic " + topic;
    const std::string problem =
        TopicDurabilityProblem(topic, found, broker_count_, needs_.kafka.bootstrap_servers);
    if (!problem.empty()) {
      Add(needs_.kafka.accept_weak_durability ? FindingLevel::kWarning : FindingLevel::kProblem,
          subject, problem);
      return false;
    }
    if (found.replicas >= 2) return true;
    Warn(subject, "one broker keeps one copy, and its loss can't be repaired: for trials only. " +
                      Summary(found));
    return false;
  }

  bool CanWrite(const std::string& topic) {
    if (IsLate("topic " + topic)) return false;
    const auto tried = TryWrite(needs_.kafka, topic, Left());
    if (!tried) Problem("topic " + topic, tried.error().message);
    return tried.has_value();
  }

  /// Also true where it can't be asked, because the group can't be used.
  bool CanRead(const std::string& topic) {
    if (!is_group_usable_) return true;
    if (IsLate("topic " + topic)) return false;
    const auto tried = TryReadInGroup(OwnGroup(), needs_.kafka, topic, Left());
    if (!tried) Problem("topic " + topic, tried.error().message);
    return tried.has_value();
  }

  /// Whether the group's coordinator can be asked and would take offsets.
  bool CanUseGroup(const ClientRecipe& recipe, const std::string& subject) {
    if (IsLate(subject)) return false;
    const auto tried = TryReadInGroup(recipe, needs_.kafka, needs_.kafka.log_topic, Left());
    // What is missing of the topic is said there.
    if (tried || IsMissingTopicPermission(tried.error())) return true;
    Problem(subject, tried.error().message);
    return false;
  }

  /// The group by which permissions to read are asked for.
  [[nodiscard]] ClientRecipe OwnGroup() const {
    if (Has(Role::kExtract)) return ExtractConsumer(needs_.kafka, {});
    if (Has(Role::kJudge)) return JudgeConsumer(needs_.kafka);
    return IndexConsumer(needs_.kafka, needs_.kafka.slots.replica_group);
  }

  /// The log and the key are read by clients that name the judge's group and don't join it.
  void CheckReadersGroup() {
    const std::string subject = fmt::format("group {}.judge", needs_.kafka.group);
    if (IsLate(subject)) return;
    const auto tried =
        TryDescribeGroup(JudgeConsumer(needs_.kafka), needs_.kafka, needs_.kafka.log_topic, Left());
    tried || IsMissingTopicPermission(tried.error()) ? Ok(subject, "can be asked for")
                                                     : Problem(subject, tried.error().message);
  }

  void CheckExtractMembers() {
    const std::string subject = fmt::format("group {}.extract", needs_.kafka.group);
    if (IsLate(subject)) return;
    const auto checked = CheckExtractGroup(needs_.kafka, Left());
    checked ? Ok(subject, "can be used") : Problem(subject, checked.error().message);
  }

  void CheckIndexMembers() {
    const ClientRecipe recipe = IndexConsumer(needs_.kafka, needs_.kafka.slots.replica_group);
    const std::string subject = "group " + recipe.required.at("group.id");
    // A process with other roles too has asked for another group.
    const bool is_own = !Has(Role::kExtract) && !Has(Role::kJudge);
    if (!(is_own ? is_group_usable_ : CanUseGroup(recipe, subject))) return;
    if (IsLate(subject)) return;
    const auto checked = CheckIndexGroup(needs_.kafka, Left());
    checked ? Ok(subject, "can be used") : Problem(subject, checked.error().message);
  }

  void CheckJudgeMembers() {
    const std::string subject = fmt::format("group {}.judge", needs_.kafka.group);
    // A process with both roles has asked for its other group only.
    if (Has(Role::kExtract) ? CanUseGroup(JudgeConsumer(needs_.kafka), subject)
                            : is_group_usable_) {
      const auto id = JudgeClientId(needs_.kafka, Left());
      id ? Ok(subject, "can be used") : Problem(subject, id.error().message);
    }
    if (needs_.kafka.delivery != Delivery::kExactlyOnce) return;
    Warn(fmt::format("transactional id {}.judge", needs_.kafka.group),
         fmt::format("not tried, because that would fence a running judge; {} needs Write on it",
                     admin_->principal()));
  }

  const ClusterNeeds& needs_;
  const steady_clock::time_point deadline_;
  std::unique_ptr<Admin> admin_;
  std::int32_t broker_count_ = 0;
  bool is_group_usable_ = false;  ///< OwnGroup()
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> CheckCluster(const ClusterNeeds& needs, milliseconds timeout) {
  return Checker(needs, timeout).Run();
}

}  // namespace crawlsieve::consumer
