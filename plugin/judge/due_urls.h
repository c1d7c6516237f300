#pragma once

#include "plugin/base/result.h"
#include "plugin/base/timestamp.h"
#include "plugin/judge/state_view.h"
#include "plugin/judge/stored_schedules.h"
#include "plugin/score/url_score.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve {

/// A URL that is due.
struct DueUrl {
  std::string url;
  std::string crawl_id;  ///< empty where a URL has one history in all crawls
  StoredScore score;
  std::string_view reason;  ///< ReasonOf
};

/// Which of two fetched URLs goes first: the higher score, then the earlier date, then the URL and
/// the crawl.
[[nodiscard]] bool IsMoreUrgent(const UrlScore& a, const UrlScore& b);

/// The score of a due URL as a frontier takes it, but for the registered domain. `sequence`: of the
/// state's last entry.
[[nodiscard]] UrlScore UrlScoreOf(const DueUrl& due, Timestamp as_of, std::uint64_t sequence);

struct DueOptions {
  Timestamp before;  ///< a URL is due whose next fetch isn't later; not before 1970
  std::string host;  ///< as URLs have it; empty: all. Then URLs with a user name are left out
  /// Where a call before this one has stopped: DueCounts::last.
  std::optional<std::string> after = {};
  std::size_t most_urls = std::numeric_limits<std::size_t>::max();  ///< looked at
  std::size_t most_due = std::numeric_limits<std::size_t>::max();
  /// Whether it is time to stop; asked after each URL that was looked at.
  std::function<bool()> is_late = {};
};

struct DueCounts {
  std::uint64_t urls = 0;  ///< that were looked at
  std::uint64_t due = 0;
  std::uint64_t without_schedule = 0;  ///< last fetched under fold version 5 or before
  /// The key of the row that was looked at last, if there may be more; nullopt: these were all.
  std::optional<std::string> last;
};

/// Gives each URL that is due to `take`, in the order of the URLs, until it returns an error, which
/// is handed on, or as many as `options` ask for. Memory doesn't depend on the number of URLs.
/// Errors: kIo, kCorruption, kBusy (a StoreSnapshot is lost).
[[nodiscard]] Result<DueCounts> ForEachDue(StateView& state, const DueOptions& options,
                                           const std::function<Status(DueUrl&&)>& take);

/// The most urgent of any number of URLs. Memory is in proportion to `limit`. Thread-compatible.
class MostUrgent {
 public:
  explicit MostUrgent(std::size_t limit) : limit_(limit) {}

  void Add(UrlScore&& due);
  /// The most urgent first.
  [[nodiscard]] std::vector<UrlScore> Take() &&;

 private:
  const std::size_t limit_;
  std::vector<UrlScore> heap_;  // the least urgent on top
};

}  // namespace crawlsieve
