// Pages made of whole tags, for the parser's tree construction: pairs of bytes are numbers of
// tokens in the tables below, so that every mutation is a page whose tags are well formed and whose
// nesting isn't. The parse ends by itself or by a limit, blocks and links are closed in order, and
// the next page comes out as ever.
//
// Debian's Gumbo is a library without instrumentation, so the fuzzer can't see which of its code a
// page reaches. It calls gumbo_debug, which does nothing, with every token and the state it is in:
// linked through __wrap_gumbo_debug (CMakeLists.txt), that is what the fuzzer is told instead.

#include "extract/html/html_text.h"

#include <array>
#include <chrono>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

using crawlsieve::extract::Hints;
using crawlsieve::extract::HtmlEvents;
using crawlsieve::extract::HtmlParser;
using crawlsieve::extract::Limits;
using crawlsieve::extract::LinkTarget;
using crawlsieve::extract::MakeGumboParser;
using crawlsieve::extract::ParseEnd;

/// libFuzzer takes what stands in this section for coverage of code.
constexpr std::size_t kCounters = 1 << 16;
[[gnu::section("__libfuzzer_extra_counters"), gnu::used]] std::uint8_t counters[kCounters];
std::uint32_t previous = 0;

}  // namespace

extern "C" void __wrap_gumbo_debug(const char* format, ...) {
  std::uint32_t here = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(format));
  const std::string_view text = format;
  if (text.starts_with("Lexing")) return;  // every character: the tokenizer isn't the question
  if (text.starts_with("Handling %s")) {
    // "Handling %s token @%d:%d in state %d."
    std::va_list arguments;
    va_start(arguments, format);
    const char* const token = va_arg(arguments, const char*);
    static_cast<void>(va_arg(arguments, int));
    static_cast<void>(va_arg(arguments, int));
    here += static_cast<std::uint32_t>(va_arg(arguments, int)) * 64 +
            static_cast<std::uint8_t>(token[0]);
    va_end(arguments);
  }
  here *= 0x9E3779B1U;
  std::uint8_t& counter = counters[((here >> 16) ^ (previous >> 17)) % kCounters];
  if (counter < 255) ++counter;
  previous = here;
}

namespace {

/// Elements that the rules of tree construction name, and one that they don't.
constexpr std::array kElements = {"a",        "address",   "annotation-xml",
                                  "applet",   "b",         "base",
                                  "body",     "br",        "button",
                                  "caption",  "center",    "col",
                                  "colgroup", "dd",        "desc",
                                  "details",  "div",       "dt",
                                  "em",       "font",      "foreignObject",
                                  "form",     "frame",     "frameset",
                                  "h1",       "h2",        "head",
                                  "hr",       "html",      "i",
                                  "iframe",   "image",     "input",
                                  "isindex",  "keygen",    "li",
                                  "link",     "listing",   "malignmark",
                                  "marquee",  "math",      "mglyph",
                                  "mi",       "mn",        "mo",
                                  "ms",       "mtext",     "nobr",
                                  "noframes", "noscript",  "object",
                                  "ol",       "optgroup",  "option",
                                  "p",        "plaintext", "pre",
                                  "rb",       "rp",        "rt",
                                  "rtc",      "ruby",      "script",
                                  "select",   "small",     "span",
                                  "style",    "svg",       "table",
                                  "tbody",    "td",        "template",
                                  "textarea", "tfoot",     "th",
                                  "thead",    "title",     "tr",
                                  "tt",       "u",         "ul",
                                  "x"};

constexpr std::array kOthers = {"x",
                                " ",
                                "\n",
                                "<!-- c -->",
                                "<!DOCTYPE html>",
                                "<![CDATA[ c ]]>",
                                "&amp;",
                                "<input type=hidden>",
                                "<font color=red>",
                                "<annotation-xml encoding=text/html>",
                                "<svg/>",
                                "<math/>",
                                "<?x>",
                                "</>"};

/// Two bytes make a token: what kind, and of which element.
std::string PageOf(const std::uint8_t* data, std::size_t size) {
  std::string page;
  for (std::size_t i = 0; i + 1 < size; i += 2) {
    const std::string element = kElements[data[i + 1] % kElements.size()];
    switch (data[i] % 8) {
      case 0:
      case 1:
      case 2:
      case 3:
        page += "<" + element + ">";
        break;
      case 4:
      case 5:
        page += "</" + element + ">";
        break;
      case 6:
        page += "<" + element + "/>";
        break;
      default:
        page += kOthers[data[i + 1] % kOthers.size()];
        break;
    }
  }
  return page;
}

void Require(bool condition, const std::string& page, int line = __builtin_LINE()) {
  if (condition) return;
  std::fprintf(stderr, "line %d doesn't hold for %s\n", line, page.c_str());
  std::abort();
}

/// Hears that blocks and links are closed in the reverse order of their opening.
class Nesting final : public HtmlEvents {
 public:
  void OnLanguage(std::string_view) override {}
  void OnTitle(std::string_view text) override { text_ += text; }
  void OnText(std::string_view text) override { text_ += text; }
  void OnBreak() override { text_ += '|'; }
  void OnBlockBegin(Hints) override { open_.push_back('b'); }
  void OnBlockEnd() override { Close('b'); }
  void OnLinkBegin(const LinkTarget&) override { open_.push_back('l'); }
  void OnLinkEnd() override { Close('l'); }
  void OnBase(std::string_view) override {}
  void OnCanonical(std::string_view) override {}
  void OnRefresh(std::string_view) override {}
  void OnRobots(std::string_view) override {}
  void OnAltText(std::string_view) override {}

  [[nodiscard]] bool in_order() const { return in_order_ && open_.empty(); }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void Close(char kind) {
    text_ += '|';
    in_order_ = in_order_ && !open_.empty() && open_.back() == kind;
    if (!open_.empty()) open_.pop_back();
  }

  std::vector<char> open_;
  bool in_order_ = true;
  std::string text_;
};

Limits FuzzLimits() {
  Limits limits;
  // Ends are compared below, so the clock must not decide them; the fuzzer has its own (-timeout).
  limits.parse_time_base = std::chrono::hours(1);
  limits.max_parse_memory = 64 << 20;
  return limits;
}

/// What a parser of its own makes of `page`.
std::string TextOf(std::string_view page) {
  Nesting events;
  if (MakeGumboParser(FuzzLimits())->Parse(page, events) != ParseEnd::kDone) std::abort();
  return events.text();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::string_view kNextPage = "<title>t</title><p>a<a href=x>b</a><table><tr><td>c";
  static const auto parser = MakeGumboParser(FuzzLimits());
  static const std::string next_text = TextOf(kNextPage);
  const std::string page = PageOf(data, size);
  previous = 0;
  Nesting first;
  const ParseEnd end = parser->Parse(page, first);
  Require(first.in_order(), page);
  Require(end == ParseEnd::kDone || first.text().empty(), page);

  Nesting next;
  Require(parser->Parse(kNextPage, next) == ParseEnd::kDone, page);
  Require(next.in_order() && next.text() == next_text, page + " -> " + next.text());

  Nesting again;
  Require(parser->Parse(page, again) == end && again.text() == first.text(), page);
  return 0;
}
