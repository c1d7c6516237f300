#include "extract/text/cjk_words.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>

#include <unicode/ucharstrie.h>
#include <unicode/udata.h>
#include <unicode/utypes.h>

namespace crawlsieve::extract {
namespace {

// ICU's, as are the costs of runs of Katakana by their length.
constexpr std::uint32_t kLongestWord = 20;
constexpr std::uint32_t kUnknownCost = 255;
constexpr std::uint32_t kRareCost = 8192;
constexpr std::array<std::uint32_t, 9> kKatakanaCosts = {kRareCost, 984, 408, 240, 204,
                                                         252,       300, 372, 480};

bool IsKatakana(char16_t c) { return c >= 0x30A1 && c <= 0x30FC; }

struct DataCloser {
  void operator()(UDataMemory* data) const { udata_close(data); }
};

}  // namespace

/// Immutable.
class CjkWords::Dictionary {
 public:
  /// nullptr: it isn't in the form that is known here.
  static const Dictionary* Get() {
    static const Dictionary instance;
    return instance.trie_ == nullptr ? nullptr : &instance;
  }

  /// Calls `word(size, cost)` for each word that `text`, which isn't empty, begins with; the
  /// shorter ones first.
  template <typename Word>
  void ForEachWord(std::u16string_view text, Word word) const {
    const First& first = firsts_[IndexOf(text[0])];
    UStringTrieResult result = first.result;
    if (result == USTRINGTRIE_NO_MATCH) return;
    icu::UCharsTrie trie(trie_);
    trie.resetToState64(first.state);
    for (std::uint32_t size = 1;; ++size) {
      if (USTRINGTRIE_HAS_VALUE(result)) word(size, static_cast<std::uint32_t>(trie.getValue()));
      if (!USTRINGTRIE_HAS_NEXT(result) || size == text.size()) return;
      result = trie.next(text[size]);
    }
  }

 private:
  /// Where a word's first character leads in the trie.
  struct First {
    std::uint64_t state = 0;
    UStringTrieResult result = USTRINGTRIE_NO_MATCH;
  };

  static constexpr char16_t kFirstKana = 0x3040;
  static constexpr std::size_t kKana = 0xC0;
  static constexpr char16_t kFirstIdeograph = 0x4E00;
  static constexpr std::size_t kIdeographs = 0x5200;

  static std::size_t IndexOf(char16_t c) {
    return c < kFirstIdeograph ? c - kFirstKana : kKana + (c - kFirstIdeograph);
  }

  Dictionary() {
    UErrorCode error = U_ZERO_ERROR;
    data_.reset(udata_open(U_ICUDATA_NAME "-brkitr", "dict", "cjdict", &error));
    if (U_FAILURE(error)) return;
    // The offset of the trie, three numbers, its type: in the low three bits, 1 for UTF-16.
    const auto* const head = static_cast<const std::int32_t*>(udata_getMemory(data_.get()));
    if ((head[4] & 7) != 1) return;
    trie_ = reinterpret_cast<const char16_t*>(reinterpret_cast<const char*>(head) + head[0]);
    icu::UCharsTrie trie(trie_);
    for (std::size_t i = 0; i < firsts_.size(); ++i) {
      const std::size_t c = i < kKana ? kFirstKana + i : kFirstIdeograph + (i - kKana);
      firsts_[i].result = trie.first(static_cast<UChar32>(c));
      firsts_[i].state = trie.getState64();
    }
  }

  std::unique_ptr<UDataMemory, DataCloser> data_;
  const char16_t* trie_ = nullptr;
  std::vector<First> firsts_ = std::vector<First>(kKana + kIdeographs);
};

CjkWords::CjkWords() : dictionary_(Dictionary::Get()) {}
CjkWords::~CjkWords() = default;

const std::vector<std::uint32_t>& CjkWords::Cut(std::u16string_view run) {
  ends_.clear();
  if (dictionary_ == nullptr) return ends_;
  const auto size = static_cast<std::uint32_t>(run.size());
  best_.assign(size + 1, {~std::uint32_t{0}, 0});
  best_[0].cost = 0;
  for (std::uint32_t i = 0; i < size; ++i) {
    const std::uint32_t cost_here = best_[i].cost;
    const auto add = [&](std::uint32_t word_size, std::uint32_t cost) {
      Best& best = best_[i + word_size];
      if (cost_here + cost < best.cost) best = {cost_here + cost, i};
    };
    bool known = false;
    dictionary_->ForEachWord(run.substr(i, kLongestWord),
                             [&](std::uint32_t word_size, std::uint32_t cost) {
                               known = known || word_size == 1;
                               add(word_size, cost);
                             });
    if (!known) add(1, kUnknownCost);
    if (IsKatakana(run[i]) && (i == 0 || !IsKatakana(run[i - 1]))) {
      std::uint32_t end = i + 1;
      while (end < size && end - i < kLongestWord && IsKatakana(run[end])) ++end;
      const std::uint32_t length = end - i;
      if (length < kLongestWord) {
        add(length, length < kKatakanaCosts.size() ? kKatakanaCosts[length] : kRareCost);
      }
    }
  }
  for (std::uint32_t end = size; end > 0; end = best_[end].begin) ends_.push_back(end);
  std::reverse(ends_.begin(), ends_.end());
  return ends_;
}

}  // namespace crawlsieve::extract
