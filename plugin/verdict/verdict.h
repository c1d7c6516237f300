#pragma once

#include "plugin/base/doc_id.h"
#include "plugin/base/timestamp.h"
#include "plugin/verdict/reason.h"
#include "plugin/verdict/score.h"

#include <cstdint>
#include <optional>
#include <string>

namespace crawlsieve {

/// The live, kept version that a page was found to repeat.
struct VerdictMatch {
  DocId document;
  std::string id;
  std::string url;
  bool exact = false;  ///< same content checksum; else near
  int distance = 0;    ///< Hamming distance of the simhashes; 0 when exact
  Score similarity;    ///< estimated resemblance of the shingle sets; 1 when exact
  Timestamp first_seen;
};

/// All pages that were judged to have one content. Named by the sequence of its representative.
struct Cluster {
  DocId id;
  std::uint64_t size = 0;  ///< how often a URL came to have the content
  /// The canonical URL of the cluster that goes before the others; empty: not asked for.
  std::string preferred_url;
};

struct PriorityComponents {
  Score novelty;
  Score host;
  Score depth;
  Score change;
};

/// How soon to fetch a URL again; higher is sooner.
struct Priority {
  Score score;
  PriorityComponents components;
};

struct Recrawl {
  std::optional<bool> changed;  ///< nullopt on the first fetch, or without content to compare
  Timestamp next_fetch;
  std::uint64_t interval_seconds = 0;
};

/// What the judge decided about one page. Value type; a pure function of the admission log.
struct Verdict {
  std::uint64_t sequence = 0;
  Reason reason = Reason::kNotEvaluated;
  std::optional<VerdictMatch> match;
  std::optional<Cluster> cluster;
  Priority priority;
  std::optional<Recrawl> recrawl;  ///< nullopt for a deleted page
};

}  // namespace crawlsieve
