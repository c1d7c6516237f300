#include "consumer/input/formats/commoncrawl.h"

#include "consumer/input/formats/fetch_time.h"
#include "consumer/input/formats/json_format.h"

#include <array>
#include <string_view>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

constexpr std::array kPaths = {
    FieldPath(Field::kUrl, {"url"}),
    FieldPath(Field::kStatus, {"status"}),
    FieldPath(Field::kFetchTime, {"timestamp"}),
    FieldPath(Field::kContentType, {"mime"}),
    FieldPath(Field::kRefFile, {"filename"}),
    FieldPath(Field::kRefOffset, {"offset"}),
    FieldPath(Field::kRefLength, {"length"}),
    FieldPath(Field::kRefDigest, {"digest"}),
};
constexpr std::array kNeeds = {
    Member{"url", JsonType::kString},
    Member{"filename", JsonType::kString},
    Member{"offset", {}},
    Member{"timestamp", JsonType::kString},
};
constexpr std::array kShapes = {Shape{kNeeds, {}}};
// `encoding` is one of scrapy_cluster's too.
constexpr std::array<std::string_view, 3> kMarks = {"urlkey", "mime-detected", "encoding"};

}  // namespace

std::string JsonOfCdxjLine(std::string text) {
  constexpr std::size_t kTimeDigits = 14;
  if (text.starts_with('{')) return text;
  const std::size_t key = text.find(' ');
  const std::size_t object = key == std::string::npos ? key : key + 1 + kTimeDigits + 1;
  if (object >= text.size() || text[object] != '{' || text[object - 1] != ' ') return text;
  const std::string_view time = std::string_view(text).substr(key + 1, kTimeDigits);
  if (!ParseCompactTime(time)) return text;
  const std::size_t first = text.find_first_not_of(" \t", object + 1);
  const bool is_empty = first != std::string::npos && text[first] == '}';
  return fmt::format("{{\"timestamp\":\"{}\"{}{}", time, is_empty ? "" : ",",
                     std::string_view(text).substr(object + 1));
}

// All values are strings, numbers too. The index server answers with the same members and `urlkey`
// and `timestamp` besides. `mime` of a revisit record is `warc/revisit`. `charset`, `languages` and
// `mime-detected` are the indexer's own findings, which the page itself is asked for again.
constinit const JsonFormat kCommonCrawlFormat = {.kind = FormatKind::kCommonCrawl,
                                                 .paths = kPaths,
                                                 .times = JsonFormat::Times::kCompact,
                                                 .shapes = kShapes,
                                                 .marks = kMarks};

}  // namespace crawlsieve::consumer
