#include "consumer/claims/http_store.h"

#include "consumer/claims/http_answer.h"
#include "consumer/input/formats/body_ref.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

using Kind = StoreFailure::Kind;

constexpr std::string_view kOpenSuffix = ".open";

bool IsRegion(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
  });
}

}  // namespace

HttpStore::HttpStore(ClaimOptions options, StoreUrl root)
    : options_(std::move(options)), root_(std::move(root)) {}

Result<std::unique_ptr<HttpStore>> HttpStore::Make(const ClaimOptions& options) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(StoreUrl root, StoreUrl::Parse(options.url));
  if (options.s3_access_key.empty() != options.s3_secret_key.empty()) {
    return MakeError(ErrorCode::kInvalidConfig,
                     "kafka.input.bodies.s3.access_key and kafka.input.bodies.s3.secret_key must "
                     "both be there, or neither");
  }
  if (!IsRegion(options.s3_region)) {
    return MakeError(ErrorCode::kInvalidConfig,
                     "kafka.input.bodies.s3.region must have letters, digits and - only");
  }
  if (!HttpConnection::StartLibrary()) return MakeError(ErrorCode::kIo, "libcurl can't start");
  return std::unique_ptr<HttpStore>(new HttpStore(options, std::move(root)));
}

tl::expected<StoredBytes, StoreFailure> HttpStore::Read(const std::string& file,
                                                        std::uint64_t offset, std::size_t count,
                                                        const std::stop_token& stop) {
  const std::string shown = ShownFile(file);
  const std::optional<std::string> url = root_.Below(file);
  if (!url) {
    return tl::unexpected(
        StoreFailure{Kind::kRefused, fmt::format("{}: not below {}", shown, root_.text())});
  }
  auto connection = TakeConnection();
  const auto get = [&](const std::string& from) {
    return connection->Get(from, shown, offset, count, stop).and_then([&](HttpAnswer answer) {
      return ReadAnswer(std::move(answer), offset, count, shown);
    });
  };
  const auto is_missing = [](const auto& read) {
    return !read && read.error().kind == Kind::kNotFound;
  };
  auto read = get(*url);
  if (is_missing(read) && url->find('?') == std::string::npos) {
    read = get(*url + std::string(kOpenSuffix));
    // It may have lost the suffix in between.
    if (is_missing(read)) read = get(*url);
  }
  GiveBack(std::move(connection));
  return read;
}

std::unique_ptr<HttpConnection> HttpStore::TakeConnection() {
  {
    const MutexLock lock(mutex_);
    if (!free_.empty()) {
      auto connection = std::move(free_.back());
      free_.pop_back();
      return connection;
    }
  }
  return std::make_unique<HttpConnection>(options_);
}

void HttpStore::GiveBack(std::unique_ptr<HttpConnection> connection) {
  const MutexLock lock(mutex_);
  free_.push_back(std::move(connection));
}

}  // namespace crawlsieve::consumer
