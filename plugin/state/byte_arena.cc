#include "plugin/state/byte_arena.h"

#include <algorithm>

namespace crawlsieve {
namespace {

constexpr std::size_t kLeastBlockBytes = 64 << 10;

}  // namespace

char* ByteArena::Allocate(std::size_t size) {
  used_bytes_ += size;
  while (blocks_in_use_ == 0 || free_in_block_ < size) {
    if (blocks_in_use_ == blocks_.size()) {
      const std::size_t block = std::max(size, kLeastBlockBytes);
      blocks_.push_back({std::make_unique_for_overwrite<char[]>(block), block});
    }
    free_in_block_ = blocks_[blocks_in_use_++].size;
  }
  const Block& block = blocks_[blocks_in_use_ - 1];
  char* bytes = block.bytes.get() + block.size - free_in_block_;
  free_in_block_ -= size;
  return bytes;
}

std::string_view ByteArena::Copy(std::string_view bytes) {
  char* copy = Allocate(bytes.size());
  std::copy(bytes.begin(), bytes.end(), copy);
  return {copy, bytes.size()};
}

void ByteArena::Clear() {
  blocks_in_use_ = 0;
  free_in_block_ = 0;
  used_bytes_ = 0;
}

}  // namespace crawlsieve
