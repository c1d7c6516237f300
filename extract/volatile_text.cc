#include "extract/volatile_text.h"

#include "extract/ascii.h"
#include "extract/utf8.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <new>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <re2/re2.h>
#include <unicode/udat.h>

namespace crawlsieve::extract {
namespace {

/// Languages whose names of months and days are known. The others of Unicode's would cost more
/// than they give: each name is part of one automaton.
constexpr std::array kLocales = {"en", "de", "fr", "es", "it", "pt", "nl", "pl",
                                 "ru", "el", "tr", "ar", "he", "hi", "th", "id"};

/// How far around a digit volatile text may reach, in bytes: "Wednesday, 24 September" in a
/// script of three bytes a letter.
constexpr std::size_t kReach = 96;

struct FormatCloser {
  void operator()(UDateFormat* format) const { udat_close(format); }
};

void AddSymbols(const UDateFormat& format, UDateFormatSymbolType type,
                std::set<std::string>& names) {
  const std::int32_t count = udat_countSymbols(&format, type);
  for (std::int32_t i = 0; i < count; ++i) {
    std::array<UChar, 64> symbol{};
    UErrorCode error = U_ZERO_ERROR;
    const std::int32_t length = udat_getSymbols(&format, type, i, symbol.data(),
                                                static_cast<std::int32_t>(symbol.size()), &error);
    if (U_FAILURE(error) || length <= 0) continue;
    std::string name;
    AppendUtf8({symbol.data(), static_cast<std::size_t>(length)}, name);
    if (name.ends_with('.')) name.pop_back();
    // Shorter ones are letters and numbers ("M", "12"), which mean anything.
    const bool number = std::any_of(name.begin(), name.end(), IsAsciiDigit);
    if (CountCodePoints(name) >= 2 && !number) names.insert(RE2::QuoteMeta(name));
  }
}

/// The names of months or days in all languages, as alternatives.
std::string Names(const std::vector<UDateFormatSymbolType>& types) {
  std::set<std::string> names;
  for (const char* locale : kLocales) {
    UErrorCode error = U_ZERO_ERROR;
    const std::string calendar = fmt::format("{}@calendar=gregorian", locale);
    const std::unique_ptr<UDateFormat, FormatCloser> format(
        udat_open(UDAT_FULL, UDAT_FULL, calendar.c_str(), nullptr, 0, nullptr, 0, &error));
    if (U_FAILURE(error)) throw std::bad_alloc();  // ICU without its data
    for (const UDateFormatSymbolType type : types) AddSymbols(*format, type, names);
  }
  return fmt::format("(?:{})", fmt::join(names, "|"));
}

/// `\d` is any decimal digit of Unicode here.
std::string WithDigits(std::string pattern) {
  for (std::size_t at = 0; (at = pattern.find("\\d", at)) != std::string::npos;) {
    pattern.replace(at, 2, "\\p{Nd}");
  }
  return pattern;
}

std::string DatesAndTimes() {
  const std::string month =
      Names({UDAT_MONTHS, UDAT_SHORT_MONTHS, UDAT_STANDALONE_MONTHS, UDAT_STANDALONE_SHORT_MONTHS});
  const std::string day = Names({UDAT_WEEKDAYS, UDAT_SHORT_WEEKDAYS});
  const std::string weekday = fmt::format(R"((?:{}[.,]{{0,2}} ?)?)", day);
  const std::string zone = R"((?: ?(?:Z|UTC|GMT|CES?T|[ECMP][SD]T|MSK|JST|Uhr|Z?[+-]\d\d:?\d\d))?)";
  const std::string clock = R"(\d{1,2}:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?: ?[ap]\.?m\b\.?)?)" + zone;
  const std::string time =
      "(?:[,T–|-]? ?(?:at |um |à |a las |às |alle |в |στις |kl\\. ?)?" + clock + ")?";
  return fmt::format(
      // 24 September 2026, 24th of September, le 1er mai, 24. September; 24 de setembro de 2026
      R"({weekday}\d{{1,2}}(?:st|nd|rd|th|er|º|ª)?[.]?(?: |-|/)?(?:of |de |d’|d'|ב)?{month}[.,]{{0,2}})"
      R"((?:(?: |-|/)?(?:de |del |г\. ?)?(?:\d{{4}})(?: ?г\.)?)?,?{time})"
      // September 24, 2026; Sep 24th; September 2026
      R"(|{weekday}{month}[.,]? \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?,?{time})"
      R"(|{month}[.,]?(?: de)? \d{{4}})"
      // 2026-09-24T10:00:00Z, 24.09.2026, 9/24/26
      R"(|\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}{time}|\d{{1,2}}([./-]) ?\d{{1,2}}[./-] ?(?:\d{{4}}|\d\d){time})"
      R"(|\d{{8}}T\d{{6}}Z?)"
      // 2026年9月24日 10時00分, 2026년 9월 24일 오전 10:00
      R"(|(?:\d{{2,4}} ?年 ?)?\d{{1,2}} ?月 ?\d{{1,2}} ?[日号號](?: ?[（(]?.曜?[)）])?(?: ?{clock})?)"
      R"(|\d{{4}} ?年 ?\d{{1,2}} ?月|(?:上午|下午|午前|午後)? ?\d{{1,2}} ?[时時點点] ?\d{{1,2}} ?分(?: ?\d{{1,2}} ?秒)?)"
      R"(|(?:\d{{4}}년 ?)?\d{{1,2}}월 ?\d{{1,2}}일(?: ?(?:오전|오후)? ?{clock})?|\d{{4}}년 ?\d{{1,2}}월)"
      R"(|(?:오전|오후) ?\d{{1,2}}(?:시(?: ?\d{{1,2}}분)?|:\d\d(?::\d\d)?))"
      // 10:00:00, 3 pm, 14h30
      R"(|{clock}|\d{{1,2}} ?[ap]\.?m\b\.?|\d{{1,2}} ?h ?\d\d\b)",
      fmt::arg("weekday", weekday), fmt::arg("month", month), fmt::arg("time", time),
      fmt::arg("clock", clock));
}

constexpr std::string_view kRelativeTimes =
    // behind the number
    R"(\d{1,4}\+? ?(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|wks?|weeks?|mos?|months?|y|yrs?|years?) ago)"
    R"(|\d{1,4} (?:seconden|minuten|minuut|uur|dag(?:en)?|we(?:ek|ken)|maand(?:en)?|jaar) geleden)"
    R"(|\d{1,4} (?:second[oi]|minut[oi]|or[ae]|giorn[oi]|settiman[ae]|mes[ei]|ann[oi]) fa)"
    R"(|\d{1,4} (?:секунд[ау]?|сек\.?|минут[ауы]?|мин\.?|час(?:а|ов)?|ч\.?|д(?:ень|ня|ней)|недел[юиь]|месяц(?:а|ев)?|года?|лет) назад)"
    R"(|\d{1,4} (?:saniye|sn|dakika|dk|saat|gün|hafta|ay|yıl) önce)"
    R"(|\d{1,4} (?:sekund[ęy]?|minut[ęy]?|godzin[ęy]?|godz\.?|dni|dzień|tydzień|tygodni[e]?|miesi(?:ąc|ące|ęcy)|rok|lata?) temu)"
    R"(|\d{1,4} (?:सेकंड|मिनट|घंटे|घंटा|दिन|सप्ताह|हफ़्ते|महीने|वर्ष|साल) पहले)"
    R"(|\d{1,4} ?(?:วินาที|นาที|ชั่วโมง|วัน|สัปดาห์|เดือน|ปี) ?(?:ที่แล้ว|ที่ผ่านมา))"
    R"(|\d{1,4} ?(?:秒钟?|分钟?|分鐘|小时|小時|天|周|週|个?月|個?月|年)[前])"
    R"(|\d{1,4} ?(?:秒|分|時間|日|週間|[かヶカケ]月|年)前)"
    R"(|\d{1,4} ?(?:초|분|시간|일|주|개월|달|년) ?전)"
    R"(|\d{1,4} (?:detik|menit|jam|hari|minggu|bulan|tahun)(?: yang)? lalu)"
    // before it
    R"(|vor \d{1,4} (?:Sek(?:unden?)?|Min(?:uten?)?|Std|Stunden?|Tag(?:en)?|Wochen?|Monat(?:en)?|Jahr(?:en)?)\b\.?)"
    R"(|il y a \d{1,4} (?:s|secondes?|min(?:utes?)?|h|heures?|jours?|semaines?|mois|ans?|années?)\b)"
    R"(|hace \d{1,4} (?:segundos?|min(?:utos?)?|horas?|días?|semanas?|mes(?:es)?|años?)\b)"
    R"(|h[áa] \d{1,4} (?:segundos?|min(?:utos?)?|horas?|dias?|semanas?|m[eê]s(?:es)?|anos?)( atrás)?\b)"
    R"(|πριν(?: από)? \d{1,4} (?:δευτερόλεπτ[αο]|λεπτ[άό]|ώρ(?:ες|α)|[ηη]μέρ(?:ες|α)|μέρες|εβδομάδ(?:ες|α)|μήν(?:ες|α)|χρόνια|έτη))"
    R"(|(?:منذ|قبل) \d{1,4} (?:ثانية|ثوان[ٍي]?|دقيقة|دقائق|ساعة|ساعات|يوم(?:ًا|ا)?|أيام|أسبوع|أسابيع|شهر|أشهر|شهور|سنة|سنوات|عام|أعوام))"
    R"(|לפני \d{1,4} (?:שניות|שנייה|דקות|דקה|שעות|שעה|ימים|יום|שבועות|חודשים|שנים|שנה))";

constexpr std::string_view kCount =
    R"(\d(?:[\d.,\x{A0}\x{202F} ]{0,14}\d)? ?(?:[KkMm]|тыс\.?|mil|万|만)?)";

constexpr std::string_view kCountedBehind =
    R"(views?|page ?views?|hits|visits|visitors?|reads|comments?|repl(?:y|ies)|responses|likes?|dislikes|shares?|retweets?|reposts|votes?|upvotes|downloads|followers|subscribers|reviews|ratings|claps|users? online|guests?(?: online)?|members online|online)"
    R"(|Aufrufe|Ansichten|Kommentare?|Antworten|Besucher|Klicks|Leser|Bewertungen|Downloads|Gäste|Stimmen)"
    R"(|vues|lectures|commentaires?|réponses|partages|visites|visiteurs|téléchargements|j’aime|j'aime|abonnés)"
    R"(|visitas|vistas|lecturas|comentarios?|respuestas|compartidos|me gusta|descargas|seguidores|visualizações|visualizaciones|comentários?|curtidas|visualizzazioni|commenti|commento|condivisioni|weergaven|reacties|wyświetleń|komentarzy)"
    R"(|просмотр(?:а|ов)?|комментари(?:й|я|ев)|отзыв(?:а|ов)?|ответ(?:а|ов)?|лайк(?:а|ов)?|голос(?:а|ов)?|подписчик(?:а|ов)?)"
    R"(|προβολ(?:ές|ή)|σχόλι(?:α|ο)|επισκέψεις|απαντήσεις|görüntü?lenme|yorum|beğeni|okunma|paylaşım|cevap)"
    R"(|مشاهدة|مشاهدات|تعليق(?:ات)?|إعجاب(?:ات)?|زيارة|زيارات|צפיות|תגובות|תגובה|לייקים|שיתופים|बार देखा गया|टिप्पणियाँ|टिप्पणियां|टिप्पणी|व्यूज|ครั้ง|ความคิดเห็น|ความเห็น)"
    R"(|次(?:浏览|阅读|观看|播放|瀏覽|點閱)|人(?:阅读|浏览|点赞|气)|条?(?:评论|回复)|則?留言|个?赞|阅读|浏览|评论|回(?:視聴|再生|表示|閲覧)|件のコメント|件の返信|いいね|人が閲覧|コメント|조회|개의? 댓글|좋아요|명이 봤습니다)";

/// With a sign between word and number, which running text has not: "Views: 12", "Comments (3)".
constexpr std::string_view kCountedBefore =
    R"(views|page ?views|hits|visits|visitors|reads|comments|replies|likes|shares|votes|downloads|followers)"
    R"(|Aufrufe|Kommentare|Antworten|Besucher|vues|commentaires|réponses|visitas|comentarios|lecturas)"
    R"(|просмотров|просмотры|комментарии|комментариев|προβολές|σχόλια|görüntülenme|okunma|yorumlar)"
    R"(|المشاهدات|مشاهدات|التعليقات|צפיות|תגובות|व्यूज|टिप्पणियाँ)";

/// The same where no sign is needed.
constexpr std::string_view kCountedBeforeBare =
    R"(เข้าชม|จำนวนผู้ชม|ผู้ชม|阅读(?:量|数)|浏览(?:量|次数)|点击(?:量|数)|评论数|閲覧数|再生回数|アクセス数|조회수?|댓글|추천)";

constexpr std::string_view kIds =
    // UUIDs; hexadecimal numbers of 16 digits or more
    R"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{16,128})"
    R"(|(?:session|sid|phpsessid|jsessionid|token|nonce|csrf|request|ray|trace|correlation|incident|visitor|build)[ _-]?(?:id|no|number|token)?[.:=#]{1,2} ?[\w-]{4,128})"
    R"(|(?:session|request|ray|trace|correlation|incident|visitor)[ _-]?id ?[\w-]{6,128})";

constexpr std::string_view kFooters =
    R"((?:©|\(c\)|copyright|urheberrecht|копирайт|版权所有|著作權)[ ,:]{0,2}(?:©|\(c\))?[ ,:]{0,2}\d{4}(?: ?[-–—,/] ?\d{2,4})?)"
    R"(|(?:page |this page (?:was )?|script )?(?:generated|rendered|created|served|loaded|processed|executed|took)(?: in)? ?(?:about )?\d[\d.,]{0,12} ?(?:ms|µs|s|secs?|seconds?|milliseconds?|msec)\b\.?)"
    R"(|(?:Seite )?(?:generiert|erzeugt|erstellt|geladen) in \d[\d.,]{0,12} ?(?:ms|s|Sek(?:unden)?|Millisekunden)\b\.?)"
    R"(|(?:page )?(?:générée?|chargée?|exécutée?) en \d[\d.,]{0,12} ?(?:ms|s|sec(?:ondes?)?|millisecondes)\b\.?)"
    R"(|(?:página )?(?:generad[ao]|creada|cargada|gerada|carregada) en?m? \d[\d.,]{0,12} ?(?:ms|s|seg(?:undos)?|milisegundos)\b\.?)"
    R"(|(?:страница )?(?:сгенерирована|создана|загружена) за \d[\d.,]{0,12} ?(?:мс|с|сек(?:унд[ыу]?)?)\.?)"
    R"(|\d{1,5} (?:sql |database |db )?quer(?:y|ies)(?: in \d[\d.,]{0,12} ?(?:ms|s|seconds?))?)"
    R"(|\d[\d.,]{0,12} ?(?:ms|seconds?) to (?:generate|render|load))";

constexpr std::string_view kPrices =
    R"((?:[\p{Sc}]|USD|EUR|GBP|CHF|JPY|CNY|RUB|TRY|INR|US\$|kr|zł|Rs\.?) ?\d(?:[\d.,\x{A0}\x{202F} ']{0,14}\d)?(?:,-)?)"
    R"(|\d(?:[\d.,\x{A0}\x{202F} ']{0,14}\d)?(?:,-)? ?(?:[\p{Sc}]|USD|EUR|Euro?s?|GBP|CHF|JPY|CNY|RUB|TL|TRY|INR|kr|zł|Kč|Ft|lei|руб(?:\.|лей|ля|ль)?|元|円|원|บาท)(?:\b|\B))";

std::string BuiltInPattern(bool prices) {
  std::string pattern = DatesAndTimes();
  pattern += '|';
  pattern += kRelativeTimes;
  pattern += fmt::format(
      "|{0} ?(?:{1})|(?:{2}) ?[:：(（] ?{0}[)）]?|(?:{3}) ?[:：(（]? ?{0}[)）]?(?: ?ครั้ง)?", kCount,
      kCountedBehind, kCountedBefore, kCountedBeforeBare);
  pattern += '|';
  pattern += kIds;
  pattern += '|';
  pattern += kFooters;
  if (prices) pattern += fmt::format("|{}", kPrices);
  return WithDigits(std::move(pattern));
}

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
const RE2& BuiltIn(bool prices) {
  if (prices) {
    static const RE2 with_prices(BuiltInPattern(true), PatternOptions(/*built_in=*/true));
    return with_prices;
  }
  static const RE2 without(BuiltInPattern(false), PatternOptions(/*built_in=*/true));
  return without;
}

/// Whether a decimal digit of ASCII, Arabic, Devanagari, Thai or of full width begins at `i`.
bool DigitAt(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t k) {
    return i + k < text.size() ? static_cast<unsigned char>(text[i + k]) : 0U;
  };
  switch (byte(0)) {
    case 0xD9:
      return byte(1) >= 0xA0 && byte(1) <= 0xA9;
    case 0xDB:
      return byte(1) >= 0xB0 && byte(1) <= 0xB9;
    case 0xE0:
      return (byte(1) == 0xA5 && byte(2) >= 0xA6 && byte(2) <= 0xAF) ||
             (byte(1) == 0xB9 && byte(2) >= 0x90 && byte(2) <= 0x99);
    case 0xEF:
      return byte(1) == 0xBC && byte(2) >= 0x90 && byte(2) <= 0x99;
    default:
      return IsAsciiDigit(text[i]);
  }
}

std::size_t FindDigit(std::string_view text, std::size_t from) {
  while (from < text.size() && !DigitAt(text, from)) ++from;
  return from;
}

/// The next code point's begin at or behind `i`.
std::size_t NextCodePoint(std::string_view text, std::size_t i) {
  while (i < text.size() && IsUtf8Continuation(text[i])) ++i;
  return std::min(i, text.size());
}

/// Whether a word of letters or digits in ASCII goes on over `at`.
bool InAsciiWord(std::string_view text, std::size_t at) {
  const auto word = [](char c) { return IsAsciiAlpha(c) || IsAsciiDigit(c); };
  return at > 0 && at < text.size() && word(text[at - 1]) && word(text[at]);
}

}  // namespace

class VolatileText::Impl {
 public:
  explicit Impl(const VolatileOptions& options) {
    if (options.enabled) {
      built_in_ = &BuiltIn(options.prices);
      // A mistake of ours, which every test of this class would show.
      if (!built_in_->ok()) throw std::bad_alloc();
    }
    for (const std::string& pattern : options.patterns) {
      auto user = std::make_unique<RE2>(pattern, PatternOptions(/*built_in=*/false));
      if (user->ok()) user_.push_back(std::move(user));
    }
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
  [[nodiscard]] std::string_view RemoveBuiltIn(std::string_view text, std::string& buffer) const {
    std::string rest;
    std::size_t copied = 0;
    for (std::size_t digit = FindDigit(text, 0); digit < text.size();) {
      const std::size_t begin =
          NextCodePoint(text, std::max(copied, digit < kReach ? 0 : digit - kReach));
      std::size_t end = NextCodePoint(text, digit + kReach);
      // Windows that touch are one.
      for (digit = FindDigit(text, digit + 1); digit < text.size() && digit < end + kReach;
           digit = FindDigit(text, digit + 1)) {
        end = NextCodePoint(text, digit + kReach);
      }
      rest.append(text.substr(copied, begin - copied));
      RemoveWholeWords(text, begin, end, rest);
      copied = end;
    }
    rest.append(text.substr(copied));
    buffer.swap(rest);
    return buffer;
  }

  /// Matches that begin or end within a word of ASCII stay: "v1.2.2026b", "x3 ago".
  void RemoveWholeWords(std::string_view text, std::size_t begin, std::size_t end,
                        std::string& rest) const {
    re2::StringPiece match;
    const re2::StringPiece whole(text.data(), text.size());
    std::size_t at = begin;
    while (at < end && built_in_->Match(whole, at, end, RE2::UNANCHORED, &match, 1)) {
      const auto first = static_cast<std::size_t>(match.data() - text.data());
      const std::size_t last = first + match.size();
      if (InAsciiWord(text, first) || InAsciiWord(text, last) || match.empty()) {
        // On behind the first character of the match, as the rest of it may be one by itself.
        const std::size_t next = NextCodePoint(text, first + 1);
        rest.append(text.substr(at, next - at));
        at = next;
        continue;
      }
      rest.append(text.substr(at, first - at)).push_back(' ');
      at = last;
    }
    if (at < end) rest.append(text.substr(at, end - at));
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

  const RE2* built_in_ = nullptr;
  std::vector<std::unique_ptr<RE2>> user_;
};

VolatileText::VolatileText(const VolatileOptions& options)
    : impl_(std::make_unique<Impl>(options)) {}
VolatileText::~VolatileText() = default;

std::string_view VolatileText::Remove(std::string_view text, std::string& buffer) const {
  return impl_->Remove(text, buffer);
}

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
  return fmt::format("volatile=1:{}:{} re2={} patterns={}{}", options.enabled, options.prices,
                     CRAWLSIEVE_RE2_VERSION, options.patterns.size(), patterns);
}

}  // namespace crawlsieve::extract
