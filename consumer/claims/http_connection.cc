#include "consumer/claims/http_connection.h"

#include "consumer/claims/address.h"
#include "consumer/claims/store_url.h"
#include "consumer/input/formats/header_block.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <utility>

#include <curl/curl.h>
#include <fmt/format.h>
#include <sys/socket.h>

namespace crawlsieve::consumer {
namespace {

using Kind = StoreFailure::Kind;

constexpr std::size_t kMaxHeaderBytes = 64 << 10;
/// Of what comes with an error.
constexpr std::size_t kMaxErrorBytes = 4 << 10;
/// S3 wants the SHA-256 of what a request sends, which is nothing. Not all versions of libcurl that
/// sign add it.
constexpr const char* kContentSha256 =
    "x-amz-content-sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

tl::unexpected<StoreFailure> Fail(Kind kind, std::string_view file, std::string_view what) {
  return tl::unexpected(StoreFailure{kind, fmt::format("{}: {}", file, what)});
}

bool IsWithin(curl_off_t time, std::chrono::milliseconds span) {
  if (time < 0) return false;
  const auto changed = std::chrono::system_clock::from_time_t(static_cast<std::time_t>(time));
  return std::chrono::abs(std::chrono::system_clock::now() - changed) < span;
}

}  // namespace

/// One request and what came of it so far. libcurl calls back on the thread that asks.
class HttpConnection::Request {
 public:
  Request(CURL* handle, std::uint64_t offset, std::size_t count, bool allow_private,
          const std::stop_token& stop)
      : handle_(handle),
        count_(count),
        allow_private_(allow_private),
        stop_(stop),
        range_(fmt::format("{}-{}", offset, offset + count - 1)) {}

  void SetCallbacks() {
    curl_easy_setopt(handle_, CURLOPT_RANGE, range_.c_str());
    curl_easy_setopt(handle_, CURLOPT_WRITEFUNCTION, &Request::OnBytes);
    curl_easy_setopt(handle_, CURLOPT_WRITEDATA, this);
    curl_easy_setopt(handle_, CURLOPT_HEADERFUNCTION, &Request::OnHeader);
    curl_easy_setopt(handle_, CURLOPT_HEADERDATA, this);
    curl_easy_setopt(handle_, CURLOPT_OPENSOCKETFUNCTION, &Request::OpenSocket);
    curl_easy_setopt(handle_, CURLOPT_OPENSOCKETDATA, this);
    curl_easy_setopt(handle_, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(handle_, CURLOPT_XFERINFOFUNCTION, &Request::OnProgress);
    curl_easy_setopt(handle_, CURLOPT_XFERINFODATA, this);
  }

  tl::expected<HttpAnswer, StoreFailure> Run(std::chrono::milliseconds growing,
                                             std::string_view file) {
    const CURLcode code = curl_easy_perform(handle_);
    if (is_refused_) {
      return Fail(Kind::kUnavailable, file,
                  "the address of its server is not public; see "
                  "kafka.input.bodies.allow_private_addresses");
    }
    if (header_bytes_ > kMaxHeaderBytes) {
      return Fail(Kind::kUnavailable, file, "the header of the answer is too large");
    }
    const bool is_cut_by_us = answer_.has_more && code == CURLE_WRITE_ERROR;
    if (code != CURLE_OK && !is_cut_by_us) {
      return Fail(code == CURLE_URL_MALFORMAT ? Kind::kRefused : Kind::kUnavailable, file,
                  curl_easy_strerror(code));
    }
    curl_easy_getinfo(handle_, CURLINFO_RESPONSE_CODE, &answer_.status);
    curl_off_t changed = -1;
    curl_easy_getinfo(handle_, CURLINFO_FILETIME_T, &changed);
    answer_.may_grow = IsWithin(changed, growing);
    return std::move(answer_);
  }

 private:
  static std::size_t OnBytes(const char* bytes, std::size_t size, std::size_t count, void* data) {
    auto& request = *static_cast<Request*>(data);
    std::string& held = request.answer_.bytes;
    if (held.empty()) request.MakeRoom();
    const std::size_t got = size * count;
    const std::size_t room = request.room_ - held.size();
    held.append(bytes, std::min(got, room));
    request.answer_.has_more = got > room;
    return request.answer_.has_more ? 0 : got;
  }

  /// When the first bytes are there.
  void MakeRoom() {
    long status = 0;
    curl_easy_getinfo(handle_, CURLINFO_RESPONSE_CODE, &status);
    curl_off_t length = -1;
    curl_easy_getinfo(handle_, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
    room_ = status == 200 || status == 206 ? count_ : kMaxErrorBytes;
    const bool is_shorter = length >= 0 && static_cast<std::uint64_t>(length) < room_;
    answer_.bytes.reserve(is_shorter ? static_cast<std::size_t>(length) : room_);
  }

  static std::size_t OnHeader(const char* bytes, std::size_t size, std::size_t count, void* data) {
    auto& request = *static_cast<Request*>(data);
    const std::string_view line(bytes, size * count);
    request.header_bytes_ += line.size();
    if (request.header_bytes_ > kMaxHeaderBytes) return 0;
    HttpAnswer& answer = request.answer_;
    const std::size_t colon = line.find(':');
    // A start line: of the answer, after those of interim ones.
    if (StartsWithIgnoringCase(line, "HTTP/")) answer = {};
    if (colon == std::string_view::npos) return line.size();
    const std::string_view name = line.substr(0, colon);
    const std::string_view value = TrimSpaces(line.substr(colon + 1));
    if (EqualsIgnoringCase(name, "content-range")) answer.content_range = value;
    if (EqualsIgnoringCase(name, "content-length")) answer.has_end = true;
    if (EqualsIgnoringCase(name, "transfer-encoding")) {
      answer.has_end = EqualsIgnoringCase(value, "chunked");
    }
    if (EqualsIgnoringCase(name, "content-encoding")) {
      answer.is_encoded = !value.empty() && !EqualsIgnoringCase(value, "identity");
    }
    return line.size();
  }

  static curl_socket_t OpenSocket(void* data, curlsocktype /*purpose*/, curl_sockaddr* address) {
    auto& request = *static_cast<Request*>(data);
    request.is_refused_ = !request.allow_private_ && !IsPublicAddress(address->addr);
    if (request.is_refused_) return CURL_SOCKET_BAD;
    return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
  }

  static int OnProgress(void* data, curl_off_t /*down*/, curl_off_t /*downloaded*/,
                        curl_off_t /*up*/, curl_off_t /*uploaded*/) {
    return static_cast<const Request*>(data)->stop_.stop_requested() ? 1 : 0;
  }

  CURL* const handle_;
  const std::size_t count_;
  const bool allow_private_;
  const std::stop_token& stop_;
  const std::string range_;
  HttpAnswer answer_;
  std::size_t room_ = 0;
  std::size_t header_bytes_ = 0;
  bool is_refused_ = false;  ///< the address that was tried last isn't public
};

bool HttpConnection::StartLibrary() {
  static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
  return started == CURLE_OK;
}

HttpConnection::HttpConnection(const ClaimOptions& options)
    : options_(options),
      s3_headers_(curl_slist_append(nullptr, kContentSha256)),
      handle_(curl_easy_init()) {}

HttpConnection::~HttpConnection() = default;

void HttpConnection::FreeHandle::operator()(void* handle) const { curl_easy_cleanup(handle); }

void HttpConnection::FreeList::operator()(curl_slist* list) const { curl_slist_free_all(list); }

void HttpConnection::Configure(Request& request, const std::string& url) {
  CURL* const handle = handle_.get();
  const bool is_signed = !options_.s3_access_key.empty() && url.find('?') == std::string::npos;
  curl_easy_reset(handle);  // connections stay
  curl_easy_setopt(handle, CURLOPT_URL, (is_signed ? WithCanonicalPath(url) : url).c_str());
  curl_easy_setopt(handle, CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(handle, CURLOPT_PROXY, "");
  curl_easy_setopt(handle, CURLOPT_NOPROXY, "*");
  curl_easy_setopt(handle, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_USERAGENT, "crawlsieve");
  curl_easy_setopt(handle, CURLOPT_ACCEPT_ENCODING, "identity");
  curl_easy_setopt(handle, CURLOPT_HTTP_CONTENT_DECODING, 0L);
  curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, static_cast<long>(options_.timeout.count()));
  curl_easy_setopt(handle, CURLOPT_FILETIME, 1L);
  request.SetCallbacks();
  if (!is_signed) return;
  const std::string provider = fmt::format("aws:amz:{}:s3", options_.s3_region);
  curl_easy_setopt(handle, CURLOPT_AWS_SIGV4, provider.c_str());
  curl_easy_setopt(handle, CURLOPT_HTTPHEADER, s3_headers_.get());
  curl_easy_setopt(handle, CURLOPT_USERNAME, options_.s3_access_key.c_str());
  curl_easy_setopt(handle, CURLOPT_PASSWORD, options_.s3_secret_key.c_str());
}

tl::expected<HttpAnswer, StoreFailure> HttpConnection::Get(const std::string& url,
                                                           std::string_view file,
                                                           std::uint64_t offset, std::size_t count,
                                                           const std::stop_token& stop) {
  if (handle_ == nullptr || s3_headers_ == nullptr) {
    return Fail(Kind::kUnavailable, file, "libcurl has no memory");
  }
  Request request(handle_.get(), offset, count, options_.allow_private_addresses, stop);
  Configure(request, url);
  return request.Run(options_.growing, file);
}

}  // namespace crawlsieve::consumer
