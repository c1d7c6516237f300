#pragma once

#include "extract/document.h"
#include "extract/options.h"
#include "extract/page.h"
#include "plugin/fingerprint/feature.h"

#include <memory>
#include <string>

namespace crawlsieve::extract {

/// Turns fetched pages into documents: charset, HTML to visible text, tokens, features, URL.
///
/// A pure function of (page, options, key): no clock but the backstop of Gumbo, no
/// state kept between pages. Thread-compatible: one for each worker; buffers are reused.
/// No page makes it fail: what can't be parsed comes back as kNotEvaluated with a code.
class Extractor {
 public:
  /// `hasher` hashes the features; it is copied.
  Extractor(const ExtractOptions& options, const FeatureHasher& hasher);
  ~Extractor();
  Extractor(const Extractor&) = delete;
  Extractor& operator=(const Extractor&) = delete;

  [[nodiscard]] Document Extract(const Page& page);

  /// Of what Extract makes of the page only that which its URL alone decides: the identity, unless
  /// UrlOptions::follow_canonical_link.
  [[nodiscard]] Document Identify(const Page& page) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Everything here that changes features or normalised text for the same page: versions of the
/// tokenizer and of the parser, the options, and what libraries do (library_probe.h). Part of the
/// scheme id. The first call takes some 40 ms.
[[nodiscard]] std::string DescribeExtraction(const ExtractOptions& options);

}  // namespace crawlsieve::extract
