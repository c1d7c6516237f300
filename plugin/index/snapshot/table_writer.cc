#include "plugin/index/snapshot/table_writer.h"

#include "plugin/base/result.h"
#include "plugin/index/snapshot/header.h"

#include <algorithm>
#include <cassert>

namespace crawlsieve {
namespace {

// A guess for the first block, good for some hundred million.
constexpr double kFirstMeanGap = 1e11;

}  // namespace

TableWriter::TableWriter(DurableFile& file, int document_bits, bool with_directory)
    : file_(file), encoder_(document_bits, kFirstMeanGap), with_directory_(with_directory) {}

Status TableWriter::Add(const BlockEntry& entry) {
  if (encoder_.Add(entry)) return {};
  CRAWLSIEVE_RETURN_IF_ERROR(WriteBlock());
  [[maybe_unused]] const bool added = encoder_.Add(entry);
  assert(added);
  return {};
}

std::vector<std::uint32_t> TableWriter::Directory() const {
  const int bits = DirectoryBits(block_count_);
  std::vector<std::uint32_t> directory(DirectoryBytes(bits) / sizeof(std::uint32_t));
  std::size_t block = 0;
  for (std::uint64_t c = 1; c < std::uint64_t{1} << bits; ++c) {
    while (block < first_keys_.size() && first_keys_[block] < c << (64 - bits)) ++block;
    directory[c] = static_cast<std::uint32_t>(std::max<std::size_t>(block, 1) - 1);
  }
  return directory;
}

Status TableWriter::WriteBlock() {
  const BlockBytes bytes = encoder_.Finish(block_count_++);
  if (with_directory_) first_keys_.push_back(FirstKey(bytes));
  return file_.Append(bytes.data(), bytes.size());
}

}  // namespace crawlsieve
