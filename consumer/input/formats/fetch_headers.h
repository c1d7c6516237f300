#pragma once

#include "consumer/input/formats/header_block.h"
#include "consumer/input/formats/url_text.h"
#include "extract/page.h"

#include <string>
#include <vector>

namespace crawlsieve::consumer {

/// Puts into `page` what the headers of a response say about the next fetch: Location and
/// Retry-After, as they stand there; Location as UTF-8.
inline void SetFetchHeaders(const std::vector<Header>& headers, extract::Page& page) {
  if (const std::string* location = FindField(headers, "location")) {
    page.location = ToUtf8Url(*location);
  }
  if (const std::string* after = FindField(headers, "retry-after")) page.retry_after = *after;
}

}  // namespace crawlsieve::consumer
