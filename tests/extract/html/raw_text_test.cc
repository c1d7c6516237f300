#include "extract/html/raw_text.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace crawlsieve::extract::html {
namespace {

class RawText : public ::testing::Test {
 protected:
  /// What of `html` is in the script that begins with it.
  std::string_view Script(std::string_view html) {
    bits_.Scan(html);
    return html.substr(0, FindScriptEnd(html, bits_, 0, work_));
  }
  std::string_view Title(std::string_view html) {
    bits_.Scan(html);
    return html.substr(0, FindRawTextEnd(html, bits_, 0, "title", work_));
  }
  /// What is behind the comment that begins with `html`, less its "<!--".
  std::string_view BehindComment(std::string_view html) {
    bits_.Scan(html);
    return html.substr(FindCommentEnd(html, bits_, 0, work_));
  }

  MarkupBits bits_;
  std::uint64_t work_ = 0;
};

TEST_F(RawText, EndsAtItsOwnEndTag) {
  EXPECT_EQ(Title("a<b></titlex></p></TITLE >c"), "a<b></titlex></p>");
  EXPECT_EQ(Title("a</title/>"), "a");
  EXPECT_EQ(Title("a</title"), "a</title");
  EXPECT_EQ(Title(""), "");
}

TEST_F(RawText, OfAScriptGoesOnBehindAnEscapedScript) {
  EXPECT_EQ(Script("a</script>b"), "a");
  EXPECT_EQ(Script("<!--a</script>b"), "<!--a");
  EXPECT_EQ(Script("<!--<script>a</script>b</script>c"), "<!--<script>a</script>b");
  EXPECT_EQ(Script("<!--<script>a-->b</script>c"), "<!--<script>a-->b");
  EXPECT_EQ(Script("<!--><script>a</script>b"), "<!--><script>a");
  EXPECT_EQ(Script("<!--<scriptx>a</script>b"), "<!--<scriptx>a");
  EXPECT_EQ(Script("<!--<script>a</script><script></script></script>b"),
            "<!--<script>a</script><script></script>");
  EXPECT_EQ(Script("<!--<script>a</script>b"), "<!--<script>a</script>b");
}

TEST_F(RawText, OfACommentEndsAsInBrowsers) {
  EXPECT_EQ(BehindComment("a-->b"), "b");
  EXPECT_EQ(BehindComment(">b"), "b");
  EXPECT_EQ(BehindComment("->b"), "b");
  EXPECT_EQ(BehindComment("-->b"), "b");
  EXPECT_EQ(BehindComment("--!>b"), "b");
  EXPECT_EQ(BehindComment("-!>b-->c"), "c");
  EXPECT_EQ(BehindComment("a>b->c-- >d<!-->e"), "e");
  EXPECT_EQ(BehindComment("a--"), "");
}

}  // namespace
}  // namespace crawlsieve::extract::html
