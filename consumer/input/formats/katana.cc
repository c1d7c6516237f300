#include "consumer/input/formats/header_block.h"
#include "consumer/input/formats/json_format.h"
#include "consumer/input/formats/url_text.h"

#include <array>
#include <string>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

constexpr std::array kPaths = {
    FieldPath(Field::kUrl, {"request", "endpoint"}),
    FieldPath(Field::kMethod, {"request", "method"}),
    FieldPath(Field::kStatus, {"response", "status_code"}),
    FieldPath(Field::kFetchTime, {"timestamp"}),
    FieldPath(Field::kHeaders, {"response", "headers"}),
    FieldPath(Field::kBody, {"response", "body"}),
    FieldPath(Field::kRawResponse, {"response", "raw"}),
    FieldPath(Field::kError, {"error"}),
};
constexpr std::array kNeeds = {
    Member{"timestamp", JsonType::kString},
    Member{"request", JsonType::kObject},
};
constexpr std::array kShapes = {Shape{kNeeds, {}}};
constexpr std::array<std::string_view, 2> kMarks = {"request", "response"};

std::optional<NotAPage> FindOtherThanPage(const Fields& fields) {
  const std::string_view method = fields[Field::kMethod].text;
  if (method.empty() || EqualsIgnoringCase(method, "GET")) return std::nullopt;
  return NotAPage{fmt::format("response to a request with method {}",
                              ToUtf8Url(std::string(method.substr(0, 64))))};
}

}  // namespace

// One line a request: `response` and `error` are left out where there is none, and so is an empty
// body, which -omit-body leaves out too. A line with only `error` is a fetch that failed.
constinit const JsonFormat kKatanaFormat = {.kind = FormatKind::kKatana,
                                            .paths = kPaths,
                                            .find_other_than_page = FindOtherThanPage,
                                            .shapes = kShapes,
                                            .marks = kMarks};

}  // namespace crawlsieve::consumer
