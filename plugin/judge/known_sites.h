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
#include <utility>

namespace crawlsieve {

/// Values by name, of which the one that was asked for longest ago makes room. Thread-compatible.
template <typename Value>
class RecentByName {
 public:
  explicit RecentByName(std::size_t max) : max_(max) {}
  RecentByName(const RecentByName&) = delete;
  RecentByName& operator=(const RecentByName&) = delete;

  /// nullptr: there is none. Valid until it makes room or is forgotten.
  [[nodiscard]] Value* Find(std::string_view name) {
    const auto known = by_name_.find(name);
    if (known == by_name_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, known->second);
    return &entries_.front().value;
  }
  /// A name that isn't there.
  Value& Add(std::string_view name, Value value) {
    if (entries_.size() >= max_) Forget(entries_.back().name);
    Entry& entry = entries_.emplace_front(Entry{std::string(name), std::move(value)});
    by_name_.emplace(entry.name, entries_.begin());
    return entry.value;
  }
  void Forget(std::string_view name) {
    const auto known = by_name_.find(name);
    if (known == by_name_.end()) return;
    const auto entry = known->second;
    by_name_.erase(known);
    entries_.erase(entry);
  }
  void Clear() {
    by_name_.clear();
    entries_.clear();
  }

 private:
  struct Entry {
    std::string name;
    Value value;
  };

  const std::size_t max_;
  std::list<Entry> entries_;  // what was asked for latest first
  std::unordered_map<std::string_view, typename std::list<Entry>::iterator> by_name_;  // its names
};

/// Sites as they are behind the last step that was taken, decoded: advice on the links of a page
/// asks for a few sites again and again, and each has up to 64 KiB to decode.
///
/// Keeps what was read; changes nothing that is read. Bounded: kMaxSites with their latest pages,
/// and as many without. Thread-compatible.
class KnownSites {
 public:
  static constexpr std::size_t kMaxSites = 64;

  /// All that is known of a site; nullptr: nothing. Valid until the next call of this function or a
  /// change. Errors: kIo, kCorruption.
  [[nodiscard]] Result<const site::Site*> Find(std::string_view name, std::uint64_t max_sites,
                                               RowReader& rows);

  /// What was learned of it before its latest pages; nullptr: nothing. Valid and errors as of Find.
  [[nodiscard]] Result<const site::Site*> FindLearned(std::string_view name,
                                                      std::uint64_t max_sites, RowReader& rows);

  /// What an entry changed of sites.
  void Take(const SiteStep& step);

  void Forget(std::string_view name);
  void Clear();

 private:
  /// Takes the page as a new reading would have it. False: it can't.
  [[nodiscard]] static bool Update(const SiteStep& step, std::optional<SiteState>& state);

  RecentByName<std::optional<SiteState>> sites_{kMaxSites};
  RecentByName<site::Site> learned_{kMaxSites};
};

}  // namespace crawlsieve
