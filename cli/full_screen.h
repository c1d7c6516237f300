#pragma once

#include "consumer/status/status_text.h"

#include <optional>
#include <string_view>

#include <termios.h>

namespace crawlsieve::consumer {

/// The alternate screen of the terminal at standard output, with keys of standard input read one by
/// one and not shown. What the terminal showed before, and its settings, come back at the end.
/// Thread-compatible.
class FullScreen {
 public:
  FullScreen() { Enter(); }
  ~FullScreen() { Leave(); }
  FullScreen(const FullScreen&) = delete;
  FullScreen& operator=(const FullScreen&) = delete;

  /// Takes the screen, unless it has it.
  void Enter();
  /// Gives it back, unless it has done so.
  void Leave();

  /// Replaces what is shown by lines that fit Layout().
  void Show(std::string_view text);

  /// What fits the terminal as large as it is now. Block characters only where the user's locale is
  /// of UTF-8.
  [[nodiscard]] static TextLayout Layout();

  /// Whether standard input is a terminal, whose keys can be read.
  [[nodiscard]] bool HasKeys() const { return keys_before_.has_value(); }

 private:
  bool is_entered_ = false;
  std::optional<termios> keys_before_;
};

}  // namespace crawlsieve::consumer
