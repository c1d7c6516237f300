#include "bench/harvest/crawl_set.h"

#include "bench/harvest/content_classes.h"
#include "bench/harvest/page_entries.h"
#include "bench/pages.h"
#include "extract/extractor.h"
#include "extract/url/page_url.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve::bench {
namespace {

/// What of a record the simulation needs, but for its links' places.
struct LoadedPage {
  CrawlPage page;
  std::vector<std::string> links;  ///< canonical
  bool is_mirrored = false;        ///< the record has its links, as URLs
  std::vector<std::uint64_t> shingles;
};

class RecordReader {
 public:
  RecordReader()
      : extractor_(WithDetails(entries_.options().extract),
                   FeatureHasher(entries_.options().fingerprint)) {}

  [[nodiscard]] std::string scheme() const { return entries_.scheme(); }

  LoadedPage Read(const PageRecord& record, std::int64_t offset) {
    LoadedPage loaded;
    loaded.page.entry = entries_.EntryOf(record, offset);
    const log::Page& page = loaded.page.entry.page();
    loaded.page.url = page.canonical_url();
    loaded.page.url_depth =
        page.path_depth() + (page.canonical_url().find('?') == std::string::npos ? 0 : 1);
    loaded.is_mirrored = record.links.has_value();
    if (loaded.is_mirrored) {
      for (const std::string& link : *record.links) {
        loaded.links.push_back(extract::IdentityOf(link, entries_.options().extract.url).url);
      }
    } else {
      for (const extract::Link& link : extractor_.Extract(record.page).links) {
        loaded.links.push_back(extract::IdentityOf(link.url, entries_.options().extract.url).url);
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

  PageEntries entries_;
  extract::Extractor extractor_;
};

/// A mirrored page names the URL that it stands for by the file of the mirror, and a query's "?" in
/// the name of a file is escaped in links to it. Links of such records are URLs already; so becomes
/// the canonical link, if the set has that page.
void RestoreCanonicalLink(const std::unordered_map<std::string, std::size_t>& by_url,
                          log::Page& page) {
  constexpr std::string_view kEscaped = "%3F";
  std::string link = page.canonical_link();
  const std::size_t at = link.find(kEscaped);
  if (at == std::string::npos || by_url.contains(link)) return;
  link.replace(at, kEscaped.size(), "?");
  if (by_url.contains(link)) page.set_canonical_link(link == page.canonical_url() ? "" : link);
}

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
  for (LoadedPage& page : loaded) {
    if (page.is_mirrored) RestoreCanonicalLink(by_url, *page.page.entry.mutable_page());
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
