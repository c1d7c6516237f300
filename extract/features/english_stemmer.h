#pragma once

#include <span>
#include <string_view>

namespace crawlsieve::extract {

/// The stem of an English word by Snowball's algorithm "english" (Porter 2), letter for letter as
/// libstemmer finds it, in less than half of its time: most pages are in English, and most words
/// that a worker hasn't met yet.
///
/// `word` is of ASCII in lower case, and is overwritten; the stem is a part of it or a constant,
/// and empty where the word is nothing but apostrophes and "s". Thread-safe.
[[nodiscard]] std::string_view StemEnglish(std::span<char> word);

}  // namespace crawlsieve::extract
