#pragma once

#include "extract/html/formatting_list.h"
#include "extract/html/markup_bits.h"
#include "extract/html/name_table.h"
#include "extract/html/node_arena.h"
#include "extract/html/open_elements.h"
#include "extract/html/tag_reader.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace crawlsieve::extract::html {

/// How the text behind a start tag is to be read.
enum class ContentModel : std::uint8_t {
  kData,       ///< markup
  kRcdata,     ///< text with character references up to the end tag
  kRawText,    ///< text up to the end tag
  kScript,     ///< so too, with the escapes of scripts
  kPlaintext,  ///< text to the end of the page
};

/// Builds the tree from tags and text: "tree construction" of the HTML standard as of January 2026
/// (no modes of their own for <select>; <search> and <dialog>), scripting off, a document and no
/// fragment. <template shadowrootmode> is a template like any other: docs/extraction.md, "What is
/// not as in a browser".
///
/// Takes constant time for a token but for what grows the tree; where the standard lets a few
/// tokens make many elements (formatting that is opened again in each paragraph), a limit ends it.
/// Thread-compatible; memory stays from page to page.
class TreeBuilder final : private FormattingList::Signer {
 public:
  /// All arguments live as long as the builder.
  TreeBuilder(NodeArena& nodes, TagReader& tags, const KeyedHash& hash);

  /// Begins a page. `html` and `bits` stay as they are until the end of the page.
  void Begin(std::string_view html, const MarkupBits& bits);

  /// Tells the builder of a name's number when it is new, before the tag that has it.
  void AddName(NameId name) {
    constexpr NameId kFreeNames = 1024;
    constexpr std::size_t kNodesPerName = 5;  // what the tables of names take of memory for it
    open_.AddName(name);
    if (name >= kTagCount + kFreeNames) nodes_.Charge(kNodesPerName);
  }
  ContentModel StartTag(const TagToken& token);
  void EndTag(const TagToken& token);
  /// The text in [begin, end) of the page. `raw`: from a CDATA section.
  void Text(std::uint32_t begin, std::uint32_t end, bool raw);
  void Comment();
  /// The doctype that stands between "<!" and '>'.
  void Doctype(std::string_view doctype);
  void EndOfPage();

  /// The text of an element whose start tag returned kRcdata, kRawText or kScript.
  void RawText(std::uint32_t begin, std::uint32_t end, bool references);
  /// ... and its end tag, or the end of the page.
  void EndRawText();
  /// The text behind <plaintext>. Unlike that of other elements it opens formatting again.
  void Plaintext(std::uint32_t begin, std::uint32_t end);

  /// Whether "<![CDATA[" begins a CDATA section here.
  [[nodiscard]] bool AllowsCdata() const {
    return open_.HasForeign() && !nodes_[open_.current()].IsHtml();
  }
  /// <html>; kNoNode until it is there. It is there behind EndOfPage.
  [[nodiscard]] NodeIndex root() const { return root_; }
  /// Steps of loops that no constant bounds.
  [[nodiscard]] std::uint64_t work() const { return work_; }

 private:
  enum class Mode : std::uint8_t {
    kInitial,
    kBeforeHtml,
    kBeforeHead,
    kInHead,
    kInHeadNoscript,
    kAfterHead,
    kInBody,
    kInTable,
    kInTableText,
    kInCaption,
    kInColumnGroup,
    kInTableBody,
    kInRow,
    kInCell,
    kInTemplate,
    kAfterBody,
    kInFrameset,
    kAfterFrameset,
    kAfterAfterBody,
    kAfterAfterFrameset,
  };

  /// A piece of text. Passed by reference: one passed by value would be loaded from the stack in
  /// words of eight bytes right behind stores of four, for which processors wait.
  struct Piece {
    std::uint32_t begin;
    std::uint32_t end;
    bool raw;
    bool keeps_nul = false;  ///< as U+FFFD: text of <plaintext>
  };

  // Tags by the rules of HTML content, in the mode that is on.
  void StartHtml(const TagToken& token);
  void EndHtml(const TagToken& token);
  void TextHtml(Piece text);

  // Tags and text by mode, in front of the body and behind it (tree_builder_head.cc).
  void StartBeforeHead(const TagToken& token);
  void StartInHead(const TagToken& token);
  void StartInHeadNoscript(const TagToken& token);
  void StartAfterHead(const TagToken& token);
  void StartInFrameset(const TagToken& token);
  void EndBeforeHead(const TagToken& token);
  void EndInHead(const TagToken& token);
  void EndInHeadNoscript(const TagToken& token);
  void EndInFrameset(const TagToken& token);
  void StartInTemplate(const TagToken& token);
  void EndTemplate();
  void ResetMode();
  /// The standard's "anything else" of the modes in front of the body: goes to the next mode.
  void LeaveMode();

  // In the body (tree_builder_body.cc).
  void StartInBody(const TagToken& token);
  void StartSecondHtml(const TagToken& token);
  void StartSecondBody(const TagToken& token);
  void StartFrameset(const TagToken& token);
  void StartListItem(const TagToken& token);
  void StartDefinition(const TagToken& token);
  void StartFormattingElement(const TagToken& token);
  void StartSelectPart(const TagToken& token);
  void EndInBody(const TagToken& token);
  void EndForm();
  void EndHeading();
  void EndAnyOther(NameId name);
  void TextInBody(const Piece& text);

  // Formatting (tree_builder_formatting.cc).
  void ReconstructFormatting();
  /// Puts a marker into the list of active formatting elements.
  void PushMarker();
  void RunAdoptionAgency(const TagToken& token);
  /// One round of its outer loop. Returns whether there may be another.
  bool AdoptOnce(const TagToken& token);
  /// Takes an element out of the stack, wherever it is.
  void RemoveOpen(std::uint32_t place);
  [[nodiscard]] std::uint64_t Sign(NodeIndex element) override;
  [[nodiscard]] NodeIndex Clone(NodeIndex element);

  // Tables (tree_builder_tables.cc).
  void StartInTable(const TagToken& token);
  void StartInCaption(const TagToken& token);
  void StartInColumnGroup(const TagToken& token);
  void StartInTableBody(const TagToken& token);
  void StartInRow(const TagToken& token);
  void StartInCell(const TagToken& token);
  void EndInTable(const TagToken& token);
  void EndInCaption(const TagToken& token);
  void EndInColumnGroup(const TagToken& token);
  void EndInTableBody(const TagToken& token);
  void EndInRow(const TagToken& token);
  void EndInCell(const TagToken& token);
  void TextInTable(const Piece& text);
  void FlushTableText();
  [[nodiscard]] bool CloseCaption();
  [[nodiscard]] bool CloseTableBody();
  [[nodiscard]] bool CloseRow();
  [[nodiscard]] bool CloseCell();
  void ClearToTable();
  void ClearToTableBody();
  void ClearToRow();

  // SVG and MathML (tree_builder_foreign.cc).
  [[nodiscard]] bool IsForeignFor(const TagToken& start) const;
  [[nodiscard]] bool IsForeignForText() const;
  void StartForeign(const TagToken& token);
  void EndForeign(const TagToken& token);
  void PopToHtml();
  void InsertForeign(const TagToken& token, Namespace space);

  // Insertion.
  NodeIndex InsertHtml(const TagToken& token);
  NodeIndex InsertHtml(Tag tag);
  void InsertVoid(const TagToken& token) {
    InsertHtml(token);
    open_.Pop();
  }
  void InsertRaw(const TagToken& token, ContentModel model) {
    InsertHtml(token);
    model_ = model;
  }
  void InsertText(const Piece& text, std::uint8_t flags);
  void Insert(NodeIndex target, NodeIndex node);
  void InsertFostered(NodeIndex node);
  void MergeAttributes(NodeIndex element, const TagToken& token);

  // The stack.
  [[nodiscard]] bool CurrentIs(Tag tag) const { return nodes_[open_.current()].Is(tag); }
  void GenerateImpliedEndTags(Tag except = Tag::kUnknown);
  void CloseParagraph();
  void CloseParagraphInButtonScope() {
    if (open_.HasInScope(Tag::kP, kButtonScope)) CloseParagraph();
  }
  void PopThrough(Tag tag) { open_.PopThrough(open_.Topmost(tag)); }

  // Text and attributes.
  void TextByMode(const Piece& text);
  /// Behind the newline that `text` may begin with, as a character reference where `references`.
  [[nodiscard]] std::uint32_t SkipNewline(const Piece& text, bool references) const;
  /// Where the white space ends that `text` begins with, character references decoded.
  [[nodiscard]] std::uint32_t SkipSpace(const Piece& text) const;
  [[nodiscard]] bool IsSpaceOrNul(const Piece& text) const;
  [[nodiscard]] bool HasValue(const TagToken& token, AttributeKind kind,
                              std::string_view lower_value) const;

  NodeArena& nodes_;
  TagReader& tags_;
  const KeyedHash& hash_;
  OpenElements open_;
  FormattingList formatting_;
  std::string_view html_;
  const MarkupBits* bits_ = nullptr;

  Mode mode_ = Mode::kInitial;
  Mode mode_before_text_ = Mode::kInitial;
  ContentModel model_ = ContentModel::kData;
  Pool<Mode> template_modes_;
  Pool<Piece> table_text_;
  NodeIndex root_ = kNoNode;
  NodeIndex head_ = kNoNode;
  NodeIndex body_ = kNoNode;
  NodeIndex form_ = kNoNode;
  bool quirks_ = false;
  bool frameset_ok_ = true;
  bool foster_ = false;        ///< foster parenting
  bool skip_newline_ = false;  ///< which the next text may begin with
  std::size_t clones_left_ = 0;
  std::uint64_t work_ = 0;
};

/// Whether a document with this doctype, the text between "<!" and '>', is in quirks mode.
[[nodiscard]] bool IsQuirksDoctype(std::string_view doctype);

}  // namespace crawlsieve::extract::html
