#include "consumer/input/formats/raw.h"

#include "consumer/input/formats/content_encoding.h"
#include "consumer/input/formats/fetch_headers.h"
#include "consumer/input/formats/header_block.h"
#include "consumer/input/formats/url_text.h"

#include <optional>
#include <utility>

namespace crawlsieve::consumer {

Decoded DecodeRaw(InputRecord record, const DecodeLimits& limits) {
  const auto header = [&record](std::string_view name) {
    const std::string* value = FindField(record.headers, name);
    return value ? std::string_view(*value) : std::string_view();
  };
  extract::Page page;
  page.url = header("url");
  if (IsBlank(page.url) && record.key) page.url = *record.key;
  if (IsBlank(page.url)) {
    return DecodeFailure{"missing_url", "raw record with neither a header `url` nor a key", "url"};
  }
  page.url = ToUtf8Url(std::move(page.url));
  page.content_type = header("content-type");
  page.status_code = ParseStatusCode(header("status")).value_or(page.status_code);
  page.fetch_time = ParseRfc3339(header("fetch-time"));
  SetFetchHeaders(record.headers, page);
  const std::optional<std::uint64_t> length = FindNumber(record.headers, "content-length");
  if (length && *length > record.value->size()) {
    SetBody({{}, kTruncated}, page);
  } else {
    SetBody(UndoContentCodings(std::move(*record.value), header("content-encoding"), limits), page);
  }
  return page;
}

}  // namespace crawlsieve::consumer
