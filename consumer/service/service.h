#pragma once

#include "consumer/options.h"
#include "consumer/pipeline/page_processor.h"
#include "plugin/base/result.h"
#include "plugin/detector.h"
#include "plugin/verdict/parameters.h"

#include <stop_token>
#include <string>
#include <vector>

namespace crawlsieve::consumer {

struct ServiceSetup {
  ServiceOptions service;
  KafkaOptions kafka;
  ExtractStageOptions extract_stage;
  ProcessorOptions processor;
  /// Runs AnswerProbe with `processor` in a process of its own; empty: pages that kill the process
  /// are not looked for.
  std::vector<std::string> probe_command;
  JudgeParameters judge;
  std::uint32_t index_shards = 0;  ///< for the metrics
  IndexFactory make_index;
  MetricsOptions metrics;
  HttpOptions http;
};

/// The service: the stages of this process's roles, its HTTP server and its metrics, from start to
/// stop.
///
/// Opens and locks the state directory, sees to the topics, then runs one thread for each stage
/// until `stop` is requested or a stage can't go on; in both cases all stages finish, commit and
/// leave, within the shutdown timeout. Blocks.
/// Errors: what kept it from starting, or the first error of a stage.
[[nodiscard]] Status RunService(const ServiceSetup& setup, std::stop_token stop);

}  // namespace crawlsieve::consumer
