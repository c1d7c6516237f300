// What learning about one site costs: processor time of a page and of a link's advice, and the
// bytes that are kept, for ordinary and for hostile URLs.
#include "plugin/fingerprint/checksum.h"
#include "plugin/site/latest_pages.h"
#include "plugin/site/site.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace crawlsieve::bench {
namespace {

constexpr std::uint64_t kStart = 1'700'000'000;

/// Of this process, so that others on the machine count little.
double ProcessorSeconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

std::uint64_t Random(std::uint64_t i) {
  std::uint64_t x = (i + 1) * 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

struct Flood {
  const char* name;
  std::function<std::string(std::uint64_t)> url;
  bool one_content = false;
};

std::vector<Flood> Floods() {
  const auto n = [](std::uint64_t i) { return std::to_string(i); };
  return {
      {"articles", [=](std::uint64_t i) { return "http://e.org/news/" + n(i) + "-title.html"; }},
      {"wiki, four views of a title",
       [=](std::uint64_t i) {
         static const char* const kViews[] = {"", "&view=edit", "&view=log", "&view=print"};
         return "http://e.org/index.php?title=Page" + n(i / 4) + kViews[i % 4];
       }},
      {"session ids, one page",
       [=](std::uint64_t i) { return "http://e.org/a/b.html?sid=" + n(Random(i)); }, true},
      {"new names of parameters",
       [=](std::uint64_t i) { return "http://e.org/a/b.html?p" + n(i) + "=1"; }, true},
      {"16 new parameters",
       [=](std::uint64_t i) {
         std::string url = "http://e.org/x";
         for (std::uint64_t j = 0; j < 16; ++j) {
           url += (j == 0 ? "?" : "&") + std::string("k") + n(16 * i + j) + "=" + n(Random(i + j));
         }
         return url;
       }},
      {"new folders", [=](std::uint64_t i) { return "http://e.org/d" + n(Random(i)) + "x/y/z"; }},
      {"new folders of letters",
       [=](std::uint64_t i) {
         std::string folder;
         for (std::uint64_t x = Random(i); x > 0; x /= 26) {
           folder.push_back(static_cast<char>('a' + x % 26));
         }
         return "http://e.org/" + folder + "/y";
       }},
      {"60 segments of numbers",
       [=](std::uint64_t i) {
         std::string url = "http://e.org";
         for (std::uint64_t j = 0; j < 60; ++j) url += "/" + n(Random(i + j) % 10'000);
         return url;
       }},
      {"2,000 bytes",
       [=](std::uint64_t i) { return "http://e.org/a?" + std::string(1'960, 'q') + n(i) + "=1"; }},
      {"64 KiB",
       [=](std::uint64_t i) { return "http://e.org/" + std::string(65'500, 'q') + n(i); }},
  };
}

site::PageObservation PageOf(std::string_view url, std::uint64_t i, bool one_content) {
  site::PageObservation page;
  page.url = url;
  page.time = kStart + i;
  page.novelty = one_content && i > 0 ? 0 : site::kWhole;
  page.content = site::MarkOf(one_content ? 1 : i + 1);
  page.simhash = one_content ? 1 : Random(i);
  return page;
}

constexpr auto kLayout = site::LatestLayout::kMorePages;

/// The rows of one site, as a fold keeps them: bytes.
struct Rows {
  std::string host;
  std::string parts;   ///< of the latest pages
  std::string latest;  ///< those behind the parts
  std::size_t latest_pages = 0;
  std::string site;

  [[nodiscard]] std::size_t bytes() const { return parts.size() + latest.size() + site.size(); }
};

template <typename Value>
Value OrDie(Result<Value> value) {
  if (value) return *std::move(value);
  fmt::print(stderr, "site_bench: {}\n", value.error().message);
  std::exit(EXIT_FAILURE);
}

/// Takes a page as a fold would; how many bytes it read and wrote.
std::size_t Fold(Rows& rows, const site::PageObservation& page) {
  std::size_t bytes = rows.latest.size();
  const std::string latest = site::EncodePage(rows.host, page);
  if (!site::LatestPages{rows.latest_pages, rows.parts.size() + rows.latest.size()}.HaveRoomFor(
          latest.size(), kLayout)) {
    bytes += rows.parts.size() + rows.site.size();
    site::Site site = rows.site.empty() ? site::Site() : OrDie(site::Site::Decode(rows.site));
    std::vector<site::Brought> brought;
    if (!site::AddPages(rows.host, rows.parts + rows.latest, site, brought)) std::abort();
    rows.parts.clear();
    rows.latest.clear();
    rows.latest_pages = 0;
    rows.site = site.Encode();
    bytes += rows.site.size();
  }
  if (!rows.latest.empty() &&
      rows.latest.size() >= site::LatestPages::PartBytes(kLayout, rows.host.size())) {
    bytes += rows.latest.size();
    rows.parts += std::exchange(rows.latest, {});
  }
  rows.latest += latest;
  ++rows.latest_pages;
  return bytes + rows.latest.size();
}

void MeasureFlood(const Flood& flood, std::uint64_t pages) {
  std::vector<std::string> urls;
  constexpr std::uint64_t kBlock = 5'000;
  site::Site site;
  Rows rows;
  rows.host = "e.org";
  double plain = 0;
  double folded = 0;
  double advised = 0;
  double bytes = 0;
  std::size_t most = 0;
  for (std::uint64_t from = 0; from < pages; from += kBlock) {
    const std::uint64_t until = std::min(pages, from + kBlock);
    urls.clear();
    for (std::uint64_t i = from; i < until; ++i) urls.push_back(flood.url(i));
    double begin = ProcessorSeconds();
    for (std::uint64_t i = from; i < until; ++i) {
      site.AddPage(PageOf(urls[i - from], i, flood.one_content));
    }
    plain += ProcessorSeconds() - begin;
    begin = ProcessorSeconds();
    for (std::uint64_t i = from; i < until; ++i) {
      bytes += static_cast<double>(Fold(rows, PageOf(urls[i - from], i, flood.one_content)));
    }
    folded += ProcessorSeconds() - begin;
    begin = ProcessorSeconds();
    for (const std::string& url : urls) static_cast<void>(site.AdviceFor(url, 3));
    advised += ProcessorSeconds() - begin;
    most = std::max(most, rows.bytes());
  }
  const auto micros = [&](double seconds) { return 1e6 * seconds / static_cast<double>(pages); };
  fmt::print("{:<28} {:>9} {:>9.2f} {:>9.2f} {:>9.2f} {:>9.0f} {:>9}\n", flood.name, pages,
             micros(plain), micros(folded), micros(advised), bytes / static_cast<double>(pages),
             most);
}

/// A million hosts with one URL each: the bytes of all of them.
void MeasureHosts(std::uint64_t hosts, std::uint64_t pages) {
  std::vector<Rows> rows(hosts);
  double seconds = 0;
  std::size_t bytes = 0;
  for (std::uint64_t i = 0; i < hosts * pages; ++i) {
    const std::string host = "h" + std::to_string(i % hosts) + ".example";
    const std::string url =
        "http://" + host + "/docs/page-" + std::to_string(Random(i) % 100'000) + ".html";
    rows[i % hosts].host = host;
    const double begin = ProcessorSeconds();
    Fold(rows[i % hosts], PageOf(url, i, false));
    seconds += ProcessorSeconds() - begin;
  }
  for (const Rows& row : rows) bytes += row.bytes();
  fmt::print("{} hosts with {} pages each: {:.1f} bytes a host, {:.2f} µs a page\n", hosts, pages,
             static_cast<double>(bytes) / static_cast<double>(hosts),
             1e6 * seconds / static_cast<double>(hosts * pages));
}

}  // namespace
}  // namespace crawlsieve::bench

int main(int argc, char** argv) {
  CLI::App app("Measures what learning about sites costs.");
  std::uint64_t pages = 1'000'000;
  std::uint64_t hosts = 1'000'000;
  app.add_option("--pages", pages, "of each flood");
  app.add_option("--hosts", hosts, "with one page each");
  CLI11_PARSE(app, argc, argv);
  using namespace crawlsieve::bench;
  fmt::print("{:<28} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "URLs of one site", "pages", "add, µs",
             "fold, µs", "advice", "bytes/page", "state");
  for (const Flood& flood : Floods()) {
    // URLs of 64 KiB are slow to make.
    MeasureFlood(flood, std::string_view(flood.name) == "64 KiB" ? pages / 100 + 1 : pages);
  }
  MeasureHosts(hosts, 1);
  MeasureHosts(hosts / 10 + 1, 10);
  MeasureHosts(hosts / 100 + 1, 100);
  return EXIT_SUCCESS;
}
