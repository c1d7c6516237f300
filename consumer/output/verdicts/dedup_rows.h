#pragma once

#include "consumer/output/verdicts/verdict_format.h"

namespace crawlsieve::consumer {

/// A statement that puts the payload of a page that was kept into the table `dedup` of Heritrix
/// (TroughContentDigestHistory) and warcprox: the evidence by which they write a later response of
/// the same payload as a WARC revisit record. The first row of a digest stays. Needs the SHA-1.
[[nodiscard]] RenderedVerdict RenderDedupRow(const VerdictFacts& verdict);

}  // namespace crawlsieve::consumer
