#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>

#include <tl/expected.hpp>

namespace crawlsieve::consumer {

/// Why a store gave no bytes.
struct StoreFailure {
  enum class Kind {
    kUnavailable,  ///< nobody answered, or not now: the same may be there later
    kNotFound,     ///< the store says that there is no such file, or that it ends before
    kRefused,      ///< a name that this store isn't asked for; it wasn't
  };
  Kind kind = Kind::kUnavailable;
  std::string message;  ///< for a person; names no secret
};

struct StoredBytes {
  std::string bytes;  ///< fewer than asked for: the file ends there
  /// The file was changed lately, so what is missing or broken may still be written.
  bool may_grow = false;
};

/// A place with files that are read in parts. Thread-safe.
class BodyStore {
 public:
  virtual ~BodyStore() = default;

  /// Up to `count` bytes of `file` from `offset` on. `file` comes from a record: it may be
  /// anything. Blocks for as long as the store's own limits of time allow, less once `stop` is
  /// requested.
  [[nodiscard]] virtual tl::expected<StoredBytes, StoreFailure> Read(
      const std::string& file, std::uint64_t offset, std::size_t count,
      const std::stop_token& stop) = 0;
};

}  // namespace crawlsieve::consumer
