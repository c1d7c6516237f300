#include "consumer/input/formats/header_block.h"
#include "consumer/input/formats/json_format.h"
#include "consumer/input/formats/url_text.h"
#include "consumer/input/formats/warc.h"

#include <array>
#include <string>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

constexpr std::array kPaths = {
    FieldPath(Field::kUrl, {"url"}),
    FieldPath(Field::kStatus, {"status_code"}),
    FieldPath(Field::kFetchTime, {"timestamp"}),
    FieldPath(Field::kContentType, {"mimetype"}),
    FieldPath(Field::kRefFile, {"warc_filename"}),
    FieldPath(Field::kRefOffset, {"warc_offset"}),
    FieldPath(Field::kRefDigest, {"content_digest"}),
};
constexpr std::array kNeeds = {
    Member{"url", JsonType::kString},
    Member{"warc_filename", {}},
    Member{"warc_offset", {}},
    Member{"content_digest", {}},
    Member{"start_time_plus_duration", {}},
};
constexpr std::array kShapes = {Shape{kNeeds, {}}};
constexpr std::array<std::string_view, 5> kMarks = {
    "warc_filename", "warc_offset", "content_digest", "start_time_plus_duration", "hop_path"};

std::optional<NotAPage> FindOtherThanPage(const Fields& fields) {
  const std::string_view url = fields[Field::kUrl].text;
  if (ClassifyWarc("response", url) != WarcContent::kOther) return std::nullopt;
  return NotAPage{fmt::format("fetch of {}", ToUtf8Url(std::string(url.substr(0, 64))))};
}

}  // namespace

// One line a fetch, failed ones too: their status is 0 or below and they have no file. The file is
// named without its folder, and without the `.open` that it ends with while it grows. The offset is
// that of the response, or of a revisit record where the content was seen before.
constinit const JsonFormat kHeritrixFormat = {.kind = FormatKind::kHeritrix,
                                              .paths = kPaths,
                                              .fails_by_status = true,
                                              .find_other_than_page = FindOtherThanPage,
                                              .shapes = kShapes,
                                              .marks = kMarks};

}  // namespace crawlsieve::consumer
