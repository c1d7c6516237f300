#pragma once

#include "consumer/input/file_reader.h"
#include "consumer/pipeline/page_processor.h"
#include "plugin/base/result.h"
#include "plugin/log/entry.pb.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace crawlsieve::consumer {

/// One page as the service sees it: its entry of the admission log, and the words in it.
struct EvaluatedPage {
  log::Page entry;
  std::string text;  ///< normalised words, one space between them; empty where not asked for
};

/// Pages to evaluate on, in the order of their files. Immutable once loaded; thread-safe.
class PageSet {
 public:
  /// Reads and extracts every page of `reader` on `threads` threads. Records without a URL and
  /// damaged files are left out, with a line in `warnings()`. `with_text` keeps the pages' words,
  /// about a tenth of their bytes. Calls `on_page`, where given, after each page.
  /// Errors: kIo.
  [[nodiscard]] static Result<PageSet> Load(FileReader& reader, const ProcessorOptions& options,
                                            std::size_t threads, bool with_text,
                                            const std::function<void(std::size_t)>& on_page = {});

  [[nodiscard]] const std::vector<EvaluatedPage>& pages() const { return pages_; }
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

  /// Index of the first page with this id or, where no page has it, with this URL.
  [[nodiscard]] std::optional<std::size_t> Find(std::string_view id) const;

 private:
  std::vector<EvaluatedPage> pages_;
  std::vector<std::string> warnings_;
  std::unordered_map<std::string, std::size_t> by_id_;
  std::unordered_map<std::string, std::size_t> by_url_;
};

/// What counts as one site where pages are grouped by sites: the host and the first segment of the
/// path, so that a set under one host still has several.
[[nodiscard]] std::string SiteOf(const log::Page& page);

}  // namespace crawlsieve::consumer
