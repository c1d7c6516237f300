#include "consumer/output/scores/score_record.h"

#include <cmath>
#include <limits>
#include <optional>

#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchemaVersion = 1;

Json TextOrNull(const std::string& text) { return text.empty() ? Json() : Json(text); }

template <typename Number>
Json NumberOrNull(const std::optional<Number>& number) {
  return number.has_value() ? Json(*number) : Json();
}

/// Reads the members of one object. After the first that isn't what it should be, `error` says so,
/// and everything reads as empty.
class MemberReader {
 public:
  explicit MemberReader(const Json& object) : object_(object) {}

  [[nodiscard]] std::string Text(const char* name) {
    const Json* const value = Find(name);
    if (value == nullptr || !value->is_string()) return Fail(name, "is not a string"), "";
    return value->get<std::string>();
  }
  [[nodiscard]] std::string TextOrEmpty(const char* name) { return IsNull(name) ? "" : Text(name); }
  [[nodiscard]] bool Bool(const char* name) {
    const Json* const value = Find(name);
    if (value == nullptr || !value->is_boolean()) return Fail(name, "is not true or false"), false;
    return value->get<bool>();
  }
  template <typename Number>
  [[nodiscard]] Number Unsigned(const char* name) {
    const Json* const value = Find(name);
    if (value == nullptr || !value->is_number_unsigned() ||
        value->get<std::uint64_t>() > std::numeric_limits<Number>::max()) {
      return Fail(name, "is not a whole number, or too large"), 0;
    }
    return value->get<Number>();
  }
  template <typename Number>
  [[nodiscard]] std::optional<Number> UnsignedOrNull(const char* name) {
    if (IsNull(name)) return std::nullopt;
    return Unsigned<Number>(name);
  }
  [[nodiscard]] Timestamp Time(const char* name) {
    const std::optional<Timestamp> time = ParseRfc3339(Text(name));
    if (!time.has_value()) Fail(name, "is not a time");
    return time.value_or(Timestamp());
  }
  [[nodiscard]] std::optional<Timestamp> TimeOrNull(const char* name) {
    if (IsNull(name)) return std::nullopt;
    return Time(name);
  }
  [[nodiscard]] Score ScoreValue(const char* name) { return ScoreOf(name, Find(name)); }
  [[nodiscard]] std::vector<ScoreComponent> Components(const char* name) {
    const Json* const value = Find(name);
    std::vector<ScoreComponent> components;
    if (value == nullptr || !value->is_object()) return Fail(name, "is not an object"), components;
    for (const auto& [key, score] : value->items()) {
      components.push_back({key, ScoreOf(name, &score)});
    }
    return components;
  }
  void Fail(std::string_view name, std::string_view what) {
    if (error_.empty()) error_ = std::string(name) + ": " + std::string(what);
  }

  [[nodiscard]] const std::string& error() const { return error_; }

 private:
  [[nodiscard]] const Json* Find(const char* name) const {
    const auto found = object_.find(name);
    return found == object_.end() ? nullptr : &*found;
  }
  [[nodiscard]] bool IsNull(const char* name) const {
    const Json* const value = Find(name);
    return value == nullptr || value->is_null();
  }
  Score ScoreOf(const char* name, const Json* value) {
    const bool fits = value != nullptr && value->is_number() && value->get<double>() >= 0.0 &&
                      value->get<double>() <= 1.0;
    if (!fits) return Fail(name, "is not a number from 0 to 1"), Score();
    return Score{static_cast<std::uint32_t>(std::lround(value->get<double>() * Score::kOne))};
  }

  const Json& object_;
  std::string error_;
};

}  // namespace

std::string UrlScoreRecord(const UrlScore& record) {
  Json json;
  json["schema_version"] = kSchemaVersion;
  json["url"] = record.url;
  json["host"] = TextOrNull(record.host);
  json["registered_domain"] = TextOrNull(record.registered_domain);
  json["as_of"] = FormatRfc3339(record.as_of);
  json["score"] = record.score.value();
  json["components"] = Json::object();
  for (const ScoreComponent& component : record.components) {
    json["components"][component.name] = component.value.value();
  }
  json["action"] = NameOf(record.action);
  json["rewrite_to"] = TextOrNull(record.rewrite_to);
  json["reason"] = record.reason;
  json["fetched"] = record.fetched;
  json["next_fetch"] =
      record.next_fetch.has_value() ? Json(FormatRfc3339(*record.next_fetch)) : Json();
  json["last_status"] = NumberOrNull(record.last_status);
  json["depth"] = NumberOrNull(record.depth);
  json["parent_url"] = TextOrNull(record.parent_url);
  json["crawl_id"] = TextOrNull(record.crawl_id);
  json["sequence"] = record.sequence;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<UrlScore> ParseUrlScoreRecord(std::string_view json) {
  const Json object = Json::parse(json, nullptr, false);
  if (!object.is_object()) return MakeError(ErrorCode::kInvalidInput, "not a JSON object");
  MemberReader read(object);
  if (read.Unsigned<std::uint32_t>("schema_version") != kSchemaVersion) {
    read.Fail("schema_version", "is not 1");
  }
  UrlScore record;
  record.url = read.Text("url");
  record.host = read.TextOrEmpty("host");
  record.registered_domain = read.TextOrEmpty("registered_domain");
  record.as_of = read.Time("as_of");
  record.score = read.ScoreValue("score");
  record.components = read.Components("components");
  const std::optional<ScoreAction> action = ScoreActionOf(read.Text("action"));
  if (!action.has_value()) read.Fail("action", "is none that is known");
  record.action = action.value_or(ScoreAction::kSchedule);
  record.rewrite_to = read.TextOrEmpty("rewrite_to");
  record.reason = read.Text("reason");
  record.fetched = read.Bool("fetched");
  record.next_fetch = read.TimeOrNull("next_fetch");
  record.last_status = read.UnsignedOrNull<std::uint32_t>("last_status");
  record.depth = read.UnsignedOrNull<std::uint32_t>("depth");
  record.parent_url = read.TextOrEmpty("parent_url");
  record.crawl_id = read.TextOrEmpty("crawl_id");
  record.sequence = read.Unsigned<std::uint64_t>("sequence");
  if (!read.error().empty()) return MakeError(ErrorCode::kInvalidInput, read.error());
  CRAWLSIEVE_RETURN_IF_ERROR(CheckUrlScore(record));
  return record;
}

}  // namespace crawlsieve::consumer
