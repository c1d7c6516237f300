// Any bytes as the body of an HTML page: extraction ends with an outcome that holds together, and
// a page without a byte order mark or label makes the same document each time.

#include "extract/extractor.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <simdjson.h>

namespace {

using crawlsieve::Feature;
using crawlsieve::FeatureHasher;
using crawlsieve::extract::Document;
using crawlsieve::extract::ExtractOptions;
using crawlsieve::extract::Extractor;
using crawlsieve::extract::kMaxAnchorBytes;
using crawlsieve::extract::Outcome;
using crawlsieve::extract::Page;

void Require(bool condition, int line = __builtin_LINE()) {
  if (condition) return;
  std::fprintf(stderr, "line %d doesn't hold\n", line);
  std::abort();
}

ExtractOptions Options() {
  ExtractOptions options;
  // Outcomes are compared below, so the clock must not decide them.
  options.limits.parse_time_base = std::chrono::hours(1);
  options.limits.max_parse_memory = 64 << 20;
  options.features.volatile_text.patterns = {"a.*b|[0-9]+"};
  options.details = true;
  return options;
}

void RequireConsistent(const Document& document) {
  Require(document.outcome != Outcome::kErrorStatus);
  Require((document.outcome == Outcome::kNotEvaluated) == !document.detail.empty());
  Require(simdjson::validate_utf8(document.normalized_text));
  Require(simdjson::validate_utf8(document.title));
  if (document.outcome != Outcome::kText) {
    Require(document.features.empty() && document.normalized_text.empty());
    return;
  }
  const std::string& text = document.normalized_text;
  Require(text.find("  ") == std::string::npos && !text.starts_with(' ') && !text.ends_with(' '));
  Require(document.features.empty() == text.empty());
  Require(std::all_of(document.features.begin(), document.features.end(),
                      [](const Feature& feature) { return feature.weight > 0; }));
  for (const auto& segment : document.segments) Require(simdjson::validate_utf8(segment.text));
  for (const auto& link : document.links) {
    Require(simdjson::validate_utf8(link.text) && link.text.size() <= kMaxAnchorBytes);
  }
  Require(std::adjacent_find(document.features.begin(), document.features.end(),
                             [](const Feature& a, const Feature& b) { return a.hash >= b.hash; }) ==
          document.features.end());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Extractor extractor(Options(), FeatureHasher("fuzz"));
  Page page;
  page.url = "https://example.org/";
  page.content_type = "text/html";
  page.body.assign(reinterpret_cast<const char*>(data), size);
  const Document first = extractor.Extract(page);
  RequireConsistent(first);
  const Document again = extractor.Extract(page);
  Require(again.outcome == first.outcome && again.normalized_text == first.normalized_text &&
          again.features == first.features && again.text_length == first.text_length);
  return 0;
}
