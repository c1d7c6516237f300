#pragma once

#include "plugin/base/result.h"

#include <string>

#include "cli/commands.h"
#include <nlohmann/json_fwd.hpp>

namespace crawlsieve::consumer {

/// Asks a running service a question of its judge's state: a path of StatePages and its parameters.
/// Asks again for some seconds where it is busy. Errors: those of HttpPostJson, kInvalidConfig (the
/// token's file).
[[nodiscard]] Result<std::string> AskService(const ServiceAddress& service, const std::string& path,
                                             const nlohmann::ordered_json& parameters);

/// Prints an answer, with what a terminal would take for commands escaped, or its error. Returns
/// the exit code.
int PrintAnswer(const Result<std::string>& answer, bool is_json);

}  // namespace crawlsieve::consumer
