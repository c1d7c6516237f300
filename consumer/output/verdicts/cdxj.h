#pragma once

#include "consumer/output/verdicts/verdict_format.h"

namespace crawlsieve::consumer {

/// A line of a CDXJ index (https://specs.webrecorder.net/cdxj/0.1.0/) for a page that was kept: the
/// key of Surt, the time of the fetch to the second, and a JSON object whose members pywb reads.
/// Needs a payload with a place in a WARC file.
[[nodiscard]] RenderedVerdict RenderCdxj(const VerdictFacts& verdict);

}  // namespace crawlsieve::consumer
