#pragma once

#include "plugin/judge/rows.h"
#include "plugin/log/entry.pb.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve {

/// Keys of a table: all that begin with `prefix`, or that one alone.
struct KeyRange {
  std::string prefix;
  bool is_exact = false;

  friend bool operator==(const KeyRange&, const KeyRange&) = default;
};

/// What the rows of a crawl's pages know it by; 0: the crawl has no name.
[[nodiscard]] std::uint64_t CrawlHash(std::string_view crawl_id);

/// Pages that somebody wants forgotten: docs/state.md, "What goes". Value type.
class Selection {
 public:
  enum class Kind : std::uint32_t { kUrl = 1, kUrlPrefix = 2, kHost = 3, kCrawl = 4 };

  /// nullopt: the entry says nothing, or would take everything.
  [[nodiscard]] static std::optional<Selection> Of(const log::Purge& purge);
  /// `kind` and `text` must be those of a selection. `scope`: of a crawl's pages, where each crawl
  /// is one (ScopeOf); else 0.
  Selection(Kind kind, std::string text, std::uint64_t scope = 0);

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] std::uint64_t scope() const { return scope_; }
  /// The site of what it names, which is forgotten at once; empty: none. There may be other sites
  /// among the pages that it covers.
  [[nodiscard]] const std::string& site() const { return site_; }

  /// Whether it names URLs, and this one among them.
  [[nodiscard]] bool CoversUrl(std::string_view url) const;
  [[nodiscard]] bool Covers(const UrlRow& row) const;
  [[nodiscard]] bool Covers(const DocumentRow& row) const;

  /// False: it doesn't cover this row of the table of URLs or documents. To look at the bytes takes
  /// less time than to parse them, which is felt where each row that a page reads is looked at.
  [[nodiscard]] bool MayCover(Table table, std::string_view key, std::string_view value) const;

  /// Where in the table of URLs rows are that it covers; there may be others among them.
  [[nodiscard]] std::vector<KeyRange> Ranges() const;

 private:
  Kind kind_;
  std::string text_;
  std::uint64_t scope_ = 0;
  std::uint64_t crawl_ = 0;
  std::string site_;
  std::string mark_;  // is in the bytes of each row that a selection without a scope covers
};

}  // namespace crawlsieve
