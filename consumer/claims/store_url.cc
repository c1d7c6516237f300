#include "consumer/claims/store_url.h"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

constexpr std::size_t kMaxStoreUrlBytes = 8192;
constexpr std::string_view kSchemeEnd = "://";

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

std::string PercentDecoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? HexValue(text[i + 1]) : -1;
    const int low = high < 0 ? -1 : HexValue(text[i + 2]);
    if (low < 0) {
      decoded += text[i];
      continue;
    }
    decoded += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return decoded;
}

bool IsUnreserved(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         std::string_view("-._~").find(c) != std::string_view::npos;
}

std::string EncodedPath(std::string_view path) {
  std::string encoded;
  for (const char c : path) {
    if (IsUnreserved(c) || c == '/') {
      encoded += c;
    } else {
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return encoded;
}

/// Whether no part of `path` leads to itself or up, in any spelling.
bool LeadsDown(std::string_view path) {
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string part = PercentDecoded(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
    // Some servers cut parameters off a part before they look at it.
    const std::string_view name = std::string_view(part).substr(0, part.find(';'));
    if (name == "." || name == ".." ||
        part.find_first_of(std::string_view("/\\\0", 3)) != std::string::npos) {
      return false;
    }
  }
  return true;
}

bool IsVisibleAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7F; });
}

/// Where the path of `url` begins, which has an authority.
std::size_t PathBegin(std::string_view url) {
  const std::size_t authority = url.find(kSchemeEnd) + kSchemeEnd.size();
  return std::min(url.find_first_of("/?#\\", authority), url.size());
}

/// The root of `bucket` as `root` spells it; nullopt: it names no such bucket.
std::optional<std::string> BucketRoot(const std::string& root, std::string_view bucket) {
  if (bucket.empty()) return std::nullopt;
  const std::size_t path = PathBegin(root);
  const std::size_t part = root.find(fmt::format("/{}/", bucket), path);
  if (part != std::string::npos) return root.substr(0, part + bucket.size() + 2);
  const std::size_t host = root.find(kSchemeEnd) + kSchemeEnd.size();
  const std::string_view authority = std::string_view(root).substr(host, path - host);
  if (authority.starts_with(fmt::format("{}.", bucket))) return root.substr(0, path + 1);
  return std::nullopt;
}

std::optional<std::string> NameBelow(const std::string& root, std::string_view name) {
  while (name.starts_with('/')) name.remove_prefix(1);
  if (name.empty() || !LeadsDown(name)) return std::nullopt;
  return root + EncodedPath(name);
}

}  // namespace

Result<StoreUrl> StoreUrl::Parse(std::string_view text) {
  std::string url(text);
  if (!url.ends_with('/')) url += '/';
  const bool is_http = url.starts_with("http://") || url.starts_with("https://");
  const std::size_t path = is_http ? PathBegin(url) : 0;
  const std::size_t host = is_http ? url.find(kSchemeEnd) + kSchemeEnd.size() : 0;
  const bool is_good = is_http && path > host && url.size() <= kMaxStoreUrlBytes &&
                       url.find('@') > path && url.find_first_of("?#") == std::string::npos &&
                       IsVisibleAscii(url) && LeadsDown(std::string_view(url).substr(path));
  if (!is_good) {
    return MakeError(ErrorCode::kInvalidConfig,
                     "kafka.input.bodies.url must be http://HOST/ or https://HOST/, with a path if "
                     "there is one, without user, query and fragment");
  }
  return StoreUrl(std::move(url));
}

std::optional<std::string> StoreUrl::Below(const std::string& file) const {
  if (file.empty() || file.size() > kMaxStoreUrlBytes) return std::nullopt;
  constexpr std::string_view kS3 = "s3://";
  if (file.starts_with(kS3)) {
    const std::string_view rest = std::string_view(file).substr(kS3.size());
    const std::size_t slash = rest.find('/');
    if (slash == std::string_view::npos) return std::nullopt;
    const auto bucket = BucketRoot(text_, rest.substr(0, slash));
    auto url = bucket ? NameBelow(*bucket, rest.substr(slash + 1)) : std::nullopt;
    // The root may be a part of the bucket only.
    const bool is_below = url && url->size() > text_.size() && url->starts_with(text_);
    return is_below ? std::move(url) : std::nullopt;
  }
  if (file.find(kSchemeEnd) == std::string::npos) {
    return file.starts_with("file:") ? std::nullopt : NameBelow(text_, file);
  }
  if (!file.starts_with(text_) || !IsVisibleAscii(file) || file.find('#') != std::string::npos) {
    return std::nullopt;
  }
  const std::string_view below = std::string_view(file).substr(text_.size());
  const std::string_view path = below.substr(0, below.find('?'));
  if (path.empty() || !LeadsDown(path)) return std::nullopt;
  return file;
}

std::string WithCanonicalPath(std::string_view url) {
  const std::size_t path = PathBegin(url);
  return std::string(url.substr(0, path)) + EncodedPath(PercentDecoded(url.substr(path)));
}

}  // namespace crawlsieve::consumer
