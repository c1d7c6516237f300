#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace crawlsieve {

/// 64 reader-writer locks of which any set can be taken at once, in a few nanoseconds.
///
/// A lookup reads a dozen slices of an index. With a lock for each it would spend more time on
/// locks than on memory; here a reader announces its whole set in one word of its own, and a writer
/// waits until no announced set meets its own. Since sets are taken as a whole there is no order to
/// keep and no deadlock, as long as a thread that holds one asks for no other.
///
/// Waiting is spinning, then yielding: what is held is held for microseconds, while a part of a
/// table grows for milliseconds. A writer holds off readers that come after it.
///
/// Thread-safe.
class SliceLock {
 public:
  using Set = std::uint64_t;  // bit i: slice i

  /// Returns a ticket for UnlockShared. `set` must not be empty.
  [[nodiscard]] std::size_t LockShared(Set set);
  void UnlockShared(std::size_t ticket);

  void Lock(Set set);
  void Unlock(Set set);

 private:
  // As many threads can read at once; more wait for a free slot.
  static constexpr std::size_t kSlots = 32;

  struct alignas(64) Slot {
    std::atomic<Set> reading = 0;
  };

  std::array<Slot, kSlots> slots_;
  alignas(64) std::atomic<Set> writing_ = 0;
};

/// Holds a set for reading for a scope.
class SharedSliceLock {
 public:
  SharedSliceLock(SliceLock& lock, SliceLock::Set set)
      : lock_(lock), ticket_(lock.LockShared(set)) {}
  ~SharedSliceLock() { lock_.UnlockShared(ticket_); }
  SharedSliceLock(const SharedSliceLock&) = delete;
  SharedSliceLock& operator=(const SharedSliceLock&) = delete;

 private:
  SliceLock& lock_;
  const std::size_t ticket_;
};

/// Holds a set for writing for a scope.
class UniqueSliceLock {
 public:
  UniqueSliceLock(SliceLock& lock, SliceLock::Set set) : lock_(lock), set_(set) { lock.Lock(set); }
  ~UniqueSliceLock() { lock_.Unlock(set_); }
  UniqueSliceLock(const UniqueSliceLock&) = delete;
  UniqueSliceLock& operator=(const UniqueSliceLock&) = delete;

 private:
  SliceLock& lock_;
  const SliceLock::Set set_;
};

}  // namespace crawlsieve
