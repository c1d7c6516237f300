#pragma once

#include "consumer/claims/body_store.h"
#include "plugin/base/mutex.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace crawlsieve::testing {

/// Files in memory, and whatever goes wrong with a store. Thread-safe.
class MemoryStore final : public consumer::BodyStore {
 public:
  /// What `before_read` returns is what the read comes to; nullopt: the file's bytes.
  using Trouble = std::function<std::optional<consumer::StoreFailure>(const std::string& file)>;

  void Put(const std::string& file, std::string bytes, bool may_grow = false) {
    const MutexLock lock(mutex_);
    files_[file] = {std::move(bytes), may_grow};
  }
  void SetTrouble(Trouble trouble) {
    const MutexLock lock(mutex_);
    trouble_ = std::move(trouble);
  }
  void SetDown(bool down) {
    SetTrouble(!down ? Trouble() : [](const std::string&) {
      return consumer::StoreFailure{consumer::StoreFailure::Kind::kUnavailable, "no answer"};
    });
  }

  [[nodiscard]] int reads() const { return reads_; }
  [[nodiscard]] std::size_t most_asked_for() const { return most_asked_for_; }

  tl::expected<consumer::StoredBytes, consumer::StoreFailure> Read(
      const std::string& file, std::uint64_t offset, std::size_t count,
      const std::stop_token& /*stop*/) override {
    ++reads_;
    Trouble trouble;
    {
      const MutexLock lock(mutex_);
      trouble = trouble_;
    }
    if (trouble) {
      if (auto failure = trouble(file)) return tl::unexpected(std::move(*failure));
    }
    const MutexLock lock(mutex_);
    most_asked_for_ = std::max<std::size_t>(most_asked_for_, count);
    const auto found = files_.find(file);
    if (found == files_.end()) {
      return tl::unexpected(
          consumer::StoreFailure{consumer::StoreFailure::Kind::kNotFound, "no such file"});
    }
    const auto& [bytes, may_grow] = found->second;
    if (offset >= bytes.size()) return consumer::StoredBytes{{}, may_grow};
    return consumer::StoredBytes{bytes.substr(offset, count), may_grow};
  }

 private:
  struct File {
    std::string bytes;
    bool may_grow = false;
  };

  Mutex mutex_;
  std::map<std::string, File> files_ GUARDED_BY(mutex_);
  Trouble trouble_ GUARDED_BY(mutex_);
  std::atomic<int> reads_ = 0;
  std::atomic<std::size_t> most_asked_for_ = 0;
};

}  // namespace crawlsieve::testing
