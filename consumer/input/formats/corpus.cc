#include "consumer/input/formats/json_format.h"

#include <array>

namespace crawlsieve::consumer {
namespace {

// The first of two fields with one path says what is taken: kId takes numbers.
constexpr std::array kPaths = {
    FieldPath(Field::kUrl, {"url"}),           FieldPath(Field::kId, {"id"}),
    FieldPath(Field::kUrlElse, {"id"}),        FieldPath(Field::kText, {"text"}),
    FieldPath(Field::kFetchTime, {"date"}),    FieldPath(Field::kFetchTime, {"timestamp"}),
    FieldPath(Field::kFetchTime, {"created"}), FieldPath(Field::kCrawlId, {"dump"}),
};

}  // namespace

// A document of a corpus of texts: C4 has `text`, `timestamp` and `url`; FineWeb `text`, `id`,
// `dump`, `url` and `date`; Dolma `id`, `text` and `created`. Without a URL the id is the identity.
// kAuto doesn't know it: a canonical record that lost its URL would pass for one.
constinit const JsonFormat kCorpusFormat = {
    .kind = FormatKind::kCorpus, .paths = kPaths, .shapes = {}, .marks = {}};

}  // namespace crawlsieve::consumer
