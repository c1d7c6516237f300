#pragma once

#include "extract/html_text.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace crawlsieve::extract {

/// Collects what a parser tells of a page: title, language and the text with white space
/// collapsed. Thread-compatible; reused from page to page.
class VisibleText final : public HtmlEvents {
 public:
  void Clear();

  void OnLanguage(std::string_view tag) override;
  void OnTitle(std::string_view text) override;
  void OnText(std::string_view text) override;
  void OnBreak() override { space_pending_ = true; }

  /// Of the first title that isn't blank.
  [[nodiscard]] const std::string& title() const { return title_; }
  [[nodiscard]] const std::string& body() const { return body_; }
  /// BCP 47; empty when the page has none or something else in its place.
  [[nodiscard]] const std::string& language() const { return language_; }
  /// Code points of title and body with a space between them.
  [[nodiscard]] std::uint32_t length() const;

 private:
  std::string title_;
  std::string body_;
  std::string language_;
  bool space_pending_ = false;
};

}  // namespace crawlsieve::extract
