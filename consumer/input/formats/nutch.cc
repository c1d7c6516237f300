#include "consumer/input/formats/json_format.h"

#include <array>

namespace crawlsieve::consumer {
namespace {

constexpr std::array kPaths = {
    FieldPath(Field::kUrl, {"id"}),           FieldPath(Field::kUrlElse, {"url"}),
    FieldPath(Field::kFetchTime, {"tstamp"}), FieldPath(Field::kContentType, {"type"}),
    FieldPath(Field::kCrawlId, {"batchId"}),  FieldPath(Field::kBody, {"binaryContent"}),
    FieldPath(Field::kText, {"content"}),
};
constexpr std::array kNeeds = {
    Member{"id", JsonType::kArray},
    Member{"digest", JsonType::kArray},
    Member{"segment", JsonType::kArray},
};
constexpr std::array kShapes = {Shape{kNeeds, {}}};
constexpr std::array<std::string_view, 6> kMarks = {"digest", "segment", "boost",
                                                    "tstamp", "batchId", "binaryContent"};

}  // namespace

// Every field is an array of strings, a set without order. `content` is the text of Nutch's parser;
// `bin/nutch index -addBinaryContent` adds the page itself, with `-base64` in base64, and nothing
// in the record says which. Nutch doesn't index failed fetches, and deletes nothing in Kafka.
constinit const JsonFormat kNutchFormat = {.kind = FormatKind::kNutch,
                                           .paths = kPaths,
                                           .body = JsonFormat::BodyText::kBase64Unmarked,
                                           .arrays = JsonRecord::Arrays::kTaken,
                                           .shapes = kShapes,
                                           .marks = kMarks};

}  // namespace crawlsieve::consumer
