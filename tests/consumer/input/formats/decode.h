#pragma once

#include "consumer/input/formats/input_format.h"

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace crawlsieve::consumer {

/// The page that a record with this value decodes to; nullopt: it is none.
inline std::optional<extract::Page> DecodePage(FormatKind kind, std::string value,
                                               const DecodeLimits& limits = {}) {
  InputRecord record;
  record.value = std::move(value);
  Decoded decoded = Decode(std::move(record), kind, DecodeOptions{limits, {}});
  auto* page = std::get_if<extract::Page>(&decoded);
  return page ? std::optional(std::move(*page)) : std::nullopt;
}

/// Where the body of such a page lies; nullopt: not elsewhere.
inline std::optional<BodyRef> DecodeClaim(FormatKind kind, std::string value) {
  InputRecord record;
  record.value = std::move(value);
  Decoded decoded = Decode(std::move(record), kind, {});
  auto* claimed = std::get_if<ClaimedPage>(&decoded);
  return claimed ? std::optional(std::move(claimed->ref)) : std::nullopt;
}

/// The code of the failure; "page", "claim", "not_a_page" or "tombstone": there is none.
inline std::string FailureCode(const Decoded& decoded) {
  if (std::holds_alternative<extract::Page>(decoded)) return "page";
  if (std::holds_alternative<ClaimedPage>(decoded)) return "claim";
  if (std::holds_alternative<NotAPage>(decoded)) return "not_a_page";
  const auto* failure = std::get_if<DecodeFailure>(&decoded);
  return failure ? failure->code : "tombstone";
}

inline std::string FailureCode(FormatKind kind, std::string value) {
  InputRecord record;
  record.value = std::move(value);
  return FailureCode(Decode(std::move(record), kind, {}));
}

}  // namespace crawlsieve::consumer
