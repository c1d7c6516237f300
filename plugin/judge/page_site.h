#pragma once

#include "plugin/base/result.h"
#include "plugin/judge/finding.h"
#include "plugin/judge/rows.h"
#include "plugin/judge/view.h"
#include "plugin/log/entry.pb.h"
#include "plugin/schedule/fetch.h"
#include "plugin/site/site.h"
#include "plugin/verdict/verdict.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve {

/// What was found out about a page, for what is learned of its site.
struct PageFacts {
  const log::Page& page;
  const Verdict& verdict;  ///< reason and cluster are set
  schedule::FetchClass result = schedule::FetchClass::kContent;
  SiteNeighbours neighbours;
  bool first_fetch = false;  ///< no answer about content came from its URL before
  schedule::Seconds time = 0;
};

/// The page as its site takes it; nullopt: it tells nothing, as a failed fetch, or there is no
/// host. Views are into the page.
[[nodiscard]] std::optional<site::PageObservation> ObservationOf(const PageFacts& facts);

/// What a page changes of what is known of sites.
struct SiteChange {
  std::optional<SiteSlotRow> slot;
  std::optional<SiteRow> learned;
  /// A site that had to give up the slot; with a SiteRow of its own, that one goes.
  std::optional<std::string> forgotten;
  bool forgets_learned = false;
  /// What was learned before the latest pages has changed so much that others should hear of it: a
  /// rule came into use or went out of it, or the fetches have doubled.
  bool is_news = false;
  std::vector<site::Brought> brought;  ///< for the sum of the crawl
  /// What the site took; nullopt: nothing. Views are into the page.
  std::optional<site::PageObservation> taken;
};

/// Takes an observation into the rows of its site, of which there are `max_sites` at most.
///
/// Each site has one slot, by a hash of its name, and may find it taken. A site that holds a slot
/// is as patient as it had pages lately, up to kMaxPatience; each page of another site in that slot
/// costs it one. Without patience left it is forgotten. So the number of rows is bounded, no clock
/// and no order of rows is needed, and a site stays while its pages come.
/// Errors: kIo, kCorruption.
[[nodiscard]] Result<SiteChange> LearnOfSite(const site::PageObservation& observation,
                                             std::uint64_t max_sites, RowReader& rows);
inline constexpr std::uint32_t kMaxPatience = 1000;

/// Deletes what is known of a site, if it has a slot. Errors: kIo, kCorruption.
[[nodiscard]] Status ForgetSite(std::string_view name, std::uint64_t max_sites, RowReader& rows,
                                Changes& changes);

/// All that is known of a site; nullopt: nothing. Errors: kIo, kCorruption.
[[nodiscard]] Result<std::optional<site::Site>> ReadSite(std::string_view name,
                                                         std::uint64_t max_sites, RowReader& rows);

}  // namespace crawlsieve
