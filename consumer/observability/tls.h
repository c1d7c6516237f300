#pragma once

#include "consumer/observability/file_version.h"
#include "consumer/process_options.h"
#include "plugin/base/mutex.h"
#include "plugin/base/result.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

struct ssl_st;
struct ssl_ctx_st;

namespace crawlsieve::consumer {

/// The server's end of one encrypted connection. It moves bytes between memory and memory; who owns
/// the socket sends what Output has and brings what came to Input. The handshake is part of the
/// first Read. Thread-compatible.
class TlsSession {
 public:
  /// How a call ended.
  enum class Outcome {
    kDone,        ///< bytes were read or written
    kNeedsInput,  ///< more bytes of the peer are needed first
    kEnded,       ///< the peer has closed, or broke the protocol: nothing more can be read
  };
  struct Step {
    Outcome outcome = Outcome::kEnded;
    std::size_t bytes = 0;
  };

  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;
  ~TlsSession();

  /// Takes bytes that came from the peer.
  void Input(std::string_view bytes);
  /// Decrypts up to `size` bytes into `data`.
  [[nodiscard]] Step Read(char* data, std::size_t size);
  /// Encrypts all of `data`, after the handshake.
  [[nodiscard]] Step Write(std::string_view data);
  /// Says goodbye to the peer. Nothing is written after it.
  void Close();
  /// What is to be sent to the peer; at most `size` bytes of it go into `data`. Returns how many;
  /// 0: there is nothing to be sent.
  [[nodiscard]] std::size_t Output(char* data, std::size_t size);

 private:
  friend class TlsContext;
  explicit TlsSession(ssl_st* session) : session_(session) {}

  [[nodiscard]] Step StepOf(int result);

  ssl_st* const session_;
};

/// A certificate and its key, for any number of sessions: TLS 1.2 and later. The files are read
/// again when one of them has changed; while the new ones don't go together the ones before them
/// count, and the log says so. Thread-safe.
class TlsContext {
 public:
  /// Errors: kInvalidConfig (a file can't be read, isn't PEM, or the key isn't that of the
  /// certificate).
  [[nodiscard]] static Result<std::unique_ptr<TlsContext>> Load(const TlsFiles& files);
  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

  /// The server's end of a new connection; null without memory.
  [[nodiscard]] std::unique_ptr<TlsSession> Accept() EXCLUDES(mutex_);

 private:
  struct Versions {
    FileVersion certificate;
    FileVersion key;
    friend bool operator==(const Versions&, const Versions&) = default;
  };

  TlsContext(TlsFiles files, Versions versions, ssl_ctx_st* context)
      : files_(std::move(files)), versions_(versions), context_(context) {}

  static Versions VersionsOf(const TlsFiles& files);
  void Refresh() REQUIRES(mutex_);

  const TlsFiles files_;
  Mutex mutex_;
  Versions versions_ GUARDED_BY(mutex_);
  ssl_ctx_st* context_ GUARDED_BY(mutex_);
};

}  // namespace crawlsieve::consumer
