#pragma once

#include <cstdint>

namespace crawlsieve {

/// The rules by which this binary folds the log. A log written for other rules is refused.
inline constexpr std::uint32_t kFoldVersion = 12;

/// The oldest rules it has: version 4 is version 5 without gaps and samples in the marks and
/// without the host's count of pages that ran into a limit, and a page that isn't evaluated retires
/// its URL's version. Version 5 is version 6 without schedules: the interval of a URL halves and
/// grows, and a fetch that is late or failed is like any other. Version 6 is version 7 without
/// positions. Version 7 is version 8 without what is learned of sites, without purges, expiry and
/// the bound on kept pages, without revisit records, and with the weighted mean as every priority.
/// Version 8 is version 9 with all latest pages of a host in the host's own row. Version 9 is
/// version 10 with half as many latest pages, several to a row, and with visits that found nothing
/// changed among them, and without aliases and copies among what speaks against a URL. Version 10
/// is version 11 with scores of links by the latest pages of other sites, too. Version 11 is
/// version 12 with half as many latest pages.
inline constexpr std::uint32_t kOldestFoldVersion = 4;

/// Of the entry that ends a log: no binary ever has these rules, so each refuses what follows.
inline constexpr std::uint32_t kFoldVersionOfClosing = ~std::uint32_t{0};

/// The first rules under which a mark remembers gaps and what was folded (AdvanceMark).
inline constexpr std::uint32_t kFoldVersionOfGaps = 5;

/// The first rules under which pages that ran into a limit count for their host.
inline constexpr std::uint32_t kFoldVersionOfLimits = 5;

/// The first rules under which a page that isn't evaluated leaves its URL's version alone.
inline constexpr std::uint32_t kFoldVersionOfUnknownContent = 5;

/// The first rules under which the next fetch comes from a schedule (plugin/schedule), and fetches
/// without content have reasons by their status.
inline constexpr std::uint32_t kFoldVersionOfSchedules = 6;

/// The first rules under which an entry may stand for no record, but say how far the group is.
inline constexpr std::uint32_t kFoldVersionOfPositions = 7;

/// The first rules under which there is a row of what first fetches brought, of all sites together.
inline constexpr std::uint32_t kFoldVersionOfSitesRow = 7;

/// The first rules under which it is learned what the URLs of a site bring (plugin/site). No
/// verdict depends on it.
inline constexpr std::uint32_t kFoldVersionOfSites = 8;

/// The first rules under which a priority may be how much a URL will be due at a horizon.
inline constexpr std::uint32_t kFoldVersionOfHorizons = 8;

/// The first rules under which links of pages that aren't to be followed count a quarter.
inline constexpr std::uint32_t kFoldVersionOfUnfollowedLinks = 8;

/// The first rules under which pages are taken out of the state: purges, expiry, the bound.
inline constexpr std::uint32_t kFoldVersionOfRemoval = 8;

/// The first rules under which the latest pages of a host have rows of their own. Verdicts and
/// scores don't depend on it.
inline constexpr std::uint32_t kFoldVersionOfLatestParts = 9;

/// The first rules under which each of the latest pages has a row of its own, and visits that found
/// nothing changed aren't among them.
inline constexpr std::uint32_t kFoldVersionOfLatestRows = 10;

/// The first rules under which pages count that stand for another URL by their own word.
inline constexpr std::uint32_t kFoldVersionOfAliases = 10;

/// The first rules under which a link says less where a page's other links led to its copies.
inline constexpr std::uint32_t kFoldVersionOfCopies = 10;

/// The first rules under which a link to another site is scored by what that site learned before
/// its latest pages, and not by these. Nothing else depends on it.
inline constexpr std::uint32_t kFoldVersionOfOtherSites = 11;

/// The first rules under which a host has up to 64 latest pages. Verdicts don't depend on it.
inline constexpr std::uint32_t kFoldVersionOfMoreLatestPages = 12;

/// The first rules under which a page without a body may repeat an earlier fetch.
inline constexpr std::uint32_t kFoldVersionOfRevisits = 8;

}  // namespace crawlsieve
