#pragma once

#include "consumer/input/formats/body.h"
#include "consumer/input/formats/header_block.h"
#include "consumer/input/formats/input_format.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace crawlsieve::consumer {

/// Status line and header of a stored HTTP response.
struct HttpHead {
  int status = 200;          ///< 200 also where the status line can't be read
  std::string content_type;  ///< may be empty
  HeaderBlock header;
  std::size_t size = 0;      ///< bytes before the body
  std::string_view problem;  ///< kHeaderTooLarge or kMalformed; empty: none
};

/// Reads the head of `message`, passing over interim (1xx) responses before the final one. A head
/// that the end of the message cuts off is taken as complete and without a body.
[[nodiscard]] HttpHead ParseHttpHead(std::string_view message, const DecodeLimits& limits);

/// The body of a message with `head`, transfer and content codings undone. `stored` is what follows
/// the head. As with content codings, a body that is not chunked though the header says so is taken
/// as it is. Problems: those of UndoContentCodings, kTruncated also where Content-Length names more
/// bytes than there are.
[[nodiscard]] Body ReadHttpBody(const HttpHead& head, std::string_view stored,
                                const DecodeLimits& limits);

}  // namespace crawlsieve::consumer
