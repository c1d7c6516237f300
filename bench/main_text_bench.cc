// How well the main text of pages is found, beside what somebody else judged it to be.

#include "bench/pages.h"
#include "extract/html/charset.h"
#include "extract/html/fast_parser.h"
#include "extract/html/visible_text.h"
#include "extract/text/tokenizer.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace crawlsieve::extract {
namespace {

constexpr std::size_t kShingle = 4;

/// Hashes of the distinct word 4-shingles of a text, in order.
using Shingles = std::vector<std::size_t>;

class Reader {
 public:
  struct Reading {
    Shingles visible;
    Shingles main;  ///< the role main
    Shingles text;  ///< main, headings and link text: all of the main text
    std::size_t words = 0;
  };

  /// `page` false: a fragment, all of which counts as visible.
  Reading Read(const std::string& html) {
    text_.Clear();
    CharsetDecoder decoder;
    const DecodedText decoded = decoder.Decode(html, {"text/html; charset=utf-8", {}, true});
    Reading reading;
    if (parser_->Parse(decoded.text, text_) != ParseEnd::kDone) return reading;
    text_.Finish();
    reading.visible = ShinglesOf(text_.body(), &reading.words);
    reading.main = ShinglesOf(TextIn({Role::kMain}), nullptr);
    reading.text = ShinglesOf(TextIn({Role::kMain, Role::kHeading, Role::kLinkText}), nullptr);
    return reading;
  }

  void PrintSegments() const {
    for (const Segment& segment : text_.segments()) {
      fmt::print("{:11} {:4}/{:<4} {}\n", RoleName(segment.role), segment.words, segment.link_words,
                 text_.TextOf(segment));
    }
  }

 private:
  [[nodiscard]] std::string TextIn(std::initializer_list<Role> roles) const {
    std::string text;
    for (const Segment& segment : text_.segments()) {
      if (std::find(roles.begin(), roles.end(), segment.role) == roles.end()) continue;
      text.append(text_.TextOf(segment)).push_back(' ');
    }
    return text;
  }

  Shingles ShinglesOf(std::string_view text, std::size_t* words) {
    tokens_.Clear();
    (void)tokenizer_.Append(text, tokens_);
    if (words != nullptr) *words = tokens_.size();
    Shingles shingles;
    for (std::size_t i = 0; i + kShingle <= tokens_.size(); ++i) {
      shingles.push_back(std::hash<std::string_view>()(tokens_.Span(i, kShingle)));
    }
    std::sort(shingles.begin(), shingles.end());
    shingles.erase(std::unique(shingles.begin(), shingles.end()), shingles.end());
    return shingles;
  }

  std::unique_ptr<HtmlParser> parser_ = MakeFastParser({});
  VisibleText text_;
  Tokenizer tokenizer_{{1 << 20, 256}};
  TokenList tokens_;
};

double Share(const Shingles& part, const Shingles& whole) {
  Shingles both;
  std::set_intersection(part.begin(), part.end(), whole.begin(), whole.end(),
                        std::back_inserter(both));
  return whole.empty() ? 0 : static_cast<double>(both.size()) / static_cast<double>(whole.size());
}

struct Average {
  double recall = 0;
  double precision = 0;

  void Add(const Shingles& found, const Shingles& wanted) {
    recall += Share(found, wanted);
    precision += Share(wanted, found);
  }
};

int Main(int argc, char** argv) {
  CLI::App app(
      "Measures how well the main text is found: word 4-shingles of each page's main text beside "
      "those of attrs.main_content_html, averaged over pages.");
  std::vector<std::string> files;
  std::size_t min_words = 200;
  bool each = false;
  int show = -1;
  app.add_option("pages", files, "canonical page records, one JSON object a line; .zst is unpacked")
      ->required()
      ->check(CLI::ExistingFile);
  app.add_option("--min-words", min_words, "leave out pages with less main content");
  app.add_flag("--each", each, "a line for each page");
  app.add_option("--show", show, "print the segments of this page, counted from 0, and stop");
  CLI11_PARSE(app, argc, argv);

  Reader reader;
  Average main;
  Average text;
  Average visible;
  std::size_t pages = 0;
  int index = -1;
  for (const std::string& file : files) {
    const auto records = bench::LoadPageRecords(file);
    if (!records) {
      fmt::print(stderr, "{}\n", records.error().message);
      return 1;
    }
    for (const bench::PageRecord& record : *records) {
      ++index;
      if (show >= 0 && index != show) continue;
      const Reader::Reading wanted = reader.Read(record.main_html);
      if (wanted.words < min_words) continue;
      const Reader::Reading found = reader.Read(record.page.body);
      if (show >= 0) {
        reader.PrintSegments();
        return 0;
      }
      ++pages;
      main.Add(found.main, wanted.visible);
      text.Add(found.text, wanted.visible);
      visible.Add(found.visible, wanted.visible);
      if (each) {
        fmt::print("{:4} recall {:.3f} precision {:.3f} words {:6} {}\n", index,
                   Share(found.main, wanted.visible), Share(wanted.visible, found.main),
                   wanted.words, record.page.url);
      }
    }
  }
  if (pages == 0) {
    fmt::print(stderr, "no page with main content of {} words\n", min_words);
    return 1;
  }
  const auto print = [pages](const char* name, const Average& sum) {
    const auto n = static_cast<double>(pages);
    fmt::print("  {:34} recall {:.4f}  precision {:.4f}\n", name, sum.recall / n,
               sum.precision / n);
  };
  fmt::print("{} pages with main content of {} words or more\n", pages, min_words);
  print("role main", main);
  print("roles main, heading and link_text", text);
  print("all visible text", visible);
  return 0;
}

}  // namespace
}  // namespace crawlsieve::extract

int main(int argc, char** argv) { return crawlsieve::extract::Main(argc, argv); }
