#include "plugin/judge/purge_count.h"

#include "plugin/judge/rows.h"

namespace crawlsieve {

Result<PurgeCounts> CountCovered(StateReader& state, const Selection& selection) {
  PurgeCounts counts;
  counts.sequence = state.progress().sequence;
  const auto count = [&](std::string_view key, std::string_view value) -> Status {
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto row, UrlRow::Parse(key, value));
    ++counts.of_state;
    const bool is_crawl = selection.kind() == Selection::Kind::kCrawl;
    if (is_crawl && row.record.crawl() == 0 && row.crawl_id().empty()) ++counts.unnamed;
    if (!selection.Covers(row)) return {};
    ++counts.urls;
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto kept,
                                DocumentRow::Read(state, DocId{row.record.kept()}));
    if (kept.has_value()) ++counts.pages;
    return {};
  };
  for (const KeyRange& range : selection.Ranges()) {
    CRAWLSIEVE_RETURN_IF_ERROR(state.ForEach(Table::kUrls, range.prefix, count));
    // The URLs that begin with it have those of its crawls among them.
    if (range.is_exact) break;
  }
  return counts;
}

}  // namespace crawlsieve
