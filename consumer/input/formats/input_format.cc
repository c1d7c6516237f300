#include "consumer/input/formats/input_format.h"

#include "consumer/input/formats/canonical.h"
#include "consumer/input/formats/header_block.h"
#include "consumer/input/formats/raw.h"
#include "consumer/input/formats/url_text.h"
#include "consumer/input/formats/warc.h"

#include <array>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

struct NamedFormat {
  FormatKind kind;
  std::string_view name;
};

constexpr std::array kFormats = {NamedFormat{FormatKind::kCanonical, "canonical"},
                                 NamedFormat{FormatKind::kRaw, "raw"},
                                 NamedFormat{FormatKind::kWarc, "warc"}};

}  // namespace

std::string_view FormatName(FormatKind kind) {
  for (const NamedFormat& format : kFormats) {
    if (format.kind == kind) return format.name;
  }
  return "unknown";
}

std::optional<FormatKind> FormatFromName(std::string_view name) {
  for (const NamedFormat& format : kFormats) {
    if (format.name == name) return format.kind;
  }
  return std::nullopt;
}

Decoded Decode(InputRecord record, FormatKind kind, const DecodeLimits& limits) {
  if (!record.value) {
    if (!record.key || IsBlank(*record.key)) {
      return DecodeFailure{"missing_url", "null value without a key: nothing to delete"};
    }
    return Tombstone{ToUtf8Url(std::move(*record.key))};
  }
  if (const std::string* name = FindField(record.headers, kFormatHeader)) {
    const std::optional<FormatKind> named = FormatFromName(*name);
    if (!named) {
      return DecodeFailure{
          "unsupported_format",
          fmt::format("header {}: no format `{}`", kFormatHeader, ToUtf8Url(name->substr(0, 64)))};
    }
    kind = *named;
  }
  switch (kind) {
    case FormatKind::kRaw:
      return DecodeRaw(std::move(record), limits);
    case FormatKind::kWarc:
      return DecodeWarc(std::move(record), limits);
    case FormatKind::kCanonical:
      break;
  }
  return DecodeCanonical(std::move(record), limits);
}

}  // namespace crawlsieve::consumer
