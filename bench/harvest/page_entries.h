#pragma once

#include "bench/pages.h"
#include "consumer/pipeline/page_processor.h"
#include "plugin/log/entry.pb.h"

#include <cstdint>
#include <string>

namespace crawlsieve::bench {

/// Makes entries of the log out of page records, as the extract stage makes them of the records of
/// an input topic, with the default options. Thread-compatible.
class PageEntries {
 public:
  PageEntries() : processor_(options_) {}

  [[nodiscard]] const consumer::ProcessorOptions& options() const { return options_; }
  [[nodiscard]] std::string scheme() const { return consumer::SchemeOf(options_); }
  [[nodiscard]] log::Entry EntryOf(const PageRecord& record, std::int64_t offset);

 private:
  static consumer::ProcessorOptions WithLinks() {
    consumer::ProcessorOptions options;
    options.max_links = kMaxLinks;
    return options;
  }

  /// As a crawl has it that wants scores of links.
  static constexpr std::uint32_t kMaxLinks = 300;

  const consumer::ProcessorOptions options_ = WithLinks();
  consumer::PageProcessor processor_;
};

}  // namespace crawlsieve::bench
