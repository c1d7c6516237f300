#include "plugin/judge/selection.h"

#include "plugin/fingerprint/checksum.h"
#include "plugin/judge/page.h"
#include "plugin/site/url_parts.h"

#include <algorithm>
#include <array>
#include <utility>

namespace crawlsieve {
namespace {

/// A host and its port end with one of these.
constexpr std::array<std::string_view, 2> kAfterHost = {"/", ":"};
constexpr std::array<std::string_view, 2> kSchemes = {"http://", "https://"};

bool IsOfHost(std::string_view url, std::string_view host) {
  for (const std::string_view scheme : kSchemes) {
    if (!url.starts_with(scheme)) continue;
    url.remove_prefix(scheme.size());
    return url.starts_with(host) && (url.substr(host.size()).starts_with(kAfterHost[0]) ||
                                     url.substr(host.size()).starts_with(kAfterHost[1]));
  }
  return false;
}

}  // namespace

std::uint64_t CrawlHash(std::string_view crawl_id) {
  return crawl_id.empty() ? 0 : RawChecksum(crawl_id).low | 1;
}

Selection::Selection(Kind kind, std::string text, std::uint64_t scope)
    : kind_(kind),
      text_(std::move(text)),
      scope_(scope),
      crawl_(kind == Kind::kCrawl ? CrawlHash(text_) : 0) {
  if (kind_ == Kind::kCrawl) {
    // A fixed64 of Protocol Buffers.
    for (unsigned shift = 0; shift < 64; shift += 8) mark_ += static_cast<char>(crawl_ >> shift);
    return;
  }
  mark_ = text_;
  site_ = site::SiteOf(kind_ == Kind::kHost ? "http://" + text_ + '/' : text_);
}

std::optional<Selection> Selection::Of(const log::Purge& purge) {
  std::optional<Selection> selection;
  switch (purge.what_case()) {
    case log::Purge::kUrl:
      selection.emplace(Kind::kUrl, purge.url());
      break;
    case log::Purge::kUrlPrefix:
      selection.emplace(Kind::kUrlPrefix, purge.url_prefix());
      break;
    case log::Purge::kHost:
      selection.emplace(Kind::kHost, purge.host());
      break;
    case log::Purge::kCrawlId:
      selection.emplace(Kind::kCrawl, purge.crawl_id());
      break;
    case log::Purge::WHAT_NOT_SET:
      return std::nullopt;
  }
  // The line break ends the URL in keys.
  const bool is_url = selection->kind() != Kind::kCrawl;
  if (selection->text().empty() || (is_url && selection->text().find('\n') != std::string::npos)) {
    return std::nullopt;
  }
  return selection;
}

bool Selection::CoversUrl(std::string_view url) const {
  switch (kind_) {
    case Kind::kUrl:
      return url == text_;
    case Kind::kUrlPrefix:
      return url.starts_with(text_);
    case Kind::kHost:
      return IsOfHost(url, text_);
    case Kind::kCrawl:
      break;
  }
  return false;
}

bool Selection::Covers(const UrlRow& row) const {
  if (kind_ != Kind::kCrawl) return CoversUrl(row.url());
  return row.record.crawl() == crawl_ || row.crawl_id() == text_;
}

bool Selection::Covers(const DocumentRow& row) const {
  if (kind_ != Kind::kCrawl) return CoversUrl(row.record.canonical_url());
  // Versions of before the rows named the crawl have a scope of their own, or can't be told apart.
  return row.record.crawl() == crawl_ || (scope_ != 0 && row.record.scope() == scope_);
}

bool Selection::MayCover(Table table, std::string_view key, std::string_view value) const {
  if (table == Table::kUrls) {
    const std::string_view url = key.substr(0, key.find('\n'));
    if (kind_ != Kind::kCrawl) return CoversUrl(url);
    if (url.size() != key.size()) return true;
  }
  return scope_ != 0 || value.find(mark_) != std::string_view::npos;
}

std::vector<KeyRange> Selection::Ranges() const {
  switch (kind_) {
    case Kind::kUrl:
      return {{text_, true}, {text_ + '\n', false}};
    case Kind::kUrlPrefix:
      return {{text_, false}};
    case Kind::kHost: {
      std::vector<KeyRange> ranges;
      for (const std::string_view scheme : kSchemes) {
        for (const std::string_view after : kAfterHost) {
          ranges.push_back({std::string(scheme) + text_ + std::string(after), false});
        }
      }
      return ranges;
    }
    case Kind::kCrawl:
      break;
  }
  return {{"", false}};
}

}  // namespace crawlsieve
