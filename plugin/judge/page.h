#pragma once

#include "plugin/base/timestamp.h"
#include "plugin/fingerprint/simhash.h"
#include "plugin/fingerprint/sketch.h"
#include "plugin/log/entry.pb.h"
#include "plugin/verdict/comparison.h"
#include "plugin/verdict/parameters.h"

#include <cstdint>
#include <string_view>

namespace crawlsieve {

/// A sketch as records have it. One of another length, which the fold refuses, is read as far as it
/// goes.
[[nodiscard]] Sketch SketchOf(const google::protobuf::RepeatedField<std::uint64_t>& words);

/// What of a page is compared with others. Borrows from `page`, which must outlive it.
[[nodiscard]] PageTraits TraitsOf(const log::Page& page);

/// Whether a fetch of the page brought something that others can repeat.
[[nodiscard]] bool HasContent(const log::Page& page);

/// When the page was fetched, within the years 1970 to 9999: times far from any real one can't
/// overflow what is computed from them.
[[nodiscard]] Timestamp FetchTime(const log::Page& page);

/// The host of a canonical URL as entries have it, without user name and port; empty for what
/// isn't http or https.
[[nodiscard]] std::string_view HostOfUrl(std::string_view canonical_url);

/// What the pages of one scope have in common; 0 where all pages are in one.
[[nodiscard]] std::uint64_t ScopeOf(const log::Page& page, Scope scope);

/// Where a simhash of a scope lies in the index. Within a scope distances stay what they are; those
/// of two scopes are as far apart as any two random ones.
[[nodiscard]] inline Fingerprint InIndex(std::uint64_t simhash, std::uint64_t scope) {
  return Fingerprint{simhash ^ scope};
}

}  // namespace crawlsieve
