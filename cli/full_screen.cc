#include "cli/full_screen.h"

#include <cstdio>
#include <string>

#include <langinfo.h>
#include <locale.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace crawlsieve::consumer {
namespace {

// Of the terminal: alternate screen, no cursor, and lines that are too wide are cut rather than
// continued below. Some characters take two columns.
constexpr std::string_view kEnter = "\033[?1049h\033[?25l\033[?7l";
constexpr std::string_view kLeave = "\033[?7h\033[?25h\033[?1049l";

void Write(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

bool IsUtf8() {
  locale_t locale = ::newlocale(LC_CTYPE_MASK, "", locale_t{});
  if (locale == locale_t{}) return false;
  const bool is_utf8 = std::string_view(::nl_langinfo_l(CODESET, locale)) == "UTF-8";
  ::freelocale(locale);
  return is_utf8;
}

}  // namespace

void FullScreen::Enter() {
  if (is_entered_) return;
  is_entered_ = true;
  termios keys{};
  if (::tcgetattr(STDIN_FILENO, &keys) == 0) {
    keys_before_ = keys;
    keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    keys.c_cc[VMIN] = 1;
    keys.c_cc[VTIME] = 0;
    ::tcsetattr(STDIN_FILENO, TCSANOW, &keys);
  }
  Write(kEnter);
}

void FullScreen::Leave() {
  if (!is_entered_) return;
  is_entered_ = false;
  Write(kLeave);
  if (keys_before_.has_value()) ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &*keys_before_);
  keys_before_.reset();
}

void FullScreen::Show(std::string_view text) {
  std::string drawn = "\033[H";
  for (const char byte : text) {
    if (byte == '\n') {
      drawn += "\033[K\r\n";
    } else {
      drawn += byte;
    }
  }
  Write(drawn + "\033[J");
}

TextLayout FullScreen::Layout() {
  TextLayout layout{.width = 80, .height = 23, .has_bars = IsUtf8()};
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 1) {
    layout.width = size.ws_col;
    layout.height = size.ws_row - 1U;
  }
  return layout;
}

}  // namespace crawlsieve::consumer
