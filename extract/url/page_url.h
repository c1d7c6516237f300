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

/// The canonical form of `reference` as it stands in a page at `base`, a canonical URL; the
/// reference resolution of RFC 3986, section 5.2, with the back slashes of WHATWG's. An absolute
/// reference needs no base.
[[nodiscard]] CanonicalUrl ResolveUrl(std::string_view base, std::string_view reference);

/// The part of a host that somebody registered: "example.co.uk" of "www.example.co.uk", by the
/// Public Suffix List that libpsl was built with. Empty for IP addresses, public suffixes
/// themselves and hosts without a dot. `host` as in CanonicalUrl.
[[nodiscard]] std::string RegisteredDomain(std::string_view host);

/// The options, for the scheme.
[[nodiscard]] std::string DescribeUrls(const UrlOptions& options);

}  // namespace crawlsieve::extract
