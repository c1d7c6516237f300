#include "extract/html/raw_text.h"

#include "extract/text/ascii.h"

#include <algorithm>

namespace crawlsieve::extract::html {
namespace {

/// Bytes that are searched in about the time of one step of other work.
constexpr std::size_t kBytesPerStep = 16;

/// Whether the name `name` stands at `at`, and ends there.
bool HasName(std::string_view html, std::size_t at, std::string_view name) {
  if (html.size() - at <= name.size() || !StartsWithNoCase(html.substr(at), name)) return false;
  const char behind = html[at + name.size()];
  return IsAsciiSpace(behind) || behind == '/' || behind == '>';
}

bool HasEndTag(std::string_view html, std::size_t at, std::string_view name) {
  return at + 2 < html.size() && html[at + 1] == '/' && HasName(html, at + 2, name);
}

}  // namespace

std::size_t FindRawTextEnd(std::string_view html, const MarkupBits& bits, std::size_t from,
                           std::string_view name, std::uint64_t& work) {
  const std::uint64_t* const less_than = bits.less_than();
  std::size_t at = MarkupBits::Next(less_than, from, html.size());
  while (at != html.size() && !HasEndTag(html, at, name)) {
    ++work;
    at = MarkupBits::Next(less_than, at + 1, html.size());
  }
  return at;
}

std::size_t FindScriptEnd(std::string_view html, const MarkupBits& bits, std::size_t from,
                          std::uint64_t& work) {
  constexpr std::string_view kScript = "script";
  enum class State { kPlain, kEscaped, kDoubleEscaped };
  State state = State::kPlain;
  // Up to where no "-->" is that ends the escape. It is looked for between one '<' and the next, so
  // that each byte is read once: a script that ends before its escape is over must not cost a
  // search through the rest of the page.
  std::size_t searched = 0;
  const std::uint64_t* const less_than = bits.less_than();
  for (std::size_t at = MarkupBits::Next(less_than, from, html.size()); at != html.size();
       at = MarkupBits::Next(less_than, at + 1, html.size())) {
    ++work;
    if (state != State::kPlain) {
      work += (at - searched) / kBytesPerStep;
      if (html.substr(searched, at - searched).find("-->") != std::string_view::npos) {
        state = State::kPlain;
      }
      searched = at;
    }
    switch (state) {
      case State::kPlain:
        if (HasEndTag(html, at, kScript)) return at;
        if (html.substr(at, 4) == "<!--") {
          state = State::kEscaped;
          searched = at + 2;  // the dashes of "<!-->" count for its end too
        }
        break;
      case State::kEscaped:
        if (HasEndTag(html, at, kScript)) return at;
        if (HasName(html, at + 1, kScript)) state = State::kDoubleEscaped;
        break;
      case State::kDoubleEscaped:
        if (HasEndTag(html, at, kScript)) state = State::kEscaped;
        break;
    }
  }
  return html.size();
}

std::size_t FindCommentEnd(std::string_view html, const MarkupBits& bits, std::size_t from,
                           std::uint64_t& work) {
  const std::uint64_t* const greater_than = bits.greater_than();
  for (std::size_t at = MarkupBits::Next(greater_than, from, html.size()); at != html.size();
       at = MarkupBits::Next(greater_than, at + 1, html.size())) {
    ++work;
    const std::string_view text = html.substr(from, at - from);
    if (text.empty() || text == "-" || text.ends_with("--") || text.ends_with("--!")) return at + 1;
  }
  return html.size();
}

}  // namespace crawlsieve::extract::html
