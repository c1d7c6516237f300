// Differential tests of the HTML parser: generated documents, and pages as they are, go through two
// parsers in turn, and what they report differently and no known difference explains is shrunk and
// printed.
//
//     html_differences --generator soup --documents 1000000 --seed 1
//     html_differences --generator mutation --documents 1000000 PAGES...
//     html_differences --generator none PAGES... --against build/html_oracle/html_oracle
//     html_differences --document '<p>one<b>two'
//     html_differences --fuzz-input crash-1 --fuzz-input crash-2

#include "bench/pages.h"
#include "extract/html/charset.h"
#include "extract/html/html_text.h"
#include "tests/support/html/event_log.h"
#include "tests/support/html/generators.h"
#include "tests/support/html/known_differences.h"
#include "tests/support/html/parsers.h"

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

namespace crawlsieve::html_check {
namespace {

/// The document that is being compared, for the handler of crashes.
std::string* current_document = nullptr;

extern "C" void PrintDocumentAndDie(int signal) {
  constexpr std::string_view kTitle = "\ncrash with this document:\n";
  static_cast<void>(!write(STDERR_FILENO, kTitle.data(), kTitle.size()));
  if (current_document != nullptr) {
    static_cast<void>(!write(STDERR_FILENO, current_document->data(), current_document->size()));
  }
  static_cast<void>(!write(STDERR_FILENO, "\n", 1));
  std::signal(signal, SIG_DFL);
  raise(signal);
}

/// Gives the pages one after the other.
class PagesInOrder final : public DocumentGenerator {
 public:
  explicit PagesInOrder(const std::vector<std::string>& pages) : pages_(pages) {}
  [[nodiscard]] std::string Next() override { return pages_[next_++ % pages_.size()]; }

 private:
  const std::vector<std::string>& pages_;
  std::size_t next_ = 0;
};

struct Options {
  std::vector<std::string> files;
  std::string generator = "soup";
  std::vector<std::string> documents_given = {};
  std::vector<std::string> fuzz_inputs = {};
  std::string parser = KernelNames().front();
  std::string against = "gumbo";
  std::string arbiter = {};
  std::uint64_t documents = 0;
  std::uint64_t seed = 1;
  std::size_t max_reports = 20;
  bool white_space = false;
  std::uint64_t show_explained = 0;
};

class Run {
 public:
  explicit Run(const Options& options)
      : options_(options),
        parser_(MakeParser(WideLimits(), options.parser)),
        other_(MakeParser(WideLimits(), options.against)),
        arbiter_(options.arbiter.empty() ? nullptr : MakeParser(WideLimits(), options.arbiter)) {}

  /// Whether nothing unexplained was found.
  bool CompareAll(DocumentGenerator& generator, std::uint64_t documents) {
    for (std::uint64_t i = 0; i < documents && reported_.size() < options_.max_reports; ++i) {
      std::string document = generator.Next();
      current_document = &document;
      ++compared_;
      const ComparedPage compared = Compare(document);
      if (compared.white_space_differs) ++white_space_;
      if (compared.differs && !compared.explanation.empty()) {
        const std::string names = fmt::format("{}", fmt::join(compared.explanation, "+"));
        if (++explained_[names] <= options_.show_explained) {
          Report(document, "explained by " + names, [&](std::string_view shorter) {
            return fmt::format("{}", fmt::join(Compare(shorter).explanation, "+")) == names;
          });
        }
      } else if (compared.differs && ArbiterSidesWithUs(document)) {
        ++sided_;
      } else if (compared.differs) {
        ++unexplained_;
        Report(document, "unexplained", [&](std::string_view shorter) {
          const ComparedPage again = Compare(shorter);
          return again.differs && again.explanation.empty() && !ArbiterSidesWithUs(shorter);
        });
      } else if (compared.white_space_differs && compared.explanation.empty()) {
        ++unexplained_white_space_;
        if (!options_.white_space) continue;
        Report(document, "white space", [&](std::string_view shorter) {
          const ComparedPage again = Compare(shorter);
          return again.white_space_differs && again.explanation.empty();
        });
      }
    }
    current_document = nullptr;
    return unexplained_ == 0;
  }

  void Show(const std::string& document) {
    const ComparedPage compared = Compare(document);
    const ParsedLog ours = ParseLog(*parser_, document);
    const ParsedLog theirs = ParseLog(*other_, document);
    fmt::print("{:?}\n  {} {}\n  {} {}\n  {} {}\n", document, RenderShort(ours.log.events()),
               extract::ParseEndCode(ours.end), RenderShort(theirs.log.events()),
               extract::ParseEndCode(theirs.end), compared.differs ? "differs" : "same",
               fmt::join(compared.explanation, "+"));
  }

  void PrintSums() const {
    fmt::print("{} documents, {} unexplained, {} differ in white space only, {} unexplained\n",
               compared_, unexplained_, white_space_, unexplained_white_space_);
    if (arbiter_) fmt::print("  {} in which the arbiter sides with our parser\n", sided_);
    for (const auto& [names, documents] : explained_) fmt::print("  {} {}\n", documents, names);
  }

 private:
  ComparedPage Compare(std::string_view document) {
    const bool is_gumbo = options_.against == "gumbo";
    return ComparePage(*parser_, *other_, document,
                       is_gumbo ? KnownDifferences() : KnownOracleDifferences());
  }

  bool ArbiterSidesWithUs(std::string_view document) {
    if (arbiter_ == nullptr) return false;
    const ComparedPage compared =
        ComparePage(*parser_, *arbiter_, document, KnownOracleDifferences());
    return !compared.differs || !compared.explanation.empty();
  }

  template <typename Fails>
  void Report(const std::string& document, const std::string& what, Fails fails) {
    const std::string shrunk = Shrink(document, fails);
    if (!reported_.insert(shrunk).second) return;
    const ParsedLog ours = ParseLog(*parser_, shrunk);
    const ParsedLog theirs = ParseLog(*other_, shrunk);
    const Comparison comparison{.ignore_white_space = what == "unexplained"};
    fmt::print("{}, document {}: {:?}\n  {}: {} {}\n  {}: {} {}\n", what, compared_, shrunk,
               options_.parser, RenderShort(ours.log.Normalized(comparison)),
               extract::ParseEndCode(ours.end), options_.against,
               RenderShort(theirs.log.Normalized(comparison)), extract::ParseEndCode(theirs.end));
    std::fflush(stdout);
  }

  const Options& options_;
  std::unique_ptr<extract::HtmlParser> parser_;
  std::unique_ptr<extract::HtmlParser> other_;
  std::unique_ptr<extract::HtmlParser> arbiter_;
  std::uint64_t compared_ = 0;
  std::uint64_t sided_ = 0;
  std::uint64_t unexplained_ = 0;
  std::uint64_t white_space_ = 0;
  std::uint64_t unexplained_white_space_ = 0;
  std::map<std::string, std::uint64_t> explained_;
  std::set<std::string> reported_;
};

int Main(int argc, char** argv) {
  Options options;
  CLI::App app{"Looks for documents of which two HTML parsers report different things."};
  app.add_option("PAGES", options.files, "files of canonical page records")
      ->check(CLI::ExistingFile);
  app.add_option("--generator", options.generator, "none: the pages as they are")
      ->check(CLI::IsMember({"soup", "mutation", "none"}))
      ->capture_default_str();
  app.add_option("--documents", options.documents, "how many; 0: as many as there are pages");
  app.add_option("--document", options.documents_given, "compare this, and print its events");
  app.add_option("--fuzz-input", options.fuzz_inputs,
                 "compare what this input of fuzz_html_parsers stands for, and shrink it")
      ->check(CLI::ExistingFile);
  app.add_option("--seed", options.seed)->capture_default_str();
  app.add_option("--parser", options.parser, "a kernel, gumbo, or the path of html_oracle")
      ->capture_default_str();
  app.add_option("--against", options.against, "the same")->capture_default_str();
  app.add_option("--arbiter", options.arbiter,
                 "a third parser: unexplained differences in which it sides with ours are counted");
  app.add_option("--max-reports", options.max_reports)->capture_default_str();
  app.add_flag("--white-space", options.white_space, "report these differences too");
  app.add_option("--show-explained", options.show_explained, "examples of each explanation");
  CLI11_PARSE(app, argc, argv);

  std::signal(SIGPIPE, SIG_IGN);  // an oracle that ends is an error of write
  for (const int crash : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE}) {
    std::signal(crash, PrintDocumentAndDie);
  }
  std::vector<std::string> pages;
  extract::CharsetDecoder decoder;
  for (const std::string& file : options.files) {
    const auto records = bench::LoadPageRecords(file);
    if (!records) {
      fmt::print(stderr, "{}\n", records.error().message);
      return 2;
    }
    for (const bench::PageRecord& record : *records) {
      pages.emplace_back(
          decoder.Decode(record.page.body, {record.page.content_type, record.page.charset, true})
              .text);
    }
  }
  if (!options.documents_given.empty()) {
    Run run(options);
    for (const std::string& document : options.documents_given) run.Show(document);
    return 0;
  }
  for (const std::string& file : options.fuzz_inputs) {
    std::ifstream in(file, std::ios::binary);
    const std::vector<std::uint8_t> input{std::istreambuf_iterator<char>(in), {}};
    pages.push_back(PageOfFuzzInput(input));
  }
  if (!options.fuzz_inputs.empty()) options.generator = "none";
  if (pages.empty() && options.generator != "soup") {
    fmt::print(stderr, "this generator needs pages\n");
    return 2;
  }
  std::unique_ptr<DocumentGenerator> generator;
  if (options.generator == "soup") {
    generator = std::make_unique<SoupGenerator>(options.seed);
  } else if (options.generator == "mutation") {
    generator = std::make_unique<MutationGenerator>(options.seed, pages);
  } else {
    generator = std::make_unique<PagesInOrder>(pages);
  }
  Run run(options);
  const bool clean =
      run.CompareAll(*generator, options.documents == 0 ? pages.size() : options.documents);
  run.PrintSums();
  return clean ? 0 : 1;
}

}  // namespace
}  // namespace crawlsieve::html_check

int main(int argc, char** argv) { return crawlsieve::html_check::Main(argc, argv); }
