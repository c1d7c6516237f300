#pragma once

#include <compare>
#include <cstdint>

namespace crawlsieve {

/// Names a document: its position in the admission log (0 is no document). Fits in 40 bits.
struct DocId {
  std::uint64_t sequence = 0;

  friend auto operator<=>(const DocId&, const DocId&) = default;
};

}  // namespace crawlsieve
