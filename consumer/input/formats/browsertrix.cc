#include "consumer/input/formats/json_format.h"

#include <array>

namespace crawlsieve::consumer {
namespace {

constexpr std::array kPaths = {
    FieldPath(Field::kUrl, {"url"}),          FieldPath(Field::kId, {"id"}),
    FieldPath(Field::kFetchTime, {"ts"}),     FieldPath(Field::kStatus, {"status"}),
    FieldPath(Field::kContentType, {"mime"}), FieldPath(Field::kText, {"text"}),
    FieldPath(Field::kListHead, {"format"}),
};
constexpr std::array kNeeds = {
    Member{"url", JsonType::kString},
    Member{"ts", {}},
    Member{"title", {}},
};
constexpr std::array kHeadNeeds = {Member{"format", JsonType::kString}, Member{"title", {}}};
constexpr std::array kShapes = {Shape{kNeeds, {}}, Shape{kHeadNeeds, {}}};
constexpr std::array<std::string_view, 4> kMarks = {"ts", "loadState", "favIconUrl", "seedId"};

std::optional<NotAPage> FindOtherThanPage(const Fields& fields) {
  const bool is_head = fields[Field::kListHead].present() && !fields[Field::kUrl].present();
  if (!is_head) return std::nullopt;
  return NotAPage{"first line of a list of pages"};
}

}  // namespace

// A line of pages/*.jsonl in a WACZ file: a page that a browser visited, with its text if the crawl
// extracted texts. The first line is about the list.
constinit const JsonFormat kBrowsertrixFormat = {.kind = FormatKind::kBrowsertrix,
                                                 .paths = kPaths,
                                                 .find_other_than_page = FindOtherThanPage,
                                                 .shapes = kShapes,
                                                 .marks = kMarks};

}  // namespace crawlsieve::consumer
