#include "plugin/base/error.h"

namespace crawlsieve {

std::string_view ErrorCodeName(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidInput:
      return "invalid input";
    case ErrorCode::kInvalidConfig:
      return "invalid configuration";
    case ErrorCode::kLimitExceeded:
      return "limit exceeded";
    case ErrorCode::kCorruption:
      return "corruption";
    case ErrorCode::kMismatch:
      return "mismatch";
    case ErrorCode::kIo:
      return "input/output";
    case ErrorCode::kBusy:
      return "busy";
    case ErrorCode::kInternal:
      return "internal";
  }
  return "unknown";
}

}  // namespace crawlsieve
