#pragma once

#include "plugin/base/result.h"
#include "plugin/base/timestamp.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace crawlsieve::consumer {

/// The body that a verdict is about, as the crawler stored it: `payload` of the verdict.
struct PayloadFacts {
  std::string sha1;    ///< "sha1:" and base32; empty: none
  std::string sha256;  ///< "sha256:" and base32; empty: none
  std::uint64_t bytes = 0;
  std::string media_type;  ///< empty: not known
  int status = 0;          ///< of the HTTP response
  Timestamp fetched;
  std::string file;  ///< WARC file with its record; empty: none
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> length;
};

/// What other programs are told of a verdict.
struct VerdictFacts {
  std::string url;  ///< as the crawler gave it
  bool kept = false;
  std::string reason;
  std::string match_url;          ///< of what it repeats; empty: nothing
  std::optional<Timestamp> time;  ///< of its input record; nullopt: beyond the year 9999
  std::optional<Timestamp> next_fetch;
  double score = 0;  ///< 0..1
  std::optional<PayloadFacts> payload;
};

/// Reads a record of docs/schemas/verdict.schema.json, of these members only. Errors:
/// kInvalidInput, with the member.
[[nodiscard]] Result<VerdictFacts> ParseVerdictRecord(std::string_view json);

}  // namespace crawlsieve::consumer
