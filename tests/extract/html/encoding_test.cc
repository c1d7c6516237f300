#include "extract/html/encoding.h"

#include "extract/html/encoding_prescan.h"

#include <ctime>
#include <string>

#include <gtest/gtest.h>

namespace crawlsieve::extract {
namespace {

std::string_view NameOf(const Encoding* encoding) {
  return encoding == nullptr ? "none" : encoding->name;
}

TEST(FindEncoding, ReadsLabelsAsTheStandardDoes) {
  EXPECT_EQ(NameOf(FindEncoding("iso-8859-1")), "windows-1252");
  EXPECT_EQ(NameOf(FindEncoding("ascii")), "windows-1252");
  EXPECT_EQ(NameOf(FindEncoding("iso-8859-9")), "windows-1254");
  EXPECT_EQ(NameOf(FindEncoding("gb2312")), "GBK");
  EXPECT_EQ(NameOf(FindEncoding("ks_c_5601-1987")), "EUC-KR");
  EXPECT_EQ(NameOf(FindEncoding("utf-16")), "UTF-16LE");
  EXPECT_EQ(NameOf(FindEncoding("iso-2022-kr")), "replacement");
}

TEST(FindEncoding, IgnoresCaseAndWhiteSpace) {
  EXPECT_EQ(NameOf(FindEncoding(" \tUTF8\n")), "UTF-8");
  EXPECT_EQ(NameOf(FindEncoding("Shift_JIS")), "Shift_JIS");
}

TEST(FindEncoding, KnowsNothingElse) {
  for (const char* label :
       {"", " ", "utf", "utf-8x", "none", "iso-8859-16", "utf-7", "x-user-defined"}) {
    EXPECT_EQ(FindEncoding(label), nullptr) << label;
  }
}

TEST(FindByteOrderMark, FindsTheThree) {
  EXPECT_EQ(FindByteOrderMark("\xEF\xBB\xBFx").encoding, &Utf8());
  EXPECT_EQ(FindByteOrderMark("\xEF\xBB\xBFx").bytes, 3U);
  EXPECT_EQ(NameOf(FindByteOrderMark("\xFE\xFF").encoding), "UTF-16BE");
  EXPECT_EQ(NameOf(FindByteOrderMark("\xFF\xFE").encoding), "UTF-16LE");
  EXPECT_EQ(FindByteOrderMark("\xEF\xBB").encoding, nullptr);
  EXPECT_EQ(FindByteOrderMark("").bytes, 0U);
}

TEST(FindCharsetParameter, FindsItHoweverWritten) {
  EXPECT_EQ(FindCharsetParameter("text/html; charset=utf-8"), "utf-8");
  EXPECT_EQ(FindCharsetParameter("text/html;charset = 'koi8-r' ; x=y"), "koi8-r");
  EXPECT_EQ(FindCharsetParameter("text/html; CharSet=\"EUC-JP\""), "EUC-JP");
  EXPECT_EQ(FindCharsetParameter("charset charset=big5;"), "big5");
  EXPECT_EQ(FindCharsetParameter("text/html; charset=utf-8, text/html"), "utf-8");
}

TEST(FindCharsetParameter, FindsNothingInBrokenOnes) {
  for (const char* type : {"", "text/html", "charset", "charset=", "charset=\"utf-8", "charse=x"}) {
    EXPECT_EQ(FindCharsetParameter(type), "") << type;
  }
}

TEST(PrescanForEncoding, ReadsMetaCharset) {
  EXPECT_EQ(NameOf(PrescanForEncoding("<!doctype html><META Charset=KOI8-R>")), "KOI8-R");
  EXPECT_EQ(NameOf(PrescanForEncoding("<meta name=x charset='shift_jis'/>")), "Shift_JIS");
  EXPECT_EQ(NameOf(PrescanForEncoding("<meta/charset=big5>")), "Big5");
}

TEST(PrescanForEncoding, ReadsMetaHttpEquiv) {
  EXPECT_EQ(NameOf(PrescanForEncoding(
                "<meta http-equiv='Content-Type' content='text/html; charset=euc-kr'>")),
            "EUC-KR");
  EXPECT_EQ(
      NameOf(PrescanForEncoding("<meta content='text/html; charset=gbk' http-equiv=content-type>")),
      "GBK");
}

TEST(PrescanForEncoding, WantsHttpEquivBesideContent) {
  EXPECT_EQ(PrescanForEncoding("<meta name=x content='text/html; charset=euc-kr'>"), nullptr);
}

TEST(PrescanForEncoding, TakesTheFirstValidDeclaration) {
  EXPECT_EQ(NameOf(PrescanForEncoding("<meta charset=nonsense><meta charset=big5><meta "
                                      "charset=utf-8>")),
            "Big5");
}

TEST(PrescanForEncoding, SkipsCommentsAttributesAndOtherTags) {
  EXPECT_EQ(NameOf(PrescanForEncoding("<!-- <meta charset=big5> --><meta charset=gbk>")), "GBK");
  EXPECT_EQ(NameOf(PrescanForEncoding("<a title='<meta charset=big5>'><meta charset=gbk>")), "GBK");
  EXPECT_EQ(NameOf(PrescanForEncoding("<!x <meta charset=big5><meta charset=gbk>")), "GBK");
  EXPECT_EQ(NameOf(PrescanForEncoding("<!--><meta charset=gbk>")), "GBK");
  EXPECT_EQ(PrescanForEncoding("<metaphor charset=gbk>"), nullptr);
}

TEST(PrescanForEncoding, TakesUtf16ForUtf8) {
  EXPECT_EQ(PrescanForEncoding("<meta charset=utf-16le>"), &Utf8());
}

TEST(PrescanForEncoding, ReadsXmlDeclarations) {
  EXPECT_EQ(NameOf(PrescanForEncoding("<?xml version='1.0' encoding=\"ISO-8859-2\"?><html>")),
            "ISO-8859-2");
  EXPECT_EQ(NameOf(PrescanForEncoding("<?xml version='1.0'?><meta charset=gbk>")), "GBK");
}

TEST(PrescanForEncoding, LooksAt1024Bytes) {
  const std::string meta = "<meta charset=gbk>";
  EXPECT_EQ(NameOf(PrescanForEncoding(std::string(1024 - meta.size(), ' ') + meta)), "GBK");
  EXPECT_EQ(PrescanForEncoding(std::string(1024, ' ') + meta), nullptr);
}

// What a tag that is cut off would have said is not known.
TEST(PrescanForEncoding, TakesNothingFromAnUnfinishedTag) {
  EXPECT_EQ(PrescanForEncoding("<meta charset=euc-jp"), nullptr);
  EXPECT_EQ(PrescanForEncoding("<meta charset='euc-jp' "), nullptr);
  EXPECT_EQ(NameOf(PrescanForEncoding("<meta charset=euc-jp>")), "EUC-JP");
}

TEST(FindLateDeclaration, LooksAtThePageAsAParserDoes) {
  const std::string comment = "<!--" + std::string(1024, 'x') + "-->";
  EXPECT_EQ(NameOf(FindLateDeclaration(comment + "<p>text<meta charset=gbk>")), "GBK");
  // The tag that byte 1,024 is in.
  const std::string cut = std::string(1015, ' ') + "<meta charset=gbk>";
  EXPECT_EQ(PrescanForEncoding(cut), nullptr);
  EXPECT_EQ(NameOf(FindLateDeclaration(cut)), "GBK");
  for (const std::string element :
       {"script", "STYLE", "textarea", "title", "xmp", "iframe", "noembed", "noframes"}) {
    const std::string raw = "<" + element + " a=b>'<meta charset=big5></x>'";
    EXPECT_EQ(FindLateDeclaration(comment + raw), nullptr) << element;
    EXPECT_EQ(NameOf(FindLateDeclaration(comment + raw + "</" + element + "><meta charset=gbk>")),
              "GBK")
        << element;
  }
  EXPECT_EQ(NameOf(FindLateDeclaration(comment + "<scripts><meta charset=gbk>")), "GBK");
  EXPECT_EQ(FindLateDeclaration(comment), nullptr);
}

TEST(PrescanForEncoding, EndsOnEveryCutOfAPage) {
  const std::string page =
      "<?xml x='y'?><!-- c --><a b='c' d><meta http-equiv=\"Content-Type\" "
      "content=\"text/html; charset='gbk'\"></a><meta charset=\"big5\">";
  for (std::size_t length = 0; length <= page.size(); ++length) {
    const Encoding* found = PrescanForEncoding(page.substr(0, length));
    EXPECT_TRUE(found == nullptr || found->name == "GBK") << length;
  }
  EXPECT_EQ(NameOf(PrescanForEncoding(page)), "GBK");
}

/// A page whose declaration, of GBK, stands behind the bytes that the prescan looks at.
const Encoding* LateIn(const std::string& page) {
  return FindLateDeclaration("<!--" + std::string(1024, 'x') + "-->" + page);
}

constexpr const char* kMeta = "<meta charset=gbk>";

TEST(FindLateDeclaration, RawTextEndsWithItsOwnEndTagOnly) {
  for (const std::string element :
       {"script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"}) {
    const std::string open = "<" + element + ">";
    for (const std::string& other :
         {"</" + element + "s>", "</" + element + "-x>", "</ " + element + ">",
          "< /" + element + ">", "</" + element + "\v>", "</x" + element + ">"}) {
      EXPECT_EQ(LateIn(open + other + kMeta), nullptr) << open << other;
    }
    for (const std::string& end : {"</" + element + ">", "</" + element + " a=b>",
                                   "</" + element + "/>", "</" + element + "\n>"}) {
      EXPECT_EQ(NameOf(LateIn(open + "</x>" + end + kMeta)), "GBK") << open << end;
    }
  }
}

TEST(FindLateDeclaration, OfRevision3TakesWhatBeginsLikeAnEndTagForOne) {
  const std::string page =
      "<!--" + std::string(1024, 'x') + "--><script>'</scripts><meta charset=gbk>'</script><p>text";
  EXPECT_EQ(NameOf(FindLateDeclaration(page, Revision::k3)), "GBK");
  EXPECT_EQ(FindLateDeclaration(page, Revision::k4), nullptr);
}

TEST(FindLateDeclaration, RawTextBeginsWithAWholeName) {
  for (const char* open : {"<script/x>", "<SCRIPT>", "<style\n>", "<title a='>'>", "<script/>"}) {
    EXPECT_EQ(LateIn(std::string(open) + kMeta), nullptr) << open;
  }
  for (const char* open : {"<scripts>", "<style-x>", "</script>", "<noscript>"}) {
    EXPECT_EQ(NameOf(LateIn(std::string(open) + kMeta)), "GBK") << open;
  }
}

TEST(FindLateDeclaration, ScriptInACommentInAScriptEndsNothing) {
  const std::string meta = kMeta;
  EXPECT_EQ(LateIn("<script><!--<script></script>" + meta), nullptr);
  EXPECT_EQ(LateIn("<script><!--<script></script>--></scripts>" + meta), nullptr);
  EXPECT_EQ(LateIn("<script><!--<script/</script " + meta), nullptr);
  EXPECT_EQ(NameOf(LateIn("<script><!--<script></script></script>" + meta)), "GBK");
  EXPECT_EQ(NameOf(LateIn("<script><!--<script>--></script>" + meta)), "GBK");
  EXPECT_EQ(NameOf(LateIn("<script><!--<scripts></script>" + meta)), "GBK");
  EXPECT_EQ(NameOf(LateIn("<script><!--></script>" + meta)), "GBK");
  EXPECT_EQ(NameOf(LateIn("<script><!--></script>-->" + meta)), "GBK");
  EXPECT_EQ(NameOf(LateIn("<script><!--><script></script>" + meta)), "GBK") << "left at once";
  EXPECT_EQ(NameOf(LateIn("<script>-- <!-- </script>" + meta)), "GBK");
  EXPECT_EQ(NameOf(LateIn("<style><!--<style></style>" + meta)), "GBK") << "scripts only";
}

TEST(FindLateDeclaration, CommentsEndWhereAParserEndsThem) {
  for (const char* comment : {"<!-->", "<!--->", "<!---->", "<!-- -- -->", "<!----!>", "<!--x--!>",
                              "<!-- <!-- -->", "<!x>", "<?x>", "</>", "<!DOCTYPE html \"a>"}) {
    EXPECT_EQ(NameOf(LateIn(std::string(comment) + kMeta)), "GBK") << comment;
  }
  for (const char* open : {"<!--", "<!-- -- >", "<!--!>", "<!---!>", "<!-- ->", "<!--x--!"}) {
    EXPECT_EQ(LateIn(std::string(open) + kMeta), nullptr) << open;
  }
}

TEST(FindLateDeclaration, PlaintextHasNoEnd) {
  EXPECT_EQ(LateIn("<plaintext></plaintext>" + std::string(kMeta)), nullptr);
}

TEST(FindLateDeclaration, SvgAndMathHaveNoRawTextButCdata) {
  const std::string meta = kMeta;
  for (const char* page :
       {"<svg><style>", "<svg><script>", "<svg><title>", "<math><style>", "<svg><![CDATA[ > ]]>",
        "<svg><desc><p>", "<svg/><![CDATA[>", "<svg><p><![CDATA[>", "<svg></svg><![CDATA[>"}) {
    EXPECT_EQ(NameOf(LateIn(page + meta)), "GBK") << page;
  }
  for (const char* page :
       {"<svg><![CDATA[ > ", "<math><![CDATA[ ]> ]", "<svg a=b/><![CDATA[>",
        "<svg><foreignObject><style>", "<svg><desc><title>", "<math><mi><style>", "<svg/><style>",
        "<svg></svg><style>", "<svg><p><style>", "<svg><title><svg></title><![CDATA[>"}) {
    EXPECT_EQ(LateIn(page + meta), nullptr) << page;
  }
}

TEST(FindLateDeclaration, AttributesAreThoseOfAParser) {
  EXPECT_EQ(NameOf(LateIn("<a title='<meta charset=big5>' b=\">\">" + std::string(kMeta))), "GBK");
  EXPECT_EQ(NameOf(LateIn("<meta charset=gbk charset=big5>")), "GBK") << "the first one counts";
  EXPECT_EQ(NameOf(LateIn("<meta/charset='gbk'/>")), "GBK");
  EXPECT_EQ(NameOf(LateIn("<meta content='text/html; charset=gbk' http-equiv=content-type>")),
            "GBK");
  EXPECT_EQ(LateIn("<meta content='text/html; charset=gbk'>"), nullptr);
  EXPECT_EQ(LateIn("<meta charset=gbk"), nullptr) << "cut";
  EXPECT_EQ(LateIn("<metas charset=gbk>"), nullptr);
  EXPECT_EQ(NameOf(LateIn("<template>" + std::string(kMeta))), "GBK");
}

TEST(FindLateDeclaration, TakesTimeInProportionToThePage) {
  for (const std::string unit :
       {"<!----!>", "<script><!--<script>", "<svg>", "</svg>", "<math><mi>", "<title></titles>",
        "<!-- -", "<a '", "<svg><![CDATA["}) {
    std::string page;
    while (page.size() < 8 << 20) page += unit;
    const std::clock_t start = std::clock();
    EXPECT_EQ(LateIn(page), nullptr);
    // 20 ms as a rule; a quadratic walk takes minutes.
    EXPECT_LT(std::clock() - start, 5 * CLOCKS_PER_SEC) << unit;
  }
}

}  // namespace
}  // namespace crawlsieve::extract
