#include "extract/html/fast_parser.h"

#include "extract/html/name_table.h"
#include "extract/html/node_arena.h"
#include "extract/html/raw_text.h"
#include "extract/html/tag_reader.h"
#include "extract/html/tree_builder.h"
#include "extract/html/visible_walk.h"
#include "extract/text/ascii.h"

#include <algorithm>

namespace crawlsieve::extract {
namespace {

using namespace html;

class Parser final : public FastParser {
 public:
  Parser(const Limits& limits, HtmlKernel kernel)
      : limits_(limits),
        bits_(kernel),
        names_(hash_),
        tags_(names_),
        builder_(nodes_, tags_, hash_) {}

  [[nodiscard]] ParseEnd Parse(std::string_view html, HtmlEvents& events) override {
    constexpr std::size_t kFreeNodes = 64 << 10;
    constexpr std::size_t kBytesPerNode = 4;
    constexpr std::size_t kBlock = 64;
    work_ = 0;
    if (html.size() > kMaxHtmlBytes) return ParseEnd::kMemory;
    html_ = html;
    bits_.Scan(html);
    names_.Begin();
    tags_.Begin(html, bits_);
    nodes_.Begin(limits_.max_parse_allocations, std::min(limits_.max_parse_memory / sizeof(Node),
                                                         kFreeNodes + html.size() / kBytesPerNode));
    nodes_.Charge(bits_.bytes() / sizeof(Node));
    builder_.Begin(html, bits_);
    const bool done = Build();
    work_ += html.size() / kBlock + tags_.work() + nodes_.size() + builder_.work();
    if (!done) return ParseEnd::kNodes;
    walk_.Walk(nodes_, builder_.root(), html, bits_, events);
    work_ += walk_.work();
    return ParseEnd::kDone;
  }

  [[nodiscard]] std::uint64_t work() const override { return work_; }

 private:
  /// Reads the page's tokens into the tree. Returns whether there were few enough nodes.
  bool Build() {
    std::size_t at = 0;
    std::size_t text = 0;  // where the text begins that `at` is in or behind
    const std::uint64_t* const less_than = bits_.less_than();
    const std::size_t size = html_.size();
    while (true) {
      at = MarkupBits::Next(less_than, at, size);
      ++work_;
      if (at + 1 >= size) break;
      const char c = html_[at + 1];
      if (IsAsciiAlpha(c)) {
        FlushText(text, at);
        at = ReadStartTag(at);
      } else if (c == '/') {
        if (at + 2 == size) break;
        FlushText(text, at);
        at = ReadEndTag(at);
      } else if (c == '!' || c == '?') {
        FlushText(text, at);
        at = ReadDeclaration(at);
      } else {
        ++at;  // a '<' in the text
        continue;
      }
      text = at;
      if (nodes_.IsOverLimit()) return false;
      if (at == size) break;
    }
    FlushText(text, size);
    builder_.EndOfPage();
    return !nodes_.IsOverLimit();
  }

  void FlushText(std::size_t begin, std::size_t end) {
    if (begin != end) {
      builder_.Text(static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end), false);
    }
  }

  // Each takes the place of a '<' and returns where to go on. Where the page ends within a tag, the
  // tag is dropped, and nothing comes behind it.

  std::size_t ReadStartTag(std::size_t at) {
    const std::size_t end = tags_.ReadStartTag(at, nodes_.attributes(), token_);
    if (tags_.name_is_new()) builder_.AddName(token_.name);
    if (end == TagReader::kNoEnd) return html_.size();
    const ContentModel model = builder_.StartTag(token_);
    return model == ContentModel::kData ? end : ReadRawText(end, model);
  }

  std::size_t ReadRawText(std::size_t begin, ContentModel model) {
    if (model == ContentModel::kPlaintext) {
      builder_.Plaintext(static_cast<std::uint32_t>(begin),
                         static_cast<std::uint32_t>(html_.size()));
      return html_.size();
    }
    // <image> and others have other names in the tree, but none of them has text like this.
    const std::string_view name = TagName(token_.tag);
    const std::size_t end = model == ContentModel::kScript
                                ? FindScriptEnd(html_, bits_, begin, work_)
                                : FindRawTextEnd(html_, bits_, begin, name, work_);
    if (TraitsOf(token_.tag).flow == Flow::kBlock || token_.tag == Tag::kTitle) {
      builder_.RawText(static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end),
                       model == ContentModel::kRcdata);
    }
    if (end == html_.size()) {
      builder_.EndRawText();
      return end;
    }
    const std::size_t behind = tags_.SkipAttributes(end + 2 + name.size());
    builder_.EndRawText();
    return behind == TagReader::kNoEnd ? html_.size() : behind;
  }

  std::size_t ReadEndTag(std::size_t at) {
    const char c = html_[at + 2];
    if (IsAsciiAlpha(c)) {
      const std::size_t end = tags_.ReadEndTag(at, token_);
      if (tags_.name_is_new()) builder_.AddName(token_.name);
      if (end == TagReader::kNoEnd) return html_.size();
      builder_.EndTag(token_);
      return end;
    }
    if (c == '>') return at + 3;  // "</>" is nothing at all
    builder_.Comment();
    return BehindGreaterThan(at + 2);
  }

  std::size_t ReadDeclaration(std::size_t at) {
    const std::string_view rest = html_.substr(at + 2);
    if (html_[at + 1] == '!') {
      if (rest.starts_with("--")) {
        builder_.Comment();
        return FindCommentEnd(html_, bits_, at + 4, work_);
      }
      if (StartsWithNoCase(rest, "doctype")) {
        const std::size_t end = BehindGreaterThan(at + 2);
        // Where the page ends within it, it says nothing of the page's mode.
        const bool whole = html_[end - 1] == '>';
        builder_.Doctype(whole ? rest.substr(0, end - 1 - (at + 2)) : "doctype");
        return end;
      }
      if (rest.starts_with("[CDATA[") && builder_.AllowsCdata()) return ReadCdata(at + 9);
    }
    builder_.Comment();
    return BehindGreaterThan(at + 2);
  }

  std::size_t ReadCdata(std::size_t begin) {
    const std::size_t found = html_.find("]]>", begin);
    const std::size_t end = std::min(found, html_.size());
    if (begin != end) {
      builder_.Text(static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end), true);
    }
    return std::min(found, html_.size() - 3) + 3;
  }

  [[nodiscard]] std::size_t BehindGreaterThan(std::size_t at) const {
    return std::min(MarkupBits::Next(bits_.greater_than(), at, html_.size()) + 1, html_.size());
  }

  const Limits limits_;
  const KeyedHash hash_;
  MarkupBits bits_;
  NodeArena nodes_;
  NameTable names_;
  TagReader tags_;
  TreeBuilder builder_;
  VisibleWalk walk_;
  TagToken token_;
  std::string_view html_;
  std::uint64_t work_ = 0;
};

}  // namespace

std::unique_ptr<FastParser> MakeFastParser(const Limits& limits, HtmlKernel kernel) {
  return std::make_unique<Parser>(limits, kernel);
}

}  // namespace crawlsieve::extract
