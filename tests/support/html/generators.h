#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve::html_check {

/// Documents for differential tests, valid UTF-8, the same ones for each seed. Thread-compatible.
class DocumentGenerator {
 public:
  virtual ~DocumentGenerator() = default;
  [[nodiscard]] virtual std::string Next() = 0;
};

/// Tags, attributes, text, comments and sections of any kind in any order: up to some forty.
class SoupGenerator final : public DocumentGenerator {
 public:
  explicit SoupGenerator(std::uint64_t seed) : random_(seed) {}
  [[nodiscard]] std::string Next() override;

 private:
  [[nodiscard]] std::string Token(const std::vector<std::string_view>& elements);

  std::mt19937_64 random_;
  unsigned words_ = 0;
};

/// A few kilobytes of a real page with pieces cut out, repeated, swapped, put in, or cut off.
class MutationGenerator final : public DocumentGenerator {
 public:
  /// `pages`: at least one, valid UTF-8; they stay with the caller.
  MutationGenerator(std::uint64_t seed, const std::vector<std::string>& pages);
  [[nodiscard]] std::string Next() override;

 private:
  std::mt19937_64 random_;
  const std::vector<std::string>& pages_;
  std::vector<std::vector<std::string_view>> pieces_;  ///< of each page
  SoupGenerator soup_;
};

/// A document of whole tags, other tokens and words: two bytes are the number of one.
[[nodiscard]] std::string PageOfTokens(std::span<const std::uint8_t> numbers);

/// The page that an input of fuzz_html_parsers stands for, in valid UTF-8. The first byte chooses:
/// even, the rest are PageOfTokens' numbers; odd, the rest is the page itself.
[[nodiscard]] std::string PageOfFuzzInput(std::span<const std::uint8_t> input);

/// A small document for which `fails` still holds, made from `document` by leaving out pieces, then
/// characters. `fails` is called at most some thousand times.
[[nodiscard]] std::string Shrink(std::string document,
                                 const std::function<bool(std::string_view)>& fails);

}  // namespace crawlsieve::html_check
