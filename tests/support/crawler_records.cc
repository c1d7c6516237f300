#include "tests/support/crawler_records.h"

#include "tests/support/compress.h"
#include "tests/support/warc_builder.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <utility>

#include <nlohmann/json.hpp>

namespace crawlsieve::testing {
namespace {

using consumer::FormatKind;
using consumer::InputRecord;
using nlohmann::json;

InputRecord Value(const json& record) {
  InputRecord input;
  input.value = record.dump();
  return input;
}

json Canonical(const CrawledPage& page, const json& more, const std::string& fetch_time) {
  json record = {{"url", page.url}, {"content_type", "text/html"}};
  if (!fetch_time.empty()) record["fetch_time"] = fetch_time;
  record.update(more);
  return record;
}

/// As strftime has it, in UTC.
std::string Format(Timestamp at, const char* format) {
  const std::time_t seconds =
      std::chrono::floor<std::chrono::seconds>(at).time_since_epoch().count();
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 64> text{};
  return {text.data(), std::strftime(text.data(), text.size(), format, &parts)};
}

json ScrapyCluster(const CrawledPage& page, const std::string& body) {
  return {{"url", page.url},
          {"response_url", page.final_url},
          {"status_code", page.status},
          {"response_headers", {{"Content-Type", "text/html; charset=utf-8"}}},
          {"appid", "a"},
          {"crawlid", "c"},
          {"body", body}};
}

json Nutch(const CrawledPage& page, const std::string& time) {
  json record;
  for (const auto& [name, value] :
       std::vector<std::pair<std::string, std::string>>{{"id", page.url},
                                                        {"digest", "0"},
                                                        {"segment", "1"},
                                                        {"content", page.text},
                                                        {"tstamp", time}}) {
    record[name] = json::array({value});
  }
  record["type"] = {"text", "text/html", "html"};
  return record;
}

InputRecord Warc(const CrawledPage& page, const std::string& time) {
  WarcRecord record;
  record.uri = page.url;
  record.date = time;
  record.block = "HTTP/1.1 " + std::to_string(page.status) +
                 " Said\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + page.html;
  InputRecord input;
  input.value = WriteWarc(record);
  return input;
}

/// As StormCrawler's WARC module writes a page: a gzip member with more fields, and HTTP headers
/// whose original encodings are renamed.
InputRecord StormCrawler(const CrawledPage& page, const std::string& time) {
  WarcRecord record;
  record.uri = page.url;
  record.date = time;
  record.extra =
      "WARC-Record-ID: <urn:uuid:5e0d3f1c-8a51-4b6f-9c3e-000000000001>\r\n"
      "WARC-IP-Address: 192.0.2.1\r\nWARC-Payload-Digest: sha1:" +
      std::string(32, 'A') + "\r\n";
  record.block = "HTTP/1.1 " + std::to_string(page.status) +
                 " Said\r\nX-Crawler-content-encoding: gzip\r\n"
                 "X-Crawler-transfer-encoding: chunked\r\nX-Crawler-content-length: 5\r\n"
                 "content-type: text/html; charset=utf-8\r\nContent-Length: " +
                 std::to_string(page.html.size()) + "\r\n\r\n" + page.html;
  InputRecord input;
  input.value = Gzip(WriteWarc(record));
  return input;
}

bool IsUtf8(const std::string& text) {
  try {
    return !json(text).dump().empty();
  } catch (const json::type_error&) {
    return false;
  }
}

/// A page's text, roughly: for formats of which both sides send it.
std::string TextOf(const std::string& html) {
  std::string text;
  bool is_tag = false;
  for (const char c : html) {
    if (c == '<') is_tag = true;
    if (!is_tag) text += c;
    if (c == '>') {
      is_tag = false;
      text += ' ';
    }
  }
  return text;
}

}  // namespace

std::vector<CrawledPage> MadeUpPages() {
  const std::uint64_t seed = 7;
  std::mt19937_64 random(seed);
  std::vector<CrawledPage> pages;
  for (int i = 0; i < 200; ++i) {
    CrawledPage page;
    page.url = "http://h" + std::to_string(i % 9) + ".example/größe/" + std::to_string(i);
    if (i % 6 == 1) page.final_url = page.url + "/final";
    std::string words;
    if (i > 0 && i % 5 == 3) {
      words = pages.back().text;
    } else if (i > 0 && i % 5 == 4) {
      words = pages.back().text + " einzeln";
    } else {
      for (int word = 0; word < 150 + i; ++word)
        words += "w" + std::to_string(random() % 5000) + ' ';
      words += "größe 日本語 \"zitat\" \\ / &";
    }
    if (i % 23 == 22) words.clear();
    if (i % 31 == 30) page.url = pages[static_cast<std::size_t>(i) - 1].url;
    if (i % 37 == 36) page.status = 404;
    page.text = words;
    page.html = "<!doctype html><html><head><title>Seite " + std::to_string(i / 5) +
                "</title></head><body><p>" + words + "</p></body></html>";
    pages.push_back(std::move(page));
  }
  return pages;
}

std::vector<CrawledPage> PagesOfFolder(const std::string& folder) {
  constexpr std::size_t kPages = 200;
  // A record with such a page in base64 and its text fits what brokers take by default.
  constexpr std::size_t kMaxPageBytes = 300'000;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.path().extension() == ".html") {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  std::vector<CrawledPage> pages;
  for (const auto& path : files) {
    std::ifstream file(path, std::ios::binary);
    CrawledPage page;
    page.html.assign(std::istreambuf_iterator<char>(file), {});
    if (page.html.size() > kMaxPageBytes || !IsUtf8(page.html)) continue;
    page.text = TextOf(page.html);
    page.url = "http://docs.example/" + std::to_string(pages.size());
    pages.push_back(page);
    if (pages.size() % 4 == 3) {
      page.url = "http://mirror.example/" + std::to_string(pages.size());
      if (pages.size() % 8 == 3 && page.html.size() > 5) {
        page.html += "<p>once more</p>";
        page.text += "once more";
      }
      pages.push_back(std::move(page));
    }
    if (pages.size() >= kPages) break;
  }
  pages.resize(std::min(pages.size(), kPages));
  return pages;
}

consumer::JsonPaths CrawlerJsonPaths() {
  consumer::JsonPaths paths;
  paths.url = consumer::JsonPath::Parse("$.request.url").value();
  paths.final_url = consumer::JsonPath::Parse("$.request.loadedUrl").value();
  paths.status_code = consumer::JsonPath::Parse("$.response.status").value();
  paths.body = consumer::JsonPath::Parse("$.html").value();
  return paths;
}

std::vector<CrawlerFormat> CrawlerFormats(Timestamp at) {
  const std::string second = FormatRfc3339(std::chrono::floor<std::chrono::seconds>(at));
  const std::string exact = FormatRfc3339(at);
  const auto millis = at.time_since_epoch().count();
  const std::string fraction = std::to_string(1000 + millis % 1000).substr(1);
  const std::string java_date = Format(at, "%a %b %d %H:%M:%S UTC %Y");
  const std::string offset_date = Format(at, "%Y-%m-%dT%H:%M:%S.") + fraction + "+0000";
  const std::string zone_date =
      Format(at + std::chrono::hours(2), "%Y-%m-%dT%H:%M:%S.") + fraction + "+02:00";

  const auto cluster_canonical = [](const CrawledPage& page) {
    return Value(Canonical(page,
                           {{"body", page.html},
                            {"status_code", page.status},
                            {"final_url", page.final_url},
                            {"crawl_id", "c"}},
                           ""));
  };
  const auto text_canonical = [](const std::string& time) -> WritePage {
    return [time](const CrawledPage& page) {
      return Value(Canonical(page, {{"text", page.text}}, time));
    };
  };
  const auto body_canonical = [](const std::string& time, const json& more) -> WritePage {
    return [time, more](const CrawledPage& page) {
      json record = Canonical(page, {{"body", page.html}}, time);
      record.update(more);
      return Value(record);
    };
  };
  const auto coded_canonical = [](const std::string& time, bool has_final_url) -> WritePage {
    return [time, has_final_url](const CrawledPage& page) {
      json record =
          Canonical(page, {{"body", Base64(page.html)}, {"body_encoding", "base64"}}, time);
      if (has_final_url) record["final_url"] = page.final_url;
      return Value(record);
    };
  };
  const auto archive_canonical = [second](const CrawledPage& page) {
    return Value(Canonical(page,
                           {{"body", Base64(page.html)},
                            {"body_encoding", "base64"},
                            {"charset", "utf-8"},
                            {"status_code", page.status}},
                           second));
  };

  std::vector<CrawlerFormat> formats;
  formats.push_back({"scrapy_cluster", FormatKind::kScrapyCluster,
                     [](const CrawledPage& page) { return Value(ScrapyCluster(page, page.html)); },
                     cluster_canonical});
  formats.push_back(
      {"scrapy_cluster_base64", FormatKind::kScrapyCluster,
       [](const CrawledPage& page) { return Value(ScrapyCluster(page, Base64(page.html))); },
       cluster_canonical});
  formats.push_back({"nutch", FormatKind::kNutch,
                     [java_date](const CrawledPage& page) { return Value(Nutch(page, java_date)); },
                     text_canonical(second)});
  formats.push_back({"nutch_binary", FormatKind::kNutch,
                     [java_date](const CrawledPage& page) {
                       json record = Nutch(page, java_date);
                       record["binaryContent"] = json::array({Base64(page.html)});
                       return Value(record);
                     },
                     coded_canonical(second, false)});
  formats.push_back({"norconex", FormatKind::kNorconex,
                     [](const CrawledPage& page) {
                       return Value({{"id", page.url},
                                     {"content", page.text},
                                     {"document.contentType", "text/html"},
                                     {"keywords", {"a", "b"}}});
                     },
                     text_canonical("")});
  formats.push_back({"ache_json", FormatKind::kAche,
                     [millis](const CrawledPage& page) {
                       return Value({{"url", page.url},
                                     {"redirected_url", page.final_url},
                                     {"content", Base64(page.html)},
                                     {"content_type", "text/html"},
                                     {"response_headers", json::object()},
                                     {"fetch_time", millis}});
                     },
                     coded_canonical(exact, true)});
  formats.push_back({"ache_elastic", FormatKind::kAche,
                     [offset_date](const CrawledPage& page) {
                       return Value({{"url", page.url},
                                     {"html", page.html},
                                     {"text", page.text},
                                     {"retrieved", offset_date},
                                     {"topPrivateDomain", "h.example"},
                                     {"responseHeaders", {{"Content-Type", {"text/html"}}}}});
                     },
                     body_canonical(exact, json::object())});
  formats.push_back({"ache_cdr31", FormatKind::kAche,
                     [second](const CrawledPage& page) {
                       return Value({{"_id", "AB"},
                                     {"url", page.url},
                                     {"raw_content", page.html},
                                     {"content_type", "text/html"},
                                     {"crawler", "c"},
                                     {"timestamp_index", second}});
                     },
                     body_canonical("", {{"id", "AB"}})});
  formats.push_back(
      {"katana", FormatKind::kKatana,
       [zone_date](const CrawledPage& page) {
         return Value({{"timestamp", zone_date},
                       {"request", {{"method", "GET"}, {"endpoint", page.url}}},
                       {"response",
                        {{"status_code", page.status},
                         {"headers", {{"content-type", "text/html"}}},
                         {"body", page.html}}}});
       },
       [exact](const CrawledPage& page) {
         return Value(Canonical(page, {{"body", page.html}, {"status_code", page.status}}, exact));
       }});
  formats.push_back(
      {"browsertrix", FormatKind::kBrowsertrix,
       [exact](const CrawledPage& page) {
         return Value({{"id", "1"},
                       {"url", page.url},
                       {"title", "x"},
                       {"ts", exact},
                       {"status", page.status},
                       {"mime", "text/html"},
                       {"text", page.text}});
       },
       [exact](const CrawledPage& page) {
         return Value(Canonical(
             page, {{"id", "1"}, {"text", page.text}, {"status_code", page.status}}, exact));
       },
       false});
  formats.push_back({"corpus", FormatKind::kCorpus,
                     [second](const CrawledPage& page) {
                       return Value({{"id", "<urn:uuid:1>"},
                                     {"url", page.url},
                                     {"dump", "c"},
                                     {"date", second},
                                     {"text", page.text}});
                     },
                     [second](const CrawledPage& page) {
                       return Value({{"id", "<urn:uuid:1>"},
                                     {"url", page.url},
                                     {"text", page.text},
                                     {"fetch_time", second}});
                     },
                     false});
  formats.push_back({"corpus_of_ids", FormatKind::kCorpus,
                     [](const CrawledPage& page) {
                       return Value({{"id", page.url}, {"text", page.text}});
                     },
                     [](const CrawledPage& page) {
                       return Value({{"id", page.url}, {"url", page.url}, {"text", page.text}});
                     },
                     false});
  formats.push_back({"json", FormatKind::kJson,
                     [](const CrawledPage& page) {
                       return Value(
                           {{"request", {{"url", page.url}, {"loadedUrl", page.final_url}}},
                            {"response", {{"status", page.status}}},
                            {"html", page.html}});
                     },
                     [](const CrawledPage& page) {
                       return Value({{"url", page.url},
                                     {"final_url", page.final_url},
                                     {"status_code", page.status},
                                     {"body", page.html}});
                     }});
  formats.push_back({"raw", FormatKind::kRaw,
                     [](const CrawledPage& page) {
                       InputRecord record;
                       record.value = page.html;
                       record.headers = {{"url", page.url},
                                         {"status", std::to_string(page.status)},
                                         {"content-type", "text/html; charset=utf-8"}};
                       return record;
                     },
                     [](const CrawledPage& page) {
                       return Value(Canonical(page,
                                              {{"body", Base64(page.html)},
                                               {"body_encoding", "base64"},
                                               {"charset", "utf-8"},
                                               {"status_code", page.status}},
                                              ""));
                     },
                     false});
  formats.push_back({"warc", FormatKind::kWarc,
                     [second](const CrawledPage& page) { return Warc(page, second); },
                     archive_canonical});
  formats.push_back({"stormcrawler", FormatKind::kWarc,
                     [second](const CrawledPage& page) { return StormCrawler(page, second); },
                     archive_canonical});
  return formats;
}

std::string OfAllFormats(std::string_view verdict) {
  const json record = json::parse(verdict);
  json kept;
  for (const char* field : {"url", "final_url", "canonical_url", "verdict", "reason", "detail",
                            "match", "cluster", "fingerprint"}) {
    kept[field] = record.at(field);
  }
  return kept.dump();
}

}  // namespace crawlsieve::testing
