#pragma once

#include "extract/html/html_text.h"
#include "extract/html/roles.h"
#include "extract/html/segment.h"
#include "extract/text/collapsed_text.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve::extract {

/// Collects what a parser tells of a page: title, language, the text with white space collapsed,
/// and which part of it has which role. Thread-compatible; reused from page to page.
class VisibleText final : public HtmlEvents {
 public:
  /// Links with a longer address are not remembered: a page may repeat one as often as it likes.
  static constexpr std::size_t kMaxHrefBytes = 16 << 10;

  /// `max_links`: how many links to remember.
  explicit VisibleText(std::size_t max_links = 0) : max_links_(max_links) {}

  void Clear();

  void OnLanguage(std::string_view tag) override;
  void OnTitle(std::string_view text) override;
  void OnText(std::string_view text) override;
  void OnBreak() override { body_.AppendSpace(); }
  void OnBlockBegin(Hints hints) override;
  void OnBlockEnd() override;
  void OnLinkBegin(const LinkTarget& target) override;
  void OnLinkEnd() override;
  void OnBase(std::string_view href) override { KeepFirst(href, base_); }
  void OnCanonical(std::string_view href) override { KeepFirst(href, canonical_); }
  void OnRefresh(std::string_view content) override;
  void OnRobots(std::string_view content) override;
  void OnAltText(std::string_view text) override;

  /// To be called behind the last event, once: finds the roles of the segments.
  void Finish();

  /// Of the first title that isn't blank.
  [[nodiscard]] std::string_view title() const { return title_.view(); }
  [[nodiscard]] std::string_view body() const { return body_.view(); }
  /// What stands in for images, a space between each; at most kMaxAltBytes.
  [[nodiscard]] std::string_view alt_text() const { return alt_text_.view(); }
  /// The blocks of body(), in order; nothing but single spaces lies between them.
  [[nodiscard]] const std::vector<Segment>& segments() const { return segments_; }
  /// As the page has them, without white space around; empty: none.
  [[nodiscard]] const std::string& base() const { return base_; }
  [[nodiscard]] const std::string& canonical() const { return canonical_; }
  [[nodiscard]] const std::string& refresh() const { return refresh_; }

  /// A link with a target.
  struct Anchor {
    std::string href;
    std::string rel;
    std::size_t begin;  ///< of its text in body()
    std::size_t end;
  };
  [[nodiscard]] const std::vector<Anchor>& anchors() const { return anchors_; }
  /// Whether the anchor is part of what the page was published for, by the role of its block; an
  /// image, by that of the next block.
  [[nodiscard]] bool IsInMainText(const Anchor& anchor) const;
  /// Whether the page asks that none of its links is followed: `nofollow` for all robots.
  [[nodiscard]] bool is_nofollow() const { return is_nofollow_; }
  /// The anchor's text, at most `max_bytes` of it.
  [[nodiscard]] std::string_view TextOf(const Anchor& anchor, std::size_t max_bytes) const;

  /// BCP 47; empty when the page has none or something else in its place.
  [[nodiscard]] const std::string& language() const { return language_; }
  /// Code points of title and body with a space between them.
  [[nodiscard]] std::uint32_t length() const;

  [[nodiscard]] std::string_view TextOf(const Segment& segment) const {
    return body().substr(segment.begin, segment.end - segment.begin);
  }

  static constexpr std::size_t kMaxAltBytes = 64 << 10;

 private:
  static constexpr std::size_t kNoAnchor = static_cast<std::size_t>(-1);

  /// A block element that is open. Most hold no text of their own, and get no container.
  struct OpenBlock {
    Hints hints;
    std::uint32_t container;
  };

  void BeginSegment(std::size_t begin);
  void EndSegment();
  void CountLinkWords();

  static void KeepFirst(std::string_view value, std::string& kept);

  const std::size_t max_links_;
  std::string base_;
  std::string canonical_;
  std::string refresh_;
  bool is_nofollow_ = false;
  std::vector<Anchor> anchors_;
  std::vector<std::size_t> open_anchors_;  ///< into anchors_; kNoAnchor for those not remembered
  CollapsedText title_;
  CollapsedText body_;
  CollapsedText alt_text_;
  std::string language_;

  std::vector<OpenBlock> open_blocks_;
  std::size_t with_container_ = 0;  ///< of open_blocks_, the first ones
  std::vector<Container> containers_ = std::vector<Container>(1);
  std::vector<Segment> segments_;
  bool in_segment_ = false;     ///< whether text goes on in the last of segments_
  std::uint32_t links_ = 0;     ///< open ones
  std::size_t link_begin_ = 0;  ///< what of body_ behind this is in a link and not counted yet
  RoleFinder roles_;
};

}  // namespace crawlsieve::extract
