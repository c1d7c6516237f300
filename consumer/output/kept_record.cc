#include "consumer/output/kept_record.h"

#include "plugin/verdict/reason.h"

#include <string>

namespace crawlsieve::consumer {

std::vector<Header> KeptHeaderList(const log::Page& page, const Verdict& verdict) {
  const log::Source& source = page.source();
  return {{"crawlsieve-source-topic", source.topic()},
          {"crawlsieve-source-partition", std::to_string(source.partition())},
          {"crawlsieve-source-offset", std::to_string(source.offset())},
          {"crawlsieve-source-timestamp", std::to_string(source.timestamp_ms())},
          {"crawlsieve-sequence", std::to_string(verdict.sequence)},
          {"crawlsieve-reason", std::string(RuleFor(verdict.reason).name)}};
}

std::string_view CompleteKept(const log::Page& page, const std::vector<Header>& added,
                              std::size_t limit, RecordView& record) {
  for (const Header& header : added) record.headers.push_back({header.name, header.value});
  record.headers.push_back({kKeptHeader, kKeptRecord});
  if (record.WireBytes() <= limit) return kKeptRecord;
  MakeKeptMarker(page, added, kKeptTooLarge, record);
  return kKeptTooLarge;
}

void MakeKeptMarker(const log::Page& page, const std::vector<Header>& added, std::string_view why,
                    RecordView& record) {
  record.key = page.has_key() ? page.key() : page.url();
  record.value = "";
  record.headers.clear();
  for (const Header& header : added) record.headers.push_back({header.name, header.value});
  record.headers.push_back({kKeptHeader, why});
}

}  // namespace crawlsieve::consumer
