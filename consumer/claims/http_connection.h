#pragma once

#include "consumer/claims/body_store.h"
#include "consumer/claims/http_answer.h"
#include "consumer/claims/options.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

struct curl_slist;

namespace crawlsieve::consumer {

/// Asks HTTP servers for ranges of files, one after the other, over connections that are kept.
///
/// Follows no redirect, asks no proxy, keeps no cookie, reads no .netrc, and undoes no compression.
/// The address of each new connection is checked at the moment it is made: one that isn't public is
/// refused, unless `ClaimOptions::allow_private_addresses`. A name that changes its address in
/// between is of no use, as the address that was checked is the one that is connected to.
///
/// Memory: `count` bytes, and 64 KiB of header. Thread-compatible.
class HttpConnection {
 public:
  /// Once a process, before the first connection. False: libcurl can't start. Thread-safe.
  [[nodiscard]] static bool StartLibrary();

  /// `options` must outlive the connection.
  explicit HttpConnection(const ClaimOptions& options);
  ~HttpConnection();
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  /// What the server answers for `count` bytes of `url` from `offset` on. With an access key the
  /// request is signed for S3, unless the URL has a query, which then holds a signature itself.
  ///
  /// Blocks for ClaimOptions::timeout at most, and about a second once `stop` is requested. Errors:
  /// kUnavailable (no answer, or not the whole of it), kRefused (a URL that libcurl can't read).
  /// `file` is for messages.
  [[nodiscard]] tl::expected<HttpAnswer, StoreFailure> Get(const std::string& url,
                                                           std::string_view file,
                                                           std::uint64_t offset, std::size_t count,
                                                           const std::stop_token& stop);

 private:
  class Request;
  struct FreeHandle {
    void operator()(void* handle) const;
  };
  struct FreeList {
    void operator()(curl_slist* list) const;
  };

  void Configure(Request& request, const std::string& url);

  const ClaimOptions& options_;
  const std::unique_ptr<curl_slist, FreeList> s3_headers_;
  const std::unique_ptr<void, FreeHandle> handle_;  ///< libcurl's
};

}  // namespace crawlsieve::consumer
