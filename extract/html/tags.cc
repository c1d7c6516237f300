#include "extract/html/tags.h"

#include "extract/text/short_names.h"

#include <initializer_list>

namespace crawlsieve::extract::html {
namespace {

// In the order of Tag.
constexpr std::array<std::string_view, kTagCount> kNames = {
    "a",         "abbr",       "acronym",
    "address",   "annotation", "annotation-xml",
    "applet",    "area",       "article",
    "aside",     "audio",      "b",
    "base",      "basefont",   "bdi",
    "bdo",       "bgsound",    "big",
    "blink",     "blockquote", "body",
    "br",        "button",     "canvas",
    "caption",   "center",     "cite",
    "code",      "col",        "colgroup",
    "data",      "datalist",   "dd",
    "defs",      "del",        "desc",
    "details",   "dfn",        "dialog",
    "dir",       "div",        "dl",
    "dt",        "em",         "embed",
    "fieldset",  "figcaption", "figure",
    "font",      "footer",     "foreignobject",
    "form",      "frame",      "frameset",
    "h1",        "h2",         "h3",
    "h4",        "h5",         "h6",
    "head",      "header",     "hgroup",
    "hr",        "html",       "i",
    "iframe",    "image",      "img",
    "input",     "ins",        "kbd",
    "keygen",    "label",      "legend",
    "li",        "link",       "listing",
    "main",      "malignmark", "map",
    "mark",      "marquee",    "math",
    "menu",      "meta",       "metadata",
    "meter",     "mglyph",     "mi",
    "mn",        "mo",         "ms",
    "mtext",     "multicol",   "nav",
    "nextid",    "nobr",       "noembed",
    "noframes",  "noscript",   "object",
    "ol",        "optgroup",   "option",
    "output",    "p",          "param",
    "plaintext", "pre",        "progress",
    "q",         "rb",         "rp",
    "rt",        "rtc",        "ruby",
    "s",         "samp",       "script",
    "search",    "section",    "select",
    "small",     "source",     "spacer",
    "span",      "strike",     "strong",
    "style",     "sub",        "summary",
    "sup",       "svg",        "table",
    "tbody",     "td",         "template",
    "text",      "textarea",   "textpath",
    "tfoot",     "th",         "thead",
    "time",      "title",      "tr",
    "track",     "tspan",      "tt",
    "u",         "ul",         "var",
    "video",     "wbr",        "xmp",
};

constexpr NameSet<kTagCount, 10> kNameSet(kNames, 0x25B4908A30C4F30F);
static_assert(kNameSet.IsPerfect());

using Traits = std::array<TagTraits, kTagCount + 2>;

constexpr TagTraits& At(Traits& traits, Tag tag) { return traits[static_cast<std::size_t>(tag)]; }

constexpr void AddClasses(Traits& traits, ElementClasses classes, std::initializer_list<Tag> tags) {
  for (const Tag tag : tags) At(traits, tag).classes |= classes;
}

constexpr void SetFlow(Traits& traits, Flow flow, std::initializer_list<Tag> tags) {
  for (const Tag tag : tags) At(traits, tag).flow = flow;
}

constexpr void SetHints(Traits& traits, Hints hints, std::initializer_list<Tag> tags) {
  for (const Tag tag : tags) At(traits, tag).hints = hints;
}

constexpr void SetClasses(Traits& traits) {
  constexpr ElementClasses kAllScopes = kScope | kListItemScope | kButtonScope;
  AddClasses(traits, kSpecial | kItemStop,
             {Tag::kApplet,   Tag::kArea,     Tag::kArticle,    Tag::kAside,    Tag::kBase,
              Tag::kBasefont, Tag::kBgsound,  Tag::kBlockquote, Tag::kBody,     Tag::kBr,
              Tag::kButton,   Tag::kCaption,  Tag::kCenter,     Tag::kCol,      Tag::kColgroup,
              Tag::kDd,       Tag::kDetails,  Tag::kDir,        Tag::kDl,       Tag::kDt,
              Tag::kEmbed,    Tag::kFieldset, Tag::kFigcaption, Tag::kFigure,   Tag::kFooter,
              Tag::kForm,     Tag::kFrame,    Tag::kFrameset,   Tag::kH1,       Tag::kH2,
              Tag::kH3,       Tag::kH4,       Tag::kH5,         Tag::kH6,       Tag::kHead,
              Tag::kHeader,   Tag::kHgroup,   Tag::kHr,         Tag::kHtml,     Tag::kIframe,
              Tag::kImg,      Tag::kInput,    Tag::kKeygen,     Tag::kLi,       Tag::kLink,
              Tag::kListing,  Tag::kMain,     Tag::kMarquee,    Tag::kMenu,     Tag::kMeta,
              Tag::kNav,      Tag::kNoembed,  Tag::kNoframes,   Tag::kNoscript, Tag::kObject,
              Tag::kOl,       Tag::kParam,    Tag::kPlaintext,  Tag::kPre,      Tag::kScript,
              Tag::kSearch,   Tag::kSection,  Tag::kSelect,     Tag::kSource,   Tag::kStyle,
              Tag::kSummary,  Tag::kTable,    Tag::kTbody,      Tag::kTd,       Tag::kTemplate,
              Tag::kTextarea, Tag::kTfoot,    Tag::kTh,         Tag::kThead,    Tag::kTitle,
              Tag::kTr,       Tag::kTrack,    Tag::kUl,         Tag::kWbr,      Tag::kXmp});
  AddClasses(traits, kSpecial, {Tag::kAddress, Tag::kDiv, Tag::kP});
  AddClasses(traits, kAllScopes,
             {Tag::kApplet, Tag::kCaption, Tag::kHtml, Tag::kMarquee, Tag::kObject, Tag::kSelect,
              Tag::kTable, Tag::kTd, Tag::kTemplate, Tag::kTh});
  AddClasses(traits, kListItemScope, {Tag::kOl, Tag::kUl});
  AddClasses(traits, kButtonScope, {Tag::kButton});
  AddClasses(traits, kTableScope, {Tag::kHtml, Tag::kTable, Tag::kTemplate});
  AddClasses(traits, kModeReset,
             {Tag::kBody, Tag::kCaption, Tag::kColgroup, Tag::kFrameset, Tag::kHead, Tag::kHtml,
              Tag::kTable, Tag::kTbody, Tag::kTd, Tag::kTemplate, Tag::kTfoot, Tag::kTh,
              Tag::kThead, Tag::kTr});
}

constexpr void SetFlows(Traits& traits) {
  for (TagTraits& of : traits) of.flow = Flow::kBlock;
  // Phrasing content that browsers show inline. Elements nobody knows are inline too.
  SetFlow(traits, Flow::kInline,
          {Tag::kAbbr,     Tag::kAcronym, Tag::kAnnotation, Tag::kApplet, Tag::kB,
           Tag::kBasefont, Tag::kBdi,     Tag::kBdo,        Tag::kBig,    Tag::kBlink,
           Tag::kCite,     Tag::kCode,    Tag::kData,       Tag::kDefs,   Tag::kDel,
           Tag::kDfn,      Tag::kEm,      Tag::kFont,       Tag::kI,      Tag::kIns,
           Tag::kKbd,      Tag::kLabel,   Tag::kMap,        Tag::kMark,   Tag::kMetadata,
           Tag::kNobr,     Tag::kOutput,  Tag::kQ,          Tag::kRb,     Tag::kRuby,
           Tag::kS,        Tag::kSamp,    Tag::kSmall,      Tag::kSpan,   Tag::kStrike,
           Tag::kStrong,   Tag::kSub,     Tag::kSup,        Tag::kTime,   Tag::kTextElement,
           Tag::kTextpath, Tag::kTspan,   Tag::kTt,         Tag::kU,      Tag::kVar,
           Tag::kWbr,      Tag::kUnknown});
  SetFlow(traits, Flow::kLink, {Tag::kA});
  SetFlow(traits, Flow::kLine, {Tag::kBr, Tag::kImg});
  SetFlow(traits, Flow::kReplaced,
          {Tag::kAudio, Tag::kCanvas, Tag::kEmbed, Tag::kIframe, Tag::kMeter, Tag::kObject,
           Tag::kProgress, Tag::kVideo});
  SetFlow(traits, Flow::kInvisible,
          {Tag::kArea, Tag::kBase, Tag::kBgsound, Tag::kDatalist, Tag::kHead, Tag::kLink,
           Tag::kMeta, Tag::kNoembed, Tag::kNoframes, Tag::kNoscript, Tag::kParam, Tag::kRp,
           Tag::kScript, Tag::kSource, Tag::kStyle, Tag::kTemplate, Tag::kTitle, Tag::kTrack});
}

constexpr Traits MakeTraits() {
  Traits traits{};
  SetClasses(traits);
  SetFlows(traits);
  SetHints(traits, kNavigationHint, {Tag::kNav, Tag::kMenu});
  SetHints(traits, kBoilerplateHint,
           {Tag::kHeader, Tag::kFooter, Tag::kAside, Tag::kFieldset, Tag::kButton, Tag::kSelect,
            Tag::kTextarea});
  SetHints(traits, kBoilerplateHint | kFormHint, {Tag::kForm});
  SetHints(traits, kMainHint, {Tag::kMain, Tag::kArticle});
  SetHints(traits, kHeadingHint, {Tag::kH2, Tag::kH3, Tag::kH4, Tag::kH5, Tag::kH6});
  SetHints(traits, kHeadingHint | kHeadlineHint, {Tag::kH1});
  for (const Tag tag :
       {Tag::kA, Tag::kB, Tag::kBig, Tag::kCode, Tag::kEm, Tag::kFont, Tag::kI, Tag::kNobr, Tag::kS,
        Tag::kSmall, Tag::kStrike, Tag::kStrong, Tag::kTt, Tag::kU}) {
    At(traits, tag).formatting = true;
  }
  for (const Tag tag : {Tag::kDd, Tag::kDt, Tag::kLi, Tag::kOptgroup, Tag::kOption, Tag::kP,
                        Tag::kRb, Tag::kRp, Tag::kRt, Tag::kRtc}) {
    At(traits, tag).implied_end = true;
  }
  for (const Tag tag :
       {Tag::kB,       Tag::kBig,  Tag::kBlockquote, Tag::kBody,  Tag::kBr,   Tag::kCenter,
        Tag::kCode,    Tag::kDd,   Tag::kDiv,        Tag::kDl,    Tag::kDt,   Tag::kEm,
        Tag::kEmbed,   Tag::kH1,   Tag::kH2,         Tag::kH3,    Tag::kH4,   Tag::kH5,
        Tag::kH6,      Tag::kHead, Tag::kHr,         Tag::kI,     Tag::kImg,  Tag::kLi,
        Tag::kListing, Tag::kMenu, Tag::kMeta,       Tag::kNobr,  Tag::kOl,   Tag::kP,
        Tag::kPre,     Tag::kRuby, Tag::kS,          Tag::kSmall, Tag::kSpan, Tag::kStrong,
        Tag::kStrike,  Tag::kSub,  Tag::kSup,        Tag::kTable, Tag::kTt,   Tag::kU,
        Tag::kUl,      Tag::kVar}) {
    At(traits, tag).breakout = true;
  }
  return traits;
}

}  // namespace

constexpr std::array<TagTraits, kTagCount + 2> kTagTraits = MakeTraits();

std::string_view TagName(Tag tag) {
  const auto index = static_cast<std::size_t>(tag);
  return index < kTagCount ? kNames[index] : std::string_view();
}

Tag FindTag(std::uint64_t low, std::uint64_t high) {
  const std::uint8_t found = kNameSet.Find({low, high});
  return found == kNameSet.kNone ? Tag::kUnknown : static_cast<Tag>(found);
}

Tag FindTag(std::string_view name) {
  if (name.size() > NameWords::kLongest) return Tag::kUnknown;
  const NameWords words = NameWords::Of(name);
  return FindTag(words.low, words.high);
}

}  // namespace crawlsieve::extract::html
