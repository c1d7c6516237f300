#include "evaluation/page_set.h"

#include "consumer/pipeline/ordered_workers.h"
#include "plugin/base/result.h"

#include <chrono>
#include <memory>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

struct Extracted {
  ProcessedRecord processed;
  std::string text;
  std::string origin;
};

using Workers = OrderedWorkers<FileRecord, Extracted>;

Workers::Worker MakeWorker(const ProcessorOptions& options, bool with_text) {
  auto processor = std::make_shared<PageProcessor>(options);
  return [processor, with_text](FileRecord&& file_record) {
    Extracted extracted;
    extracted.origin = std::move(file_record.origin);
    SourceRecord source;
    source.record = std::move(file_record.record);
    source.format = file_record.format;
    extracted.processed =
        processor->Process(std::move(source), Depth::kWhole, with_text ? &extracted.text : nullptr);
    return extracted;
  };
}

}  // namespace

Result<PageSet> PageSet::Load(FileReader& reader, const ProcessorOptions& options,
                              std::size_t threads, bool with_text,
                              const std::function<void(std::size_t)>& on_page) {
  constexpr std::size_t kMaxInFlight = 64;
  PageSet set;
  Workers workers(threads, [&] { return MakeWorker(options, with_text); });
  const auto add = [&](Extracted&& extracted) {
    if (extracted.processed.failure.has_value()) {
      const DecodeFailure& failure = *extracted.processed.failure;
      set.warnings_.push_back(
          fmt::format("{}: {}: {}", extracted.origin, failure.code, failure.message));
      return;
    }
    log::Page& entry = *extracted.processed.entry.mutable_page();
    const std::size_t index = set.pages_.size();
    if (!entry.id().empty()) set.by_id_.emplace(entry.id(), index);
    set.by_url_.emplace(entry.url(), index);
    set.pages_.push_back({std::move(entry), std::move(extracted.text)});
    if (on_page) on_page(set.pages_.size());
  };
  bool at_end = false;
  while (!at_end || workers.in_flight() > 0) {
    if (!at_end && workers.in_flight() < kMaxInFlight) {
      FileRecord record;
      CRAWLSIEVE_ASSIGN_OR_RETURN(const auto has_record, reader.Next(record));
      if (has_record) {
        workers.Submit(std::move(record));
        continue;
      }
      at_end = true;
    }
    if (auto done = workers.TakeNext(std::chrono::milliseconds(100))) add(std::move(*done));
  }
  for (std::string& warning : reader.TakeWarnings()) set.warnings_.push_back(std::move(warning));
  return set;
}

std::optional<std::size_t> PageSet::Find(std::string_view id) const {
  const std::string key(id);
  for (const auto* map : {&by_id_, &by_url_}) {
    if (const auto found = map->find(key); found != map->end()) return found->second;
  }
  return std::nullopt;
}

std::string SiteOf(const log::Page& page) {
  const std::string& url = page.canonical_url();
  const std::size_t scheme = url.find("://");
  const std::size_t host = scheme == std::string::npos ? 0 : scheme + 3;
  const std::size_t path = url.find('/', host);
  if (path == std::string::npos) return url.substr(host);
  const std::size_t end = url.find_first_of("/?#", path + 1);
  // A page right below the host belongs to the host.
  return end == std::string::npos || url[end] != '/' ? url.substr(host, path - host)
                                                     : url.substr(host, end - host);
}

}  // namespace crawlsieve::consumer
