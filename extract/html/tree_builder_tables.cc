// Tables.

#include "extract/html/tree_builder.h"
#include "extract/text/ascii.h"

namespace crawlsieve::extract::html {
namespace {

bool IsTableBody(const Node& node) {
  return node.Is(Tag::kTbody) || node.Is(Tag::kThead) || node.Is(Tag::kTfoot);
}

}  // namespace

void TreeBuilder::ClearToTable() {
  const std::uint32_t stop = open_.TopmostOf(kTableScope);
  while (open_.top() > stop) open_.Pop();
}

void TreeBuilder::ClearToTableBody() {
  const std::uint32_t stop = open_.TopmostOf(kTableScope);
  while (open_.top() > stop && !IsTableBody(nodes_[open_.current()])) open_.Pop();
}

void TreeBuilder::ClearToRow() {
  const std::uint32_t stop = open_.TopmostOf(kTableScope);
  // "table" is no stop for a row, but the row is above it wherever this is asked for.
  while (open_.top() > stop && !CurrentIs(Tag::kTr)) open_.Pop();
}

void TreeBuilder::StartInTable(const TagToken& token) {
  switch (token.tag) {
    case Tag::kCaption:
      ClearToTable();
      PushMarker();
      InsertHtml(token);
      mode_ = Mode::kInCaption;
      return;
    case Tag::kColgroup:
      ClearToTable();
      InsertHtml(token);
      mode_ = Mode::kInColumnGroup;
      return;
    case Tag::kCol:
      ClearToTable();
      InsertHtml(Tag::kColgroup);
      mode_ = Mode::kInColumnGroup;
      StartInColumnGroup(token);
      return;
    case Tag::kTbody:
    case Tag::kTfoot:
    case Tag::kThead:
      ClearToTable();
      InsertHtml(token);
      mode_ = Mode::kInTableBody;
      return;
    case Tag::kTd:
    case Tag::kTh:
    case Tag::kTr:
      ClearToTable();
      InsertHtml(Tag::kTbody);
      mode_ = Mode::kInTableBody;
      StartInTableBody(token);
      return;
    case Tag::kTable:
      if (!open_.HasInScope(Tag::kTable, kTableScope)) return;
      PopThrough(Tag::kTable);
      ResetMode();
      StartHtml(token);
      return;
    case Tag::kStyle:
    case Tag::kScript:
    case Tag::kTemplate:
      StartInHead(token);
      return;
    case Tag::kInput:
      if (!HasValue(token, AttributeKind::kType, "hidden")) break;
      InsertVoid(token);
      return;
    case Tag::kForm:
      if (form_ != kNoNode || open_.Has(Tag::kTemplate)) return;
      form_ = InsertHtml(token);
      open_.Pop();
      return;
    default:
      break;
  }
  foster_ = true;
  StartInBody(token);
  foster_ = false;
}

void TreeBuilder::EndInTable(const TagToken& token) {
  switch (token.tag) {
    case Tag::kTable:
      if (!open_.HasInScope(Tag::kTable, kTableScope)) return;
      PopThrough(Tag::kTable);
      ResetMode();
      return;
    case Tag::kBody:
    case Tag::kCaption:
    case Tag::kCol:
    case Tag::kColgroup:
    case Tag::kHtml:
    case Tag::kTbody:
    case Tag::kTd:
    case Tag::kTfoot:
    case Tag::kTh:
    case Tag::kThead:
    case Tag::kTr:
      return;
    case Tag::kTemplate:
      EndTemplate();
      return;
    default:
      foster_ = true;
      EndInBody(token);
      foster_ = false;
      return;
  }
}

void TreeBuilder::TextInTable(const Piece& text) {
  if (mode_ != Mode::kInTableText) {
    const Node& current = nodes_[open_.current()];
    const bool in_table = current.Is(Tag::kTable) || current.Is(Tag::kTr) || IsTableBody(current) ||
                          current.Is(Tag::kTemplate);
    if (!in_table) {
      foster_ = true;
      TextInBody(text);
      foster_ = false;
      return;
    }
    mode_before_text_ = mode_;
    mode_ = Mode::kInTableText;
    table_text_.clear();
  }
  table_text_.push_back(text);
}

void TreeBuilder::FlushTableText() {
  mode_ = mode_before_text_;
  bool space = true;
  for (std::size_t i = 0; i < table_text_.size() && space; ++i) {
    space = IsSpaceOrNul(table_text_[i]);
  }
  for (std::size_t i = 0; i < table_text_.size() && !nodes_.IsOverLimit(); ++i) {
    if (space) {
      InsertText(table_text_[i], 0);
    } else {
      foster_ = true;
      TextInBody(table_text_[i]);
      foster_ = false;
    }
  }
  table_text_.clear();
}

bool TreeBuilder::CloseCaption() {
  if (!open_.HasInScope(Tag::kCaption, kTableScope)) return false;
  PopThrough(Tag::kCaption);
  formatting_.ClearToMarker();
  mode_ = Mode::kInTable;
  return true;
}

void TreeBuilder::StartInCaption(const TagToken& token) {
  switch (token.tag) {
    case Tag::kCaption:
    case Tag::kCol:
    case Tag::kColgroup:
    case Tag::kTbody:
    case Tag::kTd:
    case Tag::kTfoot:
    case Tag::kTh:
    case Tag::kThead:
    case Tag::kTr:
      if (CloseCaption()) StartInTable(token);
      return;
    default:
      StartInBody(token);
      return;
  }
}

void TreeBuilder::EndInCaption(const TagToken& token) {
  switch (token.tag) {
    case Tag::kCaption:
      static_cast<void>(CloseCaption());
      return;
    case Tag::kTable:
      if (CloseCaption()) EndInTable(token);
      return;
    case Tag::kBody:
    case Tag::kCol:
    case Tag::kColgroup:
    case Tag::kHtml:
    case Tag::kTbody:
    case Tag::kTd:
    case Tag::kTfoot:
    case Tag::kTh:
    case Tag::kThead:
    case Tag::kTr:
      return;
    default:
      EndInBody(token);
      return;
  }
}

void TreeBuilder::StartInColumnGroup(const TagToken& token) {
  switch (token.tag) {
    case Tag::kHtml:
      StartSecondHtml(token);
      return;
    case Tag::kCol:
      InsertVoid(token);
      return;
    case Tag::kTemplate:
      StartInHead(token);
      return;
    default:
      if (!CurrentIs(Tag::kColgroup)) return;
      open_.Pop();
      mode_ = Mode::kInTable;
      StartInTable(token);
      return;
  }
}

void TreeBuilder::EndInColumnGroup(const TagToken& token) {
  if (token.tag == Tag::kCol) return;
  if (token.tag == Tag::kTemplate) {
    EndTemplate();
    return;
  }
  if (!CurrentIs(Tag::kColgroup)) return;
  open_.Pop();
  mode_ = Mode::kInTable;
  if (token.tag != Tag::kColgroup) EndInTable(token);
}

bool TreeBuilder::CloseTableBody() {
  if (!open_.HasInScope(Tag::kTbody, kTableScope) && !open_.HasInScope(Tag::kThead, kTableScope) &&
      !open_.HasInScope(Tag::kTfoot, kTableScope)) {
    return false;
  }
  ClearToTableBody();
  open_.Pop();
  mode_ = Mode::kInTable;
  return true;
}

void TreeBuilder::StartInTableBody(const TagToken& token) {
  switch (token.tag) {
    case Tag::kTr:
      ClearToTableBody();
      InsertHtml(token);
      mode_ = Mode::kInRow;
      return;
    case Tag::kTd:
    case Tag::kTh:
      ClearToTableBody();
      InsertHtml(Tag::kTr);
      mode_ = Mode::kInRow;
      StartInRow(token);
      return;
    case Tag::kCaption:
    case Tag::kCol:
    case Tag::kColgroup:
    case Tag::kTbody:
    case Tag::kTfoot:
    case Tag::kThead:
      if (CloseTableBody()) StartInTable(token);
      return;
    default:
      StartInTable(token);
      return;
  }
}

void TreeBuilder::EndInTableBody(const TagToken& token) {
  switch (token.tag) {
    case Tag::kTbody:
    case Tag::kTfoot:
    case Tag::kThead:
      if (!open_.HasInScope(token.tag, kTableScope)) return;
      ClearToTableBody();
      open_.Pop();
      mode_ = Mode::kInTable;
      return;
    case Tag::kTable:
      if (CloseTableBody()) EndInTable(token);
      return;
    case Tag::kBody:
    case Tag::kCaption:
    case Tag::kCol:
    case Tag::kColgroup:
    case Tag::kHtml:
    case Tag::kTd:
    case Tag::kTh:
    case Tag::kTr:
      return;
    default:
      EndInTable(token);
      return;
  }
}

bool TreeBuilder::CloseRow() {
  if (!open_.HasInScope(Tag::kTr, kTableScope)) return false;
  ClearToRow();
  open_.Pop();
  mode_ = Mode::kInTableBody;
  return true;
}

void TreeBuilder::StartInRow(const TagToken& token) {
  switch (token.tag) {
    case Tag::kTd:
    case Tag::kTh:
      ClearToRow();
      InsertHtml(token);
      mode_ = Mode::kInCell;
      PushMarker();
      return;
    case Tag::kCaption:
    case Tag::kCol:
    case Tag::kColgroup:
    case Tag::kTbody:
    case Tag::kTfoot:
    case Tag::kThead:
    case Tag::kTr:
      if (CloseRow()) StartInTableBody(token);
      return;
    default:
      StartInTable(token);
      return;
  }
}

void TreeBuilder::EndInRow(const TagToken& token) {
  switch (token.tag) {
    case Tag::kTr:
      static_cast<void>(CloseRow());
      return;
    case Tag::kTable:
      if (CloseRow()) EndInTableBody(token);
      return;
    case Tag::kTbody:
    case Tag::kTfoot:
    case Tag::kThead:
      if (open_.HasInScope(token.tag, kTableScope) && CloseRow()) EndInTableBody(token);
      return;
    case Tag::kBody:
    case Tag::kCaption:
    case Tag::kCol:
    case Tag::kColgroup:
    case Tag::kHtml:
    case Tag::kTd:
    case Tag::kTh:
      return;
    default:
      EndInTable(token);
      return;
  }
}

bool TreeBuilder::CloseCell() {
  // At most one of the two is in scope.
  const Tag cell = open_.HasInScope(Tag::kTd, kTableScope) ? Tag::kTd : Tag::kTh;
  if (!open_.HasInScope(cell, kTableScope)) return false;
  PopThrough(cell);
  formatting_.ClearToMarker();
  mode_ = Mode::kInRow;
  return true;
}

void TreeBuilder::StartInCell(const TagToken& token) {
  switch (token.tag) {
    case Tag::kCaption:
    case Tag::kCol:
    case Tag::kColgroup:
    case Tag::kTbody:
    case Tag::kTd:
    case Tag::kTfoot:
    case Tag::kTh:
    case Tag::kThead:
    case Tag::kTr:
      if (CloseCell()) StartInRow(token);
      return;
    default:
      StartInBody(token);
      return;
  }
}

void TreeBuilder::EndInCell(const TagToken& token) {
  switch (token.tag) {
    case Tag::kTd:
    case Tag::kTh:
      if (!open_.HasInScope(token.tag, kTableScope)) return;
      PopThrough(token.tag);
      formatting_.ClearToMarker();
      mode_ = Mode::kInRow;
      return;
    case Tag::kBody:
    case Tag::kCaption:
    case Tag::kCol:
    case Tag::kColgroup:
    case Tag::kHtml:
      return;
    case Tag::kTable:
    case Tag::kTbody:
    case Tag::kTfoot:
    case Tag::kThead:
    case Tag::kTr:
      if (open_.HasInScope(token.tag, kTableScope) && CloseCell()) EndInRow(token);
      return;
    default:
      EndInBody(token);
      return;
  }
}

}  // namespace crawlsieve::extract::html
