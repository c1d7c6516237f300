#pragma once

#include "plugin/base/result.h"
#include "plugin/index/hamming_index.h"
#include "plugin/judge/detector.h"
#include "plugin/slots/layout.h"
#include "plugin/verdict/parameters.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve {

/// A record of the topic of changes. Value type.
struct ChangesRecord {
  /// Asks for every entry that was answered before.
  static constexpr std::uint32_t kAskAll = ~std::uint32_t{0};

  SlotLayout layout;
  SlotPlace before;
  SlotPlace after;
  std::optional<JudgeParameters> parameters;  ///< in force behind `after`
  std::uint32_t ask = 0;                      ///< entries behind `after` to be answered anew
  std::vector<IndexEntry> inserted;
  std::vector<IndexEntry> retired;
  std::vector<Consulted> consulted;

  [[nodiscard]] std::string Encode() const;

  /// Errors: kCorruption: not such a record, or one that contradicts itself; kInvalidInput: judging
  /// parameters that this version doesn't know. Takes memory in proportion to the bytes.
  [[nodiscard]] static Result<ChangesRecord> Parse(std::string_view bytes);
};

}  // namespace crawlsieve
