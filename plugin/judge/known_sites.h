#pragma once

#include "plugin/base/result.h"
#include "plugin/judge/page_site.h"
#include "plugin/judge/rows.h"
#include "plugin/judge/view.h"
#include "plugin/site/site.h"

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace crawlsieve {

/// Sites as they are behind the last folded entry, decoded: advice on the links of a page asks for
/// a few sites again and again, and each has up to 64 KiB to decode.
///
/// Keeps what was read; changes nothing that is read. Bounded: kMaxSites, of which the one that was
/// asked for longest ago makes room. Thread-compatible.
class KnownSites {
 public:
  static constexpr std::size_t kMaxSites = 64;

  /// nullptr: nothing is known of the site. Valid until the next call of any function. Errors: kIo,
  /// kCorruption.
  [[nodiscard]] Result<const site::Site*> Find(std::string_view name, std::uint64_t max_sites,
                                               RowReader& rows);

  /// What a page changed of sites.
  void Take(const SiteChange& change);

  void Forget(std::string_view name);
  void Clear();

 private:
  struct Entry {
    std::string name;
    std::optional<SiteState> state;
  };
  using Entries = std::list<Entry>;

  /// Takes the page as a new reading would have it. False: it can't.
  [[nodiscard]] static bool Update(const SiteChange& change, Entry& entry);

  Entries entries_;  // what was asked for latest first
  std::unordered_map<std::string_view, Entries::iterator> by_name_;  // names are in entries_
};

}  // namespace crawlsieve
