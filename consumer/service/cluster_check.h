#pragma once

#include "consumer/service/options.h"

#include <chrono>
#include <string>
#include <vector>

namespace crawlsieve::consumer {

enum class FindingLevel {
  kOk,
  kWarning,  ///< works, but not as well as it should; or could not be tried
  kProblem,  ///< the service would wait for it, or refuse to start
};

/// What one check of the cluster came to.
struct Finding {
  FindingLevel level = FindingLevel::kOk;
  std::string subject;  ///< "topic crawl.pages", "group crawlsieve.extract"
  std::string text;     ///< a sentence; for a problem, with what to do
};

/// What of the cluster a process with this configuration needs.
struct ClusterNeeds {
  KafkaOptions kafka;
  std::vector<Role> roles;
  std::string metrics_topic;  ///< empty: none
  bool needs_key = true;      ///< the configuration has no key of the fingerprints
};

/// Tries everything that a start of the service needs of the brokers: every address, every topic
/// with its settings, permissions, groups. Changes nothing: topics are only validated, and other
/// requests are ones that brokers refuse behind the check of permissions (consumer/kafka/probe.h).
/// Brokers may create their own topics, __consumer_offsets, at the first question about a group.
/// What is not asked because `timeout` is over is a problem. Blocks for `timeout` and some seconds
/// at most.
[[nodiscard]] std::vector<Finding> CheckCluster(const ClusterNeeds& needs,
                                                std::chrono::milliseconds timeout);

}  // namespace crawlsieve::consumer
