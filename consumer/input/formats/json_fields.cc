#include "consumer/input/formats/json_fields.h"

#include <utility>

namespace crawlsieve::consumer {

JsonFieldsFormat::JsonFieldsFormat(const JsonPaths& paths) {
  const std::array<std::pair<Field, const JsonPath*>, kMaxPaths> all = {{
      {Field::kUrl, &paths.url},
      {Field::kFinalUrl, &paths.final_url},
      {Field::kId, &paths.id},
      {Field::kCrawlId, &paths.crawl_id},
      {Field::kStatus, &paths.status_code},
      {Field::kFetchTime, &paths.fetch_time},
      {Field::kContentType, &paths.content_type},
      {Field::kCharset, &paths.charset},
      {Field::kHeaders, &paths.response_headers},
      {Field::kLinks, &paths.links},
      {paths.base64 ? Field::kBase64Body : Field::kBody, &paths.body},
      {Field::kText, &paths.text},
  }};
  for (const auto& [field, path] : all) {
    if (!path->empty()) paths_[size_++] = FieldPath(field, *path);
  }
}

JsonFormat JsonFieldsFormat::format() const {
  JsonFormat format;
  format.kind = FormatKind::kJson;
  format.paths = paths();
  return format;
}

}  // namespace crawlsieve::consumer
