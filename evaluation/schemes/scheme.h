#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve::consumer {

/// A page's text as the extractor made it: the input of every scheme.
struct SchemeText {
  std::string_view text;                ///< normalised words, one space between them
  std::vector<std::string_view> words;  ///< of `text`, in order
};

/// A scheme of the literature for near duplicates: its fingerprint of a page, and its similarity of
/// two pages. For comparison only; the service uses none of them.
///
/// Thread-compatible.
class Scheme {
 public:
  virtual ~Scheme() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;

  /// Sees every text once before the first fingerprint, for schemes that count over a collection.
  virtual void Learn(const SchemeText& /*text*/) {}

  /// The fingerprint of a page, in 64-bit words.
  [[nodiscard]] virtual std::vector<std::uint64_t> Fingerprint(const SchemeText& text) const = 0;

  /// Similarity of two pages, 0 to 1.
  [[nodiscard]] virtual double Similarity(std::span<const std::uint64_t> a,
                                          std::span<const std::uint64_t> b) const = 0;

  /// From which similarities on pages count as duplicates: the literature's settings, or a range.
  [[nodiscard]] virtual std::vector<double> thresholds() const = 0;
};

/// All of them, in the order of the documentation's table.
[[nodiscard]] std::vector<std::unique_ptr<Scheme>> MakeSchemes();

/// Words of a normalised text. Views into `text`, which must outlive the result.
[[nodiscard]] SchemeText SplitText(std::string_view text);

}  // namespace crawlsieve::consumer
