#include "consumer/observability/http_client.h"

#include <cstddef>
#include <string_view>

#include <fmt/format.h>
#include <httplib.h>

namespace crawlsieve::consumer {
namespace {

constexpr std::size_t kMaxBodyBytes = 4 << 20;

std::string Words(httplib::Error error) {
  switch (error) {
    case httplib::Error::Connection:
      return "no connection";
    case httplib::Error::ConnectionTimeout:
      return "no connection in time";
    case httplib::Error::Read:
      return "nothing came, or no HTTP";
    case httplib::Error::Write:
      return "the connection broke";
    case httplib::Error::SSLConnection:
      return "no TLS: the server speaks http, or the handshake failed";
    case httplib::Error::SSLLoadingCerts:
      return "the file of trusted certificates can't be read";
    case httplib::Error::SSLServerVerification:
      return "its certificate isn't signed by a trusted one, has expired, or is of another host "
             "(--ca names a file of trusted ones)";
    default:
      return httplib::to_string(error);
  }
}

}  // namespace

Result<std::string> HttpGet(const std::string& url, std::chrono::milliseconds timeout,
                            const HttpAccess& access) {
  const std::string_view scheme = url.starts_with("https://")  ? "https://"
                                  : url.starts_with("http://") ? "http://"
                                                               : "";
  if (scheme.empty() || url.size() == scheme.size()) {
    return MakeError(ErrorCode::kInvalidInput,
                     fmt::format("{} doesn't begin with http:// or https://", url));
  }
  const std::size_t slash = url.find('/', scheme.size());
  const std::string path = slash == std::string::npos ? "/" : url.substr(slash);
  httplib::Client client(url.substr(0, slash));
  if (!client.is_valid()) {
    return MakeError(ErrorCode::kInvalidInput, fmt::format("{} is not {}host:port/", url, scheme));
  }
  if (!access.ca_file.empty()) client.set_ca_cert_path(access.ca_file);
  if (!access.token.empty()) client.set_bearer_token_auth(access.token);
  client.set_connection_timeout(timeout);
  client.set_read_timeout(timeout);
  client.set_write_timeout(timeout);
  std::string body;
  bool is_too_long = false;
  const httplib::Result answer = client.Get(path, [&](const char* data, std::size_t size) {
    is_too_long = body.size() + size > kMaxBodyBytes;
    if (!is_too_long) body.append(data, size);
    return !is_too_long;
  });
  if (is_too_long) {
    return MakeError(ErrorCode::kIo,
                     fmt::format("{} answers more than {} bytes", url, kMaxBodyBytes));
  }
  if (!answer) {
    return MakeError(ErrorCode::kIo,
                     fmt::format("{} doesn't answer: {}", url, Words(answer.error())));
  }
  if (answer->status == 401) {
    return MakeError(ErrorCode::kIo,
                     fmt::format("{} wants {}", url,
                                 access.token.empty() ? "a token: --token-file, or http.token_file"
                                                      : "another token than the one it was sent"));
  }
  if (answer->status != 200) {
    return MakeError(ErrorCode::kIo, fmt::format("{} answers with status {}", url, answer->status));
  }
  return body;
}

}  // namespace crawlsieve::consumer
