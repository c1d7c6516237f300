#pragma once

#include "plugin/judge/page_scores.h"
#include "plugin/log/entry.pb.h"

#include <cstddef>

namespace crawlsieve {

/// The pages that wait for scores which are made together. Value type.
///
/// Whoever writes pages decides how many links they have and how long their URLs are: by their
/// bytes in the log alone, scores of a hundred pages could take gigabytes.
class ScoreBatch {
 public:
  /// Enough for a few threads, few enough that what scores are made from is still in the
  /// processor's caches.
  static constexpr std::size_t kMostPages = 256;
  /// By MostScoreBytes; most pages take a fraction of it.
  static constexpr std::size_t kMostBytes = 128 << 20;

  void Add(const log::Page& page) {
    ++pages_;
    bytes_ += MostScoreBytes(page);
  }

  [[nodiscard]] bool empty() const { return pages_ == 0; }
  [[nodiscard]] bool is_full() const { return pages_ >= kMostPages || bytes_ >= kMostBytes; }

 private:
  std::size_t pages_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace crawlsieve
