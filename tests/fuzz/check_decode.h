#pragma once

#include "consumer/input/formats/input_format.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <variant>

namespace crawlsieve::consumer {

/// Decodes `data` and aborts unless the outcome keeps what Decode promises.
inline void CheckDecode(FormatKind kind, const std::uint8_t* data, std::size_t size,
                        DecodeOptions options = {}) {
  options.max_body_bytes = 1 << 20;
  InputRecord record;
  record.value = std::string(reinterpret_cast<const char*>(data), size);
  FormatKind taken = FormatKind::kAuto;
  const Decoded decoded = Decode(std::move(record), kind, options, &taken);
  if (kind != FormatKind::kAuto && taken != kind) std::abort();
  if (const auto* page = std::get_if<extract::Page>(&decoded)) {
    if (taken == FormatKind::kAuto) std::abort();
    if (page->url.empty() || page->body.size() > options.max_body_bytes) std::abort();
    if (!page->body_problem.empty() && !page->body.empty()) std::abort();
  } else if (const auto* claimed = std::get_if<ClaimedPage>(&decoded)) {
    if (claimed->page.url.empty() || claimed->ref.file.empty()) std::abort();
    if (!claimed->page.body.empty() || !claimed->page.body_problem.empty()) std::abort();
    (void)ShownFile(claimed->ref.file);
  } else if (const auto* failure = std::get_if<DecodeFailure>(&decoded)) {
    if (failure->code.empty() || failure->message.empty()) std::abort();
  } else if (const auto* other = std::get_if<NotAPage>(&decoded)) {
    if (other->what.empty()) std::abort();
  } else {
    std::abort();  // a record with a value is no tombstone
  }
}

}  // namespace crawlsieve::consumer
