#pragma once

#include "consumer/input/file_reader.h"

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace crawlsieve::testing {

/// Records out of memory, as if they came from files.
class MemoryReader final : public consumer::FileReader {
 public:
  void Add(consumer::FileRecord record) {
    record.origin = "record " + std::to_string(added_++);
    records_.push_back(std::move(record));
  }

  Result<bool> Next(consumer::FileRecord& record) override {
    if (records_.empty()) return false;
    record = std::move(records_.front());
    records_.pop_front();
    return true;
  }
  [[nodiscard]] const consumer::FileReaderCounts& counts() const override { return counts_; }
  [[nodiscard]] std::vector<std::string> TakeWarnings() override { return {}; }
  [[nodiscard]] std::uint64_t bytes_read() const override { return 0; }
  [[nodiscard]] std::uint64_t bytes_total() const override { return 0; }

 private:
  std::deque<consumer::FileRecord> records_;
  consumer::FileReaderCounts counts_;
  int added_ = 0;
};

}  // namespace crawlsieve::testing
