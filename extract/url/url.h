#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace crawlsieve::extract {

/// A page's identity, and what host and path statistics need of it.
struct CanonicalUrl {
  std::string url;
  std::string host;              ///< as in `url`, IPv6 in brackets; empty where not known
  std::uint32_t path_depth = 0;  ///< non-empty path segments of `url`
};

/// The one spelling that all spellings of an absolute URL share.
///
/// http and https: parsed and written as the WHATWG URL Standard says (scheme and host in lower
/// case, IDN as punycode, IP addresses in their shortest form, default port dropped, `\` as `/`,
/// dot segments resolved, `/` for an empty path), then normalised by RFC 3986 section 6.2.2:
/// escapes of unreserved characters are undone, the others get upper-case digits. The fragment is
/// dropped. User name and password are kept: they may select another page. Beyond the standard, a
/// `%` that starts no escape becomes `%25` (only so is the result stable), and a host over 1024
/// bytes is no host.
///
/// Other schemes: scheme in lower case, tabs, line ends and fragment removed, the rest as it is;
/// `host` is empty. What can't be parsed comes back without surrounding white space and control
/// characters, without tabs and line ends, and with an empty host, so that every page keeps an
/// identity. `url` is empty only if the argument is nothing but such characters. Other control
/// characters are escaped in all of these: no canonical URL has one.
///
/// Idempotent. Takes any bytes, in time linear in their number. Bytes that are not UTF-8 are
/// escaped one by one. Parameters are neither sorted nor dropped.
[[nodiscard]] CanonicalUrl CanonicalizeUrl(std::string_view url);

}  // namespace crawlsieve::extract
