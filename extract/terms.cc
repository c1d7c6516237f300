#include "extract/terms.h"

#include "extract/ascii.h"
#include "extract/english_stemmer.h"
#include "extract/term_weights.h"
#include "extract/utf8.h"
#include "plugin/fingerprint/checksum.h"
#include "plugin/fingerprint/key.h"
#include "plugin/fingerprint/siphash.h"

#include <algorithm>
#include <array>
#include <bit>
#include <bitset>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <cld2/public/compact_lang_det.h>
#include <cld2/public/encodings.h>
#include <fmt/format.h>
#include <libstemmer.h>
#include <sys/mman.h>

namespace crawlsieve::extract {
namespace {

/// Longer words are names and numbers; they stay as they are.
constexpr std::size_t kMaxStemmed = 48;

struct LanguageRules {
  std::string_view code;        ///< of CLD2
  const char* stemmer;          ///< of Snowball; nullptr: none
  std::string_view sample;      ///< ProbeTerms' sentence
  std::string_view stop_words;  ///< function words, a space between them
};

// The words that hold sentences together: articles, pronouns, prepositions, conjunctions and
// auxiliary verbs. Short lists: a content word must never be among them.
// The first one is for all other languages: their words stay as they are.
constexpr std::array kRules = {
    LanguageRules{"", nullptr, "", ""},
    LanguageRules{"en", "english",
                  "The crawlers were reading every page of the web once, and most of them they had "
                  "seen before.",
                  "a an the and or but if then than that this these those is are was were be been "
                  "being am has have had do does did will would can could shall should may might "
                  "must not no nor of in on at by to from for with without as into onto about over "
                  "under it its he she they them his her their we us our you your i me my who whom "
                  "which what when where how there here so such also only any some all each"},
    LanguageRules{
        "de", "german",
        "Die Sammler lesen jede Seite des Netzes einmal, und die meisten kannten sie schon.",
        "der die das den dem des ein eine einen einem einer eines und oder aber wenn dann "
        "dass ist sind war waren sein wird werden wurde wurden hat haben hatte kann können "
        "soll sollen muss müssen nicht kein keine von in im an am auf bei zu zum zur aus für "
        "mit ohne als wie um über unter nach vor durch es er sie wir ihr ich man sich auch "
        "nur noch so hier dort diese dieser dieses"},
    LanguageRules{
        "fr", "french",
        "Les robots lisaient chaque page de la toile une fois, et ils en avaient déjà vu la "
        "plupart.",
        "le la les un une des du de d l et ou mais si que qui quoi dont où est sont était "
        "étaient être été a ont avait avoir ne pas plus dans en sur sous par pour avec sans "
        "au aux ce cet cette ces il elle ils elles nous vous je tu on se sa son ses leur "
        "leurs notre votre comme aussi y"},
    LanguageRules{
        "es", "spanish",
        "Los robots leen cada página de la red una vez, y la mayoría de ellas ya las habían visto.",
        "el la los las un una unos unas de del y o u e pero si que quien cual es son era "
        "eran ser fue fueron ha han había haber no en sobre por para con sin a al como más "
        "este esta estos estas ese esa lo le les se su sus nos yo tú él ella ellos también "
        "muy ya"},
    LanguageRules{
        "it", "italian",
        "I robot leggono ogni pagina della rete una volta sola, e la maggior parte le hanno già "
        "viste.",
        "il lo la i gli le un uno una di del dello della dei degli delle e o ma se che chi "
        "cui è sono era erano essere ha hanno aveva non in nel nella su sul sulla per con "
        "senza a al alla da dal dalla come più questo questa questi queste si ci vi suo sua "
        "anche"},
    LanguageRules{
        "pt", "portuguese",
        "Os robôs leem cada página da rede uma vez, e a maioria delas eles já tinham visto antes.",
        "o a os as um uma uns umas de do da dos das e ou mas se que quem qual é são era "
        "eram ser foi foram há tem têm não em no na nos nas sobre por para com sem ao à "
        "como mais este esta estes estas esse essa isso ele ela eles nós seu sua também"},
    LanguageRules{
        "nl", "dutch",
        "De robots lezen iedere bladzijde van het web één keer, en de meeste hadden ze al eerder "
        "gezien.",
        "de het een en of maar als dan dat die deze dit is zijn was waren wordt worden werd "
        "heeft hebben had kan kunnen zal niet geen van in op aan bij te naar uit voor met "
        "zonder om over onder door er hij zij ze wij we u je ik men zich ook nog"},
    LanguageRules{
        "sv", "swedish",
        "Robotarna läser varje sida på webben en gång, och de flesta av dem har de redan sett "
        "tidigare.",
        "en ett den det de och eller men om att som är var vara har hade kan ska inte av i "
        "på till från för med utan vid han hon vi ni jag man sig sin också så"},
    LanguageRules{
        "da", "danish",
        "Robotterne læser hver side på nettet én gang, og de fleste af dem har de allerede set "
        "før.",
        "en et den det de og eller men hvis at som er var være har havde kan skal ikke af i "
        "på til fra for med uden ved han hun vi jeg man sig sin også så"},
    LanguageRules{
        "no", "norwegian",
        "Robotene leser hver side på nettet én gang, og de fleste av dem har de allerede sett før.",
        "en et den det de og eller men hvis at som er var være har hadde kan skal ikke av i "
        "på til fra for med uten ved han hun vi jeg man seg sin også så"},
    LanguageRules{
        "fi", "finnish",
        "Robotit lukevat jokaisen verkon sivun kerran, ja useimmat niistä ne ovat jo nähneet "
        "aikaisemmin.",
        "ja tai mutta jos että joka jotka on ovat oli olivat olla ei eivät se ne hän he me "
        "te minä kun kuin myös niin tämä nämä"},
    LanguageRules{
        "hu", "hungarian",
        "A robotok a háló minden oldalát egyszer olvassák el, és a legtöbbjüket már korábban is "
        "látták.",
        "a az egy és vagy de ha hogy aki ami van volt lesz nem is ez azt mint meg csak már "
        "még én ő mi ti ők"},
    LanguageRules{
        "ro", "romanian",
        "Roboții citesc fiecare pagină a rețelei o singură dată, iar pe cele mai multe le-au mai "
        "văzut.",
        "un o și sau dar dacă că care este sunt era fi a au avea nu în pe de la din pentru "
        "cu fără ca mai acest această el ea ei noi se și"},
    LanguageRules{
        "ru", "russian",
        "Роботы читают каждую страницу сети один раз, и большинство из них они уже видели.",
        "и а но или если то что чтобы как который которая которые это этот эта эти тот был "
        "была было были быть есть не ни в во на по из от до за к ко у о об с со для без при "
        "под над я ты он она оно они мы вы его её их наш ваш так же бы ли уже ещё"},
    LanguageRules{
        "el", "greek",
        "Τα ρομπότ διαβάζουν κάθε σελίδα του ιστού μία φορά και τις περισσότερες τις έχουν δει.",
        "ο η το οι τα του της των τον την ένας μια ένα και ή αλλά αν ότι που πως είναι ήταν "
        "έχει έχουν είχε θα να δεν μην σε στο στη στην στον στους στις στα από με για προς "
        "ως αυτό αυτή αυτός εμείς εσείς μας σας τους"},
    LanguageRules{
        "tr", "turkish",
        "Robotlar ağdaki her sayfayı bir kez okur ve çoğunu daha önce görmüşlerdir.",
        "bir ve veya ya ama fakat eğer ki bu şu o ne kim hangi için ile gibi kadar daha en "
        "çok de da mi mı mu mü değil olan olarak oldu olur ise ben sen biz siz onlar"},
    LanguageRules{
        "ar", "arabic", "تقرأ الزواحف كل صفحة من الشبكة مرة واحدة، وقد رأت معظمها من قبل.",
        "و أو لكن إن أن إذا ثم الذي التي الذين هذا هذه ذلك تلك هو هي هم نحن أنا أنت كان كانت "
        "يكون لا لم لن ما من في على إلى عن مع بعد قبل كل قد"},
    LanguageRules{
        "iw", nullptr, "הזחלנים קוראים כל דף ברשת פעם אחת, ואת רובם הם כבר ראו.",
        "של את על עם אל מן או אבל אם כי אשר זה זו זאת אלה הוא היא הם הן אני אתה אנחנו היה "
        "היתה היו לא כל גם רק יש אין"},
    LanguageRules{"hi", "hindi",
                  "रोबोट वेब के हर पृष्ठ को एक बार पढ़ते हैं, और उनमें से अधिकांश वे पहले ही देख चुके हैं।",
                  "का की के को में से पर और या लेकिन अगर कि जो यह वह ये वे है हैं था थी थे हो होता होती "
                  "नहीं ने तक भी ही एक इस उस हम आप मैं"},
    LanguageRules{"zh", nullptr, "爬虫把网络上的每个页面都读一遍，其中大多数它已经见过了。",
                  "的 了 和 与 或 在 是 有 不 也 就 都 而 及 这 那 我 你 他 她 它 们 把 被"},
    LanguageRules{"zh-Hant", nullptr, "爬蟲把網路上的每個頁面都讀一遍，其中大多數它已經見過了。",
                  "的 了 和 與 或 在 是 有 不 也 就 都 而 及 這 那 我 你 他 她 它 們 把 被"},
    LanguageRules{
        "ja", nullptr,
        "クローラーはウェブのすべてのページを一度だけ読み、そのほとんどはすでに見たものです。",
        "の に は を が と で て も た だ な から まで より へ や し れ さ ます です ない する "
        "いる ある この その あの これ それ"},
    LanguageRules{"ko", nullptr,
                  "크롤러는 웹의 모든 페이지를 한 번씩 읽으며 대부분은 이미 본 것입니다.",
                  "그 이 저 것 및 또는 그리고 그러나 하지만 수 등 더"},
    LanguageRules{"th", nullptr, "หุ่นยนต์อ่านทุกหน้าของเว็บเพียงครั้งเดียว และส่วนใหญ่มันเคยเห็นมาแล้ว",
                  "ที่ และ หรือ แต่ ใน ของ เป็น มี ได้ ไม่ จะ ให้ กับ จาก ถึง ว่า ก็ นี้ นั้น ซึ่ง โดย"},
};

constexpr std::uint32_t kEnglish = 1;
static_assert(kRules[kEnglish].code == "en");

/// Index in kRules.
std::uint32_t FindRules(std::string_view language) {
  const auto found = std::find_if(kRules.begin(), kRules.end(), [&](const LanguageRules& rules) {
    return rules.code == language;
  });
  return found == kRules.end() ? 0 : static_cast<std::uint32_t>(found - kRules.begin());
}

/// What words have become: a table of fixed size, of sets of two that share a cache line. The one
/// of the two that was found longer ago makes room. Thread-compatible.
class TermMemory {
 public:
  /// Which word, in which language of kRules.
  struct Key {
    std::uint64_t low = 0;  ///< the word's bytes and zeros behind them; of a long one two hashes
    std::uint64_t high = 0;
    std::uint32_t kind = 0;  ///< language, and size of a word that isn't long; never 0
  };

  TermMemory() : sets_(MakeSets()) {}

  /// The key of the word that lies in `text` from `begin` to `end`. `language` is an index of
  /// kRules.
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

struct StemmerCloser {
  void operator()(sb_stemmer* stemmer) const { sb_stemmer_delete(stemmer); }
};

/// What CLD2 makes of the first `sample` bytes; empty when it isn't sure.
std::string_view Guess(std::string_view text, std::size_t sample) {
  text = text.substr(0, CutAtCodePoint(text, sample));
  bool reliable = false;
  const CLD2::Language language = CLD2::DetectLanguage(text.data(), static_cast<int>(text.size()),
                                                       /*is_plain_text=*/true, &reliable);
  if (!reliable || language == CLD2::UNKNOWN_LANGUAGE) return {};
  return CLD2::LanguageCode(language);
}

/// Whether `declared`, a BCP 47 tag as "en-GB", is of the language with this code. Chinese isn't:
/// its tags name the script in many ways.
bool IsSameLanguage(std::string_view code, std::string_view declared) {
  return code.size() == 2 && code != "zh" && StartsWithNoCase(declared, code) &&
         (declared.size() == 2 || declared[2] == '-' || declared[2] == '_');
}

}  // namespace

std::string_view DetectLanguage(std::string_view text, std::string_view declared) {
  // Where the page says what the beginning shows, there is no need to look at more.
  if (!declared.empty() && text.size() > kShortLanguageSample) {
    const std::string_view language = Guess(text, kShortLanguageSample);
    if (IsSameLanguage(language, declared)) return language;
  }
  return Guess(text, kLanguageSample);
}

class TermFinder::Impl {
 public:
  Impl(const TermOptions& options, const FeatureHasher& hasher)
      : options_(options), hasher_(hasher) {
    // Through the tokenizer, so that they are spelled as its words are.
    Tokenizer tokenizer({.max_tokens = 1000, .max_token_bytes = 256});
    for (std::size_t i = 0; i < kRules.size(); ++i) {
      TokenList& words = stop_lists_[i];
      (void)tokenizer.Append(kRules[i].stop_words, words);
      for (std::size_t w = 0; w < words.size(); ++w) {
        const std::string_view word = words.Span(w, 1);
        stop_words_[i].insert(word);
        stop_shapes_[i].set(ShapeOf(word));
      }
    }
  }

  void Find(std::string_view language, const TokenList& tokens, const std::vector<TokenRun>& runs,
            std::vector<Feature>& terms) {
    const std::uint32_t rules = FindRules(language);
    FindTerms(rules, tokens, runs, terms);
    if (terms.empty() && rules != 0) FindTerms(0, tokens, runs, terms);
  }

  std::string_view TermOf(std::uint32_t language, std::string_view word) {
    if (word.empty()) return {};
    if (options_.stop_words && stop_shapes_[language].test(ShapeOf(word)) &&
        stop_words_[language].contains(word)) {
      return {};
    }
    const char* const name = kRules[language].stemmer;
    if (!options_.stem || name == nullptr || word.size() > kMaxStemmed) return word;
    if (language == kEnglish && AsciiPrefix(word) == word.size()) {
      std::copy(word.begin(), word.end(), english_.begin());
      const std::string_view stem = StemEnglish(std::span(english_.data(), word.size()));
      return stem.empty() ? word : stem;
    }
    auto& stemmer = stemmers_[language];
    if (stemmer == nullptr) stemmer.reset(sb_stemmer_new(name, "UTF_8"));
    if (stemmer == nullptr) return word;
    const auto* stem =
        sb_stemmer_stem(stemmer.get(), reinterpret_cast<const sb_symbol*>(word.data()),
                        static_cast<int>(word.size()));
    const auto size = static_cast<std::size_t>(sb_stemmer_length(stemmer.get()));
    // None is empty for us, as the empty one means a stop word.
    return stem != nullptr && size != 0
               ? std::string_view(reinterpret_cast<const char*>(stem), size)
               : word;
  }

 private:
  /// Last bits of a word's first and last byte and of its length: they rule out most words that
  /// aren't stop words, within a few cache lines.
  static std::size_t ShapeOf(std::string_view word) {
    const auto low = [](char c) { return static_cast<unsigned char>(c) & 0x1FU; };
    return (low(word.front()) << 5U | low(word.back())) << 4U | (word.size() & 0xFU);
  }
  static constexpr std::size_t kShapes = 32 * 32 * 16;

  void FindTerms(std::uint32_t language, const TokenList& tokens, const std::vector<TokenRun>& runs,
                 std::vector<Feature>& terms) {
    terms.resize(tokens.size());
    std::size_t count = 0;
    std::size_t at = 0;
    std::size_t identified = 0;
    for (const TokenRun& run : runs) {
      for (; at < run.end; ++at) {
        if (at == identified) identified = IdentifyAhead(language, tokens, at);
        const TermMemory::Key& word = ahead_[at % kAhead];
        std::optional<Feature> term = memory_.Find(word);
        if (!term.has_value()) {
          const std::string_view text = TermOf(language, tokens.Span(at, 1));
          term = text.empty() ? Feature{} : Feature{hasher_.Hash(text), WeightOf(text)};
          memory_.Add(word, *term);
        }
        // The next one takes the place of a stop word: which words are is nothing to predict.
        terms[count] = {term->hash, term->weight * run.weight};
        count += term->weight != 0 ? 1 : 0;
      }
    }
    terms.resize(count);
  }

  [[nodiscard]] std::uint32_t WeightOf(std::string_view term) const {
    return options_.weights == nullptr ? 1 : options_.weights->WeightOf(term);
  }

  /// Puts the keys of the tokens from `at` on, a multiple of kAhead, into ahead_; the index behind
  /// the last one. What is remembered of them lies anywhere: asking for it before it is needed
  /// saves the wait.
  std::size_t IdentifyAhead(std::uint32_t language, const TokenList& tokens, std::size_t at) {
    const std::size_t end = std::min(at + kAhead, tokens.size());
    std::size_t begin = at == 0 ? 0 : tokens.ends[at - 1] + 1;
    for (std::size_t i = at; i < end; ++i) {
      ahead_[i % kAhead] = memory_.KeyOf(tokens.text, begin, tokens.ends[i], language);
      memory_.Prefetch(ahead_[i % kAhead]);
      begin = tokens.ends[i] + 1;
    }
    return end;
  }

  static constexpr std::size_t kAhead = 32;

  const TermOptions options_;
  FeatureHasher hasher_;
  std::array<TokenList, kRules.size()> stop_lists_;
  std::array<std::unordered_set<std::string_view>, kRules.size()> stop_words_;  ///< of stop_lists_
  std::array<std::bitset<kShapes>, kRules.size()> stop_shapes_;                 ///< of stop_words_
  std::array<std::unique_ptr<sb_stemmer, StemmerCloser>, kRules.size()> stemmers_;
  std::array<char, kMaxStemmed> english_{};  ///< what StemEnglish works on
  TermMemory memory_;
  std::array<TermMemory::Key, kAhead> ahead_{};
};

TermFinder::TermFinder(const TermOptions& options, const FeatureHasher& hasher)
    : impl_(std::make_unique<Impl>(options, hasher)) {}
TermFinder::~TermFinder() = default;

void TermFinder::Find(std::string_view language, const TokenList& tokens,
                      const std::vector<TokenRun>& runs, std::vector<Feature>& terms) {
  impl_->Find(language, tokens, runs, terms);
}

std::string TermFinder::TermOf(std::string_view language, std::string_view word) {
  return std::string(impl_->TermOf(FindRules(language), word));
}

std::string ProbeTerms() {
  Tokenizer tokenizer({.max_tokens = 1000, .max_token_bytes = 256});
  TermFinder finder({}, FeatureHasher(""));
  std::string probe;
  for (const LanguageRules& rules : kRules) {
    if (rules.sample.empty()) continue;
    TokenList tokens;
    (void)tokenizer.Append(rules.sample, tokens);
    probe += fmt::format("{} {}:", rules.code, DetectLanguage(tokens.text, {}));
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const std::string term = finder.TermOf(rules.code, tokens.Span(i, 1));
      if (!term.empty()) probe += ' ' + term;
    }
    probe += '\n';
  }
  return probe;
}

std::string DescribeTerms(const TermOptions& options) {
  const std::string weights =
      options.weights == nullptr ? "none" : Hex(options.weights->checksum());
  if (!options.stop_words && !options.stem) return fmt::format("terms=none weights={}", weights);
  return fmt::format("terms=2:{}:{} cld2={} sample={}/{} probe={} weights={}", options.stop_words,
                     options.stem, CLD2::DetectLanguageVersion(), kShortLanguageSample,
                     kLanguageSample, Hex(RawChecksum(ProbeTerms())), weights);
}

}  // namespace crawlsieve::extract
