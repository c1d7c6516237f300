#pragma once

#include "extract/segment.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace crawlsieve::extract {

/// What one page may cost. A page over a limit is `not_evaluated` (and kept), with the limit's
/// code as detail. Limits that count come before clocks: the same page then always ends the same.
struct Limits {
  std::size_t max_body_bytes = 8 << 20;      ///< decoded body; code `body_too_large`
  std::size_t max_parse_memory = 256 << 20;  ///< bytes of the parser's arena; code `parse_memory`
  std::size_t max_parse_allocations = 8 << 20;  ///< nodes and strings; code `parse_nodes`
  std::size_t max_tokens = 1 << 20;             ///< words of a page; code `too_many_tokens`
  std::size_t max_links = 2000;                 ///< of a page; those behind are passed over
  /// Backstop against quadratic parses: CPU time of the parse, `parse_time_base` plus this for
  /// every MiB of page; code `parse_time`.
  std::chrono::milliseconds parse_time_base{250};
  std::chrono::milliseconds parse_time_per_mib{500};
};

/// Which text says nothing about what a page is, as it differs from fetch to fetch. Part of the
/// scheme.
struct VolatileOptions {
  /// Dates, times, relative times, counters, session ids, copyright years, times of generation.
  bool enabled = true;
  /// Prices and amounts of money too.
  bool prices = false;
  /// Further regular expressions (RE2), tried on all text that counts; letter case matters.
  std::vector<std::string> patterns = {};
};

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

/// Which URLs are the same page. Part of the scheme: identities of different rules don't meet.
struct UrlOptions {
  bool drop_tracking = true;  ///< parameters of campaigns and clicks: utm_source, gclid, fbclid
  bool drop_sessions = true;  ///< session ids in path and query: ;jsessionid=, PHPSESSID=
  bool sort_query = false;    ///< the order of parameters doesn't matter
  bool drop_www = false;      ///< www.example.org is example.org
  bool unify_scheme = false;  ///< http is https
  /// Whether <link rel=canonical> decides a page's identity, where it names the page's own host.
  /// Another host never counts: any page could retire the kept version of another site.
  bool follow_canonical_link = false;
};

/// What of extraction has changed without an option for it. Part of the scheme: logs that were
/// begun with an earlier one go on with it.
enum class Revision {
  k3 = 3,  ///< behind the first 1,024 bytes of a page "</scripts>" ends a <script>
  k4 = 4,  ///< declarations of the encoding are found where a parser sees tags
};

struct ExtractOptions {
  Revision revision = Revision::k4;
  Limits limits;
  FeatureOptions features;
  UrlOptions url;
  /// Whether documents list their segments and links: for people who look at a page. No part of
  /// the scheme.
  bool details = false;
};

}  // namespace crawlsieve::extract
