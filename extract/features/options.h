#pragma once

#include "extract/html/segment.h"
#include "extract/text/options.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace crawlsieve::extract {

class TermWeights;

/// How words become terms, which features are made of. Both act only where the language is known.
/// Part of the scheme.
struct TermOptions {
  bool stop_words = true;  ///< leave out the commonest words of the language
  bool stem = true;        ///< Snowball: "duplicates" and "duplicate" are one term
  /// The file of a table of weights, which config/ reads into `weights`; empty: none.
  std::string weights_file = {};
  /// What terms weigh by how many documents have them; nullptr: all the same.
  std::shared_ptr<const TermWeights> weights = nullptr;
};

/// Which features a page's text yields. Part of the scheme: a change makes other fingerprints.
struct FeatureOptions {
  /// Words per feature: 1 takes single words, n > 1 takes word n-shingles (Broder 1997).
  std::uint32_t shingle_size = 1;
  /// Words of the phrases that are features besides, 2 or more; 0: none. They tell texts apart that
  /// have the same words in another order, and each changed word changes as many of them.
  std::uint32_t phrase_size = 0;
  /// Words per shingle of the sketch. Longer ones tell pages of one template apart better, and are
  /// touched more by each changed word.
  std::uint32_t sketch_shingle_size = 4;
  /// What a word counts for by the role of its text, in the order of Role; 0: the text is out. The
  /// content checksum covers all text that isn't out.
  std::array<std::uint32_t, kRoleCount> role_weights = {1, 1, 1, 0, 0, 1, 0};
  /// A page with fewer words of main text (headings and link text included, as a reader would
  /// count them) is judged on its title and all visible text: too little is left to tell pages
  /// apart by.
  std::uint32_t min_main_words = 50;
  VolatileOptions volatile_text;
  TermOptions terms;
  /// Whether a feature's weight grows with the logarithm of its frequency instead of with the
  /// frequency itself. Costs recall on pages that differ in few words.
  bool damp_frequency = false;
  /// Longer words are cut to this length, at a code point.
  std::size_t max_token_bytes = 256;
};

}  // namespace crawlsieve::extract
