#pragma once

#include "plugin/base/result.h"
#include "plugin/log/entry.pb.h"
#include "plugin/verdict/parameters.h"

#include <string_view>

namespace crawlsieve {

/// The entry that puts `parameters` into the log.
[[nodiscard]] log::Entry ParametersEntry(const JudgeParameters& parameters,
                                         std::string_view scheme);

/// The entry that ends a log: no binary, of whatever version, judges what stands behind it.
[[nodiscard]] log::Entry ClosingEntry(log::Closing closing, std::string_view scheme);

/// Whether this binary has the rules that the entry asks for. Errors: kMismatch, for other rules
/// and for the entry that ends a log.
[[nodiscard]] Status CheckFoldVersion(const log::Parameters& entry);

/// The parameters of such an entry. Errors: kInvalidInput (options unknown to this version).
[[nodiscard]] Result<JudgeParameters> ParametersOf(const log::Parameters& entry);

}  // namespace crawlsieve
