#pragma once

#include "extract/url/options.h"
#include "extract/url/url.h"

#include <string>
#include <string_view>

namespace crawlsieve::extract {

/// The identity of the page at `url`: CanonicalizeUrl, and then what `options` say about
/// parameters and spellings that lead to the same page. http and https only; others as they are.
/// Idempotent; linear, or where parameters are sorted n log n.
[[nodiscard]] CanonicalUrl IdentityOf(std::string_view url, const UrlOptions& options);
[[nodiscard]] CanonicalUrl IdentityOf(CanonicalUrl canonical, const UrlOptions& options);

/// Whether it is http or https, and has a host.
[[nodiscard]] bool IsWeb(const CanonicalUrl& url);

/// Resolves the references of a page. Thread-safe.
class UrlResolver {
 public:
  /// `base`: the page's URL, or what its <base> resolves to.
  explicit UrlResolver(std::string_view base);

  /// The canonical form of `reference` as it stands in the page; the reference resolution of
  /// RFC 3986, section 5.2, with the back slashes of WHATWG's. An absolute reference needs no base.
  [[nodiscard]] CanonicalUrl Resolve(std::string_view reference) const;

 private:
  CanonicalUrl base_;
};

/// The same for one reference.
[[nodiscard]] inline CanonicalUrl ResolveUrl(std::string_view base, std::string_view reference) {
  return UrlResolver(base).Resolve(reference);
}

/// The part of a host that somebody registered: "example.co.uk" of "www.example.co.uk", by the
/// Public Suffix List that libpsl was built with. Empty for IP addresses, public suffixes
/// themselves and hosts without a dot. `host` as in CanonicalUrl.
[[nodiscard]] std::string RegisteredDomain(std::string_view host);

/// The options, for the scheme.
[[nodiscard]] std::string DescribeUrls(const UrlOptions& options);

}  // namespace crawlsieve::extract
