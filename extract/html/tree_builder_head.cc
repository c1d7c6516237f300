// The insertion modes in front of the body and behind it, templates, and framesets.

#include "extract/html/tree_builder.h"

namespace crawlsieve::extract::html {

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
      PushMarker();
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

void TreeBuilder::StartInTemplate(const TagToken& token) {
  Mode mode = Mode::kInBody;
  switch (token.tag) {
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
      StartInHead(token);
      return;
    case Tag::kCaption:
    case Tag::kColgroup:
    case Tag::kTbody:
    case Tag::kTfoot:
    case Tag::kThead:
      mode = Mode::kInTable;
      break;
    case Tag::kCol:
      mode = Mode::kInColumnGroup;
      break;
    case Tag::kTr:
      mode = Mode::kInTableBody;
      break;
    case Tag::kTd:
    case Tag::kTh:
      mode = Mode::kInRow;
      break;
    default:
      break;
  }
  template_modes_.back() = mode;
  mode_ = mode;
  StartHtml(token);
}

}  // namespace crawlsieve::extract::html
