#pragma once

#include "plugin/base/result.h"
#include "plugin/log/entry.pb.h"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace crawlsieve::bench {

/// A page of which it is known whether it is a soft 404.
struct LabelledPage {
  log::Entry entry;
  bool is_soft_404 = false;
  std::string kind;  ///< how it was made
};

/// Of the pages of one kind.
struct ToldOfKind {
  bool is_soft_404 = false;
  std::size_t pages = 0;
  std::size_t told = 0;  ///< those that the judge called soft 404s
};
using ToldOfKinds = std::map<std::string, ToldOfKind>;

/// Adds what was told of some pages to that of others.
void Add(const ToldOfKinds& from, ToldOfKinds& to);

/// Of what was told, the part that is right; 1 where nothing was.
[[nodiscard]] double PrecisionOf(const ToldOfKinds& kinds);
/// Of the soft 404s, the part that was told; 1 where there are none.
[[nodiscard]] double RecallOf(const ToldOfKinds& kinds);

struct Soft404s {
  ToldOfKinds all;
  ToldOfKinds later;  ///< of the second half of the pages, when there was something to learn from
  std::vector<bool> told;  ///< of each page
};

/// Lets a judge without any state have the pages one after the other. What it tells of a page is
/// the reason of the score record that comes with it: what was learned from the page itself and
/// those before it. Errors: kIo. `scheme`: of the entries.
[[nodiscard]] Result<Soft404s> TellSoft404s(const std::vector<LabelledPage>& pages,
                                            const std::string& scheme);

}  // namespace crawlsieve::bench
