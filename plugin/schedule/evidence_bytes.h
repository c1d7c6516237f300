#pragma once

#include "plugin/schedule/byte_writer.h"
#include "plugin/schedule/fading_evidence.h"

#include <algorithm>

namespace crawlsieve::schedule {

inline void WriteEvidence(ByteWriter& out, const FadingEvidence& fading) {
  out.Varint(fading.evidence.changes);
  out.Varint(fading.evidence.changed_seconds);
  out.Varint(fading.evidence.unchanged_seconds);
  out.Varint(fading.as_of);
}

/// Sums that are too large for evidence are cut: no bytes make it overflow.
[[nodiscard]] inline FadingEvidence ReadEvidence(ByteReader& in) {
  FadingEvidence fading;
  fading.evidence.changes = std::min(in.Varint(), ChangeEvidence::kLimit);
  fading.evidence.changed_seconds = std::min(in.Varint(), ChangeEvidence::kLimit);
  fading.evidence.unchanged_seconds = std::min(in.Varint(), ChangeEvidence::kLimit);
  fading.as_of = in.Varint();
  return fading;
}

}  // namespace crawlsieve::schedule
