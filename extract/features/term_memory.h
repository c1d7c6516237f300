#pragma once

#include "plugin/fingerprint/feature.h"
#include "plugin/fingerprint/key.h"
#include "plugin/fingerprint/siphash.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <sys/mman.h>

namespace crawlsieve::extract {

/// What words have become: a table of fixed size, of sets of two that share a cache line. The one
/// of the two that was found longer ago makes room. Thread-compatible.
class TermMemory {
 public:
  /// Which word, in which language of AllLanguageRules.
  struct Key {
    std::uint64_t low = 0;  ///< the word's bytes and zeros behind them; of a long one two hashes
    std::uint64_t high = 0;
    std::uint32_t kind = 0;  ///< language, and size of a word that isn't long; never 0
  };

  TermMemory() : sets_(MakeSets()) {}

  /// The key of the word that lies in `text` from `begin` to `end`. `language` is an index of
  /// AllLanguageRules.
  [[nodiscard]] Key KeyOf(std::string_view text, std::size_t begin, std::size_t end,
                          std::uint32_t language) const {
    const std::size_t size = end - begin;
    const std::uint32_t kind = (language + 1) << 8U;
    if (size > kSpelled) {
      const std::string_view word = text.substr(begin, size);
      return {SipHash(keys_[0], word), SipHash(keys_[1], word), kind};
    }
    // Nobody can predict how long a word is: so all are read alike, and what is behind is masked.
    static constexpr auto kMasks = [] {
      std::array<std::uint8_t, 2 * kSpelled> masks{};
      for (std::size_t i = 0; i < kSpelled; ++i) masks[i] = 0xFF;
      return masks;
    }();
    std::array<std::uint64_t, 2> word{};
    std::array<std::uint64_t, 2> mask{};
    if (text.size() - begin >= kSpelled) {
      std::memcpy(word.data(), text.data() + begin, kSpelled);
    } else {
      std::memcpy(word.data(), text.data() + begin, size);
    }
    std::memcpy(mask.data(), &kMasks[kSpelled - size], kSpelled);
    return {word[0] & mask[0], word[1] & mask[1], kind | static_cast<std::uint32_t>(size)};
  }

  /// Takes what Find reads into the processor's cache.
  void Prefetch(const Key& word) const { __builtin_prefetch(&sets_[SetOf(word)]); }

  /// The term of this word, if it is remembered.
  [[nodiscard]] std::optional<Feature> Find(const Key& word) {
    auto& [newest, other] = sets_[SetOf(word)].entries;
    if (!newest.Is(word)) {
      if (!other.Is(word)) return std::nullopt;
      std::swap(newest, other);
    }
    return Feature{newest.hash, newest.weight};
  }

  void Add(const Key& word, const Feature& term) {
    auto& [newest, other] = sets_[SetOf(word)].entries;
    other = newest;
    newest = {word.low, word.high, term.hash, term.weight, word.kind};
  }

 private:
  static constexpr std::size_t kSpelled = 16;
  static constexpr int kSetBits = 15;
  static constexpr std::size_t kSets = std::size_t{1} << kSetBits;

  struct Entry {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    std::uint64_t hash = 0;
    std::uint32_t weight = 0;
    std::uint32_t kind = 0;  ///< of the key; 0: no entry

    [[nodiscard]] bool Is(const Key& word) const {
      return low == word.low && high == word.high && kind == word.kind;
    }
  };
  struct alignas(64) Set {
    std::array<Entry, 2> entries;
  };

  static std::size_t SetOf(const Key& word) {
    constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15;
    return (std::rotl(word.low * kOdd, 32) ^ word.high ^ word.kind) * kOdd >> (64 - kSetBits);
  }

  struct Deleter {
    void operator()(Set* sets) const { std::free(sets); }
  };
  using Sets = std::unique_ptr<Set[], Deleter>;

  /// In one large page where the system has these: words lie anywhere in the table, and of common
  /// pages there would be one to look up for most.
  static Sets MakeSets() {
    constexpr std::size_t kBytes = kSets * sizeof(Set);
    Sets sets(static_cast<Set*>(std::aligned_alloc(kBytes, kBytes)));
    if (sets == nullptr) throw std::bad_alloc();
    (void)madvise(sets.get(), kBytes, MADV_HUGEPAGE);
    std::uninitialized_value_construct_n(sets.get(), kSets);
    return sets;
  }

  static std::array<SipKey, 2> MakeKeys() {
    std::array<SipKey, 2> keys;
    FillRandom(std::as_writable_bytes(std::span(keys)));
    return keys;
  }

  /// For words that are long. Of this object alone: with a known key somebody could make a word
  /// that is taken for another one, which then has the wrong term.
  const std::array<SipKey, 2> keys_ = MakeKeys();
  Sets sets_;
};

}  // namespace crawlsieve::extract
