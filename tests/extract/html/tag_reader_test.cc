#include "extract/html/tag_reader.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve::extract::html {
namespace {

/// A start tag as it was read.
struct ReadTag {
  TagToken token;
  std::size_t end = 0;
  std::string attributes;  ///< `kind=value` and a space, for each
};

class TagReaderTest : public ::testing::Test {
 protected:
  ReadTag Read(std::string_view html) {
    bits_.Scan(html);
    names_.Begin();
    reader_.Begin(html, bits_);
    Pool<Attribute> attributes;
    ReadTag tag;
    tag.end = reader_.ReadStartTag(0, attributes, tag.token);
    for (std::size_t i = 0; i < attributes.size(); ++i) {
      tag.attributes += std::to_string(static_cast<int>(attributes[i].Kind()));
      tag.attributes += "=";
      tag.attributes += html.substr(attributes[i].offset, attributes[i].length);
      tag.attributes += " ";
    }
    return tag;
  }

  /// `kind=value ` as Read has it.
  static std::string Expected(AttributeKind kind, std::string_view value) {
    return std::to_string(static_cast<int>(kind)) + "=" + std::string(value) + " ";
  }

  std::uint64_t Signature(std::string_view html) {
    bits_.Scan(html);
    reader_.Begin(html, bits_);
    return reader_.SignatureOf(0, hash_);
  }

  KeyedHash hash_;
  MarkupBits bits_;
  NameTable names_{hash_};
  TagReader reader_{names_};
};

TEST_F(TagReaderTest, FindsTheTagInAnyLetterCase) {
  EXPECT_EQ(Read("<div>").token.tag, Tag::kDiv);
  EXPECT_EQ(Read("<BlockQuote >").token.tag, Tag::kBlockquote);
  EXPECT_EQ(Read("<annotation-XML/>").token.tag, Tag::kAnnotationXml);
  EXPECT_EQ(Read("<h6\n>").token.tag, Tag::kH6);
}

TEST_F(TagReaderTest, KnowsEveryTagByItsName) {
  for (std::size_t i = 0; i < kTagCount; ++i) {
    const auto tag = static_cast<Tag>(i);
    EXPECT_EQ(FindTag(TagName(tag)), tag) << TagName(tag);
  }
}

TEST_F(TagReaderTest, TakesOtherNamesForUnknown) {
  // Bytes that become those of a known name when letters are put in lower case by their bit.
  for (const std::string_view html : {"<h\x11>", "<h\x11 >", "<divv>", "<a=b>", "<abbr0>",
                                      "<blockquote-blockquote>", "<annotation\rxml>x"}) {
    const ReadTag tag = Read(html);
    EXPECT_EQ(tag.token.tag == Tag::kUnknown, html != "<annotation\rxml>x") << html;
  }
}

TEST_F(TagReaderTest, NumbersUnknownNamesWhateverTheirLetterCase) {
  const std::string_view html = "<my-tag></My-TAG></my-tag2>";
  bits_.Scan(html);
  names_.Begin();
  reader_.Begin(html, bits_);
  Pool<Attribute> attributes;
  TagToken token;
  EXPECT_EQ(reader_.ReadStartTag(0, attributes, token), 8u);
  EXPECT_TRUE(reader_.name_is_new());
  const NameId first = token.name;
  EXPECT_EQ(reader_.ReadEndTag(8, token), 17u);
  EXPECT_FALSE(reader_.name_is_new());
  EXPECT_EQ(token.name, first);
  EXPECT_EQ(reader_.ReadEndTag(17, token), html.size());
  EXPECT_TRUE(reader_.name_is_new());
  EXPECT_NE(token.name, first);
}

TEST_F(TagReaderTest, ReadsValuesHoweverTheyAreQuoted) {
  const ReadTag tag = Read("<a HREF = \"x>y\" rel='n\"o' class=u/v= id=\n\"i\"role=r/>z");
  EXPECT_EQ(tag.attributes,
            Expected(AttributeKind::kHref, "x>y") + Expected(AttributeKind::kRel, "n\"o") +
                Expected(AttributeKind::kClass, "u/v=") + Expected(AttributeKind::kId, "i") +
                Expected(AttributeKind::kRole, "r/"));
  EXPECT_FALSE(tag.token.self_closing);
}

TEST_F(TagReaderTest, ReadsAttributesWithoutValue) {
  const ReadTag tag = Read("<p hidden open=>");
  EXPECT_EQ(tag.attributes,
            Expected(AttributeKind::kHidden, "") + Expected(AttributeKind::kOpen, ""));
  EXPECT_EQ(tag.end, 16u);
}

TEST_F(TagReaderTest, KeepsTheFirstOfTwoAttributesOfOneName) {
  EXPECT_EQ(Read("<p id=a ID=b x=1 id=c>").attributes, Expected(AttributeKind::kId, "a"));
}

TEST_F(TagReaderTest, TakesAnEqualsSignInFrontForPartOfTheName) {
  EXPECT_EQ(Read("<p =id=a id=b>").attributes, Expected(AttributeKind::kId, "b"));
}

TEST_F(TagReaderTest, SeesWhichTagsCloseThemselves) {
  EXPECT_TRUE(Read("<br/>").token.self_closing);
  EXPECT_TRUE(Read("<br id=\"a\"/>").token.self_closing);
  EXPECT_TRUE(Read("<br id />").token.self_closing);
  EXPECT_FALSE(Read("<br / >").token.self_closing);
  EXPECT_FALSE(Read("<br id=a/>").token.self_closing);
}

TEST_F(TagReaderTest, HasNoEndWhereThePageEndsInTheTag) {
  const std::string_view whole = "<a href=\"x\" rel = 'y' id=z hidden / >";
  for (std::size_t size = 2; size < whole.size(); ++size) {
    EXPECT_EQ(Read(std::string(whole.substr(0, size))).end, TagReader::kNoEnd) << size;
  }
  EXPECT_EQ(Read(whole).end, whole.size());
}

TEST_F(TagReaderTest, SignsAttributesWhateverTheirOrder) {
  EXPECT_EQ(Signature("<b a=1 b=2>"), Signature("<b B='2' a=\"1\">"));
  EXPECT_EQ(Signature("<b a=1 a=2>"), Signature("<b a=1>"));
  EXPECT_EQ(Signature("<b a='&amp;'>"), Signature("<b a='&#38;'>"));
  EXPECT_NE(Signature("<b a=1 b=2>"), Signature("<b a=2 b=1>"));
  EXPECT_NE(Signature("<b a>"), Signature("<b b>"));
  EXPECT_NE(Signature("<b a=X>"), Signature("<b a=x>"));
  EXPECT_NE(Signature("<b>"), Signature("<b a>"));
}

}  // namespace
}  // namespace crawlsieve::extract::html
