#pragma once

#include "plugin/base/error.h"

#include <string>
#include <utility>

#include <tl/expected.hpp>

namespace crawlsieve {

/// A value, or the Error that kept it from being made.
///
/// There are two vocabularies of failures. A `Result` fails with an Error, which a caller reports
/// or hands on. A `BrokerResult` (broker_error.h) is for calls to the brokers and for the log: its
/// error has a class, which says whether to repeat the call, to begin again or to give up. A
/// BrokerError becomes an Error wherever its class no longer matters. What is wrong with a page or
/// a configuration text is data, with a type of its own (DecodeFailure, config::Mistake).
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

#define CRAWLSIEVE_CONCAT_(left, right) left##right
#define CRAWLSIEVE_CONCAT(left, right) CRAWLSIEVE_CONCAT_(left, right)
#define CRAWLSIEVE_ASSIGN_OR_RETURN_(result, target, ...)        \
  auto result = (__VA_ARGS__);                                   \
  if (!result) return tl::unexpected(std::move(result).error()); \
  target = *std::move(result)
#define CRAWLSIEVE_RETURN_IF_ERROR_(status, ...)                                                \
  do {                                                                                          \
    if (auto status = (__VA_ARGS__); !status) return tl::unexpected(std::move(status).error()); \
  } while (false)

/// Declares `target`, or sets it, to the value of a Result or BrokerResult. On an error, returns it
/// from the function:
///
///     CRAWLSIEVE_ASSIGN_OR_RETURN(const auto bytes, ReadFile(path));
///
/// These are several statements: not for the branch of an `if` without braces.
#define CRAWLSIEVE_ASSIGN_OR_RETURN(target, ...) \
  CRAWLSIEVE_ASSIGN_OR_RETURN_(CRAWLSIEVE_CONCAT(result_, __COUNTER__), target, __VA_ARGS__)

/// Returns the error of a Result or BrokerResult from the function. A value is dropped.
#define CRAWLSIEVE_RETURN_IF_ERROR(...) \
  CRAWLSIEVE_RETURN_IF_ERROR_(CRAWLSIEVE_CONCAT(status_, __COUNTER__), __VA_ARGS__)
