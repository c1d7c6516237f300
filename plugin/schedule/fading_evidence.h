#pragma once

#include "plugin/schedule/change_rate.h"
#include "plugin/schedule/url_schedule.h"

#include <algorithm>

namespace crawlsieve::schedule {

/// Evidence of many URLs, which fades when it is used. Value type.
struct FadingEvidence {
  ChangeEvidence evidence;
  Seconds as_of = 0;  ///< the evidence has faded up to here; never goes back

  void FadeTo(Seconds now, Seconds half_life) {
    evidence.Fade(as_of, now, half_life);
    as_of = std::max(as_of, now);
  }

  friend bool operator==(const FadingEvidence&, const FadingEvidence&) = default;
};

}  // namespace crawlsieve::schedule
