#include "consumer/observability/tls.h"

#include "consumer/observability/logging.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

namespace crawlsieve::consumer {
namespace {

int LengthOf(std::size_t size) {
  return static_cast<int>(
      std::min<std::size_t>(size, static_cast<std::size_t>(std::numeric_limits<int>::max())));
}

/// The first of this thread's errors, in OpenSSL's words; forgets them all.
std::string TakeError() {
  const unsigned long code = ::ERR_get_error();
  ::ERR_clear_error();
  if (code == 0) return "no reason is given";
  std::array<char, 256> text{};
  ::ERR_error_string_n(code, text.data(), text.size());
  return text.data();
}

/// Keys with a password would have OpenSSL ask at the terminal.
int RefusePassword(char* /*buffer*/, int /*size*/, int /*for_writing*/, void* /*data*/) {
  return -1;
}

Result<SSL_CTX*> LoadContext(const TlsFiles& files) {
  ::ERR_clear_error();
  SSL_CTX* context = ::SSL_CTX_new(::TLS_server_method());
  if (context == nullptr) {
    return MakeError(ErrorCode::kInvalidConfig, fmt::format("no TLS: {}", TakeError()));
  }
  const auto refuse = [&](const std::string& what) {
    ::SSL_CTX_free(context);
    return MakeError(ErrorCode::kInvalidConfig, fmt::format("{}: {}", what, TakeError()));
  };
  ::SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  ::SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET);
  ::SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  ::SSL_CTX_set_num_tickets(context, 0);
  ::SSL_CTX_set_default_passwd_cb(context, RefusePassword);
  if (::SSL_CTX_use_certificate_chain_file(context, files.certificate_file.c_str()) != 1) {
    return refuse(fmt::format("can't use the certificate {} (http.tls.certificate_file)",
                              files.certificate_file));
  }
  if (::SSL_CTX_use_PrivateKey_file(context, files.key_file.c_str(), SSL_FILETYPE_PEM) != 1 ||
      ::SSL_CTX_check_private_key(context) != 1) {
    return refuse(fmt::format("can't use the key {} (http.tls.key_file) with the certificate {}",
                              files.key_file, files.certificate_file));
  }
  return context;
}

}  // namespace

TlsSession::~TlsSession() { ::SSL_free(session_); }

void TlsSession::Input(std::string_view bytes) {
  ::BIO_write(::SSL_get_rbio(session_), bytes.data(), LengthOf(bytes.size()));
}

TlsSession::Step TlsSession::StepOf(int result) {
  if (result > 0) return {Outcome::kDone, static_cast<std::size_t>(result)};
  const int error = ::SSL_get_error(session_, result);
  ::ERR_clear_error();
  return {error == SSL_ERROR_WANT_READ ? Outcome::kNeedsInput : Outcome::kEnded, 0};
}

TlsSession::Step TlsSession::Read(char* data, std::size_t size) {
  ::ERR_clear_error();
  return StepOf(::SSL_read(session_, data, LengthOf(size)));
}

TlsSession::Step TlsSession::Write(std::string_view data) {
  if (data.empty()) return {Outcome::kDone, 0};
  ::ERR_clear_error();
  return StepOf(::SSL_write(session_, data.data(), LengthOf(data.size())));
}

void TlsSession::Close() {
  if (::SSL_is_init_finished(session_) == 1) ::SSL_shutdown(session_);
  ::ERR_clear_error();
}

std::size_t TlsSession::Output(char* data, std::size_t size) {
  const int count = ::BIO_read(::SSL_get_wbio(session_), data, LengthOf(size));
  return count > 0 ? static_cast<std::size_t>(count) : 0;
}

TlsContext::Versions TlsContext::VersionsOf(const TlsFiles& files) {
  return {FileVersion::Of(files.certificate_file), FileVersion::Of(files.key_file)};
}

Result<std::unique_ptr<TlsContext>> TlsContext::Load(const TlsFiles& files) {
  // Before the files are read: what changes meanwhile is noticed then.
  const Versions versions = VersionsOf(files);
  CRAWLSIEVE_ASSIGN_OR_RETURN(SSL_CTX* const context, LoadContext(files));
  return std::unique_ptr<TlsContext>(new TlsContext(files, versions, context));
}

TlsContext::~TlsContext() { ::SSL_CTX_free(context_); }

std::unique_ptr<TlsSession> TlsContext::Accept() {
  const MutexLock lock(mutex_);
  Refresh();
  SSL* const session = ::SSL_new(context_);
  if (session == nullptr) return nullptr;
  std::unique_ptr<TlsSession> made(new TlsSession(session));
  BIO* const input = ::BIO_new(::BIO_s_mem());
  BIO* const output = ::BIO_new(::BIO_s_mem());
  if (input == nullptr || output == nullptr) {
    ::BIO_free(input);
    ::BIO_free(output);
    return nullptr;
  }
  // An empty memory is a peer that hasn't sent yet, not its end.
  ::BIO_set_mem_eof_return(input, -1);
  ::BIO_set_mem_eof_return(output, -1);
  ::SSL_set_bio(session, input, output);  // which owns both from now on
  ::SSL_set_accept_state(session);
  return made;
}

void TlsContext::Refresh() {
  const Versions versions = VersionsOf(files_);
  if (versions == versions_) return;
  versions_ = versions;
  auto context = LoadContext(files_);
  if (!context) {
    Log(LogLevel::kError, "http.certificate_not_reloaded",
        {{"error", context.error().message},
         {"meaning", "the certificate before it is still used"}});
    return;
  }
  ::SSL_CTX_free(context_);  // sessions hold a share of it
  context_ = *context;
  Log(LogLevel::kInfo, "http.certificate_reloaded", {{"file", files_.certificate_file}});
}

}  // namespace crawlsieve::consumer
