#pragma once

#include "consumer/output/scores/rendering.h"

namespace crawlsieve::consumer {

/// For BUbiNG: a line of a file that its property `seed=file:` names. Key = URL.
///
/// Read in: LAW-Unimi/BUbiNG, RuntimeConfiguration (seed) and BURL.
///
/// Direction: BUbiNG has no priority. It reads the file from its beginning, so whoever writes the
/// file puts the highest score first (ScoreFormat::sorted).
/// Range: none, the score isn't in the line.
/// Actions: schedule and probe of URLs that were never fetched are lines, a rewrite is a line for
/// the URL to fetch, suppress is none. What isn't due is left out.
/// Frontier ahead of the verdict: its sieve drops URLs that it has seen.
/// Can't be said: anything but the URL. Fetched URLs are left out, because BUbiNG never fetches one
/// twice; so are URLs with `%00`, which it refuses, and with a backslash, which it takes for a
/// slash.
[[nodiscard]] RenderedScores RenderForBubing(const UrlScore& record);

}  // namespace crawlsieve::consumer
