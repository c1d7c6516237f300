#include "consumer/claims/http_store.h"

#include "consumer/claims/address.h"
#include "consumer/input/formats/body_ref.h"
#include "consumer/input/formats/header_block.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string_view>
#include <utility>

#include <curl/curl.h>
#include <fmt/format.h>
#include <sys/socket.h>

namespace crawlsieve::consumer {
namespace {

using Kind = StoreFailure::Kind;

constexpr std::size_t kMaxUrlBytes = 8192;
constexpr std::string_view kOpenSuffix = ".open";

tl::unexpected<StoreFailure> Fail(Kind kind, std::string message) {
  return tl::unexpected(StoreFailure{kind, std::move(message)});
}

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool IsAlphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::string Decoded(std::string_view part) {
  std::string text;
  for (std::size_t i = 0; i < part.size(); ++i) {
    const int high = part[i] == '%' && i + 2 < part.size() ? HexValue(part[i + 1]) : -1;
    const int low = high < 0 ? -1 : HexValue(part[i + 2]);
    if (low >= 0) {
      text += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      text += part[i];
    }
  }
  return text;
}

/// Whether no part of `path` leads to itself or up, in any spelling.
bool LeadsDown(std::string_view path) {
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string part = Decoded(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
    if (part == "." || part == ".." || part.find('/') != std::string::npos ||
        part.find('\\') != std::string::npos) {
      return false;
    }
  }
  return true;
}

std::optional<std::string> BelowByName(const std::string& base, std::string_view name) {
  while (name.starts_with('/')) name.remove_prefix(1);
  if (name.empty() || name.find('\0') != std::string_view::npos || !LeadsDown(name)) {
    return std::nullopt;
  }
  std::string url = base;
  for (const char c : name) {
    const bool is_plain = IsAlphanumeric(c) || std::string_view("-._~/").find(c) != std::string::npos;
    if (is_plain) {
      url += c;
    } else {
      url += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return url;
}

/// Between `://` and the path.
std::string_view AuthorityOf(std::string_view url) {
  const std::size_t begin = url.find("://");
  if (begin == std::string_view::npos) return {};
  url.remove_prefix(begin + 3);
  return url.substr(0, url.find_first_of("/?#"));
}

bool IsBucketOf(std::string_view base, std::string_view bucket) {
  if (bucket.empty()) return false;
  const std::string_view host = AuthorityOf(base);
  if (host.starts_with(bucket) && host.substr(bucket.size()).starts_with('.')) return true;
  base.remove_suffix(1);
  return base.ends_with(bucket) && base[base.size() - bucket.size() - 1] == '/' &&
         base.find("://") + 2 < base.size() - bucket.size() - 1;
}

}  // namespace

std::optional<std::string> UrlBelow(const std::string& base, const std::string& file) {
  if (file.empty() || file.size() > kMaxUrlBytes || base.empty()) return std::nullopt;
  constexpr std::string_view kS3 = "s3://";
  if (file.starts_with(kS3)) {
    const std::string_view rest = std::string_view(file).substr(kS3.size());
    const std::size_t slash = rest.find('/');
    if (slash == std::string_view::npos || !IsBucketOf(base, rest.substr(0, slash))) {
      return std::nullopt;
    }
    return BelowByName(base, rest.substr(slash + 1));
  }
  if (file.find("://") == std::string::npos) {
    return file.starts_with("file:") ? std::nullopt : BelowByName(base, file);
  }
  if (!file.starts_with(base)) return std::nullopt;
  const bool is_visible =
      std::all_of(file.begin(), file.end(), [](char c) { return c > ' ' && c < 0x7F; });
  const std::string_view below = std::string_view(file).substr(base.size());
  const std::string_view path = below.substr(0, below.find_first_of("?#"));
  if (!is_visible || path.empty() || file.find('#') != std::string::npos || !LeadsDown(path)) {
    return std::nullopt;
  }
  return file;
}

/// One handle of libcurl, which keeps its connection for the next request.
class HttpStore::Connection {
 public:
  Connection() : handle_(curl_easy_init()) {}
  ~Connection() { curl_easy_cleanup(handle_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  [[nodiscard]] bool is_usable() const { return handle_ != nullptr; }

  tl::expected<StoredBytes, StoreFailure> Get(const ClaimOptions& options, const std::string& url,
                                              const std::string& shown, std::uint64_t offset,
                                              std::size_t count, const std::stop_token& stop) {
    answer_ = {};
    answer_.offset = offset;
    answer_.count = count;
    answer_.stop = &stop;
    answer_.allow_private = options.allow_private_addresses;
    Configure(options, url, fmt::format("{}-{}", offset, offset + count - 1));
    const CURLcode code = curl_easy_perform(handle_);
    curl_easy_getinfo(handle_, CURLINFO_RESPONSE_CODE, &answer_.status);
    curl_off_t changed = -1;
    curl_easy_getinfo(handle_, CURLINFO_FILETIME_T, &changed);
    answer_.stop = nullptr;
    auto read = Judge(code, shown);
    if (read && changed >= 0) {
      const auto time = std::chrono::system_clock::from_time_t(static_cast<std::time_t>(changed));
      read->may_grow = std::chrono::abs(std::chrono::system_clock::now() - time) < options.growing;
    }
    return read;
  }

 private:
  struct Answer {
    std::uint64_t offset = 0;
    std::size_t count = 0;
    const std::stop_token* stop = nullptr;
    bool allow_private = false;
    long status = 0;
    std::string range;  ///< Content-Range
    std::string bytes;
    bool is_full = false;     ///< more came than was asked for
    bool is_refused = false;  ///< the address isn't public
  };

  /// What the end of a request comes to.
  tl::expected<StoredBytes, StoreFailure> Judge(CURLcode code, const std::string& shown) {
    if (answer_.is_refused) {
      return Fail(Kind::kUnavailable,
                  shown + ": the address of its server is not public; see "
                          "kafka.input.bodies.allow_private_addresses");
    }
    const bool is_cut_by_us = answer_.is_full && code == CURLE_WRITE_ERROR;
    if (code != CURLE_OK && !is_cut_by_us) {
      return Fail(Kind::kUnavailable, fmt::format("{}: {}", shown, curl_easy_strerror(code)));
    }
    switch (answer_.status) {
      case 206: {
        const std::string expected = fmt::format("bytes {}-", answer_.offset);
        if (!StartsWithIgnoringCase(answer_.range, expected)) {
          return Fail(Kind::kUnavailable, shown + ": the server answers with another range");
        }
        const std::string_view rest = std::string_view(answer_.range).substr(expected.size());
        const auto last = ParseNumber(rest.substr(0, rest.find('/')));
        if (!last || *last < answer_.offset ||
            *last - answer_.offset + 1 != answer_.bytes.size()) {
          return Fail(Kind::kUnavailable, shown + ": the answer is cut");
        }
        return StoredBytes{std::move(answer_.bytes), false};
      }
      case 200:
        if (answer_.offset == 0) return StoredBytes{std::move(answer_.bytes), false};
        return Fail(Kind::kUnavailable, shown + ": the server serves no ranges");
      case 404:
      case 410:
      case 416:
        return Fail(Kind::kNotFound, fmt::format("{}: HTTP {}", shown, answer_.status));
      default:
        return Fail(Kind::kUnavailable, fmt::format("{}: HTTP {}", shown, answer_.status));
    }
  }

  void Configure(const ClaimOptions& options, const std::string& url, const std::string& range) {
    CURL* const handle = handle_;
    curl_easy_reset(handle);  // connections stay
    curl_easy_setopt(handle, CURLOPT_URL, url.c_str());
    curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(handle, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(handle, CURLOPT_PROXY, "");
    curl_easy_setopt(handle, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(handle, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
    curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(handle, CURLOPT_USERAGENT, "crawlsieve");
    curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, static_cast<long>(options.timeout.count()));
    curl_easy_setopt(handle, CURLOPT_FILETIME, 1L);
    curl_easy_setopt(handle, CURLOPT_RANGE, range.c_str());
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, &Connection::OnBytes);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, &answer_);
    curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, &Connection::OnHeader);
    curl_easy_setopt(handle, CURLOPT_HEADERDATA, &answer_);
    curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, &Connection::OpenSocket);
    curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, &answer_);
    curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, &Connection::OnProgress);
    curl_easy_setopt(handle, CURLOPT_XFERINFODATA, &answer_);
    if (options.s3_access_key.empty()) return;
    const std::string signature = fmt::format("aws:amz:{}:s3", options.s3_region);
    const std::string credentials =
        fmt::format("{}:{}", options.s3_access_key, options.s3_secret_key);
    curl_easy_setopt(handle, CURLOPT_AWS_SIGV4, signature.c_str());
    curl_easy_setopt(handle, CURLOPT_USERPWD, credentials.c_str());
  }

  static std::size_t OnBytes(const char* bytes, std::size_t size, std::size_t count, void* data) {
    auto& answer = *static_cast<Answer*>(data);
    const std::size_t got = size * count;
    const std::size_t room = answer.count - answer.bytes.size();
    answer.bytes.append(bytes, std::min(got, room));
    answer.is_full = got > room;
    return answer.is_full ? 0 : got;
  }

  static std::size_t OnHeader(const char* bytes, std::size_t size, std::size_t count, void* data) {
    auto& answer = *static_cast<Answer*>(data);
    const std::string_view line(bytes, size * count);
    constexpr std::string_view kRange = "content-range:";
    if (StartsWithIgnoringCase(line, kRange)) {
      answer.range = TrimSpaces(line.substr(kRange.size()));
    }
    return line.size();
  }

  static curl_socket_t OpenSocket(void* data, curlsocktype /*purpose*/, curl_sockaddr* address) {
    auto& answer = *static_cast<Answer*>(data);
    if (!answer.allow_private && !IsPublicAddress(address->addr)) {
      answer.is_refused = true;
      return CURL_SOCKET_BAD;
    }
    answer.is_refused = false;
    return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
  }

  static int OnProgress(void* data, curl_off_t /*down*/, curl_off_t /*downloaded*/,
                        curl_off_t /*up*/, curl_off_t /*uploaded*/) {
    const auto& answer = *static_cast<const Answer*>(data);
    return answer.stop != nullptr && answer.stop->stop_requested() ? 1 : 0;
  }

  CURL* const handle_;
  Answer answer_;
};

HttpStore::HttpStore(ClaimOptions options) : options_(std::move(options)) {}

HttpStore::~HttpStore() = default;

Result<std::unique_ptr<HttpStore>> HttpStore::Make(const ClaimOptions& options) {
  ClaimOptions own = options;
  if (!own.url.ends_with('/')) own.url += '/';
  const std::string_view authority = AuthorityOf(own.url);
  const bool is_http = own.url.starts_with("http://") || own.url.starts_with("https://");
  if (!is_http || authority.empty() || authority.find('@') != std::string_view::npos ||
      own.url.find_first_of("?#") != std::string::npos) {
    return MakeError(ErrorCode::kInvalidConfig,
                     "kafka.input.bodies.url must be http://HOST/ or https://HOST/, with a path if "
                     "there is one, without user, query and fragment");
  }
  // Once a process; what it comes to is remembered.
  static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (started != CURLE_OK) return MakeError(ErrorCode::kIo, "libcurl can't start");
  return std::unique_ptr<HttpStore>(new HttpStore(std::move(own)));
}

tl::expected<StoredBytes, StoreFailure> HttpStore::Read(const std::string& file,
                                                        std::uint64_t offset, std::size_t count,
                                                        const std::stop_token& stop) {
  const std::string shown = ShownFile(file);
  const std::optional<std::string> url = UrlBelow(options_.url, file);
  if (!url) return Fail(Kind::kRefused, fmt::format("{}: not below {}", shown, options_.url));
  auto read = Get(*url, shown, offset, count, stop);
  const bool may_be_open = !read && read.error().kind == Kind::kNotFound && offset > 0 &&
                           url->find('?') == std::string::npos;
  if (!may_be_open) return read;
  auto open = Get(*url + std::string(kOpenSuffix), shown, offset, count, stop);
  return !open && open.error().kind == Kind::kNotFound ? std::move(read) : std::move(open);
}

tl::expected<StoredBytes, StoreFailure> HttpStore::Get(const std::string& url,
                                                       const std::string& shown,
                                                       std::uint64_t offset, std::size_t count,
                                                       const std::stop_token& stop) {
  std::unique_ptr<Connection> connection = TakeConnection();
  if (connection == nullptr) return Fail(Kind::kUnavailable, "libcurl has no handle");
  auto read = connection->Get(options_, url, shown, offset, count, stop);
  GiveBack(std::move(connection));
  return read;
}

std::unique_ptr<HttpStore::Connection> HttpStore::TakeConnection() {
  {
    const MutexLock lock(mutex_);
    if (!free_.empty()) {
      auto connection = std::move(free_.back());
      free_.pop_back();
      return connection;
    }
  }
  auto connection = std::make_unique<Connection>();
  return connection->is_usable() ? std::move(connection) : nullptr;
}

void HttpStore::GiveBack(std::unique_ptr<Connection> connection) {
  const MutexLock lock(mutex_);
  free_.push_back(std::move(connection));
}

}  // namespace crawlsieve::consumer
