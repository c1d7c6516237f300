#pragma once

#include "plugin/base/result.h"
#include "plugin/judge/finding.h"
#include "plugin/judge/rows.h"
#include "plugin/judge/view.h"
#include "plugin/log/entry.pb.h"
#include "plugin/schedule/fetch.h"
#include "plugin/site/latest_pages.h"
#include "plugin/site/site.h"
#include "plugin/verdict/verdict.h"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
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
  bool first_fetch = false;   ///< no answer about content came from its URL before
  bool is_alias = false;      ///< its canonical link is a URL that has its content
  std::uint64_t simhash = 0;  ///< of the page, or of what a page without a body repeats
  schedule::Seconds time = 0;
};

/// The page as its site takes it; nullopt: it tells nothing, as a failed fetch, or there is no
/// host. Views are into the page.
[[nodiscard]] std::optional<site::PageObservation> ObservationOf(const PageFacts& facts);

/// Whether the page is what its site shows for URLs that it doesn't have, as far as is known of the
/// site behind the page.
[[nodiscard]] bool IsSoftError(const log::Page& page, const Verdict& verdict,
                               const site::Site& site);

/// Which host's latest pages a page of a site is one of: the page's own host; or the site, where
/// its name isn't that of the host, with or without "www.", as with a port.
[[nodiscard]] std::string_view LatestPagesOwner(std::string_view site, std::string_view host);

/// Both hosts whose latest pages are a site's: its name, and that with "www.".
[[nodiscard]] std::array<std::string, 2> LatestPagesOwnersOf(std::string_view site);

/// What a page changes of sites, without the rows: for whoever keeps sites in memory.
struct SiteStep {
  std::string site;                ///< of the page; empty: the page tells nothing
  bool is_www = false;             ///< the latest pages are those of "www." and the site's name
  std::uint32_t latest_pages = 0;  ///< of the owner, this one included
  bool takes_latest = false;       ///< the site took those that there were before this one
  bool drops_latest = false;       ///< or they are lost, because another site has the slot
  /// A site of which nothing is known any more: it had to give up its slot.
  std::optional<std::string> forgotten;
  /// What the site took; views into the page. nullopt: nothing.
  std::optional<site::PageObservation> taken;
};

/// What a page changes of what is known of sites.
struct SiteChange : SiteStep {
  std::optional<HostRow> owner;    ///< where that isn't the page's host
  std::optional<LatestPart> part;  ///< of the owner's latest pages, that comes with this page
  std::optional<std::string> parts_go_of;  ///< the owner, where all of its parts go with this page
  std::optional<SiteSlotRow> slot;
  std::optional<SiteRow> learned;
  /// What was learned before the latest pages has changed so much that others should hear of it: a
  /// rule came into use or went out of it, or the fetches have doubled.
  bool is_news = false;
  std::vector<site::Brought> brought;  ///< for the sum of the crawl
};

/// How sites are learned of.
struct SiteRules {
  std::uint64_t max_sites = 0;  ///< there are slots for so many; isn't 0
  site::LatestLayout layout = site::LatestLayout::kMorePages;
};

/// Takes an observation into the rows of its site, `host` being that of the page with its row,
/// which may be changed. `change` is empty before.
///
/// A page is kept in a row of its own, a part, which is only written. The first one waits in the
/// row of its host for the next; so do more where the name of the host is long. Once a host has so
/// many latest pages that they are full, its site takes them all. Only then anything is read
/// besides. A visit that found nothing changed teaches nothing.
///
/// Each site has one slot, by a hash of its name, and may find it taken. A site that holds a slot
/// is as patient as it has had pages, up to kMaxPatience; each page of another site that would be
/// taken costs it one. Without patience left it is forgotten. So the number of rows is bounded, no
/// clock and no order of rows is needed, and a site stays while its pages come.
/// The hash has no key: who owns many names can aim some at the slot of a site, and has to bring
/// kMaxPatience pages that would be taken before that site is forgotten.
/// Errors: kIo, kCorruption.
[[nodiscard]] Status LearnOfSite(const site::PageObservation& observation, HostRow& host,
                                 const SiteRules& rules, RowReader& rows, SiteChange& change);
inline constexpr std::uint32_t kMaxPatience = 1000;

/// Deletes what is known of a site, its latest pages also where nothing is learned any more.
/// Whether it had a slot. Errors: kIo, kCorruption.
[[nodiscard]] Result<bool> ForgetSite(std::string_view name, std::uint64_t max_sites,
                                      RowReader& rows, Changes& changes);

/// A row of table hosts as it would be behind ForgetSite of these. May be in `changed`. Errors:
/// kIo, kCorruption.
[[nodiscard]] Result<RowMap::Value> RowWithoutSites(std::span<const std::string> names,
                                                    std::uint64_t max_sites, std::string_view key,
                                                    RowReader& rows, std::string& changed);

/// Takes the key of a row of table hosts, valid during the call.
using KeyNamer = std::function<void(std::string_view key)>;

/// Names the rows that LearnOfSite reads of a page besides that of `owner`, the host of which it is
/// a latest page (LatestPagesOwner), if that has about `page_bytes`.
void NameLearningRows(std::string_view site, const HostRow& owner, std::size_t page_bytes,
                      const SiteRules& rules, const KeyNamer& name);

/// What is known of a site.
struct SiteState {
  site::Site site;
  /// How many latest pages of it are in that, by owner: the site's name, and with "www.".
  std::array<std::uint32_t, 2> latest_pages{};
};

/// Names the rows of a site that ReadSite reads whatever the state holds.
void NameSiteRows(std::string_view name, std::uint64_t max_sites, const KeyNamer& want);

/// The slot of a site that something was learned of before its latest pages; nullopt: nothing was.
/// Errors: kIo, kCorruption.
[[nodiscard]] Result<std::optional<SiteSlot>> SlotHeldBy(std::string_view site,
                                                         std::uint64_t max_sites, RowReader& rows);

/// What a fetch from a site brings by the pages and duplicates that its hosts count, where a fetch
/// from the crawl brings `average`. Errors: kIo, kCorruption.
[[nodiscard]] Result<site::Expected> ExpectedOfHosts(std::string_view site,
                                                     const site::Expected& average,
                                                     RowReader& rows);

/// Names its latest pages, given rows that show the first ones.
void NameSiteParts(std::string_view name, RowReader& rows, const KeyNamer& want);

/// All that is known of a site: what was learned, then the latest pages of the host without "www.",
/// then those of the other. nullopt: nothing. Errors: kIo, kCorruption.
[[nodiscard]] Result<std::optional<SiteState>> ReadSite(std::string_view name,
                                                        std::uint64_t max_sites, RowReader& rows);

}  // namespace crawlsieve
