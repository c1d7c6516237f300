#include "consumer/output/scores/frontera.h"

#include "plugin/fingerprint/sha1.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

using nlohmann::json;

// Frontera tells its messages, and the names of meta data, by byte strings. The JSON library writes
// byte strings, but its maps have text for names. So lists and maps are put together here, and only
// their values come from the library. Both kinds have a head of one byte for up to 15 items.

std::string Packed(const json& value) {
  std::string bytes;
  json::to_msgpack(value, bytes);
  return bytes;
}

std::string Bytes(std::string_view text) {
  return Packed(json::binary(json::binary_t::container_type(text.begin(), text.end())));
}

/// Takes packed values.
std::string List(std::initializer_list<std::string> items) {
  std::string bytes(1, static_cast<char>(0x90 | items.size()));
  for (const std::string& item : items) bytes += item;
  return bytes;
}

/// Takes names, and packed values.
std::string Map(std::initializer_list<std::pair<std::string_view, std::string>> members) {
  std::string bytes(1, static_cast<char>(0x80 | members.size()));
  for (const auto& [name, value] : members) bytes += Bytes(name) + value;
  return bytes;
}

constexpr std::string_view kUnreserved =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
constexpr std::string_view kReserved = ":/?#[]@!$&'()*+,;=|%";

std::string Escape(std::string_view text, bool keep_reserved) {
  std::string escaped;
  for (const char c : text) {
    const bool keep = kUnreserved.find(c) != std::string_view::npos ||
                      (keep_reserved && kReserved.find(c) != std::string_view::npos);
    if (keep) {
      escaped += c;
    } else {
      escaped += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return escaped;
}

int HexDigit(char c) {
  if ('0' <= c && c <= '9') return c - '0';
  if ('a' <= c && c <= 'f') return c - 'a' + 10;
  if ('A' <= c && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string Unescape(std::string_view text, bool keep_slash_and_query, bool plus_is_space) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int high = i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
    const int low = high >= 0 ? HexDigit(text[i + 2]) : -1;
    if (text[i] == '%' && low >= 0) {
      const char c = static_cast<char>(high << 4 | low);
      if (keep_slash_and_query && (c == '/' || c == '?')) {
        plain += fmt::format("%{:02X}", static_cast<unsigned char>(c));
      } else {
        plain += c;
      }
      i += 2;
    } else {
      plain += plus_is_space && text[i] == '+' ? ' ' : text[i];
    }
  }
  return plain;
}

std::string FormEscape(std::string_view text) {
  std::string escaped;
  for (const char c : text) escaped += c == ' ' ? "+" : Escape({&c, 1}, false);
  return escaped;
}

std::string SortedQuery(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> arguments;
  while (!query.empty()) {
    const std::string_view argument = query.substr(0, query.find_first_of("&;"));
    query.remove_prefix(std::min(argument.size() + 1, query.size()));
    if (argument.empty()) continue;
    const std::size_t equals = std::min(argument.find('='), argument.size());
    const std::size_t value = std::min(equals + 1, argument.size());
    arguments.emplace_back(Unescape(argument.substr(0, equals), false, true),
                           Unescape(argument.substr(value), false, true));
  }
  std::ranges::sort(arguments);
  std::string sorted;
  for (const auto& [name, value] : arguments) {
    if (!sorted.empty()) sorted += '&';
    sorted += FormEscape(name) + '=' + FormEscape(value);
  }
  return sorted;
}

std::string Domain(std::string_view url) {
  std::string_view name = HostOf(url);
  if (name.starts_with('[')) name = name.substr(1, name.size() - 2);
  return Map({{"netloc", Bytes(AuthorityOf(url))},
              {"name", Bytes(name)},
              {"scheme", Bytes(url.substr(0, url.find(':')))},
              {"sld", Bytes("")},
              {"tld", Bytes("")},
              {"subdomain", Bytes("")},
              {"fingerprint", Bytes(Sha1Hex(name))}});
}

}  // namespace

std::string W3libCanonicalUrl(std::string_view url) {
  url = url.substr(0, url.find('#'));
  const std::string_view authority = AuthorityOf(url);
  std::string canonical(url.substr(0, url.find("://") + 3));
  std::string netloc(authority);
  for (char& c : netloc) c = 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  netloc.erase(netloc.find_last_not_of(':') + 1);
  const std::string_view rest = url.substr(canonical.size() + authority.size());
  const std::string_view path_and_parameters = rest.substr(0, rest.find('?'));
  const std::string_view query = rest.substr(std::min(path_and_parameters.size() + 1, rest.size()));
  // Parameters of the last segment stay as they are.
  const std::size_t slash = path_and_parameters.rfind('/');
  const std::size_t semicolon =
      path_and_parameters.find(';', slash == std::string_view::npos ? 0 : slash);
  const std::string_view path = path_and_parameters.substr(0, semicolon);
  std::string path_text = Escape(Unescape(path, true, false), true);
  if (path_text.empty()) path_text = "/";
  canonical += netloc + path_text;
  if (semicolon != std::string_view::npos && semicolon + 1 < path_and_parameters.size()) {
    canonical += ';' + Escape(path_and_parameters.substr(semicolon + 1), true);
  }
  if (const std::string sorted = SortedQuery(query); !sorted.empty()) canonical += '?' + sorted;
  return canonical;
}

RenderedScores RenderForFrontera(const UrlScore& record) {
  const std::string url(UrlToFetch(record));
  if (url.empty() || !IsDue(record)) return {};
  const std::string fingerprint = Sha1Hex(W3libCanonicalUrl(url));
  const std::string request =
      List({Packed(url), Bytes("GET"), Map({}), Map({}),
            Map({{"fingerprint", Bytes(fingerprint)}, {"domain", Domain(url)}})});
  return {{fingerprint, List({Bytes("us"), request, Packed(record.score.value()), Packed(true)})}};
}

}  // namespace crawlsieve::consumer
