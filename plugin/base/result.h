#pragma once

#include "plugin/base/error.h"

#include <string>
#include <utility>

#include <tl/expected.hpp>

namespace crawlsieve {

/// A value, or the Error that kept it from being made.
///
/// std::expected is not to be had: g++ 12 offers it only with -std=c++23, clang 14 not at all.
template <typename T>
using Result = tl::expected<T, Error>;

/// Success without a value, or an Error.
using Status = Result<void>;

[[nodiscard]] inline tl::unexpected<Error> MakeError(ErrorCode code, std::string message) {
  return tl::unexpected<Error>(Error{code, std::move(message)});
}

}  // namespace crawlsieve
