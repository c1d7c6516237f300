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
    default:
      return httplib::to_string(error);
  }
}

}  // namespace

Result<std::string> HttpGet(const std::string& url, std::chrono::milliseconds timeout) {
  constexpr std::string_view kScheme = "http://";
  if (!url.starts_with(kScheme) || url.size() == kScheme.size()) {
    return MakeError(ErrorCode::kInvalidInput, fmt::format("{} doesn't begin with http://", url));
  }
  const std::size_t slash = url.find('/', kScheme.size());
  const std::string path = slash == std::string::npos ? "/" : url.substr(slash);
  httplib::Client client(url.substr(0, slash));
  if (!client.is_valid()) {
    return MakeError(ErrorCode::kInvalidInput, fmt::format("{} is not http://host:port/", url));
  }
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
  if (answer->status != 200) {
    return MakeError(ErrorCode::kIo, fmt::format("{} answers with status {}", url, answer->status));
  }
  return body;
}

}  // namespace crawlsieve::consumer
