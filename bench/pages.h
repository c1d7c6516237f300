#pragma once

#include "extract/page.h"
#include "plugin/base/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace crawlsieve::bench {

/// A page of a file of canonical records, for measuring.
struct PageRecord {
  extract::Page page;     ///< `url`, `body` and `content_type`; the body as text
  std::string main_html;  ///< `attrs.main_content_html`; empty where there is none
};

/// Reads canonical page records, one JSON object a line; a name in .zst is unpacked. Wrong lines
/// are errors that name file and line.
[[nodiscard]] Result<std::vector<PageRecord>> LoadPageRecords(const std::filesystem::path& path);

}  // namespace crawlsieve::bench
