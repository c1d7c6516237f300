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

std::optional<NotAPage> FindOtherThanPage(const Fields& fields) {
  const bool is_head = fields[Field::kListHead].present() && !fields[Field::kUrl].present();
  if (!is_head) return std::nullopt;
  return NotAPage{"first line of a list of pages"};
}

}  // namespace

// A line of pages/*.jsonl in a WACZ file: a page that a browser visited, with its text if the crawl
// extracted texts. The first line is about the list. kAuto doesn't know it: `url`, `ts` and `title`
// are what many records with a body have.
constinit const JsonFormat kBrowsertrixFormat = {.kind = FormatKind::kBrowsertrix,
                                                 .paths = kPaths,
                                                 .find_other_than_page = FindOtherThanPage,
                                                 .shapes = {},
                                                 .marks = {}};

}  // namespace crawlsieve::consumer
