#include "consumer/input/formats/json_format.h"

#include <array>

namespace crawlsieve::consumer {
namespace {

constexpr std::array kPaths = {
    FieldPath(Field::kUrl, {"url"}),
    FieldPath(Field::kFinalUrl, {"redirected_url"}),
    FieldPath(Field::kId, {"_id"}),
    FieldPath(Field::kContentType, {"content_type"}),
    FieldPath(Field::kHeaders, {"response_headers"}),
    FieldPath(Field::kHeaders, {"responseHeaders"}),
    FieldPath(Field::kFetchTime, {"fetch_time"}),
    FieldPath(Field::kFetchTime, {"retrieved"}),
    FieldPath(Field::kFetchTime, {"timestamp_crawl"}),
    FieldPath(Field::kCrawlId, {"crawler_id"}),
    FieldPath(Field::kCrawlId, {"crawlerId"}),
    FieldPath(Field::kCrawlId, {"crawler"}),
    FieldPath(Field::kBase64Body, {"content"}),
    FieldPath(Field::kBody, {"html"}),
    FieldPath(Field::kBody, {"raw_content"}),
    FieldPath(Field::kBody, {"response_body"}),
    FieldPath(Field::kText, {"text"}),
};
constexpr std::array kJsonNeeds = {
    Member{"url", JsonType::kString}, Member{"content_type", {}},   Member{"response_headers", {}},
    Member{"fetch_time", {}},         Member{"redirected_url", {}},
};
constexpr std::array<std::string_view, 2> kJsonBodies = {"content", "response_body"};
constexpr std::array kElasticNeeds = {
    Member{"url", JsonType::kString},
    Member{"html", {}},
    Member{"retrieved", {}},
    Member{"topPrivateDomain", {}},
};
constexpr std::array kCdrNeeds = {
    Member{"url", JsonType::kString},
    Member{"raw_content", {}},
    Member{"timestamp_index", {}},
    Member{"crawler", {}},
};
constexpr std::array kShapes = {Shape{kJsonNeeds, kJsonBodies}, Shape{kElasticNeeds, {}},
                                Shape{kCdrNeeds, {}}};
constexpr std::array<std::string_view, 17> kMarks = {"redirected_url",
                                                     "relevance",
                                                     "crawler_id",
                                                     "response_body",
                                                     "html",
                                                     "retrieved",
                                                     "responseHeaders",
                                                     "crawlerId",
                                                     "topPrivateDomain",
                                                     "isRelevant",
                                                     "wordsMeta",
                                                     "raw_content",
                                                     "crawler",
                                                     "timestamp_crawl",
                                                     "timestamp_index",
                                                     "objects",
                                                     "team"};

}  // namespace

// JSON has the bytes of the page in base64 (`content`; in early versions a string,
// `response_body`); ELASTIC (`html`) and CDR31 (`raw_content`) have it as a string, and ELASTIC has
// none of a page that isn't HTML. None has a status: ACHE stores pages that were fetched. Keys are
// the URL, percent-encoded.
constinit const JsonFormat kAcheFormat = {
    .kind = FormatKind::kAche, .paths = kPaths, .shapes = kShapes, .marks = kMarks};

}  // namespace crawlsieve::consumer
