#pragma once

#include "plugin/base/mutex.h"
#include "plugin/fingerprint/checksum.h"
#include "plugin/fingerprint/random_hash.h"

#include <cstddef>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace crawlsieve::consumer {

/// Remembers what pages came to, by a hash of all that it depends on, so that a page that comes
/// again needn't be parsed again. The hash is this cache's own (RandomHash): nobody can make two
/// pages that are taken for one. Bounded in bytes; what was asked for longest ago goes first.
///
/// Thread-safe: one for all workers, as a page's repeat may come to any of them. Its lock is held
/// for about a microsecond, a thousandth of what parsing a page takes.
class RepeatCache {
 public:
  /// `max_bytes` of values and of kOverhead for each; 0: remembers nothing.
  explicit RepeatCache(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  /// About what an entry takes besides its value: two nodes and a key in each.
  static constexpr std::size_t kOverhead = 160;

  [[nodiscard]] bool enabled() const { return max_bytes_ > 0; }

  /// The key of a page with this body; `label` is what else its value depends on.
  [[nodiscard]] Checksum KeyOf(std::string_view body, std::string_view label) const {
    return hash_(body, label);
  }

  [[nodiscard]] std::optional<std::string> Find(const Checksum& key) EXCLUDES(mutex_);

  /// Remembers `value`, unless it is too large; what was known under `key` stays.
  void Add(const Checksum& key, std::string value) EXCLUDES(mutex_);

  [[nodiscard]] std::size_t bytes() const EXCLUDES(mutex_);

 private:
  struct Entry {
    Checksum key;
    std::string value;

    [[nodiscard]] std::size_t Bytes() const { return kOverhead + value.size(); }
  };

  const std::size_t max_bytes_;
  const RandomHash hash_;
  mutable Mutex mutex_;
  std::list<Entry> entries_ GUARDED_BY(mutex_);  ///< what was asked for last is first
  std::map<Checksum, std::list<Entry>::iterator> by_key_ GUARDED_BY(mutex_);
  std::size_t bytes_ GUARDED_BY(mutex_) = 0;
};

}  // namespace crawlsieve::consumer
