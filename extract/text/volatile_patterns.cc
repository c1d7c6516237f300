#include "extract/text/volatile_patterns.h"

#include "extract/text/ascii.h"
#include "extract/text/time_names.h"
#include "extract/text/unicode_data.h"
#include "extract/text/utf8.h"
#include "extract/text/word_characters.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <re2/re2.h>

namespace crawlsieve::extract {
namespace {

std::string AnyOf(std::span<const std::string_view> names) {
  std::vector<std::string> quoted;
  std::transform(names.begin(), names.end(), std::back_inserter(quoted),
                 [](std::string_view name) { return RE2::QuoteMeta(re2::StringPiece(name)); });
  return fmt::format("(?:{})", fmt::join(quoted, "|"));
}

/// Replaces `\d` by what DigitAt knows, within brackets and outside.
std::string WithDigits(std::string_view pattern) {
  constexpr std::string_view kDigits =
      R"(0-9\x{660}-\x{669}\x{6F0}-\x{6F9}\x{966}-\x{96F}\x{E50}-\x{E59}\x{FF10}-\x{FF19})";
  std::string result;
  bool in_class = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern.substr(i, 2) == "\\d") {
      result += in_class ? std::string(kDigits) : fmt::format("[{}]", kDigits);
      ++i;
      continue;
    }
    if (pattern[i] == '\\') {
      result += pattern[i++];
    } else if (pattern[i] == '[') {
      in_class = true;
    } else if (pattern[i] == ']') {
      in_class = false;
    }
    result += pattern[i];
  }
  return result;
}

std::string DatesAndTimes() {
  const std::string month = AnyOf(MonthNames());
  const std::string day = AnyOf(DayNames());
  const std::string weekday = fmt::format(R"((?:{}(?:[.,]{{1,2}} ?| ))?)", day);
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
      R"(|\d{{4}} ?年 ?\d{{1,2}} ?月|(?:(?:上午|下午|午前|午後) ?)?\d{{1,2}} ?[时時點点] ?\d{{1,2}} ?分(?: ?\d{{1,2}} ?秒)?)"
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
    R"(|(?:page |this page (?:was )?|script )?(?:generated|rendered|created|served|loaded|processed|executed|took)(?: in)?(?: about)? ?\d[\d.,]{0,12} ?(?:ms|µs|s|secs?|seconds?|milliseconds?|msec)\b\.?)"
    R"(|(?:Seite )?(?:generiert|erzeugt|erstellt|geladen) in \d[\d.,]{0,12} ?(?:ms|s|Sek(?:unden)?|Millisekunden)\b\.?)"
    R"(|(?:page )?(?:générée?|chargée?|exécutée?) en \d[\d.,]{0,12} ?(?:ms|s|sec(?:ondes?)?|millisecondes)\b\.?)"
    R"(|(?:página )?(?:generad[ao]|creada|cargada|gerada|carregada) en?m? \d[\d.,]{0,12} ?(?:ms|s|seg(?:undos)?|milisegundos)\b\.?)"
    R"(|(?:страница )?(?:сгенерирована|создана|загружена) за \d[\d.,]{0,12} ?(?:мс|с|сек(?:унд[ыу]?)?)\.?)"
    R"(|\d{1,5} (?:sql |database |db )?quer(?:y|ies)(?: in \d[\d.,]{0,12} ?(?:ms|s|seconds?))?)"
    R"(|\d[\d.,]{0,12} ?(?:ms|seconds?) to (?:generate|render|load))";

/// The words that all these begin with where a digit follows later, apart from names and counters.
constexpr std::string_view kFirstWords =
    "vor il hace ha há πριν "
    "page views pageviews this script generated rendered created served loaded processed "
    "executed took seite generiert erzeugt erstellt geladen généré générée chargé chargée "
    "exécuté exécutée página generado generada creada cargada gerado gerada carregado carregada "
    "страница сгенерирована создана загружена copyright urheberrecht копирайт";
/// The other words before that digit: a match doesn't begin with them.
constexpr std::string_view kWordsBetween =
    "de y a από was in about en e em enm за c id no number token";
constexpr std::string_view kPriceWordsBefore = "us usd eur gbp chf jpy cny rub try inr kr zł rs";
constexpr std::string_view kIdWords =
    "session sid phpsessid jsessionid token nonce csrf request ray trace correlation incident "
    "visitor build";

/// The words that stand behind the first number and a space, apart from names of months, counters
/// and what "12 K" goes on with. Only the first two letters matter.
constexpr std::string_view kWordsBehind =
    "of de d’ ho am pm a.m p.m h s sec hr d day w wk y ye yr uur we maand jaar "
    "or giorn set ann saniye sn dakika dk gün hafta ay yıl godz dni dzień ty rok lat "
    "detik jam hari bulan tahun sql database db quer";
constexpr std::string_view kPriceWordsBehind =
    "usd eur gbp chf jpy cny rub tl try inr kr zł kč ft lei";

/// How they begin that begin in scripts without spaces or letter case, or with a sign.
constexpr std::string_view kBeginnings = "上 下 午 오 منذ قبل לפני 版 著 © (";

constexpr std::string_view kPrices =
    R"((?:[\p{Sc}]|USD|EUR|GBP|CHF|JPY|CNY|RUB|TRY|INR|US\$|kr|zł|Rs\.?) ?\d(?:[\d.,\x{A0}\x{202F} ']{0,14}\d)?(?:,-)?)"
    R"(|\d(?:[\d.,\x{A0}\x{202F} ']{0,14}\d)?(?:,-)? ?(?:[\p{Sc}]|USD|EUR|Euro?s?|GBP|CHF|JPY|CNY|RUB|TL|TRY|INR|kr|zł|Kč|Ft|lei|руб(?:\.|лей|ля|ль)?|元|円|원|บาท)(?:\b|\B))";

}  // namespace

std::string BuiltInVolatilePattern(bool prices) {
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
  return WithDigits(pattern);
}

VolatileStarts::VolatileStarts(bool prices) {
  const auto add_words = [this](std::string_view text, bool first = true) {
    ForEachWord(text, [&](std::string_view word) { AddWord(FoldCase(word), first); });
  };
  const auto add_beginning = [this](std::string_view text) {
    std::size_t at = 0;
    beginnings_.insert(Next(text, at));
  };
  for (const auto& names : {MonthNames(), DayNames()}) {
    for (const std::string_view name : names) {
      add_words(name);
      add_beginning(name);
    }
  }
  add_words(kFirstWords);
  add_words(kWordsBetween, /*first=*/false);
  ForEachPart(kIdWords, ' ', [&](std::string_view word) {
    for (const char* suffix : {"", "id", "no", "number", "token"}) {
      AddWord(std::string(word) + suffix, /*first=*/true);
    }
  });
  for (const std::string_view counters : {kCountedBefore, kCountedBeforeBare}) {
    ForEachPart(counters, '|', [&](std::string_view counter) {
      add_words(counter);
      add_beginning(counter);
    });
  }
  ForEachPart(kBeginnings, ' ', add_beginning);
  const auto add_behind = [this](std::string_view word) {
    if (IsAsciiAlpha(word[0])) behind_.set(PairAt(word, 0));
  };
  for (const std::string_view name : MonthNames()) add_behind(name);
  ForEachPart(kWordsBehind, ' ', add_behind);
  for (const char thousands : {'k', 'm'}) {
    for (const char next : std::string_view(" abcdefghijklmnopqrstuvwxyz")) {
      add_behind(std::string{thousands, next});
    }
  }
  ForEachPart(kCountedBehind, '|', add_behind);
  if (!prices) return;
  ForEachPart(kPriceWordsBehind, ' ', add_behind);
  add_words(kPriceWordsBefore);
  constexpr UChar32 kLastCurrency = 0xFFFF;
  for (UChar32 c = 0; c <= kLastCurrency; ++c) {
    if (IsCurrencySign(c)) beginnings_.insert(c);
  }
}

void VolatileStarts::AddWord(std::string word, bool first) {
  shapes_.set(ShapeOf(word));
  words_[std::move(word)] |= first;
}

VolatileStarts::Standing VolatileStarts::StandingOf(std::string_view word) const {
  // Nearly all words are ruled out by their shape; folding and looking up wait for memory.
  if (AsciiPrefix(word) == word.size() && !shapes_.test(ShapeOf(word))) return Standing::kNone;
  const auto found = words_.find(FoldCase(word));
  if (found == words_.end()) return Standing::kNone;
  return found->second ? Standing::kFirst : Standing::kBetween;
}

std::size_t VolatileStarts::ShapeOf(std::string_view word) {
  constexpr std::size_t kLongest = 15;
  const auto letter = [](char c) { return static_cast<unsigned char>(c) & 0x1FU; };
  return (letter(word.front()) << 5U | letter(word.back())) << 4U | std::min(word.size(), kLongest);
}

std::size_t VolatileStarts::PairAt(std::string_view text, std::size_t at) {
  constexpr std::size_t kNoLetter = 26;
  const std::size_t second = at + 1 < text.size() && IsAsciiAlpha(text[at + 1])
                                 ? static_cast<std::size_t>(AsciiLower(text[at + 1]) - 'a')
                                 : kNoLetter;
  return static_cast<std::size_t>(AsciiLower(text[at]) - 'a') * (kNoLetter + 1) + second;
}

bool VolatileStarts::MayGoOn(std::string_view text, std::size_t digit) const {
  constexpr std::size_t kShortestId = 16;  // the only match of digits alone
  std::size_t at = digit;
  while (at < text.size() && IsAsciiDigit(text[at])) ++at;
  if (at == digit || at - digit >= kShortestId) return true;
  const std::size_t behind = at;
  while (at < text.size() && (text[at] == ' ' || text[at] == ',' || text[at] == '.')) ++at;
  if (at == text.size()) return false;
  if (IsAsciiAlpha(text[at])) return at == behind || behind_.test(PairAt(text, at));
  constexpr std::string_view kNeverBehind = "()[]{}<>\"%!?;&|*#=_~@^`\\";
  return kNeverBehind.find(text[at]) == std::string_view::npos;
}

void VolatileStarts::Find(std::string_view text, std::size_t floor, std::size_t digit,
                          std::vector<std::size_t>& starts) const {
  starts.clear();
  const auto add = [&](std::size_t at) {
    if (!InWord(text, at)) starts.push_back(at);
  };
  floor = std::max(floor, digit < kReach ? 0 : digit - kReach);
  if (MayGoOn(text, digit)) add(digit);
  // Ids have letters and hyphens before their first digit, and all of these words may begin one.
  std::size_t at = digit;
  bool in_word = true;
  while (at > floor) {
    std::size_t begin = at;
    const UChar32 c = Previous(text, begin);
    const bool word = IsWordCharacter(c);
    if (begin < floor || (!word && c != '-' && c != '_')) break;
    if (in_word && !word && at != digit) starts.push_back(at);
    in_word = word;
    at = begin;
  }
  if (in_word && at != digit) add(at);

  // Then words that may stand there, with few signs between them.
  constexpr int kMostWords = 8;
  constexpr int kMostSigns = 6;  // "(c), ©, 2026"
  for (int words = 0, signs = 0; at > floor && words < kMostWords && signs <= kMostSigns;) {
    std::size_t begin = at;
    UChar32 c = Previous(text, begin);
    if (begin < floor) break;
    if (!IsWordCharacter(c)) {
      constexpr UChar32 kFirstOfOtherScripts = 0x530;
      signs = c >= kFirstOfOtherScripts ? 0 : signs + 1;
      at = begin;
      if (beginnings_.contains(c)) starts.push_back(at);
      continue;
    }
    const std::size_t end = at;
    while (begin > floor) {
      std::size_t before = begin;
      c = Previous(text, before);
      if (!IsWordCharacter(c)) break;
      begin = before;
    }
    at = begin;
    const Standing standing = StandingOf(text.substr(begin, end - begin));
    if (standing == Standing::kNone) break;
    if (standing == Standing::kFirst) add(begin);
    signs = 0;
    ++words;
  }
  std::sort(starts.begin(), starts.end());
}

}  // namespace crawlsieve::extract
