// What links cost the admission log: bytes of the entries of real pages, by how many links each may
// have (`extract.links`).
#include "bench/pages.h"
#include "consumer/pipeline/page_processor.h"
#include "plugin/base/result.h"
#include "plugin/log/links.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crawlsieve {
namespace {

constexpr std::array<std::uint32_t, 8> kLimits = {0, 10, 20, 50, 60, 100, 200, 1'000};

/// The entries that pages have with up to `limit` links.
struct Sizes {
  std::uint64_t entries = 0;
  std::uint64_t text_pages = 0;
  std::uint64_t links = 0;
  std::uint64_t entry_bytes = 0;
  std::vector<std::size_t> link_bytes;  // of pages with links
};

log::Entry EntryOf(const bench::PageRecord& record, consumer::PageProcessor& processor) {
  nlohmann::json json = {{"url", record.page.url},
                         {"body", record.page.body},
                         {"content_type", record.page.content_type},
                         {"status_code", record.page.status_code}};
  if (record.links.has_value()) json["links"] = *record.links;
  consumer::SourceRecord source;
  source.record.value = json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  source.source.set_topic("links_bench");
  return processor.Process(std::move(source)).entry;
}

Status Measure(const std::filesystem::path& path, std::uint32_t limit, Sizes& sizes) {
  consumer::ProcessorOptions options;
  options.max_links = limit;
  consumer::PageProcessor processor(options);
  return bench::ForEachPageRecord(path, [&](bench::PageRecord&& record) {
    const log::Entry entry = EntryOf(record, processor);
    const log::Page& page = entry.page();
    ++sizes.entries;
    sizes.text_pages += page.outcome() == log::OUTCOME_TEXT ? 1 : 0;
    sizes.entry_bytes += entry.ByteSizeLong();
    if (page.links().empty()) return;
    sizes.link_bytes.push_back(page.links().size());
    const auto links = log::UnpackLinks(page.links(), page.canonical_url());
    if (links) sizes.links += links->main_text.size() + links->elsewhere.size();
  });
}

int Run(const std::filesystem::path& path) {
  fmt::print("{:>7} {:>8} {:>12} {:>12} {:>12} {:>12} {:>12}\n", "limit", "entries", "links/page",
             "entry bytes", "links bytes", "99 %", "most");
  for (const std::uint32_t limit : kLimits) {
    Sizes sizes;
    if (const Status done = Measure(path, limit, sizes); !done) {
      fmt::print(stderr, "links_bench: {}\n", done.error().message);
      return 1;
    }
    std::ranges::sort(sizes.link_bytes);
    std::uint64_t bytes = 0;
    for (const std::size_t size : sizes.link_bytes) bytes += size;
    const auto at = [&](std::size_t percent) {
      return sizes.link_bytes.empty()
                 ? 0
                 : sizes.link_bytes[(sizes.link_bytes.size() - 1) * percent / 100];
    };
    const auto entries = static_cast<double>(std::max<std::uint64_t>(sizes.entries, 1));
    fmt::print("{:>7} {:>8} {:>12.1f} {:>12.0f} {:>12.0f} {:>12} {:>12}\n", limit, sizes.entries,
               static_cast<double>(sizes.links) / entries,
               static_cast<double>(sizes.entry_bytes) / entries,
               static_cast<double>(bytes) / entries, at(99), at(100));
  }
  return 0;
}

}  // namespace
}  // namespace crawlsieve

int main(int argc, char** argv) {
  CLI::App app("Bytes of log entries by how many links a page may have");
  std::filesystem::path path;
  app.add_option("PAGES", path, "Canonical page records, JSON lines")->required();
  CLI11_PARSE(app, argc, argv);
  return crawlsieve::Run(path);
}
