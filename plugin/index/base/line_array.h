#pragma once

#include "plugin/index/base/line.h"

#include <cstddef>
#include <cstdint>

namespace crawlsieve {

/// Lines side by side that become more and more. Small arrays are copied when they grow; large ones
/// stay in place, in huge pages where the kernel has them: a lookup reads tens to thousands of
/// lines far apart, and with 4 KiB pages each would miss the TLB as well.
///
/// Memory of a large array that was never written is not taken from the system.
///
/// Thread-compatible.
class LineArray {
 public:
  LineArray() = default;
  ~LineArray() { Release(); }
  LineArray(LineArray&& other) noexcept;
  LineArray& operator=(LineArray&&) = delete;

  /// Makes it at least `size` lines. Those there were keep their contents, new ones are zeros.
  /// Throws std::bad_alloc when the system has no memory left.
  void Grow(std::size_t size);

  [[nodiscard]] Line* data() const { return lines_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  void Release();
  /// To address space of its own for `reserved` lines.
  void Move(std::size_t reserved);

  Line* lines_ = nullptr;
  std::size_t size_ = 0;
  std::size_t reserved_ = 0;  // lines of address space behind lines_; 0: from the heap
};

}  // namespace crawlsieve
