#pragma once

#include <cstddef>

namespace crawlsieve::extract {

/// Memory for one parse at a time: allocation moves a pointer, and all goes at once.
///
/// Takes `capacity` bytes of address space; the system gives memory where it is first touched.
/// Thread-compatible.
class ParseArena {
 public:
  /// Throws std::bad_alloc when there is no address space left.
  explicit ParseArena(std::size_t capacity);
  ~ParseArena();
  ParseArena(const ParseArena&) = delete;
  ParseArena& operator=(const ParseArena&) = delete;

  /// Aligned to 8 bytes, the strictest alignment of Gumbo's structures. nullptr: full.
  [[nodiscard]] void* Allocate(std::size_t size) noexcept {
    if (size > static_cast<std::size_t>(end_ - top_)) return nullptr;
    last_ = top_;
    // The capacity is a multiple of the alignment, so this stays within it.
    top_ += (size + kAlignment - 1) & ~(kAlignment - 1);
    return last_;
  }

  /// Takes a block back if it was the last one handed out; others wait for Reset. A fifth of
  /// Gumbo's blocks go this way (buffers of tag and attribute names).
  void Free(void* block) noexcept {
    if (block != nullptr && block == last_) {
      if (top_ > high_water_) high_water_ = top_;
      top_ = last_;
      last_ = nullptr;
    }
  }

  /// Takes everything back. What ordinary pages need stays mapped, the rest is given back.
  void Reset() noexcept;

 private:
  static constexpr std::size_t kAlignment = 8;

  char* base_;
  char* end_;
  char* top_;
  char* last_ = nullptr;
  char* high_water_;
};

}  // namespace crawlsieve::extract
