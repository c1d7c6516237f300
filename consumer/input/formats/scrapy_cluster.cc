#include "consumer/input/formats/json_format.h"

#include <array>

namespace crawlsieve::consumer {
namespace {

constexpr std::array kPaths = {
    FieldPath(Field::kUrl, {"url"}),
    FieldPath(Field::kFinalUrl, {"response_url"}),
    FieldPath(Field::kStatus, {"status_code"}),
    FieldPath(Field::kFetchTime, {"timestamp"}),
    FieldPath(Field::kCharset, {"encoding"}),
    FieldPath(Field::kBody, {"body"}),
    FieldPath(Field::kBodyEncoding, {"body_encoding"}),
    FieldPath(Field::kCrawlId, {"crawlid"}),
    FieldPath(Field::kHeaders, {"response_headers"}),
    FieldPath(Field::kAttrs, {"attrs"}),
};
constexpr std::array kNeeds = {
    Member{"url", JsonType::kString}, Member{"appid", {}},       Member{"crawlid", {}},
    Member{"response_url", {}},       Member{"status_code", {}}, Member{"body", {}},
};
constexpr std::array kShapes = {Shape{kNeeds, {}}};
constexpr std::array<std::string_view, 6> kMarks = {"appid",      "crawlid",         "response_url",
                                                    "status_msg", "request_headers", "encoding"};

}  // namespace

// With KAFKA_BASE_64_ENCODE it writes bodies in base64, as bytes in the charset that `encoding`
// names, and nothing in the record says so. `encoding` names no coding: it is Scrapy's name of the
// charset, and newer spiders send it.
constinit const JsonFormat kScrapyClusterFormat = {.kind = FormatKind::kScrapyCluster,
                                                   .paths = kPaths,
                                                   .body = JsonFormat::BodyText::kBase64Unmarked,
                                                   .shapes = kShapes,
                                                   .marks = kMarks};

DecodeFailure ScrapyClusterFailed() {
  return {"crawler_error",
          "scrapy-cluster wrote `json failed to parse` in place of a page that it could not turn "
          "into JSON",
          {}};
}

}  // namespace crawlsieve::consumer
