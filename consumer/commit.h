#pragma once

#include <string_view>

namespace crawlsieve::consumer {

/// The commit that this program was built from: 12 hexadecimal digits, with `-dirty` behind if
/// files differed from it; `unknown` outside of a git checkout. Thread-safe.
[[nodiscard]] std::string_view Commit();

}  // namespace crawlsieve::consumer
