#include "extract/terms.h"

#include "extract/utf8.h"
#include "plugin/fingerprint/checksum.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <new>
#include <unordered_set>
#include <utility>

#include <cld2/public/compact_lang_det.h>
#include <cld2/public/encodings.h>
#include <fmt/format.h>
#include <libstemmer.h>

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
constexpr std::array kRules = {
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

const LanguageRules* FindRules(std::string_view language) {
  const auto found = std::find_if(kRules.begin(), kRules.end(), [&](const LanguageRules& rules) {
    return rules.code == language;
  });
  return found == kRules.end() ? nullptr : &*found;
}

/// A stem is longer than its word by a letter or two at most.
constexpr std::size_t kMaxLonger = 8;

/// Spreads words over slots, by multiplication; std::hash takes twice the time.
std::size_t HashWord(std::string_view word, std::uint64_t seed) {
  constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15;
  std::uint64_t hash = (seed << 8U) + word.size();
  const auto mix = [&hash](std::uint64_t part) {
    hash = (hash ^ part) * kOdd;
    hash ^= hash >> 32U;
  };
  const char* at = word.data();
  const char* const end = at + word.size();
  std::uint64_t part = 0;
  for (; end - at > 8; at += 8) {
    std::memcpy(&part, at, 8);
    mix(part);
  }
  // The last one to eight bytes, without a call of memcpy for each length.
  part = 0;
  if (word.size() >= 8) {
    std::memcpy(&part, end - 8, 8);
  } else {
    for (; at != end; ++at) part = part << 8U | static_cast<unsigned char>(*at);
  }
  mix(part);
  return static_cast<std::size_t>(hash);
}

/// What words have become: a table of fixed size into entries that stand one behind the other, so
/// that the commonest words, which come first, are near each other. Forgets all when it is full.
/// Thread-compatible.
class TermMemory {
 public:
  /// The term of a word: its first `kept` bytes, and a tail; neither if it is a stop word.
  struct Entry {
    std::uint8_t language = 0;
    std::uint8_t word_size = 0;
    std::uint8_t kept = 0;
    std::uint8_t tail_size = 0;
    // The word and the tail follow.

    [[nodiscard]] const char* Text() const { return reinterpret_cast<const char*>(this + 1); }
  };

  /// How much can be read behind an Entry.
  static constexpr std::size_t kReadable = 2 * kMaxStemmed;

  TermMemory() : slots_(kSlots), entries_(kMaxEntryBytes + sizeof(Entry) + kReadable) {}

  /// Take what Find reads first and then into the processor's cache.
  void PrefetchSlot(std::size_t hash) const { __builtin_prefetch(&slots_[hash % kSlots]); }
  void PrefetchEntry(std::size_t hash) const {
    __builtin_prefetch(&entries_[slots_[hash % kSlots].behind]);
  }

  /// nullptr: not remembered. Good until the next Add.
  [[nodiscard]] const Entry* Find(std::size_t hash, std::uint8_t language,
                                  std::string_view word) const {
    for (std::size_t i = hash % kSlots, tries = 0; tries < kMaxTries;
         i = (i + 1) % kSlots, ++tries) {
      const Slot& slot = slots_[i];
      if (slot.behind == 0) return nullptr;
      if (slot.tag != TagOf(hash)) continue;
      const Entry& entry = EntryAt(slot.behind - 1);
      if (entry.language == language && std::string_view(entry.Text(), entry.word_size) == word) {
        return &entry;
      }
    }
    return nullptr;
  }

  /// Remembers a word of at most kMaxStemmed bytes and its term.
  const Entry& Add(std::size_t hash, std::uint8_t language, std::string_view word, std::size_t kept,
                   std::string_view tail) {
    std::size_t i = hash % kSlots;
    for (std::size_t tries = 1; tries < kMaxTries && slots_[i].behind != 0; ++tries) {
      i = (i + 1) % kSlots;
    }
    if (used_ > kMaxEntryBytes - sizeof(Entry) - kReadable) {
      std::fill(slots_.begin(), slots_.end(), Slot{});
      used_ = 0;
      i = hash % kSlots;
    }
    auto& entry = *new (&entries_[used_]) Entry{language, static_cast<std::uint8_t>(word.size()),
                                                static_cast<std::uint8_t>(kept),
                                                static_cast<std::uint8_t>(tail.size())};
    char* const text = &entries_[used_ + sizeof(Entry)];
    tail.copy(text + word.copy(text, word.size()), tail.size());
    // Where all tries met others the last of them is forgotten.
    slots_[i] = {TagOf(hash), static_cast<std::uint32_t>(used_ + 1)};
    used_ += sizeof(Entry) + word.size() + tail.size();
    return entry;
  }

 private:
  struct Slot {
    std::uint32_t tag = 0;
    std::uint32_t behind = 0;  ///< index of the entry + 1; 0: none
  };

  static constexpr std::size_t kSlots = 128 << 10;        // 1 MiB
  static constexpr std::size_t kMaxEntryBytes = 1 << 20;  // some 60,000 words
  static constexpr std::size_t kMaxTries = 16;

  static std::uint32_t TagOf(std::size_t hash) { return static_cast<std::uint32_t>(hash >> 32U); }

  [[nodiscard]] const Entry& EntryAt(std::size_t i) const {
    return *reinterpret_cast<const Entry*>(&entries_[i]);
  }

  std::vector<Slot> slots_;
  std::vector<char> entries_;
  std::size_t used_ = 0;
};

struct StemmerCloser {
  void operator()(sb_stemmer* stemmer) const { sb_stemmer_delete(stemmer); }
};

}  // namespace

std::string_view DetectLanguage(std::string_view text) {
  text = text.substr(0, CutAtCodePoint(text, kLanguageSample));
  bool reliable = false;
  const CLD2::Language language = CLD2::DetectLanguage(text.data(), static_cast<int>(text.size()),
                                                       /*is_plain_text=*/true, &reliable);
  if (!reliable || language == CLD2::UNKNOWN_LANGUAGE) return {};
  return CLD2::LanguageCode(language);
}

class TermFinder::Impl {
 public:
  explicit Impl(const TermOptions& options) : options_(options) {
    // Through the tokenizer, so that they are spelled as its words are.
    Tokenizer tokenizer({.max_tokens = 1000, .max_token_bytes = 256});
    for (std::size_t i = 0; i < kRules.size(); ++i) {
      TokenList& words = stop_lists_[i];
      (void)tokenizer.Append(kRules[i].stop_words, words);
      for (std::size_t w = 0; w < words.size(); ++w) stop_words_[i].insert(words.Span(w, 1));
    }
  }

  void Find(std::string_view language, const TokenList& tokens, const std::vector<TokenRun>& runs,
            TokenList& terms, std::vector<TokenRun>& term_runs) {
    terms.Clear();
    term_runs.clear();
    const LanguageRules* rules = FindRules(language);
    if (rules != nullptr) FindTerms(*rules, tokens, runs, terms, term_runs);
    if (terms.size() == 0) {
      terms = tokens;
      term_runs = runs;
    }
  }

 private:
  void FindTerms(const LanguageRules& rules, const TokenList& tokens,
                 const std::vector<TokenRun>& runs, TokenList& terms,
                 std::vector<TokenRun>& term_runs) {
    const auto language = static_cast<std::uint8_t>(&rules - kRules.data() + 1);
    // More is copied than counts.
    terms.text.resize(tokens.text.size() + tokens.size() * kMaxLonger + TermMemory::kReadable);
    terms.ends.reserve(tokens.size());
    char* out = terms.text.data();
    std::size_t at = 0;
    std::size_t hashed = 0;
    for (const TokenRun& run : runs) {
      for (; at < run.end; ++at) {
        if (at == hashed) hashed = HashAhead(language, tokens, at);
        char* const end = AppendTerm(language, tokens.Span(at, 1), hashes_[at % kAhead], out);
        if (end == out) continue;
        terms.ends.push_back(static_cast<std::uint32_t>(end - terms.text.data()));
        out = end;
        *out++ = ' ';
      }
      term_runs.push_back({terms.size(), run.weight});
    }
    terms.text.resize(terms.ends.empty() ? 0 : terms.ends.back());
  }

  /// Puts the hashes of the tokens from `at` on, a multiple of kAhead, into hashes_; the index
  /// behind the last one. Their slots lie anywhere: asking for some before they are needed saves
  /// the wait.
  std::size_t HashAhead(std::uint8_t language, const TokenList& tokens, std::size_t at) {
    const std::size_t end = std::min(at + kAhead, tokens.size());
    for (std::size_t i = at; i < end; ++i) {
      const std::size_t hash = HashWord(tokens.Span(i, 1), language);
      memory_.PrefetchSlot(hash);
      hashes_[i % kAhead] = hash;
    }
    for (std::size_t i = at; i < end; ++i) memory_.PrefetchEntry(hashes_[i % kAhead]);
    return end;
  }

  /// Writes what `word` becomes to `out`, or nothing if it is a stop word; the end of it.
  char* AppendTerm(std::uint8_t language, std::string_view word, std::size_t hash, char* out) {
    if (word.size() > kMaxStemmed) return std::copy(word.begin(), word.end(), out);
    const TermMemory::Entry* entry = memory_.Find(hash, language, word);
    if (entry == nullptr) {
      const std::string_view term = ComputeTerm(kRules[language - 1U], word);
      const std::size_t kept = Common(term, word);
      entry = &memory_.Add(hash, language, word, kept, term.substr(kept));
    }
    // Copies of a known size are single instructions.
    std::memcpy(out, entry->Text(), kMaxStemmed);
    out += entry->kept;
    std::memcpy(out, entry->Text() + entry->word_size, kMaxStemmed);
    return out + entry->tail_size;
  }

  static std::size_t Common(std::string_view a, std::string_view b) {
    return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first -
                                    a.begin());
  }

  std::string_view ComputeTerm(const LanguageRules& rules, std::string_view word) {
    const auto index = static_cast<std::size_t>(&rules - kRules.data());
    if (options_.stop_words && stop_words_[index].contains(word)) return {};
    if (!options_.stem || rules.stemmer == nullptr) return word;
    auto& stemmer = stemmers_[index];
    if (stemmer == nullptr) stemmer.reset(sb_stemmer_new(rules.stemmer, "UTF_8"));
    if (stemmer == nullptr) return word;
    const auto* stem =
        sb_stemmer_stem(stemmer.get(), reinterpret_cast<const sb_symbol*>(word.data()),
                        static_cast<int>(word.size()));
    const auto size = static_cast<std::size_t>(sb_stemmer_length(stemmer.get()));
    // None is empty for us, as the empty one means a stop word.
    const bool stemmed =
        stem != nullptr && size != 0 && size <= kMaxStemmed && size <= word.size() + kMaxLonger;
    return stemmed ? std::string_view(reinterpret_cast<const char*>(stem), size) : word;
  }

  static constexpr std::size_t kAhead = 32;

  const TermOptions options_;
  std::array<TokenList, kRules.size()> stop_lists_;
  std::array<std::unordered_set<std::string_view>, kRules.size()> stop_words_;  ///< of stop_lists_
  std::array<std::unique_ptr<sb_stemmer, StemmerCloser>, kRules.size()> stemmers_;
  TermMemory memory_;
  std::array<std::size_t, kAhead> hashes_{};
};

TermFinder::TermFinder(const TermOptions& options) : impl_(std::make_unique<Impl>(options)) {}
TermFinder::~TermFinder() = default;

void TermFinder::Find(std::string_view language, const TokenList& tokens,
                      const std::vector<TokenRun>& runs, TokenList& terms,
                      std::vector<TokenRun>& term_runs) {
  impl_->Find(language, tokens, runs, terms, term_runs);
}

std::string ProbeTerms() {
  Tokenizer tokenizer({.max_tokens = 1000, .max_token_bytes = 256});
  TermFinder finder({});
  std::string probe;
  for (const LanguageRules& rules : kRules) {
    TokenList tokens;
    (void)tokenizer.Append(rules.sample, tokens);
    TokenList terms;
    std::vector<TokenRun> runs;
    finder.Find(rules.code, tokens, {{tokens.size(), 1}}, terms, runs);
    probe += fmt::format("{} {}: {}\n", rules.code, DetectLanguage(tokens.text), terms.text);
  }
  return probe;
}

std::string DescribeTerms(const TermOptions& options) {
  if (!options.stop_words && !options.stem) return "terms=none";
  return fmt::format("terms=1:{}:{} cld2={} sample={} probe={}", options.stop_words, options.stem,
                     CLD2::DetectLanguageVersion(), kLanguageSample,
                     Hex(RawChecksum(ProbeTerms())));
}

}  // namespace crawlsieve::extract
