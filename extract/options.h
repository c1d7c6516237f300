#pragma once

#include "extract/features/options.h"
#include "extract/html/options.h"
#include "extract/url/options.h"

namespace crawlsieve::extract {

struct ExtractOptions {
  Revision revision = Revision::k4;
  ParserKind parser = ParserKind::kAuto;
  Limits limits;
  FeatureOptions features;
  UrlOptions url;
  /// Whether documents list their segments and links: for people who look at a page. No part of
  /// the scheme.
  bool details = false;
  /// Whether documents list where the page leads, up to Limits::max_links. No part of the scheme.
  bool references = false;
};

}  // namespace crawlsieve::extract
