#include "plugin/judge/page_mirrors.h"

#include "plugin/fingerprint/checksum.h"
#include "plugin/judge/page.h"
#include "plugin/judge/page_site.h"
#include "plugin/schedule/url_schedule.h"
#include "plugin/site/url_parts.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve {
namespace {

using site::Likewise;
using site::Mirror;
using site::Mirrors;

/// One in use is looked at again each so many pages, whether anything speaks against it or not.
constexpr std::uint64_t kPagesBetweenLooks = 16;

Result<Mirrors> MirrorsIn(const state::Host& record) {
  Mirrors mirrors;
  if (!mirrors.Decode(record.mirrors())) {
    return MakeError(ErrorCode::kCorruption, "what was learned of a host's mirrors");
  }
  return mirrors;
}

/// Whose row has what is known of the mirrors of an origin.
std::string OwnerOf(std::string_view origin) {
  const std::string url = std::string(origin) + "/";
  return std::string(LatestPagesOwner(site::SiteOf(url), HostOfUrl(url)));
}

/// What the other host knows of this one.
Result<Mirror> SeenFrom(const Mirror& mirror, std::string_view host, RowReader& rows) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto other, HostRow::Read(rows, OwnerOf(mirror.origin)));
  if (!other.has_value()) return Mirror();
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto mirrors, MirrorsIn(other->record));
  return mirrors.SumOf(host);
}

/// The taking of one page.
class MirrorLearning {
 public:
  MirrorLearning(const MirrorFacts& facts, state::Host& host, RowReader& rows)
      : facts_(facts), record_(host), rows_(rows), url_(facts.page.canonical_url()) {}

  [[nodiscard]] Result<bool> Learn() && {
    const bool has_content = facts_.verdict.cluster.has_value();
    if (!has_content || facts_.verdict.reason == Reason::kOutdated) return false;
    if (facts_.first_fetch) record_.set_contents(record_.contents() + 1);
    if (facts_.match == nullptr && record_.mirrors().empty()) return false;
    path_ = site::PathOf(url_);
    if (facts_.match != nullptr) {
      const std::string_view matched = facts_.match->canonical_url();
      if (site::PathOf(matched) == path_ && site::SiteOf(matched) != site::SiteOf(url_)) {
        matched_ = site::OriginOf(matched);
      }
    }
    const bool finds_one = facts_.first_fetch && !matched_.empty();
    if (record_.mirrors().empty() && !finds_one) return false;
    CRAWLSIEVE_ASSIGN_OR_RETURN(auto mirrors, MirrorsIn(record_));
    if (finds_one) static_cast<void>(mirrors.FindOrAdd(matched_));
    Status status;
    mirrors.ForEach([&](Mirror& mirror) {
      if (status) status = Take(mirror);
    });
    if (!status) return tl::unexpected(status.error());
    record_.set_mirrors(mirrors.Encode());
    return is_news_;
  }

 private:
  Status Take(Mirror& mirror) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(const bool is_pair,
                                facts_.first_fetch ? TakeFirstFetch(mirror) : TakeRefetch(mirror));
    const bool is_look = mirror.in_use && record_.contents() % kPagesBetweenLooks == 0;
    if (!is_pair && !is_look) return {};
    const std::string_view host = site::PartsOf(url_).host;
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto other, SeenFrom(mirror, host, rows_));
    const bool in_use = site::EvidenceOf(mirror, other, record_.contents()).IsMirror(mirror.in_use);
    is_news_ = is_news_ || in_use != mirror.in_use;
    mirror.in_use = in_use;
    return {};
  }

  /// Whether it is one of a pair.
  Result<bool> TakeFirstFetch(Mirror& mirror) {
    if (mirror.origin == matched_) {
      ++mirror.same;
      const std::uint32_t bytes = ByteMarkOf(facts_.page);
      if (bytes == 0 || facts_.match->bytes() == 0) return false;
      site::Add(facts_.match->bytes() == bytes ? Likewise::kSameBytes : Likewise::kSameContent,
                mirror);
      return true;
    }
    if (!mirror.is_probed()) return false;
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto there, Counterpart(mirror));
    if (!there.has_value()) {
      site::AddMiss(mirror);
      return false;
    }
    if (there->representative() == facts_.verdict.cluster->id.sequence) {
      // Both repeat a third page, so nobody knows the bytes that the other host has.
      ++mirror.same;
      return false;
    }
    site::Add(Likewise::kUnlike, mirror);
    return true;
  }

  /// A page that hasn't changed since before the other host's was fetched, and is unlike it, speaks
  /// against a mirror in use. Anything else may be of another time.
  Result<bool> TakeRefetch(Mirror& mirror) {
    if (!mirror.in_use || !facts_.is_unchanged) return false;
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto there, Counterpart(mirror));
    if (!there.has_value()) return false;
    const bool is_same = there->representative() == facts_.verdict.cluster->id.sequence;
    schedule::UrlSchedule schedule;
    if (!there->schedule().empty()) {
      CRAWLSIEVE_ASSIGN_OR_RETURN(schedule, schedule::UrlSchedule::Decode(there->schedule()));
    }
    if (facts_.shown.first > ShownTimes::Of(*there, schedule.last_visit).last) return false;
    site::Add(is_same ? Likewise::kSameBytes : Likewise::kUnlike, mirror);
    return true;
  }

  /// The URL of the same path there; nullopt: nobody knows what it shows.
  Result<std::optional<state::Url>> Counterpart(const Mirror& mirror) {
    const std::string url = std::string(mirror.origin).append(path_);
    CRAWLSIEVE_ASSIGN_OR_RETURN(auto row,
                                UrlRow::Read(rows_, UrlRow::Key(url, facts_.page, facts_.scope)));
    std::optional<state::Url> known;
    if (!row.has_value()) return known;
    const state::Url& record = row->record;
    if (record.representative() == 0 || record.redirect() != 0 || record.was_unread()) {
      return known;
    }
    known = std::move(row->record);
    return known;
  }

  const MirrorFacts& facts_;
  state::Host& record_;
  RowReader& rows_;
  const std::string_view url_;
  std::string_view path_;     // into the URL
  std::string_view matched_;  // the origin of a match of the same path there; else empty
  bool is_news_ = false;
};

}  // namespace

std::uint32_t ByteMarkOf(const log::Page& page) {
  constexpr std::uint64_t kMarks = (1U << 14) - 1;  // a varint of two bytes holds one
  const auto checksum = ChecksumFromBytes(page.raw_checksum());
  return checksum ? 1 + static_cast<std::uint32_t>(checksum->low % kMarks) : 0;
}

Result<bool> LearnOfMirrors(const MirrorFacts& facts, state::Host& host, RowReader& rows) {
  return MirrorLearning(facts, host, rows).Learn();
}

void NameMirrorRows(const log::Page& page, const state::Host& host, Scope scope,
                    const std::function<void(Table table, std::string_view key)>& name) {
  if (host.mirrors().empty()) return;
  Mirrors mirrors;
  if (!mirrors.Decode(host.mirrors())) return;
  const std::string_view path = site::PathOf(page.canonical_url());
  mirrors.ForEach([&](const Mirror& mirror) {
    if (!mirror.is_probed()) return;
    name(Table::kUrls, UrlRow::Key(std::string(mirror.origin).append(path), page, scope));
    name(Table::kHosts, OwnerOf(mirror.origin));
  });
}

Result<std::vector<MirrorReport>> MirrorsOf(std::string_view host, const state::Host& record,
                                            RowReader& rows) {
  std::vector<MirrorReport> reports;
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto mirrors, MirrorsIn(record));
  for (const auto& [hash, mirror] : mirrors.mirrors()) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto other, SeenFrom(mirror, host, rows));
    reports.push_back(
        {mirror.origin, mirror.in_use, site::EvidenceOf(mirror, other, record.contents())});
  }
  std::ranges::sort(reports, {}, [](const MirrorReport& report) {
    return std::tuple(!report.in_use, ~report.evidence.same, std::string_view(report.origin));
  });
  return reports;
}

}  // namespace crawlsieve
