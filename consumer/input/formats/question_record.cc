#include "consumer/input/formats/question_record.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

using Json = nlohmann::json;

std::string TextOf(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace

std::variant<QuestionRecord, DecodeFailure> DecodeQuestion(
    const std::optional<std::string>& value) {
  if (!value.has_value()) {
    return DecodeFailure{"invalid_json", "a question without a value", {}};
  }
  const Json object = Json::parse(*value, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return DecodeFailure{"invalid_json", "not a JSON object", {}};
  QuestionRecord question;
  question.url = TextOf(object, "url");
  // As CanonicalizeUrl, which would leave nothing.
  const auto is_blank = [](unsigned char c) { return c <= 0x20; };
  if (std::ranges::all_of(question.url, is_blank)) {
    return DecodeFailure{"missing_url", "no field `url` with a text, or an empty one", "url"};
  }
  question.crawl_id = TextOf(object, "crawl_id");
  question.parent_url = TextOf(object, "parent_url");
  question.asked_at = ParseRfc3339(TextOf(object, "asked_at"));
  const auto depth = object.find("depth");
  if (depth != object.end() && depth->is_number_unsigned() &&
      depth->get<std::uint64_t>() <= std::numeric_limits<std::uint32_t>::max()) {
    question.depth = depth->get<std::uint32_t>();
  }
  return question;
}

}  // namespace crawlsieve::consumer
