#include "consumer/observability/access_token.h"

#include "consumer/observability/logging.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <strings.h>

namespace crawlsieve::consumer {
namespace {

constexpr std::size_t kMinTokenBytes = 16;
constexpr std::size_t kMaxTokenBytes = 1024;
constexpr std::size_t kMaxCredentialsBytes = 4096;

/// What follows the name of the scheme, which is written in any case; empty: another scheme.
std::string_view CredentialsOf(std::string_view authorization, std::string_view scheme) {
  if (authorization.size() <= scheme.size() || authorization[scheme.size()] != ' ' ||
      ::strncasecmp(authorization.data(), scheme.data(), scheme.size()) != 0) {
    return {};
  }
  authorization.remove_prefix(scheme.size());
  authorization.remove_prefix(std::min(authorization.find_first_not_of(' '), authorization.size()));
  return authorization;
}

/// The password of Basic's "user:password" in base64; empty where it is none.
std::string PasswordOf(std::string_view credentials) {
  if (credentials.size() % 4 != 0 || credentials.size() > kMaxCredentialsBytes) return {};
  std::vector<unsigned char> decoded(credentials.size() / 4 * 3);
  const int size = ::EVP_DecodeBlock(
      decoded.data(),
      reinterpret_cast<const unsigned char*>(credentials.data()),  // NOLINT: bytes are bytes
      static_cast<int>(credentials.size()));
  if (size < 0) return {};
  std::string text(decoded.begin(), decoded.begin() + size);
  // The decoder counts the bytes that padding stands for.
  const auto padding =
      std::count(credentials.end() - std::min<std::ptrdiff_t>(2, std::ssize(credentials)),
                 credentials.end(), '=');
  text.resize(text.size() - std::min(text.size(), static_cast<std::size_t>(padding)));
  const std::size_t colon = text.find(':');
  return colon == std::string::npos ? std::string() : text.substr(colon + 1);
}

bool AreEqual(std::string_view left, std::string_view right) {
  return left.size() == right.size() &&
         ::CRYPTO_memcmp(left.data(), right.data(), left.size()) == 0;
}

}  // namespace

Result<std::string> ReadTokenFile(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    return MakeError(ErrorCode::kInvalidConfig,
                     fmt::format("can't read the token's file {}: {}", file, std::strerror(errno)));
  }
  std::string text(kMaxTokenBytes + 3, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.ends_with('\n')) text.pop_back();
  if (text.ends_with('\r')) text.pop_back();
  const bool is_printable =
      std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
  if (!is_printable || text.size() < kMinTokenBytes || text.size() > kMaxTokenBytes) {
    return MakeError(ErrorCode::kInvalidConfig,
                     fmt::format("{} holds no token: one line of {} to {} printable ASCII "
                                 "characters without spaces is expected",
                                 file, kMinTokenBytes, kMaxTokenBytes));
  }
  return text;
}

Result<std::unique_ptr<AccessToken>> AccessToken::Load(std::string file) {
  const FileVersion version = FileVersion::Of(file);
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto token, ReadTokenFile(file));
  return std::unique_ptr<AccessToken>(new AccessToken(std::move(file), version, std::move(token)));
}

bool AccessToken::Admits(std::string_view authorization) {
  const MutexLock lock(mutex_);
  Refresh();
  const std::string_view bearer = CredentialsOf(authorization, "Bearer");
  if (!bearer.empty()) return AreEqual(bearer, token_);
  return AreEqual(PasswordOf(CredentialsOf(authorization, "Basic")), token_);
}

void AccessToken::Refresh() {
  const FileVersion version = FileVersion::Of(file_);
  if (version == version_) return;
  version_ = version;
  auto token = ReadTokenFile(file_);
  if (!token) {
    Log(LogLevel::kError, "http.token_not_reloaded",
        {{"error", token.error().message}, {"meaning", "the token before it still counts"}});
    return;
  }
  token_ = *std::move(token);
  Log(LogLevel::kInfo, "http.token_reloaded", {{"file", file_}});
}

}  // namespace crawlsieve::consumer
