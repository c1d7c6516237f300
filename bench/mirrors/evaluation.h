#pragma once

#include "plugin/base/result.h"
#include "plugin/log/entry.pb.h"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace crawlsieve::bench {

/// Pages of two sites, in the order of their fetches.
struct PairOfSites {
  std::string name;
  std::string kind;  ///< how it was made
  bool is_mirror = false;
  std::vector<log::Entry> entries;
};

/// What the judge tells of two sites.
struct ToldOfSites {
  bool is_mirror = false;  ///< of one of them, that it is a mirror of the other
  std::string evidence;    ///< for people; empty where there is none
};

/// Of the pairs of one kind.
struct ToldOfPairs {
  bool is_mirror = false;
  std::size_t pairs = 0;
  std::size_t told = 0;  ///< those that the judge called mirrors
};
using ToldOfPairKinds = std::map<std::string, ToldOfPairs>;

/// Of what was told, the part that is right; 1 where nothing was.
[[nodiscard]] double PrecisionOf(const ToldOfPairKinds& kinds);
/// Of the mirrors, the part that was told; 1 where there are none.
[[nodiscard]] double RecallOf(const ToldOfPairKinds& kinds);

/// Lets a judge without any state have the pages one after the other, and asks what it tells of the
/// two sites behind the last one. Errors: kIo; kInvalidInput: the pages are not of two sites.
/// `scheme`: of the entries.
[[nodiscard]] Result<ToldOfSites> TellMirrors(const PairOfSites& pair, const std::string& scheme);

}  // namespace crawlsieve::bench
