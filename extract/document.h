#pragma once

#include "extract/html/segment.h"
#include "extract/references.h"
#include "plugin/fingerprint/feature.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace crawlsieve::extract {

enum class Outcome {
  kText,          ///< visible text and features were found; there may be few or none
  kNotHtml,       ///< neither HTML nor plain text, by label or by its bytes
  kErrorStatus,   ///< the HTTP status is not 2xx; the body was not looked at
  kNotEvaluated,  ///< a limit or damage; `detail` is the code
};

/// A block of text as a reader sees it, white space collapsed.
struct TextSegment {
  Role role = Role::kBoilerplate;
  std::string text;
};

/// A link out of the page.
struct Link {
  std::string url;   ///< canonical, resolved against <base> or the page's URL
  std::string text;  ///< of the anchor, white space collapsed, cut to kMaxAnchorBytes
  std::string rel;   ///< as it stands there
};

inline constexpr std::size_t kMaxAnchorBytes = 256;

/// What extraction made of one page.
struct Document {
  Outcome outcome = Outcome::kNotEvaluated;
  std::string detail;  ///< code for kNotEvaluated; status for kErrorStatus; else empty
  /// The page's identity; never empty. From final_url, or from url where that is all there is or
  /// the response is a redirect.
  std::string canonical_url;
  std::string host;              ///< of canonical_url, lower case; empty where a URL has none
  std::uint32_t path_depth = 0;  ///< non-empty path segments of canonical_url
  /// The part of `host` that somebody registered, by the Public Suffix List; may be empty.
  std::string registered_domain;
  /// What the page says of itself, canonical; a stranger's claims. Empty: nothing.
  std::string claimed_canonical;  ///< <link rel=canonical>
  std::string claimed_refresh;    ///< the target of <meta http-equiv=refresh>
  std::string charset;            ///< the encoding used, by its WHATWG name; empty without text
  std::string charset_source;     ///< `bom`, `header`, `meta`, `detected`, `default`
  std::string title;              ///< white space collapsed
  /// Of the title's normalised words, those with a digit and volatile ones left out; 0: none.
  std::uint64_t title_hash = 0;
  std::string language;           ///< BCP 47 from <html lang>; empty: unknown
  std::string detected_language;  ///< ISO 639 code by CLD2, of the text that counts; empty: unsure
  std::uint32_t main_words = 0;   ///< of the main text, headings and link text in it included
  /// Whether there are too few of them, and all visible text was taken instead.
  bool all_text = false;
  /// The normalised tokens in order, one space between them, of the text that counts: what the
  /// content checksum covers.
  std::string normalized_text;
  std::uint32_t text_length = 0;  ///< code points of visible text, white space collapsed
  std::vector<Feature> features;  ///< distinct, ordered by hash
  /// As `features`, of the same text without what stands in forms. Empty where forms have less than
  /// a quarter of its words, or hardly anything is left without them.
  std::vector<Feature> features_outside_forms;
  std::vector<std::uint64_t> shingles;  ///< hashes of word shingles, distinct, ordered
  std::vector<TextSegment> segments;    ///< ExtractOptions::details; else empty
  std::vector<Link> links;              ///< ExtractOptions::details; else empty
  References references;                ///< ExtractOptions::references; else empty
};

}  // namespace crawlsieve::extract
