#include "consumer/observability/http_client.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

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

/// A server and what is asked of it.
struct Target {
  std::unique_ptr<httplib::Client> client;
  std::string path;
};

Result<Target> TargetOf(const std::string& url, std::chrono::milliseconds timeout,
                        const HttpAccess& access) {
  const std::string_view scheme = url.starts_with("https://")  ? "https://"
                                  : url.starts_with("http://") ? "http://"
                                                               : "";
  if (scheme.empty() || url.size() == scheme.size()) {
    return MakeError(ErrorCode::kInvalidInput,
                     fmt::format("{} doesn't begin with http:// or https://", url));
  }
  const std::size_t slash = url.find('/', scheme.size());
  Target target;
  target.path = slash == std::string::npos ? "/" : url.substr(slash);
  target.client = std::make_unique<httplib::Client>(url.substr(0, slash));
  if (!target.client->is_valid()) {
    return MakeError(ErrorCode::kInvalidInput, fmt::format("{} is not {}host:port/", url, scheme));
  }
  if (!access.ca_file.empty()) target.client->set_ca_cert_path(access.ca_file);
  if (!access.token.empty()) target.client->set_bearer_token_auth(access.token);
  target.client->set_connection_timeout(timeout);
  target.client->set_read_timeout(timeout);
  target.client->set_write_timeout(timeout);
  return target;
}

Error TooLong(const std::string& url) {
  return {ErrorCode::kIo, fmt::format("{} answers more than {} bytes", url, kMaxBodyBytes)};
}

Error NoAnswer(const std::string& url, httplib::Error error) {
  return {ErrorCode::kIo, fmt::format("{} doesn't answer: {}", url, Words(error))};
}

Error WantsToken(const std::string& url, const HttpAccess& access) {
  return {ErrorCode::kIo,
          fmt::format("{} wants {}", url,
                      access.token.empty() ? "a token: --token-file, or http.token_file"
                                           : "another token than the one it was sent")};
}

}  // namespace

Result<std::string> HttpGet(const std::string& url, std::chrono::milliseconds timeout,
                            const HttpAccess& access) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto target, TargetOf(url, timeout, access));
  std::string body;
  bool is_too_long = false;
  const httplib::Result answer =
      target.client->Get(target.path, [&](const char* data, std::size_t size) {
        is_too_long = body.size() + size > kMaxBodyBytes;
        if (!is_too_long) body.append(data, size);
        return !is_too_long;
      });
  if (is_too_long) return tl::unexpected(TooLong(url));
  if (!answer) return tl::unexpected(NoAnswer(url, answer.error()));
  if (answer->status == 401) return tl::unexpected(WantsToken(url, access));
  if (answer->status != 200) {
    return MakeError(ErrorCode::kIo, fmt::format("{} answers with status {}", url, answer->status));
  }
  return body;
}

Result<std::string> HttpPostJson(const std::string& url, const std::string& json,
                                 std::chrono::milliseconds timeout, const HttpAccess& access) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto target, TargetOf(url, timeout, access));
  httplib::Request request;
  request.method = "POST";
  request.path = target.path;
  request.headers = {{"Content-Type", "application/json"}};
  request.body = json;
  std::string body;
  bool is_too_long = false;
  request.content_receiver = [&](const char* data, std::size_t size, std::uint64_t /*offset*/,
                                 std::uint64_t /*length*/) {
    is_too_long = body.size() + size > kMaxBodyBytes;
    if (!is_too_long) body.append(data, size);
    return !is_too_long;
  };
  const httplib::Result answer = target.client->send(request);
  if (is_too_long) return tl::unexpected(TooLong(url));
  if (!answer) return tl::unexpected(NoAnswer(url, answer.error()));
  if (answer->status == 200) return body;
  if (answer->status == 401) return tl::unexpected(WantsToken(url, access));
  while (body.ends_with('\n')) body.pop_back();
  if (answer->status == 400) return MakeError(ErrorCode::kInvalidInput, std::move(body));
  if (answer->status == 503) return MakeError(ErrorCode::kBusy, std::move(body));
  if (answer->status == 404 || answer->status == 405) {
    return MakeError(ErrorCode::kIo,
                     fmt::format("{} answers with status {}: is it a crawlsieve of this version?",
                                 url, answer->status));
  }
  return MakeError(ErrorCode::kIo,
                   fmt::format("{} answers with status {}: {}", url, answer->status, body));
}

}  // namespace crawlsieve::consumer
