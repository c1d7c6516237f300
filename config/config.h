#pragma once

#include "consumer/claims/options.h"
#include "consumer/input/formats/input_format.h"
#include "consumer/service/options.h"
#include "extract/options.h"
#include "plugin/fingerprint/scheme.h"
#include "plugin/index/options.h"
#include "plugin/verdict/parameters.h"

#include <cstdint>
#include <set>
#include <string>

namespace crawlsieve::config {

/// Everything that can be configured: the option structs of the modules, side by side.
///
/// Their defaults are the defaults of the configuration. config/options.h says which key fills
/// which field, within which bounds. Value type.
struct Config {
  consumer::KafkaOptions kafka;
  /// `max_body_bytes` has no key of its own: it follows `extract.limits.max_body_bytes`.
  consumer::DecodeOptions decode;
  consumer::ClaimOptions claims;
  consumer::ServiceOptions service;
  consumer::ExtractStageOptions extract_stage;
  extract::ExtractOptions extract;
  FingerprintOptions fingerprint;
  /// `max_distance` has no key of its own: the index follows the judging parameters.
  IndexOptions index;
  JudgeParameters judge;
  consumer::MetricsOptions metrics;
  consumer::HttpOptions http;
  consumer::LogOptions log;

  /// Keys whose value was written with `${NAME}`; they are masked wherever values are shown.
  std::set<std::string> from_environment;
};

}  // namespace crawlsieve::config
