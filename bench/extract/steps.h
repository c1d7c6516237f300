#pragma once

#include "bench/extract/naive_text.h"
#include "extract/extractor.h"
#include "extract/features/features.h"
#include "extract/features/shingles.h"
#include "extract/features/terms.h"
#include "extract/html/charset.h"
#include "extract/html/fast_parser.h"
#include "extract/html/html_text.h"
#include "extract/html/media_type.h"
#include "extract/html/visible_text.h"
#include "extract/text/tokenizer.h"
#include "extract/text/volatile_text.h"
#include "plugin/fingerprint/sketch.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace crawlsieve::extract {

using Seconds = std::chrono::duration<double>;

/// What the calling thread has had of a processor: other programs beside it don't count.
inline Seconds ThreadCpuTime() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

/// Processor time by step. One thread.
template <std::size_t kSteps>
class StepTimes {
 public:
  using Spent = std::array<Seconds, kSteps>;

  template <typename Step>
  void Measure(std::size_t index, Step step) {
    const Seconds start = ThreadCpuTime();
    step();
    spent_[index] += ThreadCpuTime() - start;
  }

  /// What was measured since the last call.
  Spent Take() { return std::exchange(spent_, Spent{}); }

 private:
  Spent spent_{};
};

/// The steps of extraction, taken apart as Extractor puts them together. One thread.
class Steps {
 public:
  static constexpr std::array kNames = {"URL",
                                        "media type and charset",
                                        "parse and walk",
                                        "roles",
                                        "volatile text",
                                        "tokens",
                                        "language",
                                        "terms",
                                        "features",
                                        "shingles",
                                        "sketch"};

  static constexpr std::size_t kParse = 2;

  Steps(const ExtractOptions& options, const FeatureHasher& hasher)
      : identifier_(options, hasher),
        parser_(MakeFastParser(options.limits)),
        tokenizer_({options.limits.max_tokens, options.features.max_token_bytes}),
        volatile_text_(options.features.volatile_text),
        finder_(options.features.terms, hasher),
        counter_(options.features, hasher),
        sketch_shingle_size_(options.features.sketch_shingle_size),
        hasher_(hasher) {}

  void Run(const Page& page) {
    times_.Measure(0, [&] { url_bytes_ += identifier_.Identify(page).canonical_url.size(); });
    DecodedText decoded;
    times_.Measure(1, [&] {
      (void)ClassifyMedia(page.content_type, page.body);
      decoded = decoder_.Decode(page.body, {page.content_type, page.charset, true});
    });
    text_.Clear();
    times_.Measure(2, [&] { (void)parser_->Parse(decoded.text, text_); });
    times_.Measure(3, [&] { text_.Finish(); });
    tokens_.Clear();
    // As Extractor does with a page whose text all counts: the most that these steps can cost.
    std::string_view lasting;
    times_.Measure(4, [&] {
      for (const Segment& segment : text_.segments()) {
        blocks_out_ += volatile_text_.IsVolatile(text_.TextOf(segment)) ? 1 : 0;
      }
      lasting = volatile_text_.Remove(text_.body(), lasting_);
    });
    times_.Measure(5, [&] {
      (void)tokenizer_.Append(text_.title(), tokens_);
      (void)tokenizer_.Append(lasting, tokens_);
    });
    std::string_view language;
    times_.Measure(6, [&] { language = DetectLanguage(tokens_.text, text_.language()); });
    times_.Measure(7, [&] { finder_.Find(language, tokens_, {{tokens_.size(), 1}}, terms_); });
    times_.Measure(8, [&] { (void)counter_.Count(terms_); });
    std::vector<std::uint64_t> shingles;
    times_.Measure(9, [&] { shingles = ShingleSet(tokens_, sketch_shingle_size_, hasher_); });
    times_.Measure(10, [&] { sketch_bits_ ^= ComputeSketch(shingles).words[0]; });
    text_bytes_ += text_.body().size();
  }

  /// Since the last call.
  [[nodiscard]] auto TakeTimes() { return times_.Take(); }
  [[nodiscard]] std::size_t text_bytes() const { return text_bytes_; }

 private:
  Extractor identifier_;
  CharsetDecoder decoder_;
  std::unique_ptr<HtmlParser> parser_;
  VisibleText text_;
  Tokenizer tokenizer_;
  TokenList tokens_;
  VolatileText volatile_text_;
  std::string lasting_;
  TermFinder finder_;
  std::vector<Feature> terms_;
  FeatureCounter counter_;
  const std::size_t sketch_shingle_size_;
  FeatureHasher hasher_;
  StepTimes<kNames.size()> times_;
  std::size_t url_bytes_ = 0;
  std::size_t blocks_out_ = 0;
  std::uint64_t sketch_bits_ = 0;  // keeps the compiler from leaving sketches out
  std::size_t text_bytes_ = 0;
};

/// The same text given to the libraries, with the same parse before it. One thread.
class NaiveSteps {
 public:
  static constexpr std::array kNames = {"ICU, all of the text", "CLD2, all of the text",
                                        "Snowball, every word"};

  explicit NaiveSteps(const ExtractOptions& options) : parser_(MakeGumboParser(options.limits)) {}

  void Run(const Page& page) {
    const DecodedText decoded = decoder_.Decode(page.body, {page.content_type, page.charset, true});
    text_.Clear();
    (void)parser_->Parse(decoded.text, text_);
    text_.Finish();
    times_.Measure(0, [&] { naive_.FindWords(text_.body()); });
    times_.Measure(1, [&] { naive_.FindLanguage(text_.body()); });
    times_.Measure(2, [&] { naive_.StemWords(); });
  }

  /// Since the last call.
  [[nodiscard]] auto TakeTimes() { return times_.Take(); }

 private:
  CharsetDecoder decoder_;
  std::unique_ptr<HtmlParser> parser_;
  VisibleText text_;
  bench::NaiveText naive_;
  StepTimes<kNames.size()> times_;
};

}  // namespace crawlsieve::extract
