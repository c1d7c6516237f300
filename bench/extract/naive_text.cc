#include "bench/extract/naive_text.h"

#include "extract/text/utf8.h"

#include <algorithm>
#include <cstdint>
#include <new>

#include <cld2/public/compact_lang_det.h>
#include <cld2/public/encodings.h>
#include <unicode/unorm2.h>
#include <unicode/ustring.h>

namespace crawlsieve::bench {
namespace {

/// ICU fails here only for lack of memory or of its own data.
void RequireSuccess(UErrorCode error) {
  if (U_FAILURE(error)) throw std::bad_alloc();
}

}  // namespace

NaiveText::NaiveText() {
  UErrorCode error = U_ZERO_ERROR;
  iterator_.reset(ubrk_open(UBRK_WORD, "", nullptr, 0, &error));
  RequireSuccess(error);
}

NaiveText::~NaiveText() = default;

void NaiveText::FindWords(std::string_view utf8) {
  words_.clear();
  ends_.clear();
  UErrorCode error = U_ZERO_ERROR;
  utf16_.resize(utf8.size());
  std::int32_t length = 0;
  u_strFromUTF8(utf16_.data(), static_cast<std::int32_t>(utf16_.size()), &length, utf8.data(),
                static_cast<std::int32_t>(utf8.size()), &error);
  constexpr std::size_t kMostOfOne = 18;  // U+FDFA
  folded_.resize(std::max(folded_.size(), static_cast<std::size_t>(length) * kMostOfOne));
  length = unorm2_normalize(unorm2_getNFKCCasefoldInstance(&error), utf16_.data(), length,
                            folded_.data(), static_cast<std::int32_t>(folded_.size()), &error);
  ubrk_setText(iterator_.get(), folded_.data(), length, &error);
  RequireSuccess(error);
  std::int32_t begin = ubrk_first(iterator_.get());
  for (std::int32_t end = ubrk_next(iterator_.get()); end != UBRK_DONE;
       begin = end, end = ubrk_next(iterator_.get())) {
    if (ubrk_getRuleStatus(iterator_.get()) < UBRK_WORD_NONE_LIMIT) continue;
    extract::AppendUtf8(std::u16string_view(folded_).substr(static_cast<std::size_t>(begin),
                                                            static_cast<std::size_t>(end - begin)),
                        words_);
    ends_.push_back(words_.size());
  }
}

void NaiveText::FindLanguage(std::string_view utf8) {
  bool reliable = false;
  language_ = CLD2::LanguageCode(CLD2::DetectLanguage(utf8.data(), static_cast<int>(utf8.size()),
                                                      /*is_plain_text=*/true, &reliable));
}

void NaiveText::StemWords() {
  auto known = stemmers_.find(language_);
  if (known == stemmers_.end()) {
    const std::string language(language_);
    known = stemmers_.emplace(language, sb_stemmer_new(language.c_str(), "UTF_8")).first;
  }
  sb_stemmer* const stemmer = known->second.get();
  if (stemmer == nullptr) return;
  std::size_t begin = 0;
  for (const std::size_t end : ends_) {
    if (sb_stemmer_stem(stemmer, reinterpret_cast<const sb_symbol*>(words_.data() + begin),
                        static_cast<int>(end - begin)) == nullptr) {
      throw std::bad_alloc();
    }
    stem_bytes_ += static_cast<std::size_t>(sb_stemmer_length(stemmer));
    begin = end;
  }
}

}  // namespace crawlsieve::bench
