#include "extract/url/page_url.h"

#include "extract/text/ascii.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <libpsl.h>

namespace crawlsieve::extract {
namespace {

// Parameters that tell a site where a reader came from. In order, for the search.
constexpr std::array<std::string_view, 33> kTracking = {
    "_ga",     "_gac",        "_gl",        "_hsenc",     "_hsmi",  "_openstat", "dclid",
    "epik",    "fbclid",      "gad_source", "gbraid",     "gclid",  "gclsrc",    "hsctatracking",
    "igsh",    "igshid",      "li_fat_id",  "mc_cid",     "mc_eid", "mkt_tok",   "ml_subscriber",
    "msclkid", "oly_anon_id", "oly_enc_id", "rb_clickid", "s_cid",  "srsltid",   "ttclid",
    "twclid",  "vero_id",     "wbraid",     "wickedid",   "yclid"};
constexpr std::array<std::string_view, 8> kSessions = {
    "cftoken", "jsessionid", "oscsid", "phpsessid", "session_id", "sessionid", "sid", "zenid"};

static_assert(std::is_sorted(kTracking.begin(), kTracking.end()));
static_assert(std::is_sorted(kSessions.begin(), kSessions.end()));

/// Shorter values of "sid" are more often the number of a story than of a session.
constexpr std::size_t kMinSessionValue = 16;

bool IsDropped(std::string_view parameter, const UrlOptions& options) {
  const std::size_t equals = std::min(parameter.find('='), parameter.size());
  constexpr std::size_t kLongestName = 16;
  if (equals > kLongestName && !StartsWithNoCase(parameter, "utm_")) return false;
  const std::string name = AsciiLower(parameter.substr(0, equals));
  if (options.drop_tracking &&
      (name.starts_with("utm_") || std::binary_search(kTracking.begin(), kTracking.end(), name))) {
    return true;
  }
  return options.drop_sessions && std::binary_search(kSessions.begin(), kSessions.end(), name) &&
         (name != "sid" || parameter.size() > equals + kMinSessionValue);
}

std::string RewriteQuery(std::string_view query, const UrlOptions& options) {
  std::vector<std::string_view> kept;
  for (;;) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view parameter = query.substr(0, end);
    if (!IsDropped(parameter, options)) kept.push_back(parameter);
    if (end == query.size()) break;
    query.remove_prefix(end + 1);
  }
  if (options.sort_query) std::sort(kept.begin(), kept.end());
  return fmt::format("{}", fmt::join(kept, "&"));
}

/// Without ";jsessionid=..." (Java) and "/(S(...))" (ASP.NET).
std::string WithoutSessions(std::string_view path) {
  constexpr std::string_view kParameter = ";jsessionid=";
  std::string rest;
  while (!path.empty()) {
    const std::string_view segment = path.substr(0, path.find('/', 1));
    path.remove_prefix(segment.size());
    if (StartsWithNoCase(segment, "/(s(") && segment.ends_with("))")) continue;
    for (std::size_t at = 0; at < segment.size();) {
      const std::size_t next = std::min(segment.find(';', at + 1), segment.size());
      const std::string_view part = segment.substr(at, next - at);
      if (!StartsWithNoCase(part, kParameter)) rest += part;
      at = next;
    }
  }
  return rest;
}

/// The parts of a canonical http or https URL.
struct Parts {
  std::string_view scheme;
  std::string_view authority;
  std::string_view path;
  std::string_view query;  ///< without the question mark
  bool has_query = false;
};

Parts Split(std::string_view url) {
  Parts parts;
  const std::size_t colon = url.find("://");
  parts.scheme = url.substr(0, colon);
  url.remove_prefix(colon + 3);
  const std::size_t path = std::min(url.find_first_of("/?"), url.size());
  parts.authority = url.substr(0, path);
  url.remove_prefix(path);
  const std::size_t mark = url.find('?');
  parts.path = url.substr(0, mark);
  parts.has_query = mark != std::string_view::npos;
  if (parts.has_query) parts.query = url.substr(mark + 1);
  return parts;
}

std::string WithoutWww(std::string_view authority) {
  const std::size_t at = authority.rfind('@');
  const std::size_t host = at == std::string_view::npos ? 0 : at + 1;
  std::string rest(authority);
  constexpr std::string_view kWww = "www.";
  std::string_view name = authority.substr(host);
  // "www.example" alone is a host of its own.
  while (name.starts_with(kWww) && name.find('.', kWww.size()) != std::string_view::npos) {
    name.remove_prefix(kWww.size());
  }
  return std::string(authority.substr(0, host)).append(name);
}

bool HasScheme(std::string_view reference) {
  if (reference.empty() || !IsAsciiAlpha(reference[0])) return false;
  const std::size_t end = reference.find_first_of(":/?#\\");
  return end != std::string_view::npos && reference[end] == ':';
}

}  // namespace

bool IsWeb(const CanonicalUrl& url) {
  return !url.host.empty() && (url.url.starts_with("http://") || url.url.starts_with("https://"));
}

CanonicalUrl IdentityOf(std::string_view url, const UrlOptions& options) {
  return IdentityOf(CanonicalizeUrl(url), options);
}

CanonicalUrl IdentityOf(CanonicalUrl identity, const UrlOptions& options) {
  if (!IsWeb(identity)) return identity;
  const Parts parts = Split(identity.url);
  std::string rewritten(options.unify_scheme ? "https" : parts.scheme);
  rewritten += "://";
  rewritten += options.drop_www ? WithoutWww(parts.authority) : std::string(parts.authority);
  rewritten += options.drop_sessions ? WithoutSessions(parts.path) : std::string(parts.path);
  if (parts.has_query) {
    const std::string query = RewriteQuery(parts.query, options);
    // "?" with nothing behind stays, where nothing was taken away.
    if (!query.empty() || parts.query.empty()) rewritten += '?' + query;
  }
  // Once more, as a path may have become empty or got dot segments.
  return rewritten == identity.url ? identity : CanonicalizeUrl(rewritten);
}

UrlResolver::UrlResolver(std::string_view base) : base_(CanonicalizeUrl(base)) {}

CanonicalUrl UrlResolver::Resolve(std::string_view reference) const {
  reference = TrimAscii(reference);
  if (!IsWeb(base_)) return CanonicalizeUrl(reference);
  const Parts parts = Split(base_.url);
  if (HasScheme(reference)) {
    // With the base's own scheme and no host, "http:page" is relative.
    const std::size_t colon = reference.find(':');
    const std::string_view rest = reference.substr(colon + 1);
    if (!EqualsNoCase(reference.substr(0, colon), parts.scheme) || rest.starts_with("//")) {
      return CanonicalizeUrl(reference);
    }
    reference = rest;
  }
  const auto slash = [](char c) { return c == '/' || c == '\\'; };
  std::string joined(parts.scheme);
  joined += ':';
  if (reference.size() >= 2 && slash(reference[0]) && slash(reference[1])) {
    joined += reference;
    return CanonicalizeUrl(joined);
  }
  joined += "//";
  joined += parts.authority;
  if (!reference.empty() && slash(reference[0])) {
    joined += reference;
  } else if (reference.empty() || reference[0] == '#') {
    return base_;
  } else if (reference[0] == '?') {
    joined += parts.path;
    joined += reference;
  } else {
    joined += parts.path.substr(0, parts.path.rfind('/') + 1);
    joined += reference;
  }
  return CanonicalizeUrl(joined);
}

std::string RegisteredDomain(std::string_view host) {
  if (host.empty() || host.front() == '[') return {};
  if (host.back() == '.') host.remove_suffix(1);
  const std::size_t last_label = host.rfind('.') + 1;  // 0 where there is no dot
  if (last_label == 0 || last_label == host.size() || IsAsciiDigit(host[last_label])) return {};
  const std::string name(host);
  const char* const domain = psl_registrable_domain(psl_builtin(), name.c_str());
  return domain == nullptr ? std::string() : domain;
}

std::string DescribeUrls(const UrlOptions& options) {
  // No fingerprint depends on the Public Suffix List: the judge takes the registered domains that
  // entries have. The checksum is that of Debian 12's list, so that ids of earlier builds stay.
  return fmt::format("url=3:{}:{}:{}:{}:{}:{} psl={}", options.drop_tracking, options.drop_sessions,
                     options.sort_query, options.drop_www, options.unify_scheme,
                     options.follow_canonical_link, "16fee06c5f89997e5b74c3ac139f9b9e97273e31");
}

}  // namespace crawlsieve::extract
