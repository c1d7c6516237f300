#include "consumer/input/formats/input_format.h"

#include "consumer/input/formats/commoncrawl.h"
#include "consumer/input/formats/decompressor.h"
#include "consumer/input/formats/header_block.h"
#include "consumer/input/formats/json_fields.h"
#include "consumer/input/formats/json_format.h"
#include "consumer/input/formats/raw.h"
#include "consumer/input/formats/recognize.h"
#include "consumer/input/formats/url_text.h"
#include "consumer/input/formats/warc.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

/// One row for each format. It is read by `json`, by `decode`, or by what Decode does itself.
struct FormatRow {
  FormatKind kind;
  std::string_view name;
  bool is_json = false;
  const JsonFormat* json = nullptr;
  Decoded (*decode)(InputRecord record, const DecodeLimits& limits) = nullptr;
};

constexpr std::array kFormats = {
    FormatRow{FormatKind::kCanonical, "canonical", true, &kCanonicalFormat},
    FormatRow{FormatKind::kRaw, "raw", false, nullptr, DecodeRaw},
    FormatRow{FormatKind::kWarc, "warc", false, nullptr, DecodeWarc},
    FormatRow{FormatKind::kScrapyCluster, "scrapy_cluster", true, &kScrapyClusterFormat},
    FormatRow{FormatKind::kNutch, "nutch", true, &kNutchFormat},
    FormatRow{FormatKind::kNorconex, "norconex", true, &kNorconexFormat},
    FormatRow{FormatKind::kAche, "ache", true, &kAcheFormat},
    FormatRow{FormatKind::kKatana, "katana", true, &kKatanaFormat},
    FormatRow{FormatKind::kHeritrix, "heritrix", true, &kHeritrixFormat},
    FormatRow{FormatKind::kCommonCrawl, "commoncrawl", true, &kCommonCrawlFormat},
    FormatRow{FormatKind::kBrowsertrix, "browsertrix", true, &kBrowsertrixFormat},
    FormatRow{FormatKind::kCorpus, "corpus", true, &kCorpusFormat},
    FormatRow{FormatKind::kJson, "json", true},
    FormatRow{FormatKind::kAuto, "auto", true},
};

const FormatRow& RowOf(FormatKind kind) {
  for (const FormatRow& row : kFormats) {
    if (row.kind == kind) return row;
  }
  return kFormats.front();
}

Decoded DecodeFields(JsonRecord& record, const DecodeOptions& options) {
  if (options.json.url.empty()) {
    return DecodeFailure{"unsupported_format",
                         "format json needs to know the URL's place: kafka.input.json.url", "url"};
  }
  const JsonFieldsFormat fields(options.json);
  return DecodeJson(fields.format(), record, options);
}

Decoded DecodeAuto(InputRecord&& record, const DecodeOptions& options, FormatKind& taken) {
  const std::string& value = *record.value;
  if (value.starts_with("WARC/") || LooksLikeGzip(value)) {
    taken = FormatKind::kWarc;
    return DecodeWarc(std::move(record), options);
  }
  if (value == kScrapyClusterFailure) {
    taken = FormatKind::kScrapyCluster;
    return ScrapyClusterFailed();
  }
  // Formats of crawlers first: a canonical record has no marks, and of `json` nothing is known but
  // what the configuration says.
  constexpr std::size_t kMostFormats = kFormats.size() + 1;
  std::array<const JsonFormat*, kMostFormats> formats{};
  std::size_t count = 0;
  for (const FormatRow& row : kFormats) {
    if (row.json == nullptr || row.kind == FormatKind::kCanonical) continue;
    if (!row.json->shapes.empty()) formats[count++] = row.json;
  }
  formats[count++] = &kCanonicalFormat;
  const JsonFieldsFormat fields(options.json);
  JsonFormat json = fields.format();
  std::array<Member, 1> needs;
  std::array<std::string_view, 2> bodies;
  std::size_t body_count = 0;
  for (const FieldPath& path : fields.paths()) {
    if (path.field == Field::kUrl) needs[0] = {path.steps[0], {}};
    if (path.field == Field::kBody || path.field == Field::kBase64Body ||
        path.field == Field::kText) {
      bodies[body_count++] = path.steps[0];
    }
  }
  const std::array<Shape, 1> shapes = {Shape{needs, std::span(bodies).first(body_count)}};
  json.shapes = shapes;
  if (!options.json.url.empty()) formats[count++] = &json;

  JsonRecord object(JsonOfCdxjLine(std::move(*record.value)));
  const auto found = Recognize(std::span(formats).first(count), object);
  if (const auto* failure = std::get_if<DecodeFailure>(&found)) return *failure;
  const JsonFormat& format = *std::get<const JsonFormat*>(found);
  taken = format.kind;
  return DecodeJson(format, object, options);
}

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/// The URL in a key as ACHE writes it: encoded as a whole, like a field of a form. Other keys come
/// back as they are.
std::string UrlOfEncodedKey(std::string key) {
  const std::size_t scheme = key.find("%3A%2F%2F");
  if (scheme == std::string::npos || key.find_first_of(":/") != std::string::npos) return key;
  std::string url;
  for (std::size_t i = 0; i < key.size(); ++i) {
    const int high = key[i] == '%' && i + 2 < key.size() ? HexValue(key[i + 1]) : -1;
    const int low = high < 0 ? -1 : HexValue(key[i + 2]);
    if (low >= 0) {
      url += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      url += key[i] == '+' ? ' ' : key[i];
    }
  }
  return url;
}

Decoded DecodeTombstone(InputRecord&& record, FormatKind kind) {
  if (!record.key || IsBlank(*record.key)) {
    return DecodeFailure{"missing_url", "null value without a key: nothing to delete", "key"};
  }
  std::string url = std::move(*record.key);
  if (kind == FormatKind::kAche || kind == FormatKind::kAuto) url = UrlOfEncodedKey(std::move(url));
  return Tombstone{ToUtf8Url(std::move(url))};
}

}  // namespace

std::string_view FormatName(FormatKind kind) {
  for (const FormatRow& row : kFormats) {
    if (row.kind == kind) return row.name;
  }
  return "unknown";
}

std::optional<FormatKind> FormatFromName(std::string_view name) {
  for (const FormatRow& row : kFormats) {
    if (row.name == name) return row.kind;
  }
  return std::nullopt;
}

std::vector<FormatKind> AllFormats() {
  std::vector<FormatKind> kinds;
  kinds.reserve(std::size(kFormats));
  for (const FormatRow& row : kFormats) kinds.push_back(row.kind);
  return kinds;
}

bool IsJsonFormat(FormatKind kind) { return RowOf(kind).is_json; }

std::vector<std::string> IgnoredMembers(std::string value, FormatKind kind,
                                        const DecodeOptions& options) {
  const JsonFieldsFormat fields(options.json);
  std::span<const FieldPath> paths;
  if (const JsonFormat* format = RowOf(kind).json) {
    paths = format->paths;
  } else if (kind == FormatKind::kJson) {
    paths = fields.paths();
  } else {
    return {};
  }
  std::vector<std::string> ignored;
  if (kind == FormatKind::kCommonCrawl) value = JsonOfCdxjLine(std::move(value));
  JsonRecord record(std::move(value));
  const auto failure = record.ForEachMember([&](std::string_view name, JsonType /*type*/) {
    const bool is_read = std::any_of(paths.begin(), paths.end(), [name](const FieldPath& path) {
      return path.steps[0] == name;
    });
    if (!is_read) ignored.emplace_back(name);
  });
  return failure ? std::vector<std::string>() : ignored;
}

Decoded Decode(InputRecord record, FormatKind kind, const DecodeOptions& options,
               FormatKind* taken) {
  FormatKind ignored = kind;
  FormatKind& format = taken != nullptr ? *taken : ignored;
  format = kind;
  if (!record.value) return DecodeTombstone(std::move(record), kind);
  if (const std::string* name = FindField(record.headers, kFormatHeader)) {
    const std::optional<FormatKind> named = FormatFromName(*name);
    if (!named) {
      return DecodeFailure{
          "unsupported_format",
          fmt::format("header {}: no format `{}`", kFormatHeader, ToUtf8Url(name->substr(0, 64))),
          std::string(kFormatHeader)};
    }
    format = *named;
  }
  if (format == FormatKind::kAuto) return DecodeAuto(std::move(record), options, format);
  const FormatRow& row = RowOf(format);
  if (row.decode != nullptr) return row.decode(std::move(record), options);
  if (format == FormatKind::kScrapyCluster && *record.value == kScrapyClusterFailure) {
    return ScrapyClusterFailed();
  }
  if (format == FormatKind::kCommonCrawl) record.value = JsonOfCdxjLine(std::move(*record.value));
  JsonRecord object(std::move(*record.value));
  return row.json != nullptr ? DecodeJson(*row.json, object, options)
                             : DecodeFields(object, options);
}

}  // namespace crawlsieve::consumer
