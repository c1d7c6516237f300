#include "extract/html/encoding_prescan.h"

#include "extract/text/ascii.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace crawlsieve::extract {
namespace {

constexpr std::size_t kPrescanBytes = 1024;

/// Elements of HTML, other than script, in which a parser sees no tags but their own end tag.
constexpr std::array<std::string_view, 7> kRawTextElements{"style",  "textarea", "title",   "xmp",
                                                           "iframe", "noembed",  "noframes"};

/// Start tags of HTML that end SVG and MathML.
constexpr std::array<std::string_view, 44> kBreakoutElements{
    "b",      "big",  "blockquote", "body",  "br",   "center", "code",    "dd",   "div",
    "dl",     "dt",   "em",         "embed", "h1",   "h2",     "h3",      "h4",   "h5",
    "h6",     "head", "hr",         "i",     "img",  "li",     "listing", "menu", "meta",
    "nobr",   "ol",   "p",          "pre",   "ruby", "s",      "small",   "span", "strike",
    "strong", "sub",  "sup",        "table", "tt",   "u",      "ul",      "var"};

/// Elements of SVG and MathML whose content is HTML.
constexpr std::array<std::string_view, 3> kSvgIntegrationPoints{"foreignobject", "desc", "title"};
constexpr std::array<std::string_view, 5> kMathIntegrationPoints{"mi", "mo", "mn", "ms", "mtext"};

template <std::size_t N>
bool IsOneOf(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::ranges::find(names, name) != names.end();
}

/// Which rules decide what a tag means.
enum class Language : std::uint8_t { kHtml, kSvg, kMath };

/// The open elements that change the language, as far as their tags tell: a tree isn't built.
class LanguageStack {
 public:
  [[nodiscard]] Language current() const {
    return open_.empty() ? Language::kHtml : open_.back().language;
  }

  void Start(std::string_view name, bool self_closing) {
    if (current() != Language::kHtml && IsOneOf(name, kBreakoutElements)) {
      while (current() != Language::kHtml) open_.pop_back();
    }
    if (self_closing) return;
    switch (current()) {
      case Language::kHtml:
        if (name == "svg") Push(Language::kSvg, name);
        if (name == "math") Push(Language::kMath, name);
        break;
      case Language::kSvg:
        if (IsOneOf(name, kSvgIntegrationPoints)) Push(Language::kHtml, name);
        break;
      case Language::kMath:
        if (IsOneOf(name, kMathIntegrationPoints)) Push(Language::kHtml, name);
        break;
    }
  }

  void End(std::string_view name) {
    const auto found = std::find_if(open_.rbegin(), open_.rend(),
                                    [name](const Open& open) { return open.name == name; });
    if (found != open_.rend()) open_.erase(found.base() - 1, open_.end());
  }

 private:
  struct Open {
    Language language;
    std::string name;
  };

  void Push(Language language, std::string_view name) {
    if (open_.size() < kMaxDepth) open_.push_back({language, std::string(name)});
  }

  /// Bounds the search of End. Pages have two or three.
  static constexpr std::size_t kMaxDepth = 32;

  std::vector<Open> open_;
};

/// Walks over a page the way the prescan algorithm does. Past the end it reads '\0'.
class Prescanner {
 public:
  enum class Rules {
    kPrescan,  ///< of the standard: raw text is looked at like all else
    kFirst,    ///< of extraction's revision 3: a prescan that goes past what it takes for raw text
    kParser,   ///< a tag is one where a parser's tokenizer would see one
  };

  Prescanner(std::string_view bytes, Rules rules) : bytes_(bytes), rules_(rules) {}

  [[nodiscard]] const Encoding* Run() {
    if (const Encoding* encoding = XmlDeclaration(); encoding != nullptr) return encoding;
    while (at_ < bytes_.size()) {
      if (const Encoding* encoding = Step(); encoding != nullptr) return encoding;
    }
    return nullptr;
  }

 private:
  struct Attribute {
    std::string name;  ///< lower case; empty: the tag has no more attributes
    std::string value;
  };

  [[nodiscard]] char Peek() const { return at_ < bytes_.size() ? bytes_[at_] : '\0'; }
  [[nodiscard]] std::string_view Rest() const { return bytes_.substr(at_); }

  void SkipPast(std::string_view end) {
    const std::size_t found = bytes_.find(end, at_);
    at_ = found == std::string_view::npos ? bytes_.size() : found + end.size();
  }

  /// Whether a tag starts at `at` whose name is `tag` without its '<', and not just begins so.
  [[nodiscard]] bool IsTagAt(std::size_t at, std::string_view tag) const {
    const std::size_t end = at + tag.size();
    return StartsWithNoCase(bytes_.substr(std::min(at, bytes_.size())), tag) &&
           end < bytes_.size() &&
           (IsAsciiSpace(bytes_[end]) || bytes_[end] == '/' || bytes_[end] == '>');
  }

  /// Goes to the end tag of the element `name`, or to the end of the page.
  void SkipRawText(std::string_view name) {
    const std::string end_tag = "</" + std::string(name);
    for (;; ++at_) {
      at_ = std::min(bytes_.find("</", at_), bytes_.size());
      if (at_ == bytes_.size() || IsTagAt(at_, end_tag)) return;
    }
  }

  /// The same by Rules::kFirst, of scripts too: whatever begins like the end tag is taken for it.
  void SkipRawTextByPrefix(std::string_view name) {
    if (name != "script" && !IsOneOf(name, kRawTextElements)) return;
    for (; at_ < bytes_.size(); ++at_) {
      at_ = std::min(bytes_.find("</", at_), bytes_.size());
      if (StartsWithNoCase(bytes_.substr(std::min(at_ + 2, bytes_.size())), name)) return;
    }
  }

  /// Goes to the end tag of a script. Between "<!--" and "-->" one that belongs to a <script> there
  /// doesn't count: the "double escaped" states of the tokenizer.
  void SkipScript() {
    enum class State { kPlain, kEscaped, kDoubleEscaped };
    State state = State::kPlain;
    for (; at_ < bytes_.size(); at_ = std::min(bytes_.find_first_of("<-", at_), bytes_.size())) {
      const std::string_view rest = Rest();
      if (state == State::kPlain && rest.starts_with("<!--")) {
        state = State::kEscaped;
        at_ += 2;  // its dashes may be those of "-->"
      } else if (state != State::kPlain && rest.starts_with("-->")) {
        state = State::kPlain;
        at_ += 3;
      } else if (IsTagAt(at_, "</script")) {
        if (state != State::kDoubleEscaped) return;
        state = State::kEscaped;
        at_ += 8;
      } else if (state == State::kEscaped && IsTagAt(at_, "<script")) {
        state = State::kDoubleEscaped;
        at_ += 7;
      } else {
        ++at_;
      }
    }
  }

  /// Goes past a comment: "<!-->" and "<!--->" are whole ones. A parser takes "--!>" for its end
  /// too.
  void SkipComment() {
    const std::size_t start = at_ + 2;
    for (at_ = start;; ++at_) {
      at_ = std::min(bytes_.find("--", at_), bytes_.size());
      if (at_ == bytes_.size()) return;
      const std::string_view behind = bytes_.substr(at_ + 2);
      const bool ends = behind.starts_with('>');
      const bool ends_with_bang =
          rules_ == Rules::kParser && at_ >= start + 2 && behind.starts_with("!>");
      if (!ends && !ends_with_bang) continue;
      at_ += ends ? 3 : 4;
      return;
    }
  }

  /// Goes past a tag that isn't <meta>, and past what it makes text of.
  void SkipTag() {
    const bool is_end = bytes_[at_ + 1] == '/';
    const std::size_t start = at_ + (is_end ? 2 : 1);
    const bool slash_ends_name = rules_ == Rules::kParser;
    at_ = start;
    while (at_ < bytes_.size() && !IsAsciiSpace(Peek()) && Peek() != '>' &&
           !(slash_ends_name && Peek() == '/')) {
      ++at_;
    }
    const std::string name = AsciiLower(bytes_.substr(start, at_ - start));
    std::size_t last = at_;
    while (!NextAttribute().name.empty()) last = at_;
    const bool self_closing = at_ > last && at_ <= bytes_.size() && bytes_[at_ - 1] == '/';
    ++at_;
    if (rules_ == Rules::kParser) EnterOrLeave(name, is_end, self_closing);
    if (rules_ == Rules::kFirst && !is_end) SkipRawTextByPrefix(name);
  }

  void EnterOrLeave(std::string_view name, bool is_end, bool self_closing) {
    if (is_end) {
      languages_.End(name);
      return;
    }
    const bool html = languages_.current() == Language::kHtml;
    languages_.Start(name, self_closing);
    if (!html) return;
    if (name == "script") {
      SkipScript();
    } else if (name == "plaintext") {
      at_ = bytes_.size();
    } else if (IsOneOf(name, kRawTextElements)) {
      SkipRawText(name);
    }
  }

  [[nodiscard]] const Encoding* XmlDeclaration() const {
    if (!bytes_.starts_with("<?xml")) return nullptr;
    const std::string_view declaration = bytes_.substr(0, bytes_.find('>'));
    std::size_t at = declaration.find("encoding");
    if (at == std::string_view::npos) return nullptr;
    at = declaration.find_first_of("\"'", at);
    if (at == std::string_view::npos) return nullptr;
    const std::size_t end = declaration.find(declaration[at], at + 1);
    if (end == std::string_view::npos) return nullptr;
    return AsDeclared(FindEncoding(declaration.substr(at + 1, end - at - 1)));
  }

  /// One tag, comment or byte of text.
  [[nodiscard]] const Encoding* Step() {
    const std::string_view rest = Rest();
    if (rest.front() != '<') {
      const std::size_t next = bytes_.find('<', at_);
      at_ = next == std::string_view::npos ? bytes_.size() : next;
    } else if (rest.starts_with("<!--")) {
      SkipComment();
    } else if (languages_.current() != Language::kHtml && rest.starts_with("<![CDATA[")) {
      SkipPast("]]>");
    } else if (StartsWithNoCase(rest, "<meta") && rest.size() > 5 &&
               (IsAsciiSpace(rest[5]) || rest[5] == '/')) {
      at_ += 5;
      languages_.Start("meta", false);
      return Meta();
    } else if (rest.size() > 1 && (IsAsciiAlpha(rest[1]) ||
                                   (rest[1] == '/' && rest.size() > 2 && IsAsciiAlpha(rest[2])))) {
      SkipTag();
    } else if (rest.size() > 1 && (rest[1] == '!' || rest[1] == '/' || rest[1] == '?')) {
      SkipPast(">");
    } else {
      ++at_;
    }
    return nullptr;
  }

  [[nodiscard]] const Encoding* Meta() {
    bool has_charset = false;
    bool has_http_equiv = false;
    bool has_content = false;
    bool got_pragma = false;
    bool needs_pragma = false;
    const Encoding* encoding = nullptr;
    for (Attribute attribute = NextAttribute(); !attribute.name.empty();
         attribute = NextAttribute()) {
      if (attribute.name == "http-equiv" && !has_http_equiv) {
        has_http_equiv = true;
        got_pragma = attribute.value == "content-type";
      } else if (attribute.name == "content" && !has_content) {
        has_content = true;
        if (encoding == nullptr) {
          encoding = FindEncoding(FindCharsetParameter(attribute.value));
          needs_pragma = encoding != nullptr;
        }
      } else if (attribute.name == "charset" && !has_charset) {
        has_charset = true;
        encoding = FindEncoding(attribute.value);
        needs_pragma = false;
      }
    }
    if (at_ >= bytes_.size()) return nullptr;  // the tag goes on
    ++at_;
    if (needs_pragma && !got_pragma) return nullptr;
    return AsDeclared(encoding);
  }

  /// "Get an attribute" of the standard; name and value in lower case. Stops at '>'.
  [[nodiscard]] Attribute NextAttribute() {
    while (IsAsciiSpace(Peek()) || Peek() == '/') ++at_;
    Attribute attribute;
    while (at_ < bytes_.size() && Peek() != '>' && Peek() != '/' && !IsAsciiSpace(Peek()) &&
           (Peek() != '=' || attribute.name.empty())) {
      attribute.name += AsciiLower(bytes_[at_++]);
    }
    if (attribute.name.empty()) return attribute;
    while (IsAsciiSpace(Peek())) ++at_;
    if (Peek() != '=') return attribute;
    ++at_;
    while (IsAsciiSpace(Peek())) ++at_;
    if (const char quote = Peek(); quote == '"' || quote == '\'') {
      for (++at_; at_ < bytes_.size() && Peek() != quote;) {
        attribute.value += AsciiLower(bytes_[at_++]);
      }
      ++at_;
    } else {
      while (at_ < bytes_.size() && Peek() != '>' && !IsAsciiSpace(Peek())) {
        attribute.value += AsciiLower(bytes_[at_++]);
      }
    }
    return attribute;
  }

  /// What a page may declare of itself in ASCII.
  static const Encoding* AsDeclared(const Encoding* encoding) {
    if (encoding == nullptr) return nullptr;
    if (encoding->family == EncodingFamily::kUtf16) return &Utf8();
    return encoding;
  }

  std::string_view bytes_;
  const Rules rules_;
  LanguageStack languages_;  ///< stays as it is by Rules::kPrescan
  std::size_t at_ = 0;
};

}  // namespace

const Encoding* PrescanForEncoding(std::string_view bytes) {
  return Prescanner(bytes.substr(0, kPrescanBytes), Prescanner::Rules::kPrescan).Run();
}

const Encoding* FindLateDeclaration(std::string_view bytes, Revision revision) {
  if (bytes.size() < kPrescanBytes) return nullptr;
  const auto rules =
      revision == Revision::k3 ? Prescanner::Rules::kFirst : Prescanner::Rules::kParser;
  return Prescanner(bytes, rules).Run();
}

}  // namespace crawlsieve::extract
