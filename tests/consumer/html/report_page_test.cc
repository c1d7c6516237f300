#include "consumer/html/report_page.h"

#include "consumer/html/design.h"
#include "consumer/html/page_text.h"
#include "consumer/observability/html_escape.h"

#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(EscapeHtml, LeavesNoMarkup) {
  EXPECT_EQ(EscapeHtml("<a href=\"x\" id='y'>&"),
            "&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;");
}

TEST(PageText, IsBoundedTextWithoutHiddenCharacters) {
  EXPECT_EQ(PageText("<b>\xE2\x80\xAE\x1B"), "&lt;b&gt;\\u{202e}\\x1b");
  EXPECT_LE(PageText(std::string(10'000, 'x')).size(), 500U);
}

TEST(RenderReport, AllowsItsOwnScriptAndStyleOnly) {
  // base64(sha256("f();"))
  const std::string page =
      RenderReport({.title = "a<b", .answer = "c<d", .body = "<p>body</p>", .script = "f();"});
  EXPECT_THAT(page, HasSubstr("script-src 'sha256-9RATIFdqkCJTNwEc6+pNG0qjxmJA9pKWbaKmy3Jw3G0='"));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page, HasSubstr("<title>a&lt;b</title>"));
  EXPECT_THAT(page, HasSubstr(">c&lt;d</p>"));
  EXPECT_THAT(page, HasSubstr("<p>body</p>"));
}

TEST(RenderReport, HasNoScriptUnlessItIsAskedFor) {
  const std::string page = RenderReport({.title = "t", .answer = "a", .body = "", .script = ""});
  EXPECT_THAT(page, HasSubstr("script-src 'none'"));
  EXPECT_THAT(page, Not(HasSubstr("<script")));
}

TEST(Design, AsksForNothing) {
  for (const char* const word : {"url(", "@import", "http", "</style"}) {
    EXPECT_EQ(Design().find(word), std::string_view::npos) << word;
  }
}

}  // namespace
}  // namespace crawlsieve::consumer
