#pragma once

#include "extract/segment.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace crawlsieve::extract {

/// What one page may cost. A page over a limit is `not_evaluated` (and kept), with the limit's
/// code as detail. Limits that count come before clocks: the same page then always ends the same.
struct Limits {
  std::size_t max_body_bytes = 8 << 20;      ///< decoded body; code `body_too_large`
  std::size_t max_parse_memory = 256 << 20;  ///< bytes of the parser's arena; code `parse_memory`
  std::size_t max_parse_allocations = 8 << 20;  ///< nodes and strings; code `parse_nodes`
  std::size_t max_tokens = 1 << 20;             ///< words of a page; code `too_many_tokens`
  /// Backstop against quadratic parses: CPU time of the parse, `parse_time_base` plus this for
  /// every MiB of page; code `parse_time`.
  std::chrono::milliseconds parse_time_base{250};
  std::chrono::milliseconds parse_time_per_mib{500};
};

/// Which features a page's text yields. Part of the scheme: a change makes other fingerprints.
struct FeatureOptions {
  /// Words per feature: 1 takes single words, n > 1 takes word n-shingles (Broder 1997).
  std::uint32_t shingle_size = 1;
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
  /// Longer words are cut to this length, at a code point.
  std::size_t max_token_bytes = 256;
};

struct ExtractOptions {
  Limits limits;
  FeatureOptions features;
  /// Whether documents list their segments: for people who look at a page. No part of the scheme.
  bool list_segments = false;
};

}  // namespace crawlsieve::extract
