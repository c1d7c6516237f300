#pragma once

#include "extract/html/segment.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace crawlsieve::extract::html {

/// Names of elements that the parser or the visible text has a rule for, in order of the alphabet.
enum class Tag : std::uint16_t {
  kA,
  kAbbr,
  kAcronym,
  kAddress,
  kAnnotation,
  kAnnotationXml,
  kApplet,
  kArea,
  kArticle,
  kAside,
  kAudio,
  kB,
  kBase,
  kBasefont,
  kBdi,
  kBdo,
  kBgsound,
  kBig,
  kBlink,
  kBlockquote,
  kBody,
  kBr,
  kButton,
  kCanvas,
  kCaption,
  kCenter,
  kCite,
  kCode,
  kCol,
  kColgroup,
  kData,
  kDatalist,
  kDd,
  kDefs,
  kDel,
  kDesc,
  kDetails,
  kDfn,
  kDialog,
  kDir,
  kDiv,
  kDl,
  kDt,
  kEm,
  kEmbed,
  kFieldset,
  kFigcaption,
  kFigure,
  kFont,
  kFooter,
  kForeignobject,
  kForm,
  kFrame,
  kFrameset,
  kH1,
  kH2,
  kH3,
  kH4,
  kH5,
  kH6,
  kHead,
  kHeader,
  kHgroup,
  kHr,
  kHtml,
  kI,
  kIframe,
  kImage,
  kImg,
  kInput,
  kIns,
  kKbd,
  kKeygen,
  kLabel,
  kLegend,
  kLi,
  kLink,
  kListing,
  kMain,
  kMalignmark,
  kMap,
  kMark,
  kMarquee,
  kMath,
  kMenu,
  kMeta,
  kMetadata,
  kMeter,
  kMglyph,
  kMi,
  kMn,
  kMo,
  kMs,
  kMtext,
  kMulticol,
  kNav,
  kNextid,
  kNobr,
  kNoembed,
  kNoframes,
  kNoscript,
  kObject,
  kOl,
  kOptgroup,
  kOption,
  kOutput,
  kP,
  kParam,
  kPlaintext,
  kPre,
  kProgress,
  kQ,
  kRb,
  kRp,
  kRt,
  kRtc,
  kRuby,
  kS,
  kSamp,
  kScript,
  kSearch,
  kSection,
  kSelect,
  kSmall,
  kSource,
  kSpacer,
  kSpan,
  kStrike,
  kStrong,
  kStyle,
  kSub,
  kSummary,
  kSup,
  kSvg,
  kTable,
  kTbody,
  kTd,
  kTemplate,
  kTextElement,  ///< <text> of SVG
  kTextarea,
  kTextpath,
  kTfoot,
  kTh,
  kThead,
  kTime,
  kTitle,
  kTr,
  kTrack,
  kTspan,
  kTt,
  kU,
  kUl,
  kVar,
  kVideo,
  kWbr,
  kXmp,
  kUnknown,  ///< any other element
  kText,     ///< no element: a node of text
};

inline constexpr std::size_t kTagCount = static_cast<std::size_t>(Tag::kUnknown);

/// `foreignobject`; empty for kUnknown and kText.
[[nodiscard]] std::string_view TagName(Tag tag);

/// The tag of a name in any letter case; kUnknown where the name is none of the above.
/// `low` and `high` are the name's first and second 8 bytes in lower case (see LowerCaseWord),
/// little endian, padded with zeros. Names longer than 16 bytes are unknown.
[[nodiscard]] Tag FindTag(std::uint64_t low, std::uint64_t high);

/// The same for a name that is at hand as text.
[[nodiscard]] Tag FindTag(std::string_view name);

/// Eight bytes of a name with its letters in lower case. Bytes that aren't letters, digits or one
/// of "-:_" may change too: the caller compares with names that have none of these, and looks at
/// digits again.
[[nodiscard]] constexpr std::uint64_t LowerCaseWord(std::uint64_t word) {
  return word | 0x2020202020202020U;
}

/// What an element does to the text around and in it.
enum class Flow : std::uint8_t {
  kInline,     ///< text flows through
  kLink,       ///< so it does, and it is a link
  kBlock,      ///< words end before and behind it
  kLine,       ///< has no content: a line ends, or an image stands there
  kReplaced,   ///< shown, but as something other than its text: words end, content is skipped
  kInvisible,  ///< as if it weren't there
};

/// Sets of elements that the standard's algorithms on the stack of open elements stop at. Bits.
using ElementClasses = std::uint8_t;
inline constexpr ElementClasses kNoClasses = 0;
inline constexpr ElementClasses kSpecial = 1;
inline constexpr ElementClasses kScope = 2;
inline constexpr ElementClasses kListItemScope = 4;
inline constexpr ElementClasses kButtonScope = 8;
inline constexpr ElementClasses kTableScope = 16;
inline constexpr ElementClasses kItemStop = 32;   ///< special ones but address, div and p
inline constexpr ElementClasses kModeReset = 64;  ///< "reset the insertion mode" knows them
inline constexpr std::size_t kClassCount = 7;

/// What is known of an HTML element by its name alone.
struct TagTraits {
  ElementClasses classes = kNoClasses;
  Flow flow = Flow::kInline;
  Hints hints = kNoHints;
  bool formatting = false;   ///< goes to the list of active formatting elements
  bool implied_end = false;  ///< "generate implied end tags" closes it
  bool breakout = false;     ///< its start tag ends SVG and MathML around it
};

/// One for each Tag. kUnknown and kText have the default.
extern const std::array<TagTraits, kTagCount + 2> kTagTraits;

[[nodiscard]] inline const TagTraits& TraitsOf(Tag tag) {
  return kTagTraits[static_cast<std::size_t>(tag)];
}

}  // namespace crawlsieve::extract::html
