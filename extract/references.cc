#include "extract/references.h"

#include "extract/url/page_url.h"

#include <unordered_set>
#include <utility>

namespace crawlsieve::extract {
namespace {

/// What links are resolved against. <base> may be relative itself.
std::string BaseOf(const References& references, std::string_view page_url) {
  return references.base.empty() ? std::string(page_url)
                                 : ResolveUrl(page_url, references.base).url;
}

std::string_view WithoutWww(std::string_view host) {
  constexpr std::string_view kWww = "www.";
  return host.starts_with(kWww) ? host.substr(kWww.size()) : host;
}

}  // namespace

std::string ResolveCanonicalLink(const References& references, std::string_view page_url,
                                 std::string_view own, const UrlOptions& options) {
  if (references.canonical.empty()) return {};
  CanonicalUrl link =
      IdentityOf(ResolveUrl(BaseOf(references, page_url), references.canonical).url, options);
  const bool is_usable = IsWeb(link) && link.url.size() <= kMaxLinkBytes && link.url != own;
  if (!is_usable || WithoutWww(link.host) != WithoutWww(CanonicalizeUrl(own).host)) return {};
  return std::move(link.url);
}

OutLinks ResolveReferences(const References& references, std::string_view page_url,
                           std::string_view own, const UrlOptions& options, std::size_t max_links) {
  OutLinks links;
  const UrlResolver resolver(BaseOf(references, page_url));
  std::unordered_set<std::string> seen{std::string(own)};
  const auto resolve = [&](const std::vector<std::string>& from, std::vector<std::string>& to) {
    for (const std::string& href : from) {
      if (seen.size() > max_links) return;
      CanonicalUrl link = IdentityOf(resolver.Resolve(href), options);
      if (!IsWeb(link) || link.url.size() > kMaxLinkBytes) continue;
      if (seen.insert(link.url).second) to.push_back(std::move(link.url));
    }
  };
  resolve(references.main_text, links.main_text);
  resolve(references.elsewhere, links.elsewhere);
  return links;
}

}  // namespace crawlsieve::extract
