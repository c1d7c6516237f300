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

/// Notes of the pages that are being parsed, in a file that outlives the process. After a crash,
/// one of these pages may have caused it.
///
/// Operation: each worker thread has a slot of a memory-mapped file, which the kernel keeps
/// whatever happens to the process. Open takes over the notes that dead processes left in the
/// folder. Their pages are the suspects, which stay noted until a clean end. Processes may share a
/// folder: each locks a file of its own.
///
/// Limitations: a crash of the machine may lose notes. Such a page then crashes the process once
/// more.
/// Thread-safe, as long as each slot is used by one thread.
class PageNotes {
 public:
  /// Maximum number of suspects. Further ones are forgotten.
  static constexpr std::size_t kMaxSuspects = 256;

  /// Notes for `slots` threads in `directory`, which is created if it is missing. Errors: kIo,
  /// kBusy (more processes than files).
  [[nodiscard]] static Result<PageNotes> Open(const std::filesystem::path& directory,
                                              std::size_t slots);
  /// Keeps no notes and has no suspects.
  PageNotes() = default;
  PageNotes(PageNotes&& other) noexcept;
  PageNotes& operator=(PageNotes&&) = delete;
  /// Ends cleanly: removes the file.
  ~PageNotes();

  /// Pages suspected of having crashed an earlier process. Fixed by Open.
  [[nodiscard]] const std::set<PageId>& suspects() const { return suspects_; }

  /// The thread of `slot` begins or ends its work on a page.
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
