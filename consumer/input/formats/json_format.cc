#include "consumer/input/formats/json_format.h"

#include "consumer/input/formats/base64.h"
#include "consumer/input/formats/content_encoding.h"
#include "consumer/input/formats/fetch_headers.h"
#include "consumer/input/formats/fetch_time.h"
#include "consumer/input/formats/header_block.h"
#include "consumer/input/formats/http_message.h"
#include "consumer/input/formats/url_text.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

using State = TextField::State;

/// How messages name `field`.
std::string NameOf(const JsonFormat& format, Field field) {
  for (const FieldPath& path : format.paths) {
    if (path.field == field) return path.Name();
  }
  return "url";
}

std::optional<DecodeFailure> FindUrlProblem(const JsonFormat& format, const Fields& fields,
                                            Field field) {
  const TextField& url = fields[field];
  const std::string name = NameOf(format, field);
  switch (url.state) {
    case State::kUnusable:
      return DecodeFailure{"missing_url", fmt::format("field `{}` is not a string", name), name};
    case State::kMany:
      return DecodeFailure{"ambiguous_url", fmt::format("field `{}` has several values", name),
                           name};
    case State::kAbsent:
    case State::kText:
      break;
  }
  if (!IsBlank(url.text)) return std::nullopt;
  return DecodeFailure{"missing_url", fmt::format("no field `{}`, or an empty one", name), name};
}

/// The text of a field that has one.
std::string_view TextOf(const Fields& fields, Field field) {
  const TextField& text = fields[field];
  return text.state == State::kText ? text.text : std::string_view();
}

const std::string* FindContentType(const std::vector<Header>& headers) {
  const std::string* type = FindField(headers, "content-type");
  return type ? type : FindField(headers, "content_type");  // as Katana spells it
}

std::optional<Timestamp> ReadFetchTime(JsonFormat::Times times, std::string_view text) {
  switch (times) {
    case JsonFormat::Times::kAny:
      return ParseFetchTime(text);
    case JsonFormat::Times::kRfc3339:
      return ParseRfc3339(text);
    case JsonFormat::Times::kCompact:
      return ParseCompactTime(text);
  }
  return std::nullopt;
}

/// All of the page but its body.
extract::Page MakePage(const JsonFormat& format, const std::string_view url, Fields& fields) {
  extract::Page page;
  page.url = url;
  page.final_url = TextOf(fields, Field::kFinalUrl);
  page.id = TextOf(fields, Field::kId);
  page.crawl_id = TextOf(fields, Field::kCrawlId);
  page.attrs = std::move(fields.attrs);
  page.status_code = ParseStatusCode(TextOf(fields, Field::kStatus)).value_or(page.status_code);
  const std::string_view time = TextOf(fields, Field::kFetchTime);
  page.fetch_time = ReadFetchTime(format.times, time);
  page.content_type = TextOf(fields, Field::kContentType);
  if (page.content_type.empty()) {
    if (const std::string* type = FindContentType(fields.headers)) page.content_type = *type;
  }
  SetFetchHeaders(fields.headers, page);
  page.charset = TextOf(fields, Field::kCharset);
  // What a crawler lists, it takes for worth following: as good as the main text's.
  if (fields.links.has_value()) page.links = extract::References{{}, std::move(*fields.links), {}};
  return page;
}

/// The body that `text` is the base64 of.
Body ReadBase64(std::string_view text, bool gzip, const Fields& fields,
                const DecodeLimits& limits) {
  std::optional<std::string> bytes = DecodeBase64(text);
  if (!bytes) return {{}, kBadEncoding};
  if (gzip) {
    Body unpacked = Gunzip(*bytes, limits);
    if (!unpacked.problem.empty()) return unpacked;
    bytes = std::move(unpacked.bytes);
  }
  return UndoContentCodings(std::move(*bytes), JoinFields(fields.headers, "content-encoding"),
                            limits);
}

/// The body that was made a string: UTF-8, whatever the page once was.
Body ReadPlain(std::string_view text, std::string memory, const DecodeLimits& limits,
               extract::Page& page) {
  // The charset in the header is that of the bytes before the crawler made them a string.
  page.content_type.resize(std::min(page.content_type.find(';'), page.content_type.size()));
  page.charset = "utf-8";
  memory.assign(text);
  return UndoContentCodings(std::move(memory), {}, limits);
}

Body ReadBody(const JsonFormat& format, const Fields& fields, std::string memory,
              const DecodeLimits& limits, extract::Page& page) {
  const TextField& body = fields[Field::kBody];
  const TextField& encoding = fields[Field::kBodyEncoding];
  bool plain = encoding.text == "text";
  bool base64 = encoding.text == "base64";
  if (!encoding.present()) {
    base64 =
        format.body == JsonFormat::BodyText::kBase64 ||
        (format.body == JsonFormat::BodyText::kBase64Unmarked && LooksLikeBase64Body(body.text));
    plain = !base64;
  }
  if (plain) {
    Body read = ReadPlain(body.text, std::move(memory), limits, page);
    return body.state == State::kText ? std::move(read) : Body{{}, kBadEncoding};
  }
  const bool gzip = encoding.text == "gzip+base64";
  if (body.state != State::kText || (!base64 && !gzip)) return {{}, kBadEncoding};
  return ReadBase64(body.text, gzip, fields, limits);
}

Body ReadRawResponse(std::string_view message, const DecodeLimits& limits, extract::Page& page) {
  const HttpHead head = ParseHttpHead(message, limits);
  if (!head.problem.empty()) return {{}, head.problem};
  page.status_code = head.status;
  page.content_type = head.content_type;
  SetFetchHeaders(head.header.fields, page);
  return ReadHttpBody(head, message.substr(std::min(head.size, message.size())), limits);
}

/// A number of a reference; `number` stays as it is where the field is absent. False: it is no
/// whole number of 63 bits.
template <typename Number>
bool ReadRefNumber(const TextField& field, Number& number) {
  if (!field.present()) return true;
  const std::optional<std::uint64_t> read = ParseNumber(field.text);
  if (!read || *read > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) return false;
  number = *read;
  return true;
}

/// nullopt: the reference can't be used.
std::optional<BodyRef> ReadBodyRef(const Fields& fields) {
  BodyRef ref;
  ref.file = TextOf(fields, Field::kRefFile);
  if (ref.file.empty() || !ReadRefNumber(fields[Field::kRefOffset], ref.offset) ||
      !ReadRefNumber(fields[Field::kRefLength], ref.length)) {
    return std::nullopt;
  }
  if (ref.length && *ref.length == 0) return std::nullopt;
  for (const auto& [field, prefix] :
       {std::pair(Field::kRefSha1, "sha1:"), std::pair(Field::kRefSha256, "sha256:"),
        std::pair(Field::kRefDigest, "")}) {
    const TextField& digest = fields[field];
    if (!digest.present()) continue;
    if (digest.state != State::kText) return std::nullopt;
    ref.digest = prefix;
    ref.digest += digest.text;
  }
  const TextField& holds = fields[Field::kRefHolds];
  if (holds.present() && holds.text != "warc" && holds.text != "body") return std::nullopt;
  if (holds.text == "body") ref.holds = BodyRef::Holds::kBody;
  return ref;
}

/// Fills in the body, or what keeps it from being read; or says where it lies.
/// `memory` is the record's own, in which none of the texts lies that are read here.
std::optional<BodyRef> FillBody(const JsonFormat& format, const Fields& fields, std::string memory,
                                const DecodeLimits& limits, extract::Page& page) {
  for (const Field field : {Field::kBody, Field::kBase64Body, Field::kText}) {
    const TextField& text = fields[field];
    if (!text.present()) continue;
    if (text.state == State::kMany) {
      SetBody({{}, kAmbiguousBody}, page);
    } else if (field == Field::kBody) {
      Body body = ReadBody(format, fields, std::move(memory), limits, page);
      SetBody(std::move(body), page);
    } else if (text.state == State::kUnusable) {
      if (field == Field::kText) page.body_kind = extract::BodyKind::kText;
      SetBody({{}, kBadEncoding}, page);
    } else if (field == Field::kBase64Body) {
      SetBody(ReadBase64(text.text, false, fields, limits), page);
    } else {
      page.body_kind = extract::BodyKind::kText;
      memory.assign(text.text);
      SetBody(UndoContentCodings(std::move(memory), {}, limits), page);
    }
    return std::nullopt;
  }
  // An empty page has an empty string. A record without the field was written by a crawler that
  // calls it something else, or had nothing to put there.
  const bool failed =
      !TextOf(fields, Field::kError).empty() || (format.fails_by_status && page.status_code <= 0);
  const bool is_elsewhere = fields[Field::kBodyRef].present() || fields[Field::kRefFile].present();
  if (is_elsewhere && !failed) {
    if (auto ref = ReadBodyRef(fields)) return ref;
    SetBody({{}, kBadBodyRef}, page);
  } else if (!TextOf(fields, Field::kRawResponse).empty()) {
    Body body = ReadRawResponse(TextOf(fields, Field::kRawResponse), limits, page);
    SetBody(std::move(body), page);
  } else {
    SetBody({{}, failed ? kFetchFailed : kMissingBody}, page);
  }
  return std::nullopt;
}

}  // namespace

Decoded DecodeJson(const JsonFormat& format, JsonRecord& record, const DecodeLimits& limits) {
  Fields fields;
  if (auto failure = record.Read(format.paths, format.arrays, fields)) return std::move(*failure);
  const bool has_other = !fields[Field::kUrl].present() && fields[Field::kUrlElse].present();
  const Field url = has_other ? Field::kUrlElse : Field::kUrl;
  if (format.find_other_than_page != nullptr) {
    if (auto other = format.find_other_than_page(fields)) return std::move(*other);
  }
  if (auto failure = FindUrlProblem(format, fields, url)) return std::move(*failure);
  extract::Page page = MakePage(format, fields[url].text, fields);
  if (auto ref = FillBody(format, fields, record.TakeMemory(), limits, page)) {
    return ClaimedPage{std::move(page), std::move(*ref)};
  }
  return page;
}

}  // namespace crawlsieve::consumer
