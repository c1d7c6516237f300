#pragma once

#include "extract/text/tokenizer.h"
#include "plugin/fingerprint/feature.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace crawlsieve::extract {

/// Appends to `hashes` the hash of every run of `size` words (at least 1), in order, repeats
/// included: the shingles of Broder, "On the resemblance and containment of documents" (1997). A
/// text of fewer words yields one shingle of all its words, one without words none.
void HashShingles(const TokenList& tokens, std::size_t size, FeatureHasher& hasher,
                  std::vector<std::uint64_t>& hashes);

/// The set of a text's shingles: distinct hashes in ascending order.
[[nodiscard]] std::vector<std::uint64_t> ShingleSet(const TokenList& tokens, std::size_t size,
                                                    FeatureHasher& hasher);

}  // namespace crawlsieve::extract
