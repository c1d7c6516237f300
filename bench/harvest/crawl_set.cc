#include "bench/harvest/crawl_set.h"

#include "bench/harvest/content_classes.h"
#include "bench/pages.h"
#include "consumer/pipeline/page_processor.h"
#include "extract/extractor.h"
#include "extract/url/page_url.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::bench {
namespace {

/// What of a record the simulation needs, but for its links' places.
struct LoadedPage {
  CrawlPage page;
  std::vector<std::string> links;  ///< canonical
  std::vector<std::uint64_t> shingles;
};

class RecordReader {
 public:
  RecordReader()
      : processor_(options_),
        extractor_(WithDetails(options_.extract), FeatureHasher(options_.fingerprint)) {}

  [[nodiscard]] std::string scheme() const { return consumer::SchemeOf(options_); }

  LoadedPage Read(const PageRecord& record, std::int64_t offset) {
    LoadedPage loaded;
    loaded.page.entry = EntryOf(record, offset);
    const log::Page& page = loaded.page.entry.page();
    loaded.page.url = page.canonical_url();
    loaded.page.url_depth =
        page.path_depth() + (page.canonical_url().find('?') == std::string::npos ? 0 : 1);
    if (record.links.has_value()) {
      for (const std::string& link : *record.links) {
        loaded.links.push_back(extract::IdentityOf(link, options_.extract.url).url);
      }
    } else {
      for (const extract::Link& link : extractor_.Extract(record.page).links) {
        loaded.links.push_back(extract::IdentityOf(link.url, options_.extract.url).url);
      }
    }
    loaded.shingles = CrudeShingles(CrudeWords(record.page.body));
    return loaded;
  }

 private:
  static extract::ExtractOptions WithDetails(extract::ExtractOptions options) {
    options.details = true;
    return options;
  }

  /// As the extract stage makes it of the record in an input topic.
  log::Entry EntryOf(const PageRecord& record, std::int64_t offset) {
    const nlohmann::json json = {{"url", record.page.url},
                                 {"body", record.page.body},
                                 {"content_type", record.page.content_type},
                                 {"status_code", record.page.status_code}};
    consumer::SourceRecord source;
    source.record.value = json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    source.source.set_topic("harvest");
    source.source.set_offset(offset);
    return processor_.Process(std::move(source)).entry;
  }

  const consumer::ProcessorOptions options_;
  consumer::PageProcessor processor_;
  extract::Extractor extractor_;
};

/// The pages that the first one leads to, in breadth-first order.
std::vector<std::size_t> Reachable(const std::vector<LoadedPage>& pages,
                                   const std::unordered_map<std::string, std::size_t>& by_url) {
  std::vector<std::size_t> order{0};
  std::set<std::size_t> seen{0};
  for (std::size_t next = 0; next < order.size(); ++next) {
    for (const std::string& link : pages[order[next]].links) {
      const auto target = by_url.find(link);
      if (target != by_url.end() && seen.insert(target->second).second) {
        order.push_back(target->second);
      }
    }
  }
  return order;
}

void LinkPages(const std::vector<std::vector<std::string>>& links, CrawlSet& set) {
  for (std::size_t i = 0; i < set.pages.size(); ++i) {
    std::set<std::size_t> seen;
    for (const std::string& link : links[i]) {
      const auto target = set.by_url.find(link);
      if (target == set.by_url.end() || !seen.insert(target->second).second) continue;
      set.pages[i].links.push_back(target->second);
    }
  }
}

}  // namespace

Result<CrawlSet> LoadCrawlSet(const std::filesystem::path& path) {
  std::vector<LoadedPage> loaded;
  std::unordered_map<std::string, std::size_t> by_url;
  RecordReader reader;
  const Status read = ForEachPageRecord(path, [&](PageRecord&& record) {
    LoadedPage page = reader.Read(record, static_cast<std::int64_t>(loaded.size()));
    if (by_url.emplace(page.page.url, loaded.size()).second) loaded.push_back(std::move(page));
  });
  if (!read) return tl::unexpected(read.error());
  if (loaded.empty()) {
    return MakeError(ErrorCode::kInvalidInput, fmt::format("{}: no page records", path.string()));
  }
  CrawlSet set;
  set.scheme = reader.scheme();
  std::vector<std::vector<std::uint64_t>> shingles;
  std::vector<std::vector<std::string>> links;
  for (const std::size_t i : Reachable(loaded, by_url)) {
    set.by_url.emplace(loaded[i].page.url, set.pages.size());
    set.pages.push_back(std::move(loaded[i].page));
    shingles.push_back(std::move(loaded[i].shingles));
    links.push_back(std::move(loaded[i].links));
  }
  LinkPages(links, set);
  const std::vector<std::size_t> classes = ContentClasses(shingles, kClassResemblance);
  for (std::size_t i = 0; i < classes.size(); ++i) set.pages[i].content_class = classes[i];
  set.classes = std::set<std::size_t>(classes.begin(), classes.end()).size();
  return set;
}

}  // namespace crawlsieve::bench
