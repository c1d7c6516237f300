#pragma once

#include "plugin/judge/decision.h"
#include "plugin/judge/view.h"
#include "plugin/log/entry.pb.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

namespace crawlsieve {

/// Names the rows that the scores of some pages read (page_scores.h), so that they can be read
/// together. Operation: NameFirst of each page, then NameParts.
///
/// Whoever writes pages decides how many links they have, and to how many sites. Behind its bounds
/// it names no more, and what isn't named is read when it is needed. Thread-compatible.
class ScoreRows {
 public:
  /// Memory, about: for each row that is named its key, and kRowBytes for its place and its value.
  static constexpr std::size_t kMaxBytes = 64 << 20;
  static constexpr std::size_t kRowBytes = 256;
  static constexpr std::size_t kMaxSites = 8192;

  /// Has its part of the bounds, one of `parts`.
  ScoreRows(const ReadRules& rules, std::size_t parts)
      : rules_(rules), bytes_left_(kMaxBytes / parts), max_sites_(kMaxSites / parts) {}

  /// Names rows that are read whatever the state holds.
  void NameFirst(const log::Page& page, const RowNamer& name);

  /// Names the latest pages of the sites that the pages belong to, given rows that show the first
  /// ones; up to fold version 10 also of those that they lead to. What was learned of a site before
  /// isn't named: it may be long.
  void NameParts(RowReader& rows, const RowNamer& name);

 private:
  /// `with_parts`: its latest pages will be named too.
  void NameSite(std::string_view site, bool with_parts, const RowNamer& name);
  /// Unless there is no more room; then there is none for any other either.
  void NameRow(Table table, std::string_view key, const RowNamer& name);

  const ReadRules rules_;
  std::size_t bytes_left_;
  const std::size_t max_sites_;
  std::unordered_map<std::string, bool> sites_;  // with_parts
  bool last_has_parts_ = false;
  std::string last_site_;  // links that follow one another often have one site
};

}  // namespace crawlsieve
