#pragma once

#include "plugin/fingerprint/checksum.h"

#include <array>
#include <cstddef>
#include <memory>
#include <string_view>

struct evp_md_ctx_st;

namespace crawlsieve {

/// SHA-256 (FIPS 180-4) of a string that comes in pieces. Thread-compatible; used again after
/// Finish.
class Sha256 {
 public:
  using Digest = std::array<std::byte, 32>;

  Sha256();

  Sha256& Add(std::string_view bytes);
  /// The digest of what was added since the last Finish.
  [[nodiscard]] Digest Finish();
  /// Its first 128 bits.
  [[nodiscard]] Checksum FinishChecksum();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };

  void Begin();

  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

}  // namespace crawlsieve
