#include "extract/html/raw_text.h"

#include "extract/text/ascii.h"

#include <algorithm>

namespace crawlsieve::extract::html {
namespace {

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
  std::size_t escape_end = 0;  // behind "-->", when escaped
  const std::uint64_t* const less_than = bits.less_than();
  for (std::size_t at = MarkupBits::Next(less_than, from, html.size()); at != html.size();
       at = MarkupBits::Next(less_than, at + 1, html.size())) {
    ++work;
    if (state != State::kPlain && at >= escape_end) state = State::kPlain;
    switch (state) {
      case State::kPlain:
        if (HasEndTag(html, at, kScript)) return at;
        if (html.substr(at, 4) == "<!--") {
          state = State::kEscaped;
          // The dashes of "<!-->" count for its end too.
          const std::size_t found = html.find("-->", at + 2);
          escape_end = found == std::string_view::npos ? html.size() : found + 3;
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
