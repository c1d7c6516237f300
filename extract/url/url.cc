#include "extract/url/url.h"

#include "extract/text/unicode_data.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <unicode/uidna.h>
#include <unicode/utf8.h>

namespace crawlsieve::extract {
namespace {

// DNS names have at most 253 characters. The bound also keeps punycode, whose encoder is quadratic
// in the length of a label, away from labels of megabytes.
constexpr std::size_t kMaxHostBytes = 1024;

/// What a byte is, as flags. The percent-encode sets are those of the URL Standard, section 1.3.
enum ByteClass : std::uint8_t {
  kEscapedInQuery = 1,  ///< the special-query percent-encode set
  kEscapedInPath = 2,
  kEscapedInUserinfo = 4,
  kUnreserved = 8,          ///< RFC 3986, section 2.3
  kForbiddenInDomain = 16,  ///< forbidden domain code point
};

constexpr std::array<std::uint8_t, 256> MakeByteClasses() {
  std::array<std::uint8_t, 256> classes{};
  const auto add = [&classes](std::string_view bytes, int flags) {
    for (const char c : bytes) {
      auto& entry = classes[static_cast<unsigned char>(c)];
      entry = static_cast<std::uint8_t>(entry | flags);
    }
  };
  constexpr int kEscaped = kEscapedInQuery | kEscapedInPath | kEscapedInUserinfo;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    if (c <= 0x1F || c == 0x7F) {
      classes[c] = kEscaped | kForbiddenInDomain;
    } else if (c > 0x7F) {
      classes[c] = kEscaped;
    }
  }
  add(" \"#<>", kEscaped);
  add("'", kEscapedInQuery);
  add("?^`{}", kEscapedInPath | kEscapedInUserinfo);
  add("/:;=@[\\]|", kEscapedInUserinfo);
  add(" #%/:<>?@[\\]^|", kForbiddenInDomain);
  add("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~", kUnreserved);
  return classes;
}

constexpr std::array<std::uint8_t, 256> kByteClasses = MakeByteClasses();

bool Is(char c, ByteClass flag) {
  return (kByteClasses[static_cast<unsigned char>(c)] & flag) != 0;
}

bool IsC0OrSpace(char c) { return static_cast<unsigned char>(c) <= 0x20; }
bool IsControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }
bool IsTabOrNewline(char c) { return c == '\t' || c == '\n' || c == '\r'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsAlpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
char ToLower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

int HexValue(char c) {
  if (IsDigit(c)) return c - '0';
  const char lower = ToLower(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/// The byte that the escape at `position` stands for; nullopt where there is no escape.
std::optional<char> EscapedByte(std::string_view text, std::size_t position) {
  if (text[position] != '%' || text.size() - position < 3) return std::nullopt;
  const int high = HexValue(text[position + 1]);
  const int low = HexValue(text[position + 2]);
  if (high < 0 || low < 0) return std::nullopt;
  return static_cast<char>(high * 16 + low);
}

void AppendEscape(char c, std::string& out) {
  constexpr std::string_view kHexDigits = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(c);
  out += '%';
  out += kHexDigits[byte >> 4];
  out += kHexDigits[byte & 15];
}

/// For what isn't parsed further.
void AppendWithControlsEscaped(std::string_view text, std::string& out) {
  for (const char c : text) {
    if (IsControl(c)) {
      AppendEscape(c, out);
    } else {
      out += c;
    }
  }
}

/// Appends `part` of a URL with exactly the bytes of the class `escaped`, and reserved characters
/// that came escaped, in escaped form.
void AppendNormalized(std::string_view part, ByteClass escaped, std::string& out) {
  for (std::size_t i = 0; i < part.size(); ++i) {
    const char c = part[i];
    if (c == '%') {
      const std::optional<char> byte = EscapedByte(part, i);
      if (byte && Is(*byte, kUnreserved)) {
        out += *byte;
      } else {
        AppendEscape(byte.value_or('%'), out);
      }
      if (byte) i += 2;
    } else if (Is(c, escaped)) {
      AppendEscape(c, out);
    } else {
      out += c;
    }
  }
}

std::string_view TrimEnd(std::string_view text) {
  while (!text.empty() && IsC0OrSpace(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && IsC0OrSpace(text.front())) text.remove_prefix(1);
  return TrimEnd(text);
}

/// Takes the scheme and its colon off `url`; nullopt if it does not start with one.
std::optional<std::string> TakeScheme(std::string_view& url) {
  if (url.empty() || !IsAlpha(url.front())) return std::nullopt;
  std::string scheme;
  for (const char c : url) {
    if (c == ':') {
      url.remove_prefix(scheme.size() + 1);
      return scheme;
    }
    if (!IsAlpha(c) && !IsDigit(c) && c != '+' && c != '-' && c != '.') return std::nullopt;
    scheme += ToLower(c);
  }
  return std::nullopt;
}

std::uint32_t CountSegments(std::string_view path) {
  std::uint32_t count = 0;
  bool in_segment = false;
  for (const char c : path) {
    if (c == '/') {
      in_segment = false;
    } else if (!in_segment) {
      in_segment = true;
      ++count;
    }
  }
  return count;
}

/// A part of an IPv4 address: decimal, or octal behind `0`, or hexadecimal behind `0x`. Values over
/// 32 bits come back as 2^32.
std::optional<std::uint64_t> ParseIpv4Part(std::string_view part) {
  constexpr std::uint64_t kTooLarge = std::uint64_t{1} << 32;
  if (part.empty()) return std::nullopt;
  unsigned radix = 10;
  if (part.size() >= 2 && part[0] == '0') {
    radix = part[1] == 'x' ? 16 : 8;
    part.remove_prefix(radix == 16 ? 2 : 1);
  }
  std::uint64_t value = 0;
  for (const char c : part) {
    const int digit = HexValue(c);
    if (digit < 0 || static_cast<unsigned>(digit) >= radix) return std::nullopt;
    value = std::min(value * radix + static_cast<unsigned>(digit), kTooLarge);
  }
  return value;
}

std::vector<std::string_view> SplitLabels(std::string_view host) {
  std::vector<std::string_view> labels;
  for (;;) {
    const std::size_t dot = host.find('.');
    labels.push_back(host.substr(0, dot));
    if (dot == std::string_view::npos) break;
    host.remove_prefix(dot + 1);
  }
  if (labels.size() > 1 && labels.back().empty()) labels.pop_back();
  return labels;
}

bool EndsInNumber(const std::vector<std::string_view>& labels) {
  const std::string_view last = labels.back();
  if (!last.empty() && std::all_of(last.begin(), last.end(), IsDigit)) return true;
  return last.starts_with("0x") && ParseIpv4Part(last).has_value();
}

std::optional<std::string> ParseIpv4(const std::vector<std::string_view>& labels) {
  if (labels.size() > 4) return std::nullopt;
  std::uint64_t address = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::optional<std::uint64_t> part = ParseIpv4Part(labels[i]);
    if (!part) return std::nullopt;
    if (i + 1 < labels.size()) {
      if (*part > 255) return std::nullopt;
      address |= *part << (8 * (3 - i));
    } else {
      if (*part >= std::uint64_t{1} << (8 * (5 - labels.size()))) return std::nullopt;
      address |= *part;
    }
  }
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8) {
    text += std::to_string((address >> shift) & 255);
    if (shift > 0) text += '.';
  }
  return text;
}

/// `text` is what stands between the brackets.
std::optional<std::string> ParseIpv6(std::string_view text) {
  // inet_pton takes the very grammar of the URL Standard (no zone, decimal IPv4 tail).
  if (text.size() >= INET6_ADDRSTRLEN || text.find('\0') != std::string_view::npos) {
    return std::nullopt;
  }
  std::array<unsigned char, 16> bytes{};
  if (inet_pton(AF_INET6, std::string(text).c_str(), bytes.data()) != 1) return std::nullopt;
  std::array<unsigned, 8> pieces{};
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    pieces[i] = static_cast<unsigned>(bytes[2 * i] << 8 | bytes[2 * i + 1]);
  }

  std::size_t longest_start = pieces.size();
  std::size_t longest = 1;  // only runs of two and more zeros are compressed
  for (std::size_t start = 0; start < pieces.size();) {
    std::size_t end = start;
    while (end < pieces.size() && pieces[end] == 0) ++end;
    if (end - start > longest) {
      longest_start = start;
      longest = end - start;
    }
    start = end + 1;
  }

  // inet_ntop writes IPv4-mapped addresses with dots, the URL Standard does not.
  std::string out = "[";
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (i == longest_start) {
      out += i == 0 ? "::" : ":";
      i += longest - 1;
      continue;
    }
    bool started = false;
    for (int shift = 12; shift >= 0; shift -= 4) {
      const unsigned digit = (pieces[i] >> shift) & 15;
      if (digit == 0 && !started && shift > 0) continue;
      started = true;
      out += "0123456789abcdef"[digit];
    }
    if (i + 1 < pieces.size()) out += ':';
  }
  out += ']';
  return out;
}

/// Calls `use(c, from, end)` for each code point of `utf8` and its bytes; false: it isn't UTF-8, or
/// `use` said so.
template <typename Use>
bool ForEachCodePoint(std::string_view utf8, Use use) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(utf8.data());
  for (std::size_t at = 0; at < utf8.size();) {
    const std::size_t from = at;
    UChar32 c = 0;
    U8_NEXT(bytes, at, utf8.size(), c);
    if (c < 0 || !use(c, utf8.substr(from, at - from))) return false;
  }
  return true;
}

/// `domain` as ICU 72 would take it, for any ICU; nullopt: it would not.
std::optional<std::string> KnownDomain(std::string_view domain) {
  constexpr UChar32 kCapitalSharpS = 0x1E9E;  // "ß" since Unicode 15.1
  std::string known;
  const bool is_known = ForEachCodePoint(domain, [&known](UChar32 c, std::string_view bytes) {
    known += c == kCapitalSharpS ? "ss" : bytes;
    return !IsForbiddenInNames(c);
  });
  return is_known ? std::optional(std::move(known)) : std::nullopt;
}

/// Domain to ASCII of the URL Standard, section 3.3, not strict.
std::optional<std::string> DomainToAscii(std::string_view domain) {
  const bool ascii = std::all_of(domain.begin(), domain.end(),
                                 [](char c) { return static_cast<signed char>(c) >= 0; });
  std::string lower(domain);
  std::transform(lower.begin(), lower.end(), lower.begin(), ToLower);
  // Without punycode to check, UTS 46 does nothing to ASCII but this.
  if (ascii && lower.find("xn--") == std::string::npos) return lower;

  UErrorCode status = U_ZERO_ERROR;
  static const UIDNA* const idna = [&status] {
    return uidna_openUTS46(UIDNA_CHECK_BIDI | UIDNA_CHECK_CONTEXTJ |
                               UIDNA_NONTRANSITIONAL_TO_ASCII | UIDNA_NONTRANSITIONAL_TO_UNICODE,
                           &status);
  }();
  const std::optional<std::string> known = KnownDomain(lower);
  if (idna == nullptr || !known.has_value()) return std::nullopt;
  std::string out(kMaxHostBytes, '\0');
  UIDNAInfo info = UIDNA_INFO_INITIALIZER;
  const std::int32_t length =
      uidna_nameToASCII_UTF8(idna, known->data(), static_cast<std::int32_t>(known->size()),
                             out.data(), static_cast<std::int32_t>(out.size()), &info, &status);
  // CheckHyphens and VerifyDnsLength are off in the standard; ICU has no switch for either.
  constexpr std::uint32_t kIgnored = UIDNA_ERROR_LEADING_HYPHEN | UIDNA_ERROR_TRAILING_HYPHEN |
                                     UIDNA_ERROR_HYPHEN_3_4 | UIDNA_ERROR_EMPTY_LABEL |
                                     UIDNA_ERROR_LABEL_TOO_LONG | UIDNA_ERROR_DOMAIN_NAME_TOO_LONG;
  if (U_FAILURE(status) || (info.errors & ~kIgnored) != 0) return std::nullopt;
  out.resize(static_cast<std::size_t>(length));
  // Punycode may hide characters that only a later Unicode knows.
  std::string decoded(4 * kMaxHostBytes, '\0');
  const std::int32_t decoded_length =
      uidna_nameToUnicodeUTF8(idna, out.data(), length, decoded.data(),
                              static_cast<std::int32_t>(decoded.size()), &info, &status);
  if (U_FAILURE(status)) return std::nullopt;
  decoded.resize(static_cast<std::size_t>(decoded_length));
  const bool is_known = ForEachCodePoint(
      decoded, [](UChar32 c, std::string_view /*bytes*/) { return IsAssigned(c); });
  return is_known ? std::optional(std::move(out)) : std::nullopt;
}

/// Host parsing of the URL Standard, section 3.5; nullopt: the URL is invalid.
std::optional<std::string> ParseHost(std::string_view given) {
  if (given.starts_with('[')) {
    if (!given.ends_with(']')) return std::nullopt;
    return ParseIpv6(given.substr(1, given.size() - 2));
  }
  std::string decoded;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (decoded.size() == kMaxHostBytes) return std::nullopt;
    const std::optional<char> byte = EscapedByte(given, i);
    decoded += byte.value_or(given[i]);
    if (byte) i += 2;
  }
  const std::optional<std::string> domain = DomainToAscii(decoded);
  if (!domain || domain->empty()) return std::nullopt;
  if (std::any_of(domain->begin(), domain->end(),
                  [](char c) { return Is(c, kForbiddenInDomain); })) {
    return std::nullopt;
  }
  const std::vector<std::string_view> labels = SplitLabels(*domain);
  return EndsInNumber(labels) ? ParseIpv4(labels) : domain;
}

/// ":8080" as it stands in a canonical URL, empty for the default port; nullopt: invalid.
std::optional<std::string> ParsePort(std::string_view digits, unsigned default_port) {
  unsigned port = 0;
  for (const char c : digits) {
    if (!IsDigit(c)) return std::nullopt;
    port = port * 10 + static_cast<unsigned>(c - '0');
    if (port > 65535) return std::nullopt;
  }
  if (digits.empty() || port == default_port) return std::string();
  return ":" + std::to_string(port);
}

void AppendUserinfo(std::string_view userinfo, std::string& out) {
  const std::size_t colon = userinfo.find(':');
  const std::string_view user = userinfo.substr(0, colon);
  const std::string_view password =
      colon == std::string_view::npos ? std::string_view() : userinfo.substr(colon + 1);
  AppendNormalized(user, kEscapedInUserinfo, out);
  if (!password.empty()) {
    out += ':';
    AppendNormalized(password, kEscapedInUserinfo, out);
  }
  if (!user.empty() || !password.empty()) out += '@';
}

/// Appends the path with its dot segments resolved. Taking a segment back costs no more than
/// appending it did, so the whole stays linear.
void AppendPath(std::string_view path, std::string& out) {
  const std::size_t start = out.size();
  for (bool last = false; !last;) {
    if (!path.empty()) path.remove_prefix(1);  // the slash
    const std::size_t end = path.find_first_of("/\\");
    last = end == std::string_view::npos;
    const std::size_t segment_start = out.size();
    out += '/';
    AppendNormalized(path.substr(0, end), kEscapedInPath, out);
    const std::string_view segment = std::string_view(out).substr(segment_start);
    if (segment == "/." || segment == "/..") {
      const bool up = segment == "/..";
      out.resize(segment_start);
      if (up && segment_start > start) out.resize(out.rfind('/'));
      if (last) out += '/';
    }
    if (!last) path.remove_prefix(end);
  }
}

/// `rest` is what follows "http:" or "https:", without fragment.
std::optional<CanonicalUrl> CanonicalizeWeb(std::string scheme, std::string_view rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of("/\\"), rest.size()));
  const std::size_t authority_end = std::min(rest.find_first_of("/\\?"), rest.size());
  std::string_view authority = rest.substr(0, authority_end);
  rest.remove_prefix(authority_end);
  const std::size_t query_start = rest.find('?');
  const std::string_view path = rest.substr(0, query_start);

  std::string_view userinfo;
  if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
    userinfo = authority.substr(0, at);
    authority.remove_prefix(at + 1);
  }
  std::string_view port;
  const std::size_t bracket = authority.starts_with('[') ? authority.find(']') : 0;
  if (const std::size_t colon = authority.find(':', bracket); colon != std::string_view::npos) {
    port = authority.substr(colon + 1);
    authority = authority.substr(0, colon);
  }
  std::optional<std::string> host = ParseHost(authority);
  const std::optional<std::string> suffix = ParsePort(port, scheme == "https" ? 443 : 80);
  if (!host || !suffix) return std::nullopt;

  CanonicalUrl result;
  result.host = std::move(*host);
  result.url = std::move(scheme) + "://";
  AppendUserinfo(userinfo, result.url);
  result.url += result.host;
  result.url += *suffix;
  const std::size_t path_start = result.url.size();
  AppendPath(path, result.url);
  result.path_depth = CountSegments(std::string_view(result.url).substr(path_start));
  if (query_start != std::string_view::npos) {
    result.url += '?';
    AppendNormalized(rest.substr(query_start + 1), kEscapedInQuery, result.url);
  }
  return result;
}

CanonicalUrl CanonicalizeOther(const std::string& scheme, std::string_view rest) {
  rest = TrimEnd(rest);  // of the white space that stood before the fragment
  CanonicalUrl result;
  result.url = scheme + ':';
  AppendWithControlsEscaped(rest, result.url);
  std::string_view path = rest.substr(0, rest.find('?'));
  if (path.starts_with("//")) path.remove_prefix(std::min(path.find('/', 2), path.size()));
  if (path.starts_with('/')) result.path_depth = CountSegments(path);
  return result;
}

}  // namespace

CanonicalUrl CanonicalizeUrl(std::string_view url) {
  std::string cleaned(Trim(url));
  std::erase_if(cleaned, IsTabOrNewline);
  std::string_view rest = std::string_view(cleaned).substr(0, cleaned.find('#'));
  if (std::optional<std::string> scheme = TakeScheme(rest)) {
    if (*scheme != "http" && *scheme != "https") return CanonicalizeOther(*scheme, rest);
    if (std::optional<CanonicalUrl> parsed = CanonicalizeWeb(std::move(*scheme), rest)) {
      return std::move(*parsed);
    }
  }
  CanonicalUrl result;
  AppendWithControlsEscaped(cleaned, result.url);
  return result;
}

}  // namespace crawlsieve::extract
