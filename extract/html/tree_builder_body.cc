// "In body", the insertion mode of most of a page.

#include "extract/html/tree_builder.h"
#include "extract/text/ascii.h"

#include <algorithm>

namespace crawlsieve::extract::html {

// One switch, as in the standard, which lists the tags of this mode one behind the other.
void TreeBuilder::StartInBody(const TagToken& token) {
  switch (token.tag) {
    case Tag::kHtml:
      StartSecondHtml(token);
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
      StartInHead(token);
      return;
    case Tag::kBody:
      StartSecondBody(token);
      return;
    case Tag::kFrameset:
      StartFrameset(token);
      return;
    case Tag::kAddress:
    case Tag::kArticle:
    case Tag::kAside:
    case Tag::kBlockquote:
    case Tag::kCenter:
    case Tag::kDetails:
    case Tag::kDialog:
    case Tag::kDir:
    case Tag::kDiv:
    case Tag::kDl:
    case Tag::kFieldset:
    case Tag::kFigcaption:
    case Tag::kFigure:
    case Tag::kFooter:
    case Tag::kHeader:
    case Tag::kHgroup:
    case Tag::kMain:
    case Tag::kMenu:
    case Tag::kNav:
    case Tag::kOl:
    case Tag::kP:
    case Tag::kSearch:
    case Tag::kSection:
    case Tag::kSummary:
    case Tag::kUl:
      CloseParagraphInButtonScope();
      InsertHtml(token);
      return;
    case Tag::kH1:
    case Tag::kH2:
    case Tag::kH3:
    case Tag::kH4:
    case Tag::kH5:
    case Tag::kH6: {
      CloseParagraphInButtonScope();
      const Node& current = nodes_[open_.current()];
      if (current.IsHtml() && current.tag >= Tag::kH1 && current.tag <= Tag::kH6) open_.Pop();
      InsertHtml(token);
      return;
    }
    case Tag::kPre:
    case Tag::kListing:
      CloseParagraphInButtonScope();
      InsertHtml(token);
      skip_newline_ = true;
      frameset_ok_ = false;
      return;
    case Tag::kForm: {
      const bool in_template = open_.Has(Tag::kTemplate);
      if (form_ != kNoNode && !in_template) return;
      CloseParagraphInButtonScope();
      const NodeIndex form = InsertHtml(token);
      if (!in_template) form_ = form;
      return;
    }
    case Tag::kLi:
      StartListItem(token);
      return;
    case Tag::kDd:
    case Tag::kDt:
      StartDefinition(token);
      return;
    case Tag::kPlaintext:
      CloseParagraphInButtonScope();
      InsertRaw(token, ContentModel::kPlaintext);
      return;
    case Tag::kButton:
      if (open_.HasInScope(Tag::kButton, kScope)) PopThrough(Tag::kButton);
      ReconstructFormatting();
      InsertHtml(token);
      frameset_ok_ = false;
      return;
    case Tag::kA:
    case Tag::kB:
    case Tag::kBig:
    case Tag::kCode:
    case Tag::kEm:
    case Tag::kFont:
    case Tag::kI:
    case Tag::kNobr:
    case Tag::kS:
    case Tag::kSmall:
    case Tag::kStrike:
    case Tag::kStrong:
    case Tag::kTt:
    case Tag::kU:
      StartFormattingElement(token);
      return;
    case Tag::kApplet:
    case Tag::kMarquee:
    case Tag::kObject:
      ReconstructFormatting();
      InsertHtml(token);
      PushMarker();
      frameset_ok_ = false;
      return;
    case Tag::kTable:
      if (!quirks_) CloseParagraphInButtonScope();
      InsertHtml(token);
      frameset_ok_ = false;
      mode_ = Mode::kInTable;
      return;
    case Tag::kArea:
    case Tag::kBr:
    case Tag::kEmbed:
    case Tag::kImg:
    case Tag::kKeygen:
    case Tag::kWbr:
      ReconstructFormatting();
      InsertVoid(token);
      frameset_ok_ = false;
      return;
    case Tag::kInput:
      if (open_.HasInScope(Tag::kSelect, kScope)) PopThrough(Tag::kSelect);
      ReconstructFormatting();
      InsertVoid(token);
      if (frameset_ok_ && !HasValue(token, AttributeKind::kType, "hidden")) frameset_ok_ = false;
      return;
    case Tag::kParam:
    case Tag::kSource:
    case Tag::kTrack:
      InsertVoid(token);
      return;
    case Tag::kHr:
      CloseParagraphInButtonScope();
      if (open_.HasInScope(Tag::kSelect, kScope)) GenerateImpliedEndTags();
      InsertVoid(token);
      frameset_ok_ = false;
      return;
    case Tag::kImage: {
      TagToken image = token;
      image.tag = Tag::kImg;
      image.name = static_cast<NameId>(Tag::kImg);
      StartInBody(image);
      return;
    }
    case Tag::kTextarea:
      InsertRaw(token, ContentModel::kRcdata);
      skip_newline_ = true;
      frameset_ok_ = false;
      return;
    case Tag::kXmp:
      CloseParagraphInButtonScope();
      ReconstructFormatting();
      frameset_ok_ = false;
      InsertRaw(token, ContentModel::kRawText);
      return;
    case Tag::kIframe:
      frameset_ok_ = false;
      InsertRaw(token, ContentModel::kRawText);
      return;
    case Tag::kNoembed:
      InsertRaw(token, ContentModel::kRawText);
      return;
    case Tag::kSelect:
      if (open_.HasInScope(Tag::kSelect, kScope)) {
        PopThrough(Tag::kSelect);
        return;
      }
      ReconstructFormatting();
      InsertHtml(token);
      frameset_ok_ = false;
      return;
    case Tag::kOptgroup:
    case Tag::kOption:
      StartSelectPart(token);
      return;
    case Tag::kRb:
    case Tag::kRtc:
      if (open_.HasInScope(Tag::kRuby, kScope)) GenerateImpliedEndTags();
      InsertHtml(token);
      return;
    case Tag::kRp:
    case Tag::kRt:
      if (open_.HasInScope(Tag::kRuby, kScope)) GenerateImpliedEndTags(Tag::kRtc);
      InsertHtml(token);
      return;
    case Tag::kMath:
    case Tag::kSvg:
      ReconstructFormatting();
      InsertForeign(token, token.tag == Tag::kSvg ? Namespace::kSvg : Namespace::kMathMl);
      return;
    case Tag::kCaption:
    case Tag::kCol:
    case Tag::kColgroup:
    case Tag::kFrame:
    case Tag::kHead:
    case Tag::kTbody:
    case Tag::kTd:
    case Tag::kTfoot:
    case Tag::kTh:
    case Tag::kThead:
    case Tag::kTr:
      return;
    default:
      ReconstructFormatting();
      InsertHtml(token);
      return;
  }
}

void TreeBuilder::StartSecondHtml(const TagToken& token) {
  if (!open_.Has(Tag::kTemplate)) MergeAttributes(root_, token);
}

void TreeBuilder::StartSecondBody(const TagToken& token) {
  if (body_ == kNoNode || nodes_[body_].place == kNoPlace || open_.Has(Tag::kTemplate)) return;
  frameset_ok_ = false;
  MergeAttributes(body_, token);
}

void TreeBuilder::StartFrameset(const TagToken& token) {
  if (body_ == kNoNode || nodes_[body_].place == kNoPlace || !frameset_ok_) return;
  nodes_.Remove(body_);
  while (open_.current() != root_) open_.Pop();
  InsertHtml(token);
  mode_ = Mode::kInFrameset;
}

void TreeBuilder::StartListItem(const TagToken& token) {
  frameset_ok_ = false;
  const std::uint32_t item = open_.Topmost(Tag::kLi);
  if (item != kNoPlace && item >= open_.TopmostOf(kItemStop)) open_.PopThrough(item);
  CloseParagraphInButtonScope();
  InsertHtml(token);
}

void TreeBuilder::StartDefinition(const TagToken& token) {
  frameset_ok_ = false;
  // At most one of the two is above the other and every other element that the search stops at.
  const std::uint32_t stop = open_.TopmostOf(kItemStop);
  for (const Tag tag : {Tag::kDd, Tag::kDt}) {
    const std::uint32_t place = open_.Topmost(tag);
    if (place == kNoPlace || place < stop) continue;
    open_.PopThrough(place);
    break;
  }
  CloseParagraphInButtonScope();
  InsertHtml(token);
}

void TreeBuilder::StartSelectPart(const TagToken& token) {
  if (open_.HasInScope(Tag::kSelect, kScope)) {
    GenerateImpliedEndTags(token.tag == Tag::kOption ? Tag::kOptgroup : Tag::kUnknown);
  } else if (CurrentIs(Tag::kOption)) {
    open_.Pop();
  }
  ReconstructFormatting();
  InsertHtml(token);
}

void TreeBuilder::EndInBody(const TagToken& token) {
  switch (token.tag) {
    case Tag::kTemplate:
      EndTemplate();
      return;
    case Tag::kBody:
    case Tag::kHtml:
      if (!open_.HasInScope(Tag::kBody, kScope)) return;
      mode_ = token.tag == Tag::kBody ? Mode::kAfterBody : Mode::kAfterAfterBody;
      return;
    case Tag::kAddress:
    case Tag::kArticle:
    case Tag::kAside:
    case Tag::kBlockquote:
    case Tag::kButton:
    case Tag::kCenter:
    case Tag::kDetails:
    case Tag::kDialog:
    case Tag::kDir:
    case Tag::kDiv:
    case Tag::kDl:
    case Tag::kFieldset:
    case Tag::kFigcaption:
    case Tag::kFigure:
    case Tag::kFooter:
    case Tag::kHeader:
    case Tag::kHgroup:
    case Tag::kListing:
    case Tag::kMain:
    case Tag::kMenu:
    case Tag::kNav:
    case Tag::kOl:
    case Tag::kPre:
    case Tag::kSearch:
    case Tag::kSection:
    case Tag::kSelect:
    case Tag::kSummary:
    case Tag::kUl:
    case Tag::kDd:
    case Tag::kDt:
      // Elements with implied end tags above it go with it.
      if (open_.HasInScope(token.tag, kScope)) PopThrough(token.tag);
      return;
    case Tag::kForm:
      EndForm();
      return;
    case Tag::kP:
      if (!open_.HasInScope(Tag::kP, kButtonScope)) InsertHtml(Tag::kP);
      CloseParagraph();
      return;
    case Tag::kLi:
      if (open_.HasInScope(Tag::kLi, kListItemScope)) PopThrough(Tag::kLi);
      return;
    case Tag::kH1:
    case Tag::kH2:
    case Tag::kH3:
    case Tag::kH4:
    case Tag::kH5:
    case Tag::kH6:
      EndHeading();
      return;
    case Tag::kA:
    case Tag::kB:
    case Tag::kBig:
    case Tag::kCode:
    case Tag::kEm:
    case Tag::kFont:
    case Tag::kI:
    case Tag::kNobr:
    case Tag::kS:
    case Tag::kSmall:
    case Tag::kStrike:
    case Tag::kStrong:
    case Tag::kTt:
    case Tag::kU:
      RunAdoptionAgency(token);
      return;
    case Tag::kApplet:
    case Tag::kMarquee:
    case Tag::kObject:
      if (!open_.HasInScope(token.tag, kScope)) return;
      PopThrough(token.tag);
      formatting_.ClearToMarker();
      return;
    case Tag::kBr:
      ReconstructFormatting();
      InsertHtml(Tag::kBr);
      open_.Pop();
      frameset_ok_ = false;
      return;
    default:
      EndAnyOther(token.name);
      return;
  }
}

void TreeBuilder::EndForm() {
  if (open_.Has(Tag::kTemplate)) {
    if (open_.HasInScope(Tag::kForm, kScope)) PopThrough(Tag::kForm);
    return;
  }
  const NodeIndex form = form_;
  form_ = kNoNode;
  if (form == kNoNode || !open_.IsWithin(nodes_[form].place, kScope)) return;
  GenerateImpliedEndTags();
  RemoveOpen(nodes_[form].place);
}

void TreeBuilder::EndHeading() {
  std::uint32_t heading = kNoPlace;
  for (const Tag tag : {Tag::kH1, Tag::kH2, Tag::kH3, Tag::kH4, Tag::kH5, Tag::kH6}) {
    const std::uint32_t place = open_.Topmost(tag);
    if (place != kNoPlace && (heading == kNoPlace || place > heading)) heading = place;
  }
  if (open_.IsWithin(heading, kScope)) open_.PopThrough(heading);
}

void TreeBuilder::EndAnyOther(NameId name) {
  const std::uint32_t place = open_.Topmost(name, true);
  if (open_.IsWithin(place, kSpecial)) open_.PopThrough(place);
}

void TreeBuilder::TextInBody(const Piece& text) {
  if (text.begin == text.end) return;
  if (html_[text.begin] == '\0' && !text.keeps_nul) {
    // NUL is dropped; where nothing else is, nothing happens at all.
    Piece rest = text;
    while (rest.begin != rest.end && html_[rest.begin] == '\0') ++rest.begin;
    TextInBody(rest);
    return;
  }
  ReconstructFormatting();
  InsertText(text, 0);
  if (frameset_ok_ && !IsSpaceOrNul(text)) frameset_ok_ = false;
}

}  // namespace crawlsieve::extract::html
