#include "consumer/output/verdicts/surt.h"

#include "extract/url/url.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <vector>

#include <re2/re2.h>

namespace crawlsieve::consumer {
namespace {

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/// Undoes escapes until none is left. Each round takes two bytes from every escape that it undoes,
/// and only the byte before a new `%` can begin another: one pass backwards does it.
std::string Unescape(std::string_view text) {
  // From the end on: an escape that another one's result completes begins before it.
  std::string reversed;
  reversed.reserve(text.size());
  for (std::size_t i = text.size(); i-- > 0;) {
    reversed += text[i];
    while (reversed.size() >= 3 && reversed.back() == '%') {
      const int high = HexValue(reversed[reversed.size() - 2]);
      const int low = HexValue(reversed[reversed.size() - 3]);
      if (high < 0 || low < 0) break;
      reversed.resize(reversed.size() - 3);
      reversed += static_cast<char>(high * 16 + low);
    }
  }
  std::reverse(reversed.begin(), reversed.end());
  return reversed;
}

std::string Escape(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > 0x20 && byte < 0x7F && c != '#' && c != '%') {
      escaped += c;
    } else {
      escaped += {'%', kDigits[byte >> 4], kDigits[byte & 0xF]};
    }
  }
  return escaped;
}

std::string Lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return text;
}

/// Without `.`, `..` and empty segments; the last one may be empty.
std::string NormalPath(std::string_view path) {
  std::vector<std::string_view> kept;
  while (!path.empty()) {
    path.remove_prefix(1);
    const std::size_t slash = std::min(path.find('/'), path.size());
    const std::string_view segment = path.substr(0, slash);
    path.remove_prefix(slash);
    if (segment == ".") continue;
    if (segment != ".." || kept.empty()) {
      kept.push_back(segment);
    } else {
      kept.pop_back();
    }
  }
  std::string normal;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (kept[i].empty() && i + 1 < kept.size()) continue;
    normal += '/';
    normal += kept[i];
  }
  return normal.empty() ? "/" : normal;
}

RE2::Options Insensitive() {
  RE2::Options options;
  options.set_case_sensitive(false);
  options.set_encoding(RE2::Options::EncodingLatin1);
  return options;
}

/// What is left of `text` where `pattern` finds a session id: its first and its last group.
void StripSession(const RE2& pattern, std::string& text) {
  std::string before;
  std::string after;  // empty where the group took no part
  if (RE2::FullMatch(text, pattern, &before, &after)) text = before + after;
}

void StripPathSessions(std::string& path) {
  static const std::array<RE2, 2> kPatterns{
      RE2(R"((.*/)\((?:[a-z]\([0-9a-z]{24}\))+\)/([^?]+\.aspx.*))", Insensitive()),
      RE2(R"((.*/)\([0-9a-z]{24}\)/([^?]+\.aspx.*))", Insensitive())};
  for (const RE2& pattern : kPatterns) StripSession(pattern, path);
}

void StripQuerySessions(std::string& query) {
  static const std::array<RE2, 5> kPatterns{
      RE2("(.*)jsessionid=[0-9a-z]{32}(?:&(.*))?", Insensitive()),
      RE2("(.*)phpsessid=[0-9a-z]{32}(?:&(.*))?", Insensitive()),
      RE2("(.*)sid=[0-9a-z]{32}(?:&(.*))?", Insensitive()),
      RE2("(.*)aspsessionid[a-z]{8}=[a-z]{24}(?:&(.*))?", Insensitive()),
      RE2("(.*)cfid=[^&]+&cftoken=[^&]+(?:&(.*))?", Insensitive())};
  for (const RE2& pattern : kPatterns) StripSession(pattern, query);
}

/// By name, then by value; a name without `=` before the same with one.
std::string SortParameters(std::string_view query) {
  using Parameter = std::tuple<std::string_view, bool, std::string_view>;
  std::vector<Parameter> parameters;
  for (;;) {
    const std::string_view part = query.substr(0, query.find('&'));
    const std::size_t equals = part.find('=');
    const bool has_value = equals != std::string_view::npos;
    parameters.emplace_back(part.substr(0, equals), has_value,
                            has_value ? part.substr(equals + 1) : std::string_view());
    if (part.size() == query.size()) break;
    query.remove_prefix(part.size() + 1);
  }
  std::sort(parameters.begin(), parameters.end());
  std::string sorted;
  for (const auto& [name, has_value, value] : parameters) {
    sorted += name;
    if (has_value) sorted += '=';
    sorted += value;
    sorted += '&';
  }
  sorted.pop_back();
  return sorted;
}

/// "example.org:8080" as "org,example:8080".
std::string ReversedHost(std::string_view host, std::string_view port) {
  static const RE2 kWww("www[0-9]*\\.");
  re2::StringPiece rest(host.data(), host.size());
  RE2::Consume(&rest, kWww);
  host = {rest.data(), rest.size()};
  std::string reversed;
  for (;;) {
    const std::size_t dot = host.rfind('.');
    reversed += host.substr(dot == std::string_view::npos ? 0 : dot + 1);
    if (dot == std::string_view::npos) break;
    reversed += ',';
    host = host.substr(0, dot);
  }
  reversed += port;
  return reversed;
}

}  // namespace

std::string Surt(std::string_view url) {
  const extract::CanonicalUrl canonical = extract::CanonicalizeUrl(url);
  if (canonical.host.empty()) return Escape(canonical.url);
  // scheme://user@host:port/path?query
  std::string_view rest = canonical.url;
  rest.remove_prefix(rest.find("://") + 3);
  const std::string_view authority = rest.substr(0, rest.find('/'));
  rest.remove_prefix(authority.size());
  const std::size_t host = authority.rfind('@') + 1;  // 0 without one
  const std::string_view port = authority.substr(host + canonical.host.size());
  const std::size_t question = std::min(rest.find('?'), rest.size());

  std::string path = Lower(Escape(NormalPath(Unescape(rest.substr(0, question)))));
  StripPathSessions(path);
  if (path.size() > 1 && path.ends_with('/')) path.pop_back();
  std::string query;
  if (question < rest.size()) query = Escape(Unescape(rest.substr(question + 1)));
  StripQuerySessions(query);
  query = SortParameters(Lower(std::move(query)));

  std::string key = ReversedHost(canonical.host, port) + ')' + path;
  if (!query.empty()) key += '?' + query;
  return key;
}

}  // namespace crawlsieve::consumer
