#include "consumer/input/formats/canonical.h"

#include "consumer/input/formats/base64.h"
#include "consumer/input/formats/content_encoding.h"
#include "consumer/input/formats/fetch_headers.h"
#include "consumer/input/formats/header_block.h"
#include "consumer/input/formats/url_text.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <simdjson.h>

namespace crawlsieve::consumer {
namespace {

namespace ondemand = simdjson::ondemand;
using simdjson::error_code;
using simdjson::SUCCESS;

/// What JSON is read with. One for each thread, and kept: its buffers are 6 times the record's
/// size.
struct Parsers {
  ondemand::parser record;
  simdjson::dom::parser attrs;

  /// Of a record larger than this, which is rare, they go back to the system.
  static constexpr std::size_t kKeptBytes = 4 << 20;

  void DropLargeBuffers() {
    if (record.capacity() > kKeptBytes) record = ondemand::parser();
    if (attrs.capacity() > kKeptBytes) attrs = simdjson::dom::parser();
  }
};

/// A string in the record, once met. Lies in the record or in its parser's buffer.
struct TextField {
  enum class State { kAbsent, kText, kUnusable };
  State state = State::kAbsent;
  std::string_view text;

  [[nodiscard]] bool present() const { return state != State::kAbsent; }
};

/// All that is used of a record.
struct Fields {
  TextField url;
  TextField id;
  TextField final_url;
  TextField status_code;
  TextField fetch_time;
  TextField content_type;
  TextField charset;
  TextField body;
  TextField body_encoding;
  TextField text;
  TextField crawl_id;
  bool has_body_ref = false;
  std::string attrs;
  std::vector<Header> response_headers;
};

enum class Numbers { kRefused, kAsText };

/// Errors: the JSON is broken. A value that is valid but not a string makes `field` unusable.
error_code ReadText(ondemand::value value, Numbers numbers, TextField& field) {
  field = {};
  ondemand::json_type type{};
  if (const error_code error = value.type().get(type)) return error;
  if (type == ondemand::json_type::null) {
    bool is_null = false;
    if (const error_code error = value.is_null().get(is_null)) return error;
    return is_null ? SUCCESS : simdjson::N_ATOM_ERROR;
  }
  field.state = TextField::State::kUnusable;
  std::string_view text;
  if (type == ondemand::json_type::string) {
    // Half a surrogate pair is valid JSON but no text.
    if (value.get_string().get(text) == SUCCESS) {
      field = {TextField::State::kText, text};
    }
  } else if (type == ondemand::json_type::number && numbers == Numbers::kAsText) {
    field = {TextField::State::kText, TrimSpaces(value.raw_json_token())};
  }
  return SUCCESS;
}

error_code ReadHeaders(ondemand::value value, std::vector<Header>& headers) {
  headers.clear();
  ondemand::object object;
  if (value.get_object().get(object) != SUCCESS) return SUCCESS;
  for (auto entry : object) {
    ondemand::field field;
    if (const error_code error = std::move(entry).get(field)) return error;
    std::string_view name;
    if (const error_code error = field.unescaped_key().get(name)) return error;
    Header header{std::string(name), {}};
    ondemand::array array;
    TextField text;
    if (field.value().get_array().get(array) == SUCCESS) {
      for (auto element : array) {
        ondemand::value item;
        if (const error_code error = std::move(element).get(item)) return error;
        if (const error_code error = ReadText(item, Numbers::kRefused, text)) return error;
        headers.push_back({header.name, std::string(text.text)});
      }
    } else {
      if (const error_code error = ReadText(field.value(), Numbers::kRefused, text)) return error;
      headers.push_back({std::move(header.name), std::string(text.text)});
    }
  }
  return SUCCESS;
}

/// Whether `json` is valid. It is followed by simdjson::SIMDJSON_PADDING bytes that may be read.
bool IsValidJson(std::string_view json, simdjson::dom::parser& parser) {
  simdjson::dom::element ignored;
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(json.data());
  if (parser.parse(bytes, json.size(), /*realloc_if_needed=*/false).get(ignored) == SUCCESS) {
    return true;
  }
  // It refuses valid JSON, too: numbers of more than 64 bits, and what is nested deeply.
  return nlohmann::json::accept(json);
}

/// Puts `value` into `attrs` without white space between its tokens. Unlike what is skipped, it is
/// checked: it will stand in the verdict as it is.
error_code ReadAttrs(ondemand::value value, simdjson::dom::parser& parser, std::string& attrs) {
  attrs.clear();
  std::string_view raw;
  ondemand::json_type type{};
  if (const error_code error = value.type().get(type)) return error;
  error_code error = SUCCESS;
  if (type == ondemand::json_type::object) {
    ondemand::object object;
    error = value.get_object().get(object);
    if (error == SUCCESS) error = object.raw_json().get(raw);
  } else if (type == ondemand::json_type::array) {
    ondemand::array array;
    error = value.get_array().get(array);
    if (error == SUCCESS) error = array.raw_json().get(raw);
  } else {
    raw = value.raw_json_token();
  }
  if (error != SUCCESS) return error;
  if (!IsValidJson(raw, parser)) return simdjson::TAPE_ERROR;
  attrs.resize(raw.size() + simdjson::SIMDJSON_PADDING);
  std::size_t size = 0;
  error = simdjson::minify(raw.data(), raw.size(), attrs.data(), size);
  if (error != SUCCESS) return error;
  attrs.resize(size);
  if (attrs == "null") attrs.clear();
  return SUCCESS;
}

error_code ReadField(std::string_view name, ondemand::value value, Parsers& parsers,
                     Fields& fields) {
  if (name == "url") return ReadText(value, Numbers::kRefused, fields.url);
  if (name == "id") return ReadText(value, Numbers::kAsText, fields.id);
  if (name == "final_url") return ReadText(value, Numbers::kRefused, fields.final_url);
  if (name == "status_code") return ReadText(value, Numbers::kAsText, fields.status_code);
  if (name == "fetch_time") return ReadText(value, Numbers::kRefused, fields.fetch_time);
  if (name == "content_type") return ReadText(value, Numbers::kRefused, fields.content_type);
  if (name == "charset") return ReadText(value, Numbers::kRefused, fields.charset);
  if (name == "body") return ReadText(value, Numbers::kRefused, fields.body);
  if (name == "body_encoding") return ReadText(value, Numbers::kRefused, fields.body_encoding);
  if (name == "text") return ReadText(value, Numbers::kRefused, fields.text);
  if (name == "crawl_id") return ReadText(value, Numbers::kAsText, fields.crawl_id);
  if (name == "response_headers") return ReadHeaders(value, fields.response_headers);
  if (name == "attrs") return ReadAttrs(value, parsers.attrs, fields.attrs);
  if (name == "body_ref") {
    TextField reference;
    const error_code error = ReadText(value, Numbers::kRefused, reference);
    fields.has_body_ref = reference.present();
    return error;
  }
  return SUCCESS;
}

error_code ReadObject(ondemand::document& document, Parsers& parsers, Fields& fields) {
  ondemand::object object;
  if (const error_code error = document.get_object().get(object)) return error;
  for (auto entry : object) {
    ondemand::field field;
    if (const error_code error = std::move(entry).get(field)) return error;
    std::string_view name;
    if (const error_code error = field.unescaped_key().get(name)) return error;
    if (const error_code error = ReadField(name, field.value(), parsers, fields)) {
      return error;
    }
  }
  const bool ended = document.current_location().error() == simdjson::OUT_OF_BOUNDS;
  return ended ? SUCCESS : simdjson::TRAILING_CONTENT;
}

/// ", near byte 17": where reading of `json` stopped; empty where that is not known.
std::string Where(std::string_view json, ondemand::document& document) {
  const char* location = nullptr;
  if (document.current_location().get(location) != SUCCESS || location < json.data() ||
      location > json.data() + json.size()) {
    return {};
  }
  return fmt::format(", near byte {}", location - json.data());
}

DecodeFailure InvalidJson(error_code error, std::string_view where) {
  if (error == simdjson::UTF8_ERROR) return {"bad_encoding", "the JSON is not UTF-8"};
  if (error == simdjson::INCORRECT_TYPE) return {"invalid_json", "the JSON is not an object"};
  return {"invalid_json",
          fmt::format("not valid JSON{}: {}", where, simdjson::error_message(error))};
}

/// `memory` is the record's own, in which none of its fields lies: the body goes there.
Body ReadBody(const Fields& fields, const DecodeLimits& limits, std::string memory) {
  const TextField& body = fields.body;
  std::string_view encoding = fields.body_encoding.text;
  if (!fields.body_encoding.present()) encoding = "text";
  if (body.state == TextField::State::kUnusable) return {{}, kBadEncoding};
  if (encoding == "text") {
    memory.assign(body.text);
    return UndoContentCodings(std::move(memory), {}, limits);
  }
  if (encoding != "base64" && encoding != "gzip+base64") return {{}, kBadEncoding};
  std::optional<std::string> bytes = DecodeBase64(body.text);
  if (!bytes) return {{}, kBadEncoding};
  if (encoding == "gzip+base64") {
    Body unpacked = Gunzip(*bytes, limits);
    if (!unpacked.problem.empty()) return unpacked;
    bytes = std::move(unpacked.bytes);
  }
  return UndoContentCodings(std::move(*bytes),
                            JoinFields(fields.response_headers, "content-encoding"), limits);
}

/// `record` is what the fields were read from.
extract::Page MakePage(Fields fields, std::string record, const DecodeLimits& limits) {
  extract::Page page;
  page.url = fields.url.text;
  page.final_url = fields.final_url.text;
  page.id = fields.id.text;
  page.crawl_id = fields.crawl_id.text;
  page.attrs = std::move(fields.attrs);
  page.status_code = ParseStatusCode(fields.status_code.text).value_or(page.status_code);
  page.fetch_time = ParseRfc3339(fields.fetch_time.text);
  page.content_type = fields.content_type.text;
  if (page.content_type.empty()) {
    const std::string* type = FindField(fields.response_headers, "content-type");
    if (type) page.content_type = *type;
  }
  page.charset = fields.charset.text;
  SetFetchHeaders(fields.response_headers, page);
  if (fields.body.present()) {
    const bool text = !fields.body_encoding.present() || fields.body_encoding.text == "text";
    if (text) {
      // The charset in the header is that of the bytes before the crawler made them a string.
      page.content_type.resize(std::min(page.content_type.find(';'), page.content_type.size()));
      page.charset = "utf-8";
    }
    SetBody(ReadBody(fields, limits, std::move(record)), page);
  } else if (fields.text.present()) {
    page.body_kind = extract::BodyKind::kText;
    const bool usable = fields.text.state == TextField::State::kText;
    if (usable) record.assign(fields.text.text);
    SetBody(usable ? UndoContentCodings(std::move(record), {}, limits) : Body{{}, kBadEncoding},
            page);
  } else if (fields.has_body_ref) {
    SetBody({{}, kUnsupportedBodyRef}, page);
  } else {
    // An empty page has an empty string. A record without the field was written by a crawler that
    // calls it something else, or had nothing to put there.
    SetBody({{}, kMissingBody}, page);
  }
  return page;
}

/// `value` has room for simdjson::SIMDJSON_PADDING bytes behind it.
Decoded DecodeWith(Parsers& parsers, std::string value, const DecodeLimits& limits) {
  constexpr std::size_t kSchemaPrefix = 5;
  std::size_t start = 0;
  if (value.size() >= kSchemaPrefix && value[0] == '\0') start = kSchemaPrefix;
  if (std::string_view(value).substr(start).starts_with("\xEF\xBB\xBF")) start += 3;
  const std::string_view json = std::string_view(value).substr(start);

  Fields fields;
  ondemand::document document;
  const simdjson::padded_string_view padded(json, value.capacity() - start);
  if (const error_code error = parsers.record.iterate(padded).get(document)) {
    return InvalidJson(error, {});
  }
  if (const error_code error = ReadObject(document, parsers, fields)) {
    return InvalidJson(error, Where(json, document));
  }
  if (fields.url.state == TextField::State::kUnusable) {
    return DecodeFailure{"missing_url", "field `url` is not a string"};
  }
  if (IsBlank(fields.url.text))
    return DecodeFailure{"missing_url", "no field `url`, or an empty one"};
  return MakePage(std::move(fields), std::move(value), limits);
}

}  // namespace

Decoded DecodeCanonical(InputRecord record, const DecodeLimits& limits) {
  thread_local Parsers parsers;
  std::string value = std::move(*record.value);
  value.reserve(value.size() + simdjson::SIMDJSON_PADDING);
  Decoded decoded = DecodeWith(parsers, std::move(value), limits);
  parsers.DropLargeBuffers();
  return decoded;
}

}  // namespace crawlsieve::consumer
