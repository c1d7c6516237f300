#pragma once

#include "plugin/base/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>

namespace crawlsieve::consumer {

/// Where an input record is.
struct PageId {
  std::string topic;
  std::int32_t partition = 0;
  std::int64_t offset = 0;

  friend auto operator<=>(const PageId&, const PageId&) = default;
};

/// Which pages are being parsed, in a file that outlives the process: after a crash these are the
/// ones that may have caused it.
///
/// Operation: each worker thread has a slot of a memory-mapped file, which the kernel keeps
/// whatever happens to the process. Open takes the notes over that dead processes left in the
/// folder; they are the suspects, and stay noted until a clean end. Processes may share a folder:
/// each locks a file of its own.
///
/// Limitations: a crash of the machine may lose notes; then the page crashes the process once more.
/// Thread-safe, as long as each slot is used by one thread.
class PageNotes {
 public:
  /// Suspects that are kept; the ones beyond are forgotten.
  static constexpr std::size_t kMaxSuspects = 256;

  /// Notes for `slots` threads in `directory`, which is made if it isn't there. Errors: kIo, kBusy
  /// (more processes than files).
  [[nodiscard]] static Result<PageNotes> Open(const std::filesystem::path& directory,
                                              std::size_t slots);
  /// None are kept, nobody is suspected.
  PageNotes() = default;
  PageNotes(PageNotes&& other) noexcept;
  PageNotes& operator=(PageNotes&&) = delete;
  /// The clean end: removes the file.
  ~PageNotes();

  /// What this process was begun to be suspected of: fixed from Open on.
  [[nodiscard]] const std::set<PageId>& suspects() const { return suspects_; }

  /// The thread of `slot` begins with a page, or is done with it.
  void Begin(std::size_t slot, std::string_view topic, std::int32_t partition, std::int64_t offset);
  void End(std::size_t slot);

 private:
  struct Slot;

  std::filesystem::path path_;
  int file_ = -1;
  Slot* slots_ = nullptr;  ///< in the mapping: first the threads', then the suspects'
  std::size_t slot_count_ = 0;
  std::set<PageId> suspects_;
};

}  // namespace crawlsieve::consumer
