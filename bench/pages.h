#pragma once

#include "extract/page.h"
#include "plugin/base/result.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace crawlsieve::bench {

/// A page of a file of canonical records, for measuring.
struct PageRecord {
  /// `url`, `body`, `content_type` and `status_code`; the body as text
  extract::Page page;
  std::string main_html;  ///< `attrs.main_content_html`; empty where there is none
  std::string kind;       ///< `attrs.kind`; empty where there is none
  bool soft_404 = false;  ///< `attrs.soft_404`
  std::optional<std::vector<std::string>> links;  ///< `links`, where the record has them
};

/// Reads canonical page records, one JSON object a line; a name in .zst is unpacked. Wrong lines
/// are errors that name file and line.
[[nodiscard]] Result<std::vector<PageRecord>> LoadPageRecords(const std::filesystem::path& path);

/// The same one by one, so that no more than one of them is in memory beside the file's text.
[[nodiscard]] Status ForEachPageRecord(const std::filesystem::path& path,
                                       const std::function<void(PageRecord&&)>& take);

}  // namespace crawlsieve::bench
