#pragma once

#include "consumer/claims/body_store.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace crawlsieve::consumer {

/// What came back for a range request: `count` bytes from `offset` on, `count` not 0.
struct HttpAnswer {
  long status = 0;
  std::string content_range;
  bool is_encoded = false;  ///< it has a Content-Encoding
  bool has_end = false;     ///< where it ends is told by Content-Length or chunks
  std::string bytes;        ///< of 200 and 206: up to `count`; of others their beginning
  bool has_more = false;    ///< than `bytes`; the rest wasn't read
  bool may_grow = false;    ///< the file was changed lately
};

/// The bytes that an answer holds, which came to its end or has more.
///
/// 416: none, as behind the end of a file. 404 and 410: kNotFound, unless the whole bucket isn't
/// there. What says that the name itself can't be asked for: kRefused. kUnavailable is all else
/// that isn't the range: other statuses, redirects, other ranges, fewer or more bytes than the
/// range says, 200 where it doesn't begin at 0, is compressed, or might be cut. `file` is for
/// messages. Pure function.
[[nodiscard]] tl::expected<StoredBytes, StoreFailure> ReadAnswer(HttpAnswer answer,
                                                                 std::uint64_t offset,
                                                                 std::size_t count,
                                                                 std::string_view file);

}  // namespace crawlsieve::consumer
