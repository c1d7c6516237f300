#pragma once

#include "consumer/service/options.h"

#include <string>
#include <vector>

namespace crawlsieve::consumer {

/// What of a deployment another one beside it must not share.
struct DeploymentPlaces {
  const KafkaOptions& kafka;
  const ServiceOptions& service;
};

/// Why two configurations can't run beside each other, the new one as the shadow of the old: a
/// sentence each. Empty if they can.
[[nodiscard]] std::vector<std::string> PairProblems(const DeploymentPlaces& before,
                                                    const DeploymentPlaces& after);

}  // namespace crawlsieve::consumer
