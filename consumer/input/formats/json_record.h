#pragma once

#include "consumer/input/formats/input_format.h"
#include "consumer/input/formats/json_path.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve::consumer {

/// What the formats of JSON read of a record.
enum class Field : std::uint8_t {
  kUrl,
  kUrlElse,  ///< the URL where kUrl is absent
  kFinalUrl,
  kId,
  kCrawlId,
  kStatus,
  kFetchTime,
  kContentType,
  kCharset,
  kBody,
  kBodyEncoding,  ///< `text`, `base64` or `gzip+base64`
  kBase64Body,    ///< a body that is always in base64
  kText,          ///< stripped of markup
  kRawResponse,   ///< an HTTP message, status line and header first
  kError,         ///< why there is no response
  kMethod,        ///< of the request
  kListHead,      ///< where it is and a URL isn't: a line about a list of pages
  kBodyRef,       ///< an object with members of these names, or only whether there is one:
  kRefFile,       ///< `file` or `uri`
  kRefOffset,     ///< `offset`
  kRefLength,     ///< `length`
  kRefDigest,     ///< `digest`
  kRefSha1,       ///< `sha1`
  kRefSha256,     ///< `sha256`
  kRefHolds,      ///< `holds`: `warc` or `body`
  kHeaders,       ///< not a text: Fields::headers
  kLinks,         ///< not a text: Fields::links
  kAttrs,         ///< not a text: Fields::attrs
};
inline constexpr std::size_t kFieldCount = static_cast<std::size_t>(Field::kAttrs) + 1;

/// Where a field lies in a record. Borrows its steps.
struct FieldPath {
  Field field = Field::kUrl;
  std::array<std::string_view, JsonPath::kMaxSteps> steps{};
  std::size_t size = 0;

  constexpr FieldPath() = default;
  constexpr FieldPath(Field of, std::initializer_list<std::string_view> names)
      : field(of), size(names.size()) {
    std::size_t i = 0;
    for (const std::string_view name : names) steps[i++] = name;
  }
  FieldPath(Field of, const JsonPath& path) : field(of), size(path.steps().size()) {
    for (std::size_t i = 0; i < size; ++i) steps[i] = path.steps()[i];
  }

  /// "request.endpoint".
  [[nodiscard]] std::string Name() const;
};

/// A text in the record, once met. Lies in the record or in its parser's buffer.
struct TextField {
  enum class State : std::uint8_t {
    kAbsent,  ///< or null, or an array of none
    kText,
    kUnusable,  ///< of another type
    kMany,      ///< an array of several different texts
  };
  State state = State::kAbsent;
  std::string_view text;

  [[nodiscard]] bool present() const { return state != State::kAbsent; }
};

/// All that was found in a record.
struct Fields {
  std::array<TextField, kFieldCount> texts;
  std::string attrs;
  std::vector<Header> headers;
  std::optional<std::vector<std::string>> links;  ///< those that may be followed

  [[nodiscard]] const TextField& operator[](Field field) const {
    return texts[static_cast<std::size_t>(field)];
  }
  [[nodiscard]] TextField& operator[](Field field) {
    return texts[static_cast<std::size_t>(field)];
  }
};

enum class JsonType : std::uint8_t { kString, kNumber, kObject, kArray, kOther, kNull };

/// One JSON object, read in place. A Confluent schema prefix (a zero byte and four of a schema
/// number) or a UTF-8 byte order mark before it is passed over.
///
/// Uses buffers of the thread: a thread has one at a time. Thread-compatible.
class JsonRecord {
 public:
  /// Whether a field may be an array of texts: one is taken as its text, equal ones as one.
  enum class Arrays { kRefused, kTaken };

  explicit JsonRecord(std::string value);
  ~JsonRecord();
  JsonRecord(const JsonRecord&) = delete;
  JsonRecord& operator=(const JsonRecord&) = delete;

  /// Fills in `fields`, whose texts are valid until the next call of any method. What `paths`
  /// (64 at most) don't name is skipped without a look at it; of equal keys the last one counts.
  /// Failures: `invalid_json` (not an object either; the message says where), `bad_encoding` (not
  /// UTF-8).
  [[nodiscard]] std::optional<DecodeFailure> Read(std::span<const FieldPath> paths, Arrays arrays,
                                                  Fields& fields);

  /// Calls `each` with every member of the object, in order. Failures as with Read.
  [[nodiscard]] std::optional<DecodeFailure> ForEachMember(
      const std::function<void(std::string_view, JsonType)>& each);

  /// The record's memory, for reuse. The texts of `fields` that lie in the parser's buffer stay:
  /// those are all that simdjson hands out as strings; numbers lie here and don't.
  [[nodiscard]] std::string TakeMemory() { return std::move(value_); }

 private:
  [[nodiscard]] std::string_view json() const { return std::string_view(value_).substr(start_); }

  std::string value_;
  std::size_t start_ = 0;
};

}  // namespace crawlsieve::consumer
