#include "extract/html/tree_builder.h"

#include "extract/html/character_references.h"
#include "extract/text/ascii.h"

namespace crawlsieve::extract::html {

TreeBuilder::TreeBuilder(NodeArena& nodes, TagReader& tags, const KeyedHash& hash)
    : nodes_(nodes), tags_(tags), hash_(hash), open_(nodes), formatting_(*this) {}

void TreeBuilder::Begin(std::string_view html, const MarkupBits& bits) {
  constexpr std::size_t kKept = std::size_t{16} << 10;
  // Real pages open formatting again for less than a tenth of these.
  constexpr std::size_t kFreeClones = 4096;
  constexpr std::size_t kBytesPerClone = 4;
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
    if (html_[begin] == '\r' && begin + 1 < end && html_[begin + 1] == '\n') ++begin;
    if (html_[begin] == '\n' || html_[begin] == '\r') ++begin;
    if (begin == end) return;
  }
  const Piece text{begin, end, raw};
  if (open_.HasForeign() && IsForeignForText()) {
    if (frameset_ok_ && !IsSpaceOrNul(text)) frameset_ok_ = false;
    InsertText(text, kKeepsNul);
  } else if (mode_ == Mode::kInBody) {
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

void TreeBuilder::EndOfPage() {
  if (mode_ == Mode::kInTableText) FlushTableText();
  while (true) {
    switch (mode_) {
      case Mode::kInitial:
      case Mode::kBeforeHtml:
      case Mode::kBeforeHead:
      case Mode::kInHead:
      case Mode::kInHeadNoscript:
      case Mode::kAfterHead:
        LeaveMode();
        break;
      default:
        if (template_modes_.empty() || !open_.Has(Tag::kTemplate)) return;
        PopThrough(Tag::kTemplate);
        formatting_.ClearToMarker();
        template_modes_.pop_back();
        ResetMode();
        break;
    }
  }
}

void TreeBuilder::RawText(std::uint32_t begin, std::uint32_t end, bool references) {
  if (skip_newline_) {
    skip_newline_ = false;
    if (begin < end && html_[begin] == '\r') ++begin;
    if (begin < end && html_[begin] == '\n') ++begin;
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
        const std::uint32_t end = SkipSpace(text);
        if (end != text.begin) InsertText({text.begin, end, text.raw}, 0);
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

// In front of the body and behind it

void TreeBuilder::LeaveMode() {
  switch (mode_) {
    case Mode::kInitial:
      quirks_ = true;
      mode_ = Mode::kBeforeHtml;
      break;
    case Mode::kBeforeHtml:
      root_ = nodes_.Add(Tag::kHtml, 0, 0, 0, 0);
      open_.Push(root_, static_cast<NameId>(Tag::kHtml));
      mode_ = Mode::kBeforeHead;
      break;
    case Mode::kBeforeHead:
      head_ = InsertHtml(Tag::kHead);
      mode_ = Mode::kInHead;
      break;
    case Mode::kInHead:
      open_.Pop();
      mode_ = Mode::kAfterHead;
      break;
    case Mode::kInHeadNoscript:
      open_.Pop();
      mode_ = Mode::kInHead;
      break;
    default:
      body_ = InsertHtml(Tag::kBody);
      mode_ = Mode::kInBody;
      break;
  }
}

void TreeBuilder::StartBeforeHead(const TagToken& token) {
  if (mode_ == Mode::kInitial) LeaveMode();
  if (mode_ == Mode::kBeforeHtml) {
    if (token.tag == Tag::kHtml) {
      root_ = nodes_.Add(Tag::kHtml, 0, token.begin, token.first_attribute, token.attributes);
      open_.Push(root_, static_cast<NameId>(Tag::kHtml));
      mode_ = Mode::kBeforeHead;
      return;
    }
    LeaveMode();
  }
  if (token.tag == Tag::kHtml) {
    StartSecondHtml(token);
    return;
  }
  if (token.tag == Tag::kHead) {
    head_ = InsertHtml(token);
    mode_ = Mode::kInHead;
    return;
  }
  LeaveMode();
  StartInHead(token);
}

void TreeBuilder::StartInHead(const TagToken& token) {
  switch (token.tag) {
    case Tag::kHtml:
      StartSecondHtml(token);
      return;
    case Tag::kBase:
    case Tag::kBasefont:
    case Tag::kBgsound:
    case Tag::kLink:
    case Tag::kMeta:
      InsertVoid(token);
      return;
    case Tag::kTitle:
      InsertRaw(token, ContentModel::kRcdata);
      return;
    case Tag::kNoframes:
    case Tag::kStyle:
      InsertRaw(token, ContentModel::kRawText);
      return;
    case Tag::kScript:
      InsertRaw(token, ContentModel::kScript);
      return;
    case Tag::kNoscript:
      InsertHtml(token);
      mode_ = Mode::kInHeadNoscript;
      return;
    case Tag::kTemplate:
      InsertHtml(token);
      formatting_.PushMarker();
      frameset_ok_ = false;
      mode_ = Mode::kInTemplate;
      template_modes_.push_back(Mode::kInTemplate);
      return;
    case Tag::kHead:
      return;
    default:
      LeaveMode();
      StartAfterHead(token);
      return;
  }
}

void TreeBuilder::StartInHeadNoscript(const TagToken& token) {
  switch (token.tag) {
    case Tag::kHtml:
    case Tag::kBasefont:
    case Tag::kBgsound:
    case Tag::kLink:
    case Tag::kMeta:
    case Tag::kNoframes:
    case Tag::kStyle:
      StartInHead(token);
      return;
    case Tag::kHead:
    case Tag::kNoscript:
      return;
    default:
      LeaveMode();
      StartInHead(token);
      return;
  }
}

void TreeBuilder::StartAfterHead(const TagToken& token) {
  switch (token.tag) {
    case Tag::kHtml:
      StartSecondHtml(token);
      return;
    case Tag::kBody:
      body_ = InsertHtml(token);
      frameset_ok_ = false;
      mode_ = Mode::kInBody;
      return;
    case Tag::kFrameset:
      InsertHtml(token);
      mode_ = Mode::kInFrameset;
      return;
    case Tag::kBase:
    case Tag::kBasefont:
    case Tag::kBgsound:
    case Tag::kLink:
    case Tag::kMeta:
    case Tag::kNoframes:
    case Tag::kScript:
    case Tag::kStyle:
    case Tag::kTemplate:
    case Tag::kTitle:
      // They go into the head, which is open for them alone.
      open_.Push(head_, static_cast<NameId>(Tag::kHead));
      StartInHead(token);
      open_.Remove(nodes_[head_].place);
      return;
    case Tag::kHead:
      return;
    default:
      LeaveMode();
      StartInBody(token);
      return;
  }
}

void TreeBuilder::StartInFrameset(const TagToken& token) {
  switch (token.tag) {
    case Tag::kHtml:
      StartSecondHtml(token);
      return;
    case Tag::kNoframes:
      InsertRaw(token, ContentModel::kRawText);
      return;
    case Tag::kFrameset:
      if (mode_ == Mode::kInFrameset) InsertHtml(token);
      return;
    case Tag::kFrame:
      if (mode_ == Mode::kInFrameset) InsertVoid(token);
      return;
    default:
      return;
  }
}

void TreeBuilder::EndBeforeHead(const TagToken& token) {
  switch (token.tag) {
    case Tag::kHead:
    case Tag::kBody:
    case Tag::kHtml:
    case Tag::kBr:
      while (mode_ != Mode::kInHead) LeaveMode();
      EndInHead(token);
      return;
    default:
      if (mode_ == Mode::kInitial) LeaveMode();
      // A template can be open in no mode in front of the head.
      return;
  }
}

void TreeBuilder::EndInHead(const TagToken& token) {
  switch (token.tag) {
    case Tag::kHead:
      if (mode_ == Mode::kInHead) LeaveMode();
      return;
    case Tag::kTemplate:
      EndTemplate();
      return;
    case Tag::kBody:
    case Tag::kHtml:
    case Tag::kBr:
      while (mode_ != Mode::kInBody) LeaveMode();
      EndInBody(token);
      return;
    default:
      return;
  }
}

void TreeBuilder::EndInHeadNoscript(const TagToken& token) {
  if (token.tag == Tag::kNoscript) {
    LeaveMode();
  } else if (token.tag == Tag::kBr) {
    LeaveMode();
    EndInHead(token);
  }
}

void TreeBuilder::EndInFrameset(const TagToken& token) {
  if (mode_ == Mode::kInFrameset && token.tag == Tag::kFrameset) {
    if (open_.current() == root_) return;
    open_.Pop();
    if (!CurrentIs(Tag::kFrameset)) mode_ = Mode::kAfterFrameset;
  } else if (mode_ == Mode::kAfterFrameset && token.tag == Tag::kHtml) {
    mode_ = Mode::kAfterAfterFrameset;
  }
}

void TreeBuilder::EndTemplate() {
  if (!open_.Has(Tag::kTemplate)) return;
  PopThrough(Tag::kTemplate);
  formatting_.ClearToMarker();
  template_modes_.pop_back();
  ResetMode();
}

void TreeBuilder::ResetMode() {
  const Tag tag = nodes_[open_[open_.TopmostOf(kModeReset)].node].tag;
  switch (tag) {
    case Tag::kTd:
    case Tag::kTh:
      mode_ = Mode::kInCell;
      break;
    case Tag::kTr:
      mode_ = Mode::kInRow;
      break;
    case Tag::kTbody:
    case Tag::kThead:
    case Tag::kTfoot:
      mode_ = Mode::kInTableBody;
      break;
    case Tag::kCaption:
      mode_ = Mode::kInCaption;
      break;
    case Tag::kColgroup:
      mode_ = Mode::kInColumnGroup;
      break;
    case Tag::kTable:
      mode_ = Mode::kInTable;
      break;
    case Tag::kTemplate:
      mode_ = template_modes_.back();
      break;
    case Tag::kHead:
      mode_ = Mode::kInHead;
      break;
    case Tag::kBody:
      mode_ = Mode::kInBody;
      break;
    case Tag::kFrameset:
      mode_ = Mode::kInFrameset;
      break;
    default:
      mode_ = head_ == kNoNode ? Mode::kBeforeHead : Mode::kAfterHead;
      break;
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

void TreeBuilder::InsertText(Piece text, std::uint8_t flags) {
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
