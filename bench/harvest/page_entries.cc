#include "bench/harvest/page_entries.h"

#include <utility>

#include <nlohmann/json.hpp>

namespace crawlsieve::bench {

log::Entry PageEntries::EntryOf(const PageRecord& record, std::int64_t offset) {
  const nlohmann::json json = {{"url", record.page.url},
                               {"body", record.page.body},
                               {"content_type", record.page.content_type},
                               {"status_code", record.page.status_code}};
  consumer::SourceRecord source;
  source.record.value = json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  source.source.set_topic("bench");
  source.source.set_offset(offset);
  return processor_.Process(std::move(source)).entry;
}

}  // namespace crawlsieve::bench
