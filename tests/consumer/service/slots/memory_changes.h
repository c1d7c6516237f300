#pragma once

#include "consumer/service/slots/changes_source.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace crawlsieve::testing {

/// The topic of changes in memory.
class MemoryChanges final : public consumer::ChangesSource {
 public:
  BrokerStatus Seek(std::int64_t offset) override {
    ++seeks;
    is_at_end_ = false;
    const auto first = std::ranges::find_if(records, [&](const ChangesRecord& record) {
      return record.after.position.offset >= offset;
    });
    next_ = static_cast<std::size_t>(first - records.begin());
    return {};
  }
  BrokerResult<std::vector<ChangesRecord>> Read(std::size_t most,
                                                std::chrono::milliseconds /*wait*/) override {
    std::vector<ChangesRecord> read;
    if (is_slow) return read;
    for (; next_ < records.size() && read.size() < most; ++next_) read.push_back(records[next_]);
    is_at_end_ = next_ == records.size();
    return read;
  }
  [[nodiscard]] bool is_at_end() const override { return is_at_end_; }

  std::vector<ChangesRecord> records;
  bool is_slow = false;  ///< the brokers don't answer
  int seeks = 0;

 private:
  std::size_t next_ = 0;
  bool is_at_end_ = false;
};

}  // namespace crawlsieve::testing
