#include "extract/text/relative_time.h"

#include "extract/text/ascii.h"
#include "extract/text/time_names.h"
#include "extract/text/unicode_data.h"
#include "extract/text/utf8.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>

#include <unicode/utf8.h>

namespace crawlsieve::extract {
namespace {

/// What RelativeTimeNames doesn't have: CLDR writes numbers where people write words.
constexpr std::string_view kPhrases =
    "just now|a moment ago|moments ago|a few seconds ago|a minute ago|about a minute ago|"
    "less than a minute ago|an hour ago|about an hour ago|a day ago|a week ago|a month ago|"
    "a year ago|"
    "gerade eben|soeben|vor wenigen sekunden|vor einer minute|vor einer stunde|vor einem tag|"
    "vor einer woche|vor einem monat|vor einem jahr|"
    "à l’instant|à l'instant|il y a une minute|il y a une heure|il y a un jour|"
    "il y a une semaine|il y a un mois|il y a un an|"
    "justo ahora|hace un momento|hace un minuto|hace una hora|hace un día|hace una semana|"
    "hace un mes|hace un año|"
    "proprio ora|un minuto fa|un’ora fa|un'ora fa|un giorno fa|una settimana fa|un mese fa|"
    "un anno fa|"
    "agora mesmo|há um minuto|há uma hora|há um dia|há uma semana|há um mês|há um ano|"
    "zojuist|een minuut geleden|een uur geleden|een dag geleden|een week geleden|"
    "een maand geleden|een jaar geleden|"
    "przed chwilą|minutę temu|godzinę temu|dzień temu|tydzień temu|miesiąc temu|rok temu|"
    "только что|минуту назад|час назад|день назад|неделю назад|месяц назад|год назад|"
    "μόλις τώρα|πριν από ένα λεπτό|πριν από μία ώρα|πριν από μια ώρα|πριν από μία ημέρα|"
    "πριν από μία εβδομάδα|πριν από έναν μήνα|πριν από έναν χρόνο|"
    "az önce|bir dakika önce|bir saat önce|bir gün önce|bir hafta önce|bir ay önce|bir yıl önce|"
    "منذ لحظات|منذ دقيقة|منذ ساعة|منذ يوم|منذ أسبوع|منذ شهر|منذ سنة|"
    "הרגע|לפני רגע|"
    "अभी|एक मिनट पहले|एक घंटे पहले|एक घंटा पहले|एक दिन पहले|"
    "เมื่อสักครู่|เมื่อกี้|"
    "baru saja|semenit yang lalu|sejam yang lalu|sehari yang lalu|"
    "刚刚|刚才|剛剛|剛才|たった今|さっき|방금|방금 전";

constexpr std::size_t kLongestPhrase = 96;  // bytes; in folded case a few at most are more or less

/// The code point that begins at `at`, which goes on behind it.
UChar32 Next(std::string_view text, std::size_t& at) {
  UChar32 code_point = 0;
  U8_NEXT_OR_FFFD(reinterpret_cast<const std::uint8_t*>(text.data()), at, text.size(), code_point);
  return code_point;
}

/// In folded case, without signs and spaces at its ends.
std::string Bare(std::string_view text) {
  std::string bare;
  std::size_t end = 0;
  for (std::size_t at = 0; at < text.size();) {
    const UChar32 c = FoldCase(Next(text, at));
    const bool letter = IsLetterDigitOrMark(c);
    if (!letter && bare.empty()) continue;
    std::array<char, U8_MAX_LENGTH> bytes{};
    std::size_t size = 0;
    U8_APPEND_UNSAFE(bytes.data(), size, c);
    bare.append(bytes.data(), size);
    if (letter) end = bare.size();
  }
  bare.resize(end);
  return bare;
}

std::set<std::string> MakePhrases() {
  std::set<std::string> phrases;
  for (const std::string_view name : RelativeTimeNames()) {
    if (std::string bare = Bare(name); !bare.empty()) phrases.insert(std::move(bare));
  }
  for (std::string_view rest = kPhrases; !rest.empty();) {
    const std::size_t end = std::min(rest.find('|'), rest.size());
    phrases.insert(Bare(rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return phrases;
}

/// Immutable.
class PhraseBook {
 public:
  static const PhraseBook& Get() {
    static const PhraseBook instance;
    return instance;
  }

  [[nodiscard]] const std::set<std::string>& phrases() const { return phrases_; }

  /// Whether `text`, without ASCII signs at its ends, may be a phrase: by its first letter, its
  /// last one and its length, which rule out nearly all blocks of Latin text, else by how it
  /// begins.
  [[nodiscard]] bool MayHave(std::string_view text) const {
    if (text.empty() || text.size() > kLongestPhrase) return false;
    return HasAsciiEnds(text) ? shapes_.test(ShapeOf(text)) : beginnings_.test(BeginningOf(text));
  }

 private:
  PhraseBook() : phrases_(MakePhrases()) {
    for (const std::string& phrase : phrases_) {
      if (HasAsciiEnds(phrase) && phrase.size() <= kLongestPhrase) shapes_.set(ShapeOf(phrase));
      beginnings_.set(BeginningOf(phrase));
    }
  }

  static bool HasAsciiEnds(std::string_view text) {
    return static_cast<unsigned char>(text.front()) < 0x80 &&
           static_cast<unsigned char>(text.back()) < 0x80;
  }

  /// Of ASCII letters the last five bits are the same in either case.
  static std::size_t ShapeOf(std::string_view text) {
    const auto letter = [](char c) { return static_cast<unsigned char>(c) & 0x1FU; };
    return (letter(text.front()) << 5U | letter(text.back())) << 7U | text.size();
  }

  /// A small hash of the first two letters in folded case, none for the second where something
  /// else stands there: the same for a text and what Bare makes of it.
  static std::size_t BeginningOf(std::string_view text) {
    UChar32 first = 0;
    std::size_t at = 0;
    while (at < text.size() && !IsLetterDigitOrMark(first)) {
      first = FoldCase(Next(text, at));
    }
    UChar32 second = at < text.size() ? FoldCase(Next(text, at)) : 0;
    if (!IsLetterDigitOrMark(second)) second = 0;
    return (static_cast<std::size_t>(first) * 31 + static_cast<std::size_t>(second)) % kBeginnings;
  }

  static constexpr std::size_t kBeginnings = 4096;

  std::set<std::string> phrases_;
  std::bitset<32 * 32 * 128> shapes_;
  std::bitset<kBeginnings> beginnings_;
};

bool IsAsciiSign(char c) {
  return static_cast<unsigned char>(c) < 0x80 && !IsAsciiAlpha(c) && !IsAsciiDigit(c);
}

}  // namespace

bool IsRelativeTime(std::string_view block) {
  while (!block.empty() && IsAsciiSign(block.front())) block.remove_prefix(1);
  while (!block.empty() && IsAsciiSign(block.back())) block.remove_suffix(1);
  const PhraseBook& book = PhraseBook::Get();
  return book.MayHave(block) && book.phrases().contains(Bare(block));
}

std::string DescribeRelativeTimes() {
  std::string all;
  for (const std::string& phrase : PhraseBook::Get().phrases()) all += phrase + '\n';
  return all;
}

}  // namespace crawlsieve::extract
