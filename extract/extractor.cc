#include "extract/extractor.h"

#include "extract/charset.h"
#include "extract/features.h"
#include "extract/html_text.h"
#include "extract/media_type.h"
#include "extract/shingles.h"
#include "extract/tokenizer.h"
#include "extract/url.h"
#include "extract/visible_text.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve::extract {

class Extractor::Impl {
 public:
  Impl(const ExtractOptions& options, const FeatureHasher& hasher)
      : limits_(options.limits),
        parser_(MakeGumboParser(options.limits)),
        tokenizer_({options.limits.max_tokens, options.features.max_token_bytes}),
        features_(options.features, hasher),
        sketch_shingle_size_(std::max<std::uint32_t>(options.features.sketch_shingle_size, 1)),
        hasher_(hasher) {}

  [[nodiscard]] Document Extract(const Page& page) {
    Document document;
    Identify(page, document);
    if (!page.body_problem.empty()) {
      document.detail = page.body_problem;
    } else if (page.status_code < 200 || page.status_code > 299) {
      document.outcome = Outcome::kErrorStatus;
      document.detail = std::to_string(page.status_code);
    } else if (page.body.size() > limits_.max_body_bytes) {
      document.detail = "body_too_large";
    } else {
      ReadBody(page, document);
    }
    return document;
  }

 private:
  static void Identify(const Page& page, Document& document) {
    CanonicalUrl identity = CanonicalizeUrl(page.final_url.empty() ? page.url : page.final_url);
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
    document.title = text_.title();
    document.language = text_.language();
    document.text_length = text_.length();

    tokens_.Clear();
    if (!tokenizer_.Append(text_.title(), tokens_) || !tokenizer_.Append(text_.body(), tokens_)) {
      document.detail = "too_many_tokens";
      return;
    }
    document.outcome = Outcome::kText;
    document.charset = decoded.encoding;
    document.charset_source = CharsetSourceName(decoded.source);
    document.normalized_text = tokens_.text;
    document.features = features_.Count(tokens_);
    document.shingles = ShingleSet(tokens_, sketch_shingle_size_, hasher_);
  }

  const Limits limits_;
  CharsetDecoder decoder_;
  std::unique_ptr<HtmlParser> parser_;
  VisibleText text_;
  Tokenizer tokenizer_;
  TokenList tokens_;
  FeatureCounter features_;
  const std::size_t sketch_shingle_size_;
  const FeatureHasher hasher_;
};

Extractor::Extractor(const ExtractOptions& options, const FeatureHasher& hasher)
    : impl_(std::make_unique<Impl>(options, hasher)) {}
Extractor::~Extractor() = default;

Document Extractor::Extract(const Page& page) { return impl_->Extract(page); }

std::string DescribeExtraction(const FeatureOptions& options) {
  return fmt::format(
      "extract=1 {} shingle={} sketch_shingle={} token<={} parser=gumbo-{} charset=uchardet-{} "
      "text=title,body",
      DescribeTokenizer(), options.shingle_size, options.sketch_shingle_size,
      options.max_token_bytes, CRAWLSIEVE_GUMBO_VERSION, CRAWLSIEVE_UCHARDET_VERSION);
}

}  // namespace crawlsieve::extract
