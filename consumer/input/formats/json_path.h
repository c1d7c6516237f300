#pragma once

#include "plugin/base/result.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve::consumer {

/// Where a value lies in a JSON object: `$.request.url`, `$['my field'][0]`. Empty: nowhere.
///
/// Immutable. A step is a member's name, or an element's number where it meets an array.
class JsonPath {
 public:
  static constexpr std::size_t kMaxSteps = 8;

  JsonPath() = default;

  /// Reads `$` and one to kMaxSteps steps, each `.name` (no `.`, `[` or `]` in it), `['any name']`,
  /// `["any name"]` or `[number]`; an empty text is the empty path. Errors: kInvalidInput.
  [[nodiscard]] static Result<JsonPath> Parse(std::string_view text);

  [[nodiscard]] bool empty() const { return steps_.empty(); }
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] std::span<const std::string> steps() const { return steps_; }

  friend bool operator==(const JsonPath&, const JsonPath&) = default;

 private:
  std::string text_;
  std::vector<std::string> steps_;
};

/// Where format `json` finds what it needs; see `kafka.input.json` in docs/configuration.md.
struct JsonPaths {
  JsonPath url;
  JsonPath final_url;
  JsonPath id;
  JsonPath crawl_id;
  JsonPath status_code;
  JsonPath fetch_time;
  JsonPath content_type;
  JsonPath charset;
  JsonPath response_headers;
  JsonPath links;
  JsonPath body;
  JsonPath text;
  bool base64 = false;  ///< whether the body is in base64
};

}  // namespace crawlsieve::consumer
