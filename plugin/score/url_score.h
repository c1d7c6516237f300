#pragma once

#include "plugin/base/result.h"
#include "plugin/base/timestamp.h"
#include "plugin/verdict/score.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve {

/// What a frontier should do with a URL.
enum class ScoreAction : std::uint8_t {
  kSchedule,  ///< fetch it, in the order of the scores
  kProbe,     ///< as kSchedule; a rule says otherwise, and this URL is to test it
  kSuppress,  ///< don't fetch it until a later record says otherwise
  kRewrite,   ///< fetch `rewrite_to` in its place
};
inline constexpr int kScoreActions = 4;

/// "schedule", "probe", "suppress", "rewrite".
[[nodiscard]] std::string_view NameOf(ScoreAction action);
[[nodiscard]] std::optional<ScoreAction> ScoreActionOf(std::string_view name);

/// One of the values that a score is made of.
struct ScoreComponent {
  std::string name;  ///< lower-case letters, digits and `_`
  Score value;

  friend bool operator==(const ScoreComponent&, const ScoreComponent&) = default;
};

/// How soon a URL is worth a fetch, as of one moment. Value type.
///
/// There is one scale for all URLs, and higher is sooner. For a URL that was fetched, 0.5 is
/// reached at `next_fetch`. For one that wasn't, 0.5 says that it is worth an average fetch.
/// CheckUrlScore has the rules that the fields obey.
struct UrlScore {
  std::string url;                ///< canonical
  std::string host;               ///< as in `url`, IPv6 in brackets, no port; empty where not known
  std::string registered_domain;  ///< of `host`; empty where there is none
  Timestamp as_of;                ///< when the score holds; from the log, never a clock
  Score score;                    ///< with kRewrite: of fetching `rewrite_to`
  std::vector<ScoreComponent> components;  ///< names are unique
  ScoreAction action = ScoreAction::kSchedule;
  std::string rewrite_to;  ///< canonical URL of kRewrite; else empty
  std::string reason;      ///< a code, lower-case letters, digits and `_`
  bool fetched = false;    ///< there was a fetch, whatever came of it
  /// No fetch is due before. Always there if `fetched`. Without `fetched` only where something
  /// delays the first fetch.
  std::optional<Timestamp> next_fetch;
  std::optional<std::uint32_t> last_status;  ///< HTTP status of the last fetch, if it had one
  std::optional<std::uint32_t> depth;  ///< an estimate of the links from the start of the crawl
  std::string parent_url;              ///< a page that links to `url`; empty: none is known
  std::string crawl_id;
  std::uint64_t sequence = 0;  ///< of the log entry that made the record

  friend bool operator==(const UrlScore&, const UrlScore&) = default;
};

/// Whether a fetch is due at `as_of`: there is no next_fetch, or it isn't later.
[[nodiscard]] bool IsDue(const UrlScore& record);

/// Whether the fields fit together.
///
/// Errors: kInvalidInput with the field's name for an empty URL, a score or component over 1, names
/// that aren't codes, a component twice, `rewrite_to` without kRewrite or the other way round, a
/// rewrite to the URL itself, a fetched URL without `next_fetch`, a status without a fetch or
/// outside 100 to 599, and for a fetched URL whose score isn't at least 0.5 exactly when it is due.
[[nodiscard]] Status CheckUrlScore(const UrlScore& record);

}  // namespace crawlsieve
