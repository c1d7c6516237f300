#pragma once

#include "plugin/base/result.h"
#include "plugin/log/entry.pb.h"
#include "plugin/verdict/parameters.h"

#include <string_view>

namespace crawlsieve {

/// The entry that puts `parameters` into the log.
[[nodiscard]] log::Entry ParametersEntry(const JudgeParameters& parameters,
                                         std::string_view scheme);

/// The parameters of such an entry. Errors: kInvalidInput (options unknown to this version).
[[nodiscard]] Result<JudgeParameters> ParametersOf(const log::Parameters& entry);

}  // namespace crawlsieve
