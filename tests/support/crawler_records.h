#pragma once

#include "consumer/input/formats/input_format.h"
#include "plugin/base/timestamp.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve::testing {

/// What a crawler fetched.
struct CrawledPage {
  std::string url;
  std::string final_url;
  std::string html;
  std::string text;  ///< for crawlers that send no markup
  int status = 200;
};

/// 200 pages: new ones, exact and near duplicates, second fetches, failed fetches, empty ones.
[[nodiscard]] std::vector<CrawledPage> MadeUpPages();

/// The first 200 HTML files in and below `folder` in the order of their paths, in valid UTF-8; each
/// third one comes again under another URL, and some with a word less.
[[nodiscard]] std::vector<CrawledPage> PagesOfFolder(const std::string& folder);

using WritePage = std::function<consumer::InputRecord(const CrawledPage&)>;

/// How a crawler writes pages, and canonical records of the same fields.
struct CrawlerFormat {
  std::string name;
  consumer::FormatKind kind;
  WritePage write;
  WritePage canonical;
  bool is_recognized = true;  ///< by `auto`
};

/// All formats whose records have the page inside. Pages were fetched at `at`.
[[nodiscard]] std::vector<CrawlerFormat> CrawlerFormats(Timestamp at);

/// Where the fields of the records of format `json` are.
[[nodiscard]] consumer::JsonPaths CrawlerJsonPaths();

/// The fields of a verdict that must not depend on the format.
[[nodiscard]] std::string OfAllFormats(std::string_view verdict);

}  // namespace crawlsieve::testing
