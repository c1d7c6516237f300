#pragma once

#include "consumer/claims/options.h"
#include "consumer/pipeline/page_processor.h"
#include "consumer/service/options.h"
#include "plugin/base/result.h"
#include "plugin/judge/detector.h"
#include "plugin/verdict/parameters.h"

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace crawlsieve::consumer {

struct ServiceSetup {
  ServiceOptions service;
  KafkaOptions kafka;
  ExtractStageOptions extract_stage;
  ProcessorOptions processor;
  ClaimOptions claims;  ///< enabled if and only if `processor.takes_claims`
  /// Runs AnswerProbe with `processor` in a process of its own; empty: no crash probe.
  std::vector<std::string> probe_command;
  JudgeParameters judge;
  std::uint32_t index_shards = 0;            ///< for the metrics
  std::uint64_t index_expected_entries = 0;  ///< for the status page; 0: not known
  std::uint64_t index_planned_bytes = 0;     ///< of an index with so many; 0: not known
  IndexFactory make_index;
  /// Of the judge, where the index is in slots: for the documents of a window. Empty: make_index.
  IndexFactory make_window_index;
  MetricsOptions metrics;
  HttpOptions http;
};

/// The service: the stages of this process's roles, its HTTP server and its metrics, from start to
/// stop.
///
/// Checks and creates topics, opens and locks the state directory, then runs one thread for each
/// stage until `stop` is requested or a stage fails. In both cases all stages finish, commit and
/// leave their groups, within the shutdown timeout. Blocks.
/// Errors: the reason why it couldn't start, or the first error of a stage.
[[nodiscard]] Status RunService(const ServiceSetup& setup, const std::stop_token& stop);

}  // namespace crawlsieve::consumer
