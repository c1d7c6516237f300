#include "consumer/pipeline/repeat_cache.h"

#include <utility>

namespace crawlsieve::consumer {

std::optional<std::string> RepeatCache::Find(const Checksum& key) {
  const MutexLock lock(mutex_);
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return std::nullopt;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->value;
}

void RepeatCache::Add(const Checksum& key, std::string value) {
  Entry entry{key, std::move(value)};
  if (entry.Bytes() > max_bytes_) return;
  const MutexLock lock(mutex_);
  const auto [place, is_new] = by_key_.try_emplace(key);
  // Another worker may have had the same page at the same time.
  if (!is_new) return;
  bytes_ += entry.Bytes();
  entries_.push_front(std::move(entry));
  place->second = entries_.begin();
  while (bytes_ > max_bytes_) {
    bytes_ -= entries_.back().Bytes();
    by_key_.erase(entries_.back().key);
    entries_.pop_back();
  }
}

std::size_t RepeatCache::bytes() const {
  const MutexLock lock(mutex_);
  return bytes_;
}

}  // namespace crawlsieve::consumer
