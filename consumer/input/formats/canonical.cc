#include "consumer/input/formats/json_format.h"

#include <array>

namespace crawlsieve::consumer {
namespace {

constexpr std::array kPaths = {
    FieldPath(Field::kUrl, {"url"}),
    FieldPath(Field::kId, {"id"}),
    FieldPath(Field::kFinalUrl, {"final_url"}),
    FieldPath(Field::kStatus, {"status_code"}),
    FieldPath(Field::kFetchTime, {"fetch_time"}),
    FieldPath(Field::kContentType, {"content_type"}),
    FieldPath(Field::kCharset, {"charset"}),
    FieldPath(Field::kBody, {"body"}),
    FieldPath(Field::kBodyEncoding, {"body_encoding"}),
    FieldPath(Field::kText, {"text"}),
    FieldPath(Field::kCrawlId, {"crawl_id"}),
    FieldPath(Field::kHeaders, {"response_headers"}),
    FieldPath(Field::kLinks, {"links"}),
    FieldPath(Field::kAttrs, {"attrs"}),
    FieldPath(Field::kBodyRef, {"body_ref"}),
};
constexpr std::array kNeeds = {Member{"url", JsonType::kString}};
constexpr std::array<std::string_view, 3> kChoices = {"body", "text", "body_ref"};
constexpr std::array kShapes = {Shape{kNeeds, kChoices}};
constexpr std::array<std::string_view, 3> kMarks = {"body_encoding", "body_ref", "final_url"};

}  // namespace

// Of its known fields `null` is the same as absent, and a wrong type is no reason to lose the page:
//   status_code       a number or digits in a string; anything else: 200
//   id, crawl_id      a number is taken as its text; anything else: none
//   fetch_time        RFC 3339; anything else: none
//   response_headers  an object of strings or arrays of strings, names in any case, else ignored;
//                     `content-type` where `content_type` is absent, `content-encoding` for a body
//                     in base64
//   links             an array of strings or of objects with `url` and `rel`; anything else: none
//                     given. Elements of other types are passed over, as are those with `nofollow`
//   body, text        not a string: the body is kBadEncoding, as with an unknown `body_encoding`
//   attrs             any value, minified
// Of `body`, `text` and `body_ref` the first that is there counts. A body with `body_encoding` text
// is UTF-8 like all JSON, whatever the page once was: it gets the charset `utf-8`, and its content
// type loses its parameters. `body_ref` is an object: Field::kBodyRef.
constinit const JsonFormat kCanonicalFormat = {.kind = FormatKind::kCanonical,
                                               .paths = kPaths,
                                               .times = JsonFormat::Times::kRfc3339,
                                               .shapes = kShapes,
                                               .marks = kMarks};

}  // namespace crawlsieve::consumer
