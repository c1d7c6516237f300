#include "extract/extractor.h"

#include "extract/features/features.h"
#include "extract/features/shingles.h"
#include "extract/features/terms.h"
#include "extract/html/charset.h"
#include "extract/html/fast_parser.h"
#include "extract/html/html_text.h"
#include "extract/html/media_type.h"
#include "extract/html/visible_text.h"
#include "extract/library_probe.h"
#include "extract/references.h"
#include "extract/text/ascii.h"
#include "extract/text/tokenizer.h"
#include "extract/text/volatile_patterns.h"
#include "extract/text/volatile_text.h"
#include "extract/text/word_characters.h"
#include "extract/url/page_url.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace crawlsieve::extract {

namespace {

using RoleWeights = std::array<std::uint32_t, kRoleCount>;

/// Of a page's text, forms must have one word in so many before the rest is looked at by itself,
/// and the rest must have so many words.
constexpr std::uint32_t kFormsOneIn = 4;
constexpr std::uint32_t kMinWordsOutsideForms = 20;

/// All roles but the alternative texts, in the order of Role.
constexpr RoleWeights kAllVisibleText = {1, 1, 1, 1, 1, 1, 0};

std::unique_ptr<HtmlParser> MakeParser(const ExtractOptions& options) {
  // The rules are those of the scheme id, which names Gumbo alone.
  if (options.parser == ParserKind::kGumbo) {
    return MakeGumboParser(options.limits, VisibleRules::kFirst);
  }
  return MakeFastParser(options.limits);
}

std::string DescribeParser(ParserKind parser) {
  return parser == ParserKind::kGumbo ? fmt::format("gumbo-{}", CRAWLSIEVE_GUMBO_VERSION)
                                      : fmt::format("fast-{}", kFastParserVersion);
}

}  // namespace

class Extractor::Impl {
 public:
  Impl(const ExtractOptions& options, const FeatureHasher& hasher)
      : limits_(options.limits),
        role_weights_(options.features.role_weights),
        min_main_words_(options.features.min_main_words),
        url_options_(options.url),
        details_(options.details),
        with_references_(options.references),
        decoder_(options.revision),
        parser_(MakeParser(options)),
        text_(options.details || options.references ? options.limits.max_links : 0),
        tokenizer_({options.limits.max_tokens, options.features.max_token_bytes}),
        volatile_text_(options.features.volatile_text),
        term_finder_(options.features.terms, hasher),
        features_(options.features, hasher),
        sketch_shingle_size_(std::max<std::uint32_t>(options.features.sketch_shingle_size, 1)),
        hasher_(hasher) {}

  [[nodiscard]] Document Extract(const Page& page) {
    Document document = Identify(page);
    // A fetch that failed has no content to judge, whatever came of its body.
    if (page.status_code < 200 || page.status_code > 299) {
      document.outcome = Outcome::kErrorStatus;
      document.detail = std::to_string(page.status_code);
    } else if (!page.body_problem.empty()) {
      document.detail = page.body_problem;
    } else if (page.body.size() > limits_.max_body_bytes) {
      document.detail = "body_too_large";
    } else {
      ReadBody(page, document);
    }
    return document;
  }

  [[nodiscard]] Document Identify(const Page& page) const {
    Document document;
    // A response that is a redirect is about the URL that was asked for, not about its target.
    const bool is_asked = page.final_url.empty() || IsRedirectStatus(page.status_code);
    TakeIdentity(IdentityOf(is_asked ? page.url : page.final_url, url_options_), document);
    document.registered_domain = RegisteredDomain(document.host);
    return document;
  }

 private:
  static void TakeIdentity(CanonicalUrl&& identity, Document& document) {
    document.canonical_url = std::move(identity.url);
    document.host = std::move(identity.host);
    document.path_depth = identity.path_depth;
  }

  void ReadBody(const Page& page, Document& document) {
    text_.Clear();
    DecodedText decoded;
    if (page.body_kind == BodyKind::kText) {
      decoded = {decoder_.RepairUtf8(page.body), Utf8().name, CharsetSource::kDefault};
      text_.OnText(decoded.text);
    } else {
      const MediaKind media = ClassifyMedia(page.content_type, page.body);
      if (media == MediaKind::kOther) {
        document.outcome = Outcome::kNotHtml;
        return;
      }
      const bool html = media == MediaKind::kHtml;
      decoded = decoder_.Decode(page.body, {page.content_type, page.charset, html});
      if (!html) {
        text_.OnText(decoded.text);
      } else if (const ParseEnd end = parser_->Parse(decoded.text, text_); end != ParseEnd::kDone) {
        document.detail = ParseEndCode(end);
        return;
      }
    }
    text_.Finish();
    document.title = text_.title();
    document.title_hash = HashOfTitle();
    document.language = text_.language();
    document.text_length = text_.length();
    document.main_words = MainWords();
    document.all_text = document.main_words < min_main_words_;
    const RoleWeights& weights = document.all_text ? kAllVisibleText : role_weights_;
    if (!TakeText(weights)) {
      document.detail = "too_many_tokens";
      return;
    }
    document.outcome = Outcome::kText;
    document.charset = decoded.encoding;
    document.charset_source = CharsetSourceName(decoded.source);
    document.normalized_text = tokens_.text;
    document.detected_language = DetectLanguage(tokens_.text, document.language);
    term_finder_.Find(document.detected_language, tokens_, runs_, terms_);
    document.features = features_.Count(terms_);
    document.shingles = ShingleSet(tokens_, sketch_shingle_size_, hasher_);
    if (IsFormsAndMore(weights) && TakeText(weights, /*with_forms=*/false)) {
      term_finder_.Find(document.detected_language, tokens_, runs_, terms_);
      document.features_outside_forms = features_.Count(terms_);
    }
    const std::string base = BaseOf(document);  // before claims change the identity
    ReadClaims(base, document);
    if (details_) {
      ListSegments(document);
      ListLinks(base, document);
    }
    if (with_references_) ListReferences(document.references);
  }

  [[nodiscard]] std::uint32_t MainWords() const {
    std::uint32_t words = 0;
    for (const Segment& segment : text_.segments()) {
      if (IsMainText(segment.role)) words += segment.words;
    }
    return words;
  }

  /// Whether forms have much of the text that counts, and not all of it.
  [[nodiscard]] bool IsFormsAndMore(const RoleWeights& weights) const {
    std::uint64_t inside = 0;
    std::uint64_t outside = 0;
    for (const Segment& segment : text_.segments()) {
      if (weights[static_cast<std::size_t>(segment.role)] == 0) continue;
      (segment.in_form ? inside : outside) += segment.words;
    }
    return inside * kFormsOneIn >= inside + outside && outside >= kMinWordsOutsideForms;
  }

  /// Numbers are what titles of two versions differ in.
  [[nodiscard]] std::uint64_t HashOfTitle() {
    tokens_.Clear();
    // Of more words than a page may have the first ones do.
    static_cast<void>(tokenizer_.Append(volatile_text_.Remove(text_.title(), lasting_), tokens_));
    std::string words;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const std::string_view word = tokens_.Span(i, 1);
      if (FindDigit(word, 0) == word.size()) words.append(word).push_back(' ');
    }
    return words.empty() ? 0 : hasher_.Hash(words);
  }

  /// Takes the text of each role with the role's weight. False when there are too many tokens.
  [[nodiscard]] bool TakeText(const RoleWeights& weights, bool with_forms = true) {
    tokens_.Clear();
    runs_.clear();
    const auto weight_of = [&](Role role) { return weights[static_cast<std::size_t>(role)]; };
    if (!Take(text_.title(), weight_of(Role::kTitle))) return false;
    // Neighbours of one weight go together: fewer and longer pieces.
    const std::vector<Segment>& segments = text_.segments();
    std::uint32_t begin = 0;
    std::uint32_t weight = 0;
    std::uint32_t end = 0;
    const auto take_piece = [&] { return Take(text_.body().substr(begin, end - begin), weight); };
    for (const Segment& segment : segments) {
      const bool is_out =
          weight_of(segment.role) != 0 &&
          ((segment.in_form && !with_forms) || volatile_text_.IsVolatile(text_.TextOf(segment)));
      const std::uint32_t own = is_out ? 0 : weight_of(segment.role);
      if (own != weight) {
        if (!take_piece()) return false;
        begin = segment.begin;
        weight = own;
      }
      end = segment.end;
    }
    return take_piece() && Take(text_.alt_text(), weight_of(Role::kAltText));
  }

  /// False when there are too many tokens.
  [[nodiscard]] bool Take(std::string_view text, std::uint32_t weight) {
    if (weight == 0) return true;
    const bool taken = tokenizer_.Append(volatile_text_.Remove(text, lasting_), tokens_);
    runs_.push_back({tokens_.size(), weight});
    return taken;
  }

  /// What relative links in the page are resolved against.
  [[nodiscard]] std::string BaseOf(const Document& document) const {
    return text_.base().empty() ? document.canonical_url
                                : ResolveUrl(document.canonical_url, text_.base()).url;
  }

  void ReadClaims(const std::string& base, Document& document) const {
    if (!text_.refresh().empty()) {
      document.claimed_refresh = ResolveUrl(base, text_.refresh()).url;
    }
    if (text_.canonical().empty()) return;
    CanonicalUrl claimed = IdentityOf(ResolveUrl(base, text_.canonical()).url, url_options_);
    document.claimed_canonical = claimed.url;
    if (url_options_.follow_canonical_link && !claimed.host.empty() &&
        claimed.host == document.host) {
      TakeIdentity(std::move(claimed), document);
    }
  }

  void ListLinks(const std::string& base, Document& document) const {
    const UrlResolver resolver(base);
    for (const VisibleText::Anchor& anchor : text_.anchors()) {
      document.links.push_back({resolver.Resolve(anchor.href).url,
                                std::string(text_.TextOf(anchor, kMaxAnchorBytes)), anchor.rel});
    }
  }

  void ListReferences(References& references) const {
    references.base = text_.base().size() <= kMaxLinkBytes ? text_.base() : std::string();
    if (text_.canonical().size() <= kMaxLinkBytes) references.canonical = text_.canonical();
    if (text_.is_nofollow()) return;
    for (const VisibleText::Anchor& anchor : text_.anchors()) {
      if (anchor.href.size() > kMaxLinkBytes || HasLinkType(anchor.rel, "nofollow")) continue;
      (text_.IsInMainText(anchor) ? references.main_text : references.elsewhere)
          .push_back(anchor.href);
    }
  }

  void ListSegments(Document& document) const {
    if (!text_.title().empty())
      document.segments.push_back({Role::kTitle, std::string(text_.title())});
    for (const Segment& segment : text_.segments()) {
      document.segments.push_back({segment.role, std::string(text_.TextOf(segment))});
    }
    if (!text_.alt_text().empty())
      document.segments.push_back({Role::kAltText, std::string(text_.alt_text())});
  }

  const Limits limits_;
  const RoleWeights role_weights_;
  const std::uint32_t min_main_words_;
  const UrlOptions url_options_;
  const bool details_;
  const bool with_references_;
  CharsetDecoder decoder_;
  std::unique_ptr<HtmlParser> parser_;
  VisibleText text_;
  Tokenizer tokenizer_;
  TokenList tokens_;
  std::vector<TokenRun> runs_;  ///< of tokens_
  std::string lasting_;         ///< of a piece of text, what is not volatile
  VolatileText volatile_text_;
  std::vector<Feature> terms_;
  TermFinder term_finder_;
  FeatureCounter features_;
  const std::size_t sketch_shingle_size_;
  FeatureHasher hasher_;
};

Extractor::Extractor(const ExtractOptions& options, const FeatureHasher& hasher)
    : impl_(std::make_unique<Impl>(options, hasher)) {}
Extractor::~Extractor() = default;

Document Extractor::Extract(const Page& page) { return impl_->Extract(page); }
Document Extractor::Identify(const Page& page) const { return impl_->Identify(page); }

std::string DescribeExtraction(const ExtractOptions& extract_options) {
  const FeatureOptions& options = extract_options.features;
  const LibraryNames& libraries = NamesOfLibraries();
  return fmt::format(
      "extract={} {} {} {}{} shingle={}+{} sketch_shingle={} damped={} token<={} parser={} "
      "charset=meta-anywhere,{} "
      "roles=1:{} main>={} {}",
      static_cast<int>(extract_options.revision), DescribeTokenizer(libraries.icu),
      DescribeVolatileText(options.volatile_text), DescribeTerms(options.terms),
      options.terms.stem ? libraries.stems : std::string(), options.shingle_size,
      options.phrase_size, options.sketch_shingle_size, options.damp_frequency,
      options.max_token_bytes, DescribeParser(extract_options.parser), libraries.uchardet,
      fmt::join(options.role_weights, ","), options.min_main_words,
      DescribeUrls(extract_options.url));
}

}  // namespace crawlsieve::extract
