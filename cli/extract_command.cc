#include "consumer/input/read_file.h"
#include "consumer/observability/printable.h"
#include "extract/extractor.h"
#include "plugin/base/hex.h"
#include "plugin/fingerprint/checksum.h"
#include "plugin/fingerprint/content_checksum.h"
#include "plugin/fingerprint/simhash.h"

#include <cstdio>
#include <string>

#include "cli/commands.h"
#include "cli/common.h"
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

using Json = nlohmann::ordered_json;

std::string_view OutcomeName(extract::Outcome outcome) {
  switch (outcome) {
    case extract::Outcome::kText:
      return "text";
    case extract::Outcome::kNotHtml:
      return "not_html";
    case extract::Outcome::kErrorStatus:
      return "error_status";
    case extract::Outcome::kNotEvaluated:
      return "not_evaluated";
  }
  return "not_evaluated";
}

}  // namespace

int ExtractCommand(const ExtractArguments& arguments) {
  const auto config = LoadOrReport(arguments.config);
  if (!config.has_value()) return kExitWrongInput;
  auto body = ReadWholeFile(arguments.file);
  if (!body) return PrintError(body.error());

  ProcessorOptions options = OfflineProcessorOptions(*config, arguments.random_key);
  options.extract.details = true;
  extract::Extractor extractor(options.extract, FeatureHasher(options.fingerprint));
  extract::Page page;
  page.url = arguments.url;
  page.content_type = arguments.content_type;
  page.body = std::move(*body);
  const extract::Document document = extractor.Extract(page);

  const auto text_or_null = [](const std::string& text) {
    return text.empty() ? Json() : Json(text);
  };
  const bool has_text = document.outcome == extract::Outcome::kText;
  Json json;
  json["schema_version"] = 1;
  json["outcome"] = OutcomeName(document.outcome);
  json["detail"] = text_or_null(document.detail);
  json["canonical_url"] = document.canonical_url;
  json["host"] = text_or_null(document.host);
  json["registered_domain"] = text_or_null(document.registered_domain);
  json["claimed_canonical"] = text_or_null(document.claimed_canonical);
  json["claimed_refresh"] = text_or_null(document.claimed_refresh);
  json["charset"] = text_or_null(document.charset);
  json["charset_source"] = text_or_null(document.charset_source);
  json["language"] = text_or_null(document.language);
  json["detected_language"] = text_or_null(document.detected_language);
  json["title"] = document.title;
  json["text_length"] = document.text_length;
  json["main_words"] = document.main_words;
  json["all_text"] = document.all_text;
  json["features"] = document.features.size();
  json["raw_checksum"] = Hex(RawChecksum(page.body));
  json["content_checksum"] =
      has_text ? Json(Hex(ContentChecksum(options.fingerprint).OfText(document.normalized_text)))
               : Json();
  json["simhash"] = has_text ? Json(Hex(ComputeSimhash(document.features).bits)) : Json();
  json["scheme"] = SchemeOf(options);
  json["text"] = document.normalized_text;
  json["segments"] = Json::array();
  for (const extract::TextSegment& segment : document.segments) {
    json["segments"].push_back({{"role", extract::RoleName(segment.role)}, {"text", segment.text}});
  }
  json["links"] = Json::array();
  for (const extract::Link& link : document.links) {
    json["links"].push_back({{"url", link.url}, {"text", link.text}, {"rel", link.rel}});
  }
  std::puts(PrintableJson(json.dump(2, ' ', false, Json::error_handler_t::replace)).c_str());
  return kExitDone;
}

}  // namespace crawlsieve::consumer
