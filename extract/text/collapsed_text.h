#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace crawlsieve::extract {

/// Text with each run of white space as one space, and none at either end. Pieces that are appended
/// belong together: a word may go on in the next one. Thread-compatible; memory stays when it is
/// cleared.
class CollapsedText {
 public:
  void Clear() {
    size_ = 0;
    space_pending_ = false;
  }

  void Append(std::string_view text);

  /// White space: no word goes on behind it.
  void AppendSpace() { space_pending_ = true; }

  [[nodiscard]] std::string_view view() const { return {bytes_.data(), size_}; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  std::string bytes_;  ///< longer than the text: writing to it isn't growing it
  std::size_t size_ = 0;
  bool space_pending_ = false;  ///< whether white space came last
};

}  // namespace crawlsieve::extract
