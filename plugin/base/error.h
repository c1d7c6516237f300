#pragma once

#include <string>

namespace crawlsieve {

/// What kind of failure an Error is; the message says what, where and what to do.
enum class ErrorCode {
  kInvalidInput,   ///< bytes that are not what they claim to be: a page, a record, a URL
  kInvalidConfig,  ///< a configuration or option value that can't be used
  kCorruption,     ///< stored state or a file is damaged
  kMismatch,       ///< intact, but of another scheme, log, version or fold than this process has
  kIo,             ///< the operating system refused: disk, permission, network
  kBusy,           ///< somebody else holds what is needed
  kInternal,       ///< a library failed in a way that is not the caller's doing
};

/// A failure on its way up to whoever can handle it. Value type.
struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;
};

}  // namespace crawlsieve
