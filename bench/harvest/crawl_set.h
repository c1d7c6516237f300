#pragma once

#include "plugin/base/result.h"
#include "plugin/log/entry.pb.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <unordered_map>
#include <vector>

namespace crawlsieve::bench {

/// A page of a crawl that is simulated.
struct CrawlPage {
  std::string url;                 ///< canonical
  std::vector<std::size_t> links;  ///< pages of the set, in the order of the page, each once
  std::uint32_t url_depth = 0;     ///< path segments that aren't empty, and one for a query
  std::size_t content_class = 0;   ///< see ContentClasses; only compared with others
  log::Entry entry;                ///< of the admission log, as the extract stage makes it
};

/// Pages that can be reached from the first one, in breadth-first order.
struct CrawlSet {
  std::vector<CrawlPage> pages;
  std::unordered_map<std::string, std::size_t> by_url;
  std::size_t classes = 0;  ///< distinct contents
  std::string scheme;       ///< of the entries
};

/// Reads canonical page records, one JSON object a line; a name in .zst is unpacked. Links are the
/// record's own `links`, else those that extraction finds, as far as they lead to URLs in the file.
/// Of several records with one canonical URL the first counts. Errors: kIo, kCorruption,
/// kInvalidInput for lines that are no page records, and for a file without any.
[[nodiscard]] Result<CrawlSet> LoadCrawlSet(const std::filesystem::path& path);

}  // namespace crawlsieve::bench
