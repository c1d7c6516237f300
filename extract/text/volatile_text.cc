#include "extract/text/volatile_text.h"

#include "extract/text/relative_time.h"
#include "extract/text/utf8.h"
#include "extract/text/volatile_patterns.h"
#include "extract/text/word_characters.h"
#include "plugin/fingerprint/checksum.h"

#include <algorithm>
#include <cstddef>
#include <new>

#include <fmt/format.h>
#include <re2/re2.h>

namespace crawlsieve::extract {
namespace {

RE2::Options PatternOptions(bool built_in) {
  RE2::Options options(RE2::Quiet);
  options.set_case_sensitive(!built_in);
  // Of several spellings that fit, the one that takes most out.
  options.set_longest_match(built_in);
  constexpr std::int64_t kMaxMemory = 64 << 20;
  options.set_max_mem(kMaxMemory);
  options.set_never_capture(true);
  return options;
}

/// One for all workers: it takes long to make, and its automaton grows while it is used. RE2 is
/// thread-safe.
struct BuiltIn {
  RE2 pattern;
  VolatileStarts starts;

  explicit BuiltIn(bool prices)
      : pattern(BuiltInVolatilePattern(prices), PatternOptions(/*built_in=*/true)),
        starts(prices) {}

  static const BuiltIn& Get(bool prices) {
    if (prices) {
      static const BuiltIn with_prices(true);
      return with_prices;
    }
    static const BuiltIn without(false);
    return without;
  }
};

/// Some of what is taken out and some of what stays, for the scheme: what is left shows whether an
/// upgrade of RE2 or of ICU's names changed anything.
constexpr std::string_view kProbe =
    "Thursday, September 24, 2026 at 10:15 pm | 24. Sept. 2026 | jeudi 24 septembre 2026 à 10:15 | "
    "24 de "
    "septiembre de 2026 | lunedì 24 settembre | 24 de setembro de 2026 | 24 september 2026 | 24 "
    "września 2026 | 24 сентября 2026 г. | 24 Σεπτεμβρίου 2026 | 24 Eylül 2026 | ٢٤ سبتمبر ٢٠٢٦ | "
    "24 "
    "בספטמבר 2026 | 24 सितंबर 2026 | 24 กันยายน 2569 | 2026年9月24日 10:15 | 2026년 9월 24일 | "
    "2026-09-24T10:15:00Z | 24.09.2026 | 3 hours ago | vor 3 Stunden | 3 часа назад | 1,234 views "
    "| "
    "Kommentare (12) | 1 234 просмотра | 阅读量：1234 | Session ID: a8f3k2x9 | "
    "550e8400-e29b-41d4-a716-446655440000 | © 2019-2026 | Page generated in 0.123 seconds. | "
    "version 2.0.1 of 12 programs | in 1984 he wrote | a ratio of 3:1 | $ 12.50 | 1.299,00 €";

/// The next code point's begin at or behind `i`.
std::size_t NextCodePoint(std::string_view text, std::size_t i) {
  while (i < text.size() && IsUtf8Continuation(text[i])) ++i;
  return std::min(i, text.size());
}

}  // namespace

class VolatileText::Impl {
 public:
  explicit Impl(const VolatileOptions& options) {
    if (options.enabled) {
      built_in_ = &BuiltIn::Get(options.prices);
      // A mistake of ours, which every test of this class would show.
      if (!built_in_->pattern.ok()) throw std::bad_alloc();
    }
    for (const std::string& pattern : options.patterns) {
      auto user = std::make_unique<RE2>(pattern, PatternOptions(/*built_in=*/false));
      if (user->ok()) user_.push_back(std::move(user));
    }
  }

  [[nodiscard]] bool IsVolatile(std::string_view block) const {
    return built_in_ != nullptr && IsRelativeTime(block);
  }

  [[nodiscard]] std::string_view Remove(std::string_view text, std::string& buffer) const {
    if (built_in_ != nullptr && FindDigit(text, 0) != text.size())
      text = RemoveBuiltIn(text, buffer);
    if (user_.empty()) return text;
    std::string rest;
    for (const auto& pattern : user_) {
      rest.clear();
      for (std::size_t at = 0; at < text.size();) {
        const std::size_t size = PieceSize(text.substr(at));
        RemoveMatches(*pattern, text.substr(at, size), rest);
        at += size;
      }
      buffer.swap(rest);
      text = buffer;
    }
    return text;
  }

 private:
  /// Reads from left to right: at each place outside of words that may begin a match whose first
  /// digit is the next one, the longest match there goes, unless it ends in a word or before that
  /// digit. A place is tried once, so time is linear.
  [[nodiscard]] std::string_view RemoveBuiltIn(std::string_view text, std::string& buffer) const {
    std::string rest;
    std::vector<std::size_t> starts;
    std::size_t copied = 0;
    std::size_t floor = 0;
    for (std::size_t digit = FindDigit(text, 0); digit < text.size();
         digit = FindDigit(text, floor)) {
      built_in_->starts.Find(text, floor, digit, starts);
      floor = NextCodePoint(text, digit + 1);
      while (floor < text.size() && DigitAt(text, floor)) floor = NextCodePoint(text, floor + 1);
      for (const std::size_t start : starts) {
        const std::size_t end = start + MatchSize(text, start);
        if (end <= digit || InWord(text, end)) continue;
        rest.append(text.substr(copied, start - copied)).push_back(' ');
        copied = floor = end;
        break;
      }
    }
    if (copied == 0) return text;
    rest.append(text.substr(copied));
    buffer.swap(rest);
    return buffer;
  }

  /// Length of the longest match that begins at `start`.
  [[nodiscard]] std::size_t MatchSize(std::string_view text, std::size_t start) const {
    re2::StringPiece match;
    const re2::StringPiece whole(text.data(), text.size());
    return built_in_->pattern.Match(whole, start, text.size(), RE2::ANCHOR_START, &match, 1)
               ? match.size()
               : 0;
  }

  static void RemoveMatches(const RE2& pattern, std::string_view piece, std::string& rest) {
    re2::StringPiece match;
    const re2::StringPiece whole(piece.data(), piece.size());
    std::size_t at = 0;
    while (at < piece.size() &&
           pattern.Match(whole, at, piece.size(), RE2::UNANCHORED, &match, 1)) {
      const auto first = static_cast<std::size_t>(match.data() - piece.data());
      const std::size_t behind =
          match.empty() ? NextCodePoint(piece, first + 1) : first + match.size();
      rest.append(piece.substr(at, first - at));
      if (match.empty()) {
        rest.append(piece.substr(first, behind - first));
      } else {
        rest.push_back(' ');
      }
      at = behind;
    }
    if (at < piece.size()) rest.append(piece.substr(at));
  }

  /// Pieces end at a space where there is one.
  static std::size_t PieceSize(std::string_view text) {
    const std::size_t size = CutAtCodePoint(text, kMaxPiece);
    if (size == text.size()) return size;
    const std::size_t space = text.rfind(' ', size);
    return space == std::string_view::npos || space == 0 ? size : space;
  }

  const BuiltIn* built_in_ = nullptr;
  std::vector<std::unique_ptr<RE2>> user_;
};

VolatileText::VolatileText(const VolatileOptions& options)
    : impl_(std::make_unique<Impl>(options)) {}
VolatileText::~VolatileText() = default;

std::string_view VolatileText::Remove(std::string_view text, std::string& buffer) const {
  return impl_->Remove(text, buffer);
}

bool VolatileText::IsVolatile(std::string_view block) const { return impl_->IsVolatile(block); }

std::string PatternProblem(const std::string& pattern) {
  const RE2 compiled(pattern, PatternOptions(/*built_in=*/false));
  return compiled.ok() ? std::string() : compiled.error();
}

std::string DescribeVolatileText(const VolatileOptions& options) {
  if (!options.enabled && options.patterns.empty()) return "volatile=none";
  // Lengths before the patterns, so that no two lists are written alike.
  std::string patterns;
  for (const std::string& pattern : options.patterns) {
    patterns += fmt::format(" {}:{}", pattern.size(), pattern);
  }
  std::string buffer;
  const Checksum probe = RawChecksum(VolatileText(options).Remove(kProbe, buffer));
  return fmt::format("volatile=3:{}:{} probe={} relative={} patterns={}{}", options.enabled,
                     options.prices, Hex(probe), Hex(RawChecksum(DescribeRelativeTimes())),
                     options.patterns.size(), patterns);
}

}  // namespace crawlsieve::extract
