#pragma once

#include "consumer/input/formats/input_format.h"
#include "consumer/input/formats/json_record.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace crawlsieve::consumer {

/// A member by which a shape is known.
struct Member {
  std::string_view name;         ///< ends with `.`: a prefix of the name
  std::optional<JsonType> type;  ///< nullopt: any, null too
};

/// One shape that records of a format have: all of `needs`, and one of `choices` if there are any.
struct Shape {
  std::span<const Member> needs;
  std::span<const std::string_view> choices;
};

/// A format of JSON records: where its fields lie, how its bodies are written, and by what its
/// records are known. One file for each, and one line in the table of input_format.cc.
struct JsonFormat {
  /// How a body is written whose record doesn't say.
  enum class BodyText {
    kPlain,
    kBase64,
    kBase64Unmarked,  ///< plain or base64: see LooksLikeBase64Body
  };

  FormatKind kind = FormatKind::kCanonical;
  std::span<const FieldPath> paths;
  BodyText body = BodyText::kPlain;
  JsonRecord::Arrays arrays = JsonRecord::Arrays::kRefused;
  /// How a fetch time is written.
  enum class Times {
    kAny,  ///< as ParseFetchTime
    kRfc3339,
    kCompact,  ///< as ParseCompactTime
  };
  Times times = Times::kAny;
  bool fails_by_status = false;  ///< a status of 0 or below says that the fetch failed
  /// Says why a record isn't of a page; nullptr: all are.
  std::optional<NotAPage> (*find_other_than_page)(const Fields& fields) = nullptr;
  /// For FormatKind::kAuto: what the records have, and names that no other format's records have.
  std::span<const Shape> shapes;
  std::span<const std::string_view> marks;
};

extern const JsonFormat kCanonicalFormat;
extern const JsonFormat kScrapyClusterFormat;
extern const JsonFormat kNutchFormat;
extern const JsonFormat kNorconexFormat;
extern const JsonFormat kAcheFormat;
extern const JsonFormat kKatanaFormat;
extern const JsonFormat kHeritrixFormat;
extern const JsonFormat kCommonCrawlFormat;
extern const JsonFormat kBrowsertrixFormat;
extern const JsonFormat kCorpusFormat;

/// Reads a record of `format`. Failures: those of JsonRecord::Read; `missing_url`, also where the
/// URL is not a string; `ambiguous_url`: an array of several.
///
/// Where there is a URL there is a page. What keeps its body from being read becomes
/// Page::body_problem: kMissingBody, kFetchFailed, kAmbiguousBody, kBadBodyRef, kBadEncoding, and
/// those of UndoContentCodings. Other fields of the wrong type count as absent. A record that says
/// where the body lies becomes a ClaimedPage.
[[nodiscard]] Decoded DecodeJson(const JsonFormat& format, JsonRecord& record,
                                 const DecodeLimits& limits);

/// What scrapy-cluster writes in place of a page that it can't turn into JSON.
inline constexpr std::string_view kScrapyClusterFailure = "json failed to parse";

/// The failure `crawler_error`.
[[nodiscard]] DecodeFailure ScrapyClusterFailed();

}  // namespace crawlsieve::consumer
