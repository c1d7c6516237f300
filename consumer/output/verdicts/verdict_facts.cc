#include "consumer/output/verdicts/verdict_facts.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

using Json = nlohmann::json;

constexpr int kSchemaVersion = 1;

/// Reads members of one object. The first that isn't what it should be makes `error`; from then on
/// everything reads as empty.
class Members {
 public:
  Members(const Json& object, std::string& error) : object_(object), error_(error) {}

  [[nodiscard]] const Json& Get(const char* name) const {
    static const Json kNull;
    const auto found = object_.find(name);
    return found == object_.end() ? kNull : *found;
  }
  [[nodiscard]] std::string Text(const char* name) const {
    const Json& value = Get(name);
    if (value.is_string()) return value.get<std::string>();
    return Fail(name, "is not a string"), std::string();
  }
  [[nodiscard]] std::string TextOrEmpty(const char* name) const {
    return Get(name).is_null() ? std::string() : Text(name);
  }
  [[nodiscard]] Timestamp Time(const char* name) const {
    const auto time = ParseRfc3339(Text(name));
    if (!time.has_value()) Fail(name, "is not a time");
    return time.value_or(Timestamp());
  }
  /// Of one that may be beyond the years that RFC 3339 has, which verdicts write all the same.
  [[nodiscard]] std::optional<Timestamp> AnyTime(const char* name) const {
    const std::string text = Text(name);
    const auto time = ParseRfc3339(text);
    if (!time.has_value() && !text.ends_with('Z')) Fail(name, "is not a time");
    return time;
  }
  [[nodiscard]] std::optional<std::uint64_t> Number(const char* name) const {
    const Json& value = Get(name);
    if (value.is_null()) return std::nullopt;
    if (value.is_number_unsigned()) return value.get<std::uint64_t>();
    return Fail(name, "is not a whole number"), std::nullopt;
  }
  /// An object, or null.
  [[nodiscard]] const Json* Object(const char* name) const {
    const Json& value = Get(name);
    if (!value.is_object() && !value.is_null()) Fail(name, "is not an object");
    return value.is_object() ? &value : nullptr;
  }
  void Fail(const char* name, const char* what) const {
    if (error_.empty()) error_ = fmt::format("{} {}", name, what);
  }

 private:
  const Json& object_;
  std::string& error_;
};

/// A name, a colon, and digits of base32: it goes into SQL and lines.
bool IsDigest(std::string_view text) {
  const std::size_t colon = text.find(':');
  return colon != std::string_view::npos && std::ranges::all_of(text.substr(colon + 1), [](char c) {
           return (c >= 'A' && c <= 'Z') || (c >= '2' && c <= '7') || c == '=';
         });
}

PayloadFacts ReadPayload(const Members& payload) {
  PayloadFacts facts;
  const Json& digests = payload.Get("digests");
  if (!digests.is_array()) payload.Fail("digests", "is not an array");
  for (const Json& digest : digests) {
    const std::string text = digest.is_string() ? digest.get<std::string>() : std::string();
    if (!IsDigest(text)) {
      payload.Fail("digests", "has something that is no digest");
      break;
    }
    if (text.starts_with("sha1:")) facts.sha1 = text;
    if (text.starts_with("sha256:")) facts.sha256 = text;
  }
  facts.bytes = payload.Number("bytes").value_or(0);
  facts.media_type = payload.TextOrEmpty("media_type");
  const Json& status = payload.Get("status");
  const bool is_status = status.is_number_integer() &&
                         status.get<std::int64_t>() >= std::numeric_limits<int>::min() &&
                         status.get<std::int64_t>() <= std::numeric_limits<int>::max();
  if (!is_status) payload.Fail("status", "is not a whole number");
  facts.status = is_status ? status.get<int>() : 0;
  facts.fetched = payload.Time("fetched");
  facts.file = payload.TextOrEmpty("file");
  facts.offset = payload.Number("offset").value_or(0);
  facts.length = payload.Number("length");
  return facts;
}

}  // namespace

Result<VerdictFacts> ParseVerdictRecord(std::string_view json) {
  // What is deeper is in `attrs`, which may be anything.
  const auto is_shallow = [](int depth, Json::parse_event_t, const Json&) { return depth < 4; };
  const Json object = Json::parse(json, is_shallow, /*allow_exceptions=*/false);
  if (!object.is_object()) return MakeError(ErrorCode::kInvalidInput, "not a JSON object");
  std::string error;
  const Members members(object, error);
  if (members.Get("schema_version") != kSchemaVersion) members.Fail("schema_version", "is not 1");
  VerdictFacts facts;
  facts.url = members.Text("url");
  facts.kept = members.Text("verdict") == "keep";
  facts.reason = members.Text("reason");
  if (const Json* match = members.Object("match")) {
    facts.match_url = Members(*match, error).Text("url");
  }
  if (const Json* source = members.Object("source")) {
    facts.time = Members(*source, error).AnyTime("timestamp");
  }
  if (const Json* recrawl = members.Object("recrawl")) {
    facts.next_fetch = Members(*recrawl, error).AnyTime("next_fetch");
  }
  if (const Json* priority = members.Object("priority")) {
    const Json& score = Members(*priority, error).Get("score");
    facts.score = score.is_number() ? score.get<double>() : 0;
  }
  if (const Json* payload = members.Object("payload")) {
    facts.payload = ReadPayload(Members(*payload, error));
  }
  if (!error.empty()) return MakeError(ErrorCode::kInvalidInput, "not a verdict: " + error);
  return facts;
}

}  // namespace crawlsieve::consumer
