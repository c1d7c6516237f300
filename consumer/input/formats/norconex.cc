#include "consumer/input/formats/json_format.h"

#include <array>

namespace crawlsieve::consumer {
namespace {

constexpr std::array kPaths = {
    FieldPath(Field::kUrl, {"id"}),
    FieldPath(Field::kUrlElse, {"document.reference"}),
    FieldPath(Field::kFetchTime, {"document.importedDate"}),
    FieldPath(Field::kContentType, {"document.contentType"}),
    FieldPath(Field::kText, {"content"}),
};
constexpr std::array kNeeds = {
    Member{"id", JsonType::kString},
    Member{"document.", {}},
};
constexpr std::array kShapes = {Shape{kNeeds, {}}};
constexpr std::array<std::string_view, 3> kMarks = {"document.", "collector.", "crawler."};

}  // namespace

// Members are the document's metadata, a string or an array of strings each. `content` is the text
// that its importer made of the page. Deleted pages are tombstones, with the URL as key.
constinit const JsonFormat kNorconexFormat = {.kind = FormatKind::kNorconex,
                                              .paths = kPaths,
                                              .arrays = JsonRecord::Arrays::kTaken,
                                              .shapes = kShapes,
                                              .marks = kMarks};

}  // namespace crawlsieve::consumer
