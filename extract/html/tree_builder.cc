#include "extract/html/tree_builder.h"

#include "extract/html/character_references.h"
#include "extract/text/ascii.h"

#include <algorithm>

namespace crawlsieve::extract::html {

TreeBuilder::TreeBuilder(NodeArena& nodes, TagReader& tags, const KeyedHash& hash)
    : nodes_(nodes), tags_(tags), hash_(hash), open_(nodes), formatting_(*this) {}

void TreeBuilder::Begin(std::string_view html, const MarkupBits& bits) {
  constexpr std::size_t kKept = std::size_t{16} << 10;
  // How many formatting elements may be opened again: these, and one for so many bytes. Few enough
  // that they alone never reach the limit of nodes. The standard has no such bound, so a page
  // beyond it, which no real page is, shows its text with less formatting around it.
  constexpr std::size_t kFreeClones = 4096;
  constexpr std::size_t kBytesPerClone = 16;
  html_ = html;
  bits_ = &bits;
  open_.Begin();
  formatting_.Begin();
  mode_ = Mode::kInitial;
  model_ = ContentModel::kData;
  template_modes_.Reset(kKept);
  table_text_.Reset(kKept);
  root_ = head_ = body_ = form_ = kNoNode;
  quirks_ = false;
  frameset_ok_ = true;
  foster_ = false;
  skip_newline_ = false;
  clones_left_ = kFreeClones + html.size() / kBytesPerClone;
  work_ = 0;
}

// Tokens

ContentModel TreeBuilder::StartTag(const TagToken& token) {
  skip_newline_ = false;
  model_ = ContentModel::kData;
  if (mode_ == Mode::kInTableText) FlushTableText();
  if (open_.HasForeign() && IsForeignFor(token)) {
    StartForeign(token);
  } else if (mode_ == Mode::kInBody) {
    StartInBody(token);
  } else {
    StartHtml(token);
  }
  return model_;
}

void TreeBuilder::EndTag(const TagToken& token) {
  skip_newline_ = false;
  if (mode_ == Mode::kInTableText) FlushTableText();
  if (open_.HasForeign() && !nodes_[open_.current()].IsHtml()) {
    EndForeign(token);
  } else if (mode_ == Mode::kInBody) {
    EndInBody(token);
  } else {
    EndHtml(token);
  }
}

void TreeBuilder::Text(std::uint32_t begin, std::uint32_t end, bool raw) {
  if (skip_newline_) {
    skip_newline_ = false;
    begin = SkipNewline({begin, end, raw}, !raw);
    if (begin == end) return;
  }
  TextByMode({begin, end, raw});
}

void TreeBuilder::Plaintext(std::uint32_t begin, std::uint32_t end) {
  if (begin != end) TextByMode({begin, end, true, true});
}

void TreeBuilder::TextByMode(const Piece& text) {
  if (open_.HasForeign() && IsForeignForText()) {
    if (frameset_ok_ && !IsSpaceOrNul(text)) frameset_ok_ = false;
    InsertText(text, kKeepsNul);
  } else if (mode_ == Mode::kInBody || mode_ == Mode::kInCell) {
    TextInBody(text);
  } else {
    TextHtml(text);
  }
}

void TreeBuilder::Comment() {
  skip_newline_ = false;
  if (mode_ == Mode::kInTableText) FlushTableText();
}

void TreeBuilder::Doctype(std::string_view doctype) {
  Comment();
  if (mode_ != Mode::kInitial) return;
  quirks_ = IsQuirksDoctype(doctype);
  mode_ = Mode::kBeforeHtml;
}

void TreeBuilder::RawText(std::uint32_t begin, std::uint32_t end, bool references) {
  if (skip_newline_) {
    skip_newline_ = false;
    begin = SkipNewline({begin, end, !references}, references);
  }
  if (begin == end) return;
  const std::uint8_t flags = references ? kKeepsNul : kKeepsNul | kRawText;
  nodes_.Append(open_.current(), nodes_.Add(Tag::kText, flags, begin, end, 0));
}

void TreeBuilder::EndRawText() { open_.Pop(); }

// By mode

void TreeBuilder::StartHtml(const TagToken& token) {
  switch (mode_) {
    case Mode::kInitial:
    case Mode::kBeforeHtml:
    case Mode::kBeforeHead:
      StartBeforeHead(token);
      break;
    case Mode::kInHead:
      StartInHead(token);
      break;
    case Mode::kInHeadNoscript:
      StartInHeadNoscript(token);
      break;
    case Mode::kAfterHead:
      StartAfterHead(token);
      break;
    case Mode::kInBody:
      StartInBody(token);
      break;
    case Mode::kInTableText:
    case Mode::kInTable:
      StartInTable(token);
      break;
    case Mode::kInCaption:
      StartInCaption(token);
      break;
    case Mode::kInColumnGroup:
      StartInColumnGroup(token);
      break;
    case Mode::kInTableBody:
      StartInTableBody(token);
      break;
    case Mode::kInRow:
      StartInRow(token);
      break;
    case Mode::kInCell:
      StartInCell(token);
      break;
    case Mode::kInTemplate:
      StartInTemplate(token);
      break;
    case Mode::kAfterBody:
    case Mode::kAfterAfterBody:
      if (token.tag != Tag::kHtml) mode_ = Mode::kInBody;
      StartInBody(token);
      break;
    case Mode::kInFrameset:
    case Mode::kAfterFrameset:
    case Mode::kAfterAfterFrameset:
      StartInFrameset(token);
      break;
  }
}

void TreeBuilder::EndHtml(const TagToken& token) {
  switch (mode_) {
    case Mode::kInitial:
    case Mode::kBeforeHtml:
    case Mode::kBeforeHead:
      EndBeforeHead(token);
      break;
    case Mode::kInHead:
    case Mode::kAfterHead:
      EndInHead(token);
      break;
    case Mode::kInHeadNoscript:
      EndInHeadNoscript(token);
      break;
    case Mode::kInBody:
      EndInBody(token);
      break;
    case Mode::kInTableText:
    case Mode::kInTable:
      EndInTable(token);
      break;
    case Mode::kInCaption:
      EndInCaption(token);
      break;
    case Mode::kInColumnGroup:
      EndInColumnGroup(token);
      break;
    case Mode::kInTableBody:
      EndInTableBody(token);
      break;
    case Mode::kInRow:
      EndInRow(token);
      break;
    case Mode::kInCell:
      EndInCell(token);
      break;
    case Mode::kInTemplate:
      if (token.tag == Tag::kTemplate) EndTemplate();
      break;
    case Mode::kAfterBody:
      if (token.tag == Tag::kHtml) {
        mode_ = Mode::kAfterAfterBody;
        break;
      }
      [[fallthrough]];
    case Mode::kAfterAfterBody:
      mode_ = Mode::kInBody;
      EndInBody(token);
      break;
    case Mode::kInFrameset:
    case Mode::kAfterFrameset:
    case Mode::kAfterAfterFrameset:
      EndInFrameset(token);
      break;
  }
}

void TreeBuilder::TextHtml(Piece text) {
  while (true) {
    switch (mode_) {
      case Mode::kInitial:
      case Mode::kBeforeHtml:
      case Mode::kBeforeHead:
        text.begin = SkipSpace(text);
        if (text.begin == text.end) return;
        LeaveMode();
        break;
      case Mode::kInHead:
      case Mode::kInHeadNoscript:
      case Mode::kAfterHead:
      case Mode::kInColumnGroup: {
        const std::uint32_t end = SkipSpace(text);
        if (end != text.begin) InsertText({text.begin, end, text.raw}, 0);
        text.begin = end;
        if (text.begin == text.end) return;
        if (mode_ != Mode::kInColumnGroup) {
          LeaveMode();
          break;
        }
        if (!CurrentIs(Tag::kColgroup)) return;
        open_.Pop();
        mode_ = Mode::kInTable;
        break;
      }
      case Mode::kInTable:
      case Mode::kInTableText:
      case Mode::kInTableBody:
      case Mode::kInRow:
        TextInTable(text);
        return;
      case Mode::kAfterBody:
      case Mode::kAfterAfterBody:
        if (SkipSpace(text) != text.end) mode_ = Mode::kInBody;
        TextInBody(text);
        return;
      case Mode::kInFrameset:
      case Mode::kAfterFrameset:
      case Mode::kAfterAfterFrameset: {
        // Of a frameset's text only white space stays.
        while (text.begin != text.end && !nodes_.IsOverLimit()) {
          ++work_;
          const std::uint32_t end = SkipSpace(text);
          if (end != text.begin) {
            // Behind </html> it is read as in a body, which opens formatting again.
            if (mode_ == Mode::kAfterAfterFrameset) ReconstructFormatting();
            InsertText({text.begin, end, text.raw}, 0);
          }
          text.begin = std::min(end + 1, text.end);
        }
        return;
      }
      case Mode::kInBody:
      case Mode::kInCaption:
      case Mode::kInCell:
      case Mode::kInTemplate:
        TextInBody(text);
        return;
    }
  }
}

// Insertion

NodeIndex TreeBuilder::InsertHtml(const TagToken& token) {
  const NodeIndex node =
      nodes_.Add(token.tag, 0, token.begin, token.first_attribute, token.attributes);
  Insert(open_.current(), node);
  open_.Push(node, token.name);
  return node;
}

NodeIndex TreeBuilder::InsertHtml(Tag tag) {
  const NodeIndex node = nodes_.Add(tag, 0, 0, 0, 0);
  Insert(open_.current(), node);
  open_.Push(node, static_cast<NameId>(tag));
  return node;
}

void TreeBuilder::InsertText(const Piece& text, std::uint8_t flags) {
  if (text.keeps_nul) flags |= kKeepsNul;
  if (text.raw) flags |= kRawText;
  Insert(open_.current(), nodes_.Add(Tag::kText, flags, text.begin, text.end, 0));
}

void TreeBuilder::Insert(NodeIndex target, NodeIndex node) {
  if (foster_) {
    const Node& into = nodes_[target];
    if (into.Is(Tag::kTable) || into.Is(Tag::kTbody) || into.Is(Tag::kTfoot) ||
        into.Is(Tag::kThead) || into.Is(Tag::kTr)) {
      InsertFostered(node);
      return;
    }
  }
  nodes_.Append(target, node);
}

void TreeBuilder::InsertFostered(NodeIndex node) {
  const std::uint32_t last_template = open_.Topmost(Tag::kTemplate);
  const std::uint32_t last_table = open_.Topmost(Tag::kTable);
  if (last_template != kNoPlace && (last_table == kNoPlace || last_template > last_table)) {
    nodes_.Append(open_[last_template].node, node);
  } else if (last_table == kNoPlace) {
    nodes_.Append(root_, node);
  } else if (const NodeIndex table = open_[last_table].node; nodes_[table].parent != kNoNode) {
    nodes_.InsertBefore(table, node);
  } else {
    nodes_.Append(open_[open_[last_table].below].node, node);
  }
}

void TreeBuilder::MergeAttributes(NodeIndex element, const TagToken& token) {
  AttributeMask known = 0;
  for (const Attribute& attribute : nodes_.AttributesOf(nodes_[element])) {
    known |= MaskOf(attribute.Kind());
  }
  if ((token.kinds & ~known) == 0) return;
  // The tree's attributes of one element lie side by side, so all of them move to the end.
  Pool<Attribute>& all = nodes_.attributes();
  Node& node = nodes_[element];
  const auto first = static_cast<std::uint32_t>(all.size());
  for (std::uint32_t i = 0; i < node.attributes; ++i) {
    const Attribute kept = all[node.extra + i];
    all.push_back(kept);
  }
  for (std::uint32_t i = 0; i < token.attributes; ++i) {
    const Attribute added = all[token.first_attribute + i];
    if ((known & MaskOf(added.Kind())) == 0) all.push_back(added);
  }
  node.extra = first;
  node.attributes = static_cast<std::uint8_t>(all.size() - first);
}

// The stack

void TreeBuilder::GenerateImpliedEndTags(Tag except) {
  while (true) {
    const Node& node = nodes_[open_.current()];
    if (!node.IsHtml() || !TraitsOf(node.tag).implied_end || node.tag == except) return;
    open_.Pop();
  }
}

void TreeBuilder::CloseParagraph() {
  GenerateImpliedEndTags(Tag::kP);
  PopThrough(Tag::kP);
}

// Text and attributes

std::uint32_t TreeBuilder::SkipNewline(const Piece& text, bool references) const {
  if (text.begin == text.end) return text.begin;
  const char c = html_[text.begin];
  if (c == '\n') return text.begin + 1;
  if (c == '\r') {
    const bool two = text.begin + 1 < text.end && html_[text.begin + 1] == '\n';
    return text.begin + (two ? 2 : 1);
  }
  if (c != '&' || !references) return text.begin;
  std::string reference;
  const std::size_t length =
      AppendReference(html_.substr(text.begin, text.end - text.begin), false, reference);
  return reference == "\n" ? text.begin + static_cast<std::uint32_t>(length) : text.begin;
}

std::uint32_t TreeBuilder::SkipSpace(const Piece& text) const {
  std::uint32_t at = text.begin;
  std::string reference;
  while (at < text.end) {
    const char c = html_[at];
    if (IsAsciiSpace(c)) {
      ++at;
      continue;
    }
    if (c != '&' || text.raw) break;
    reference.clear();
    const std::size_t length = AppendReference(html_.substr(at, text.end - at), false, reference);
    if (reference.size() != 1 || !IsAsciiSpace(reference[0])) break;
    at += static_cast<std::uint32_t>(length);
  }
  return at;
}

bool TreeBuilder::IsSpaceOrNul(const Piece& text) const {
  Piece rest = text;
  while (true) {
    rest.begin = SkipSpace(rest);
    if (rest.begin == rest.end) return true;
    if (html_[rest.begin] != '\0') return false;
    ++rest.begin;
  }
}

bool TreeBuilder::HasValue(const TagToken& token, AttributeKind kind,
                           std::string_view lower_value) const {
  for (std::uint32_t i = 0; i < token.attributes; ++i) {
    const Attribute& attribute = nodes_.attributes()[token.first_attribute + i];
    if (attribute.Kind() != kind) continue;
    const std::string_view value = html_.substr(attribute.offset, attribute.length);
    if (value.find('&') == std::string_view::npos) return EqualsNoCase(value, lower_value);
    std::string decoded;
    AppendDecoded(value, true, decoded);
    return EqualsNoCase(decoded, lower_value);
  }
  return false;
}

}  // namespace crawlsieve::extract::html
