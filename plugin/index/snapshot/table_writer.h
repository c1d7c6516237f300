#pragma once

#include "plugin/base/result.h"
#include "plugin/index/snapshot/block.h"
#include "plugin/index/snapshot/durable_file.h"

#include <cstdint>
#include <vector>

namespace crawlsieve {

/// Writes the blocks of one table and remembers where they begin. Thread-compatible.
class TableWriter {
 public:
  /// Keeps a reference to `file`. `document_bits`: of BlockEncoder. `with_directory`: whether
  /// Directory will be called; that takes 8 bytes a block.
  TableWriter(DurableFile& file, int document_bits, bool with_directory);

  /// Adds an entry that is not before the one that was added last. Errors: kIo.
  [[nodiscard]] Status Add(const BlockEntry& entry);

  /// Writes what is left. Errors: kIo.
  [[nodiscard]] Status Finish() { return encoder_.empty() ? Status() : WriteBlock(); }

  [[nodiscard]] std::uint64_t block_count() const { return block_count_; }

  /// After Finish. Entry c: the last block that begins before the keys that start with c, or the
  /// first block.
  [[nodiscard]] std::vector<std::uint32_t> Directory() const;

 private:
  [[nodiscard]] Status WriteBlock();

  DurableFile& file_;
  BlockEncoder encoder_;
  const bool with_directory_;
  std::uint64_t block_count_ = 0;
  std::vector<std::uint64_t> first_keys_;
};

}  // namespace crawlsieve
