#include "plugin/judge/page_site.h"

#include "plugin/fingerprint/checksum.h"
#include "plugin/site/latest_pages.h"
#include "plugin/site/mirrors.h"
#include "plugin/site/share.h"
#include "plugin/site/url_parts.h"
#include "plugin/verdict/reason.h"

#include <algorithm>
#include <bit>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve {
namespace {

using schedule::FetchClass;
using site::Answer;

constexpr std::string_view kWww = "www.";

static_assert(site::Site::kMaxEncodedBytes +
                  std::max(site::LimitsOf(site::LatestLayout::kPages).MaxBytes(),
                           site::LimitsOf(site::LatestLayout::kMorePages).MaxBytes()) +
                  site::Mirrors::kMaxEncodedBytes <
              64 * 1024);

std::optional<Answer> AnswerOf(const PageFacts& facts) {
  if (facts.verdict.reason == Reason::kOutdated) return std::nullopt;
  switch (facts.page.outcome()) {
    case log::OUTCOME_TEXT:
    case log::OUTCOME_NOT_HTML:
      return Answer::kContent;
    case log::OUTCOME_ERROR_STATUS:
      break;
    case log::OUTCOME_REVISIT:
      if (facts.verdict.cluster.has_value()) return Answer::kContent;
      return std::nullopt;
    default:
      return std::nullopt;
  }
  switch (facts.result) {
    case FetchClass::kNotFound:
    case FetchClass::kGone:
      return Answer::kError;
    case FetchClass::kPermanentRedirect:
    case FetchClass::kTemporaryRedirect:
      return Answer::kRedirect;
    default:
      return std::nullopt;
  }
}

/// What the page's content is known by among those of its site.
std::uint64_t ContentOf(const log::Page& page, const Verdict& verdict) {
  if (verdict.cluster.has_value()) return verdict.cluster->id.sequence;
  const auto checksum = ChecksumFromBytes(page.content_checksum());
  return checksum ? checksum->low : 0;
}

/// An entry that no extract process wrote may have any number.
std::uint32_t TitleOf(const log::Page& page) { return page.title() % site::kTitles; }

site::Share NoveltyOf(const PageFacts& facts) {
  switch (facts.verdict.reason) {
    case Reason::kUnique:
    case Reason::kUpdated:
      return static_cast<site::Share>(
          std::uint64_t{Score::kOne - facts.neighbours.similarity.ten_thousandths} * site::kWhole /
          Score::kOne);
    case Reason::kTooShort:  // it was compared with none
    case Reason::kNotHtml:
      return site::kWhole;
    default:
      return 0;
  }
}

/// Changes with what is published of a site.
std::pair<std::uint64_t, int> NewsOf(const site::Site& site) {
  return {site.rules().changes(), std::bit_width(site.counts().fetched)};
}

site::LatestPages LatestPagesOf(const state::Host& record) {
  return {record.latest_pages(), record.latest_part_bytes() + record.latest().size()};
}

void ClearLatestPages(state::Host& record) {
  record.clear_latest();
  record.clear_latest_pages();
  record.clear_latest_parts();
  record.clear_latest_part_bytes();
}

/// Whether it teaches the site nothing that the fetch before didn't.
bool IsIdle(const site::PageObservation& observation, const SiteRules& rules) {
  return observation.unchanged && rules.layout >= site::LatestLayout::kPages;
}

/// A row that was written by a fold has a page at least in each part.
Status CheckParts(std::string_view host, const state::Host& record) {
  if (record.latest_parts() <= site::LatestPages::kMaxPages) return {};
  return MakeError(
      ErrorCode::kCorruption,
      fmt::format("state: host {} has {} parts of latest pages, more than there can be", host,
                  record.latest_parts()));
}

/// Lets a site take the latest pages of a host, in the order in which they came.
Status AddLatestPages(std::string_view host, const state::Host& record, RowReader& rows,
                      site::Site& site, std::vector<site::Brought>& brought) {
  CRAWLSIEVE_RETURN_IF_ERROR(CheckParts(host, record));
  const KeysOfGroup keys = LatestPart::KeysOf(host, record);
  CRAWLSIEVE_ASSIGN_OR_RETURN(const RowValues parts, rows.Rows(Table::kHosts, keys.all()));
  for (const RowMap::Value& part : parts.values) {
    if (!part.has_value()) {
      return MakeError(ErrorCode::kCorruption,
                       fmt::format("state: latest pages of host {} are gone", host));
    }
    CRAWLSIEVE_RETURN_IF_ERROR(site::AddPages(host, *part, site, brought));
  }
  return site::AddPages(host, record.latest(), site, brought);
}

}  // namespace

std::optional<site::PageObservation> ObservationOf(const PageFacts& facts) {
  const log::Page& page = facts.page;
  const std::optional<Answer> answer = AnswerOf(facts);
  if (!answer.has_value() || page.host().empty()) return std::nullopt;
  site::PageObservation observation;
  observation.url = page.canonical_url();
  observation.time = facts.time;
  observation.first_fetch = facts.first_fetch;
  observation.answer = *answer;
  if (*answer == Answer::kContent) {
    observation.novelty = NoveltyOf(facts);
    observation.content = site::MarkOf(ContentOf(page, facts.verdict));
    observation.simhash = facts.simhash;
    observation.simhash_outside_forms = page.simhash_outside_forms();
    observation.title = TitleOf(page);
    observation.is_short = facts.verdict.reason == Reason::kTooShort;
    observation.has_known_words = facts.neighbours.has_same_words;
    observation.unchanged = !facts.first_fetch && facts.verdict.reason == Reason::kUnchanged;
    if (observation.first_fetch && !page.canonical_link().empty() &&
        site::SiteOf(page.canonical_link()) == site::SiteOf(observation.url)) {
      observation.stands_for = page.canonical_link();
      observation.is_alias = facts.is_alias;
    }
  } else if (*answer == Answer::kRedirect &&
             site::SiteOf(page.redirect_target()) == site::SiteOf(observation.url)) {
    // No row of a site names a URL of another one: who is forgotten is so with the own site.
    observation.stands_for = page.redirect_target();
  }
  return observation;
}

bool IsSoftError(const log::Page& page, const Verdict& verdict, const site::Site& site) {
  return verdict.reason != Reason::kOutdated && page.outcome() == log::OUTCOME_TEXT &&
         site.IsSoftError(page.canonical_url(), {page.simhash(), TitleOf(page)});
}

std::string_view LatestPagesOwner(std::string_view site, std::string_view host) {
  const bool is_www = host.starts_with(kWww) && host.substr(kWww.size()) == site;
  return is_www || host == site ? host : site;
}

std::array<std::string, 2> LatestPagesOwnersOf(std::string_view site) {
  return {std::string(site), std::string(kWww).append(site)};
}

namespace {

/// Clears what a site has in the row of one of its hosts. Whether there was anything.
bool ClearSite(state::Host& record) {
  if (record.latest().empty() && record.latest_pages() == 0 && record.latest_parts() == 0 &&
      record.contents() == 0 && record.mirrors().empty()) {
    return false;
  }
  ClearLatestPages(record);
  record.clear_contents();
  record.clear_mirrors();
  return true;
}

/// The taking of one page.
class SiteLearning {
 public:
  SiteLearning(const site::PageObservation& observation, const SiteRules& rules, RowReader& rows,
               SiteChange& change)
      : observation_(observation), rules_(rules), rows_(rows), change_(change) {}

  [[nodiscard]] Status LearnWith(HostRow& host) && {
    const std::string_view site = site::SiteOf(observation_.url);
    owner_ = LatestPagesOwner(site, host.key);
    change_.site = site;
    change_.is_www = owner_.size() > site.size();
    const bool is_idle = IsIdle(observation_, rules_);
    if (owner_ != host.key) {
      CRAWLSIEVE_ASSIGN_OR_RETURN(auto read, HostRow::Read(rows_, owner_));
      if (is_idle && !read.has_value()) {
        change_ = {};
        return {};
      }
      change_.owner = read.has_value() ? std::move(*read) : HostRow{std::string(owner_), {}};
    }
    if (is_idle) return {};
    change_.taken = observation_;
    return Add(change_.owner.has_value() ? change_.owner->record : host.record);
  }

 private:
  Status Add(state::Host& record) {
    CRAWLSIEVE_RETURN_IF_ERROR(CheckParts(owner_, record));
    const std::string page = site::EncodePage(owner_, observation_);
    if (!LatestPagesOf(record).HaveRoomFor(page.size(), rules_.layout)) {
      CRAWLSIEVE_RETURN_IF_ERROR(Move(record));
      if (record.latest_parts() > 0) change_.parts_go_of = owner_;
      ClearLatestPages(record);
    }
    const std::size_t part_bytes = site::LatestPages::PartBytes(rules_.layout, owner_.size());
    // Up to version 9 a part comes with the page behind it.
    const bool comes_later = rules_.layout < site::LatestLayout::kPages;
    if (comes_later && record.latest().size() >= part_bytes) MovePagesToPart(record);
    record.mutable_latest()->append(page);
    record.set_latest_pages(record.latest_pages() + 1);
    change_.latest_pages = record.latest_pages();
    // A host with one page has no part. Those that are there from earlier rules leave room for
    // fewer.
    const bool comes_now =
        !comes_later && record.latest_pages() > 1 &&
        record.latest_parts() < site::LatestPages::MaxParts(rules_.layout, owner_.size());
    if (comes_now && record.latest().size() >= part_bytes) MovePagesToPart(record);
    return {};
  }

  void MovePagesToPart(state::Host& record) {
    const auto bytes = static_cast<std::uint32_t>(record.latest().size());
    change_.part = LatestPart{LatestPart::Key(owner_, record.latest_parts()),
                              std::move(*record.mutable_latest())};
    record.clear_latest();
    record.set_latest_parts(record.latest_parts() + 1);
    record.set_latest_part_bytes(record.latest_part_bytes() + bytes);
  }

  /// Lets the site have the latest pages of the owner, if it has the slot or can have it.
  Status Move(const state::Host& owner) {
    const SiteSlot slot = SiteSlot::Of(change_.site, rules_.max_sites);
    std::string key = SiteSlotRow::Key(slot);
    CRAWLSIEVE_ASSIGN_OR_RETURN(auto read, SiteSlotRow::Read(rows_, key));
    change_.slot = read.has_value() ? std::move(*read) : SiteSlotRow{std::move(key), {}};
    state::SiteSlot& record = change_.slot->record;
    const std::uint32_t pages = owner.latest_pages();
    SiteRow learned{SiteRow::Key(slot), {}};
    if (record.site() == change_.site) {
      CRAWLSIEVE_ASSIGN_OR_RETURN(learned, SiteRow::Read(rows_, slot));
    } else if (record.patience() > pages) {
      record.set_patience(record.patience() - pages);
      change_.drops_latest = true;
      return {};
    } else {
      if (!record.site().empty()) change_.forgotten = record.site();
      record.Clear();
      record.set_site(change_.site);
    }
    record.set_patience(std::min(record.patience() + pages, kMaxPatience));
    const auto before = NewsOf(learned.site);
    CRAWLSIEVE_RETURN_IF_ERROR(AddLatestPages(owner_, owner, rows_, learned.site, change_.brought));
    change_.is_news = NewsOf(learned.site) != before;
    change_.takes_latest = true;
    change_.learned = std::move(learned);
    return {};
  }

  const site::PageObservation& observation_;
  const SiteRules& rules_;
  RowReader& rows_;
  SiteChange& change_;
  std::string_view owner_;  // into the URL, or into the key of the host's row
};

}  // namespace

Status LearnOfSite(const site::PageObservation& observation, HostRow& host, const SiteRules& rules,
                   RowReader& rows, SiteChange& change) {
  return SiteLearning(observation, rules, rows, change).LearnWith(host);
}

void NameLearningRows(std::string_view site, const HostRow& owner, std::size_t page_bytes,
                      const SiteRules& rules, const KeyNamer& name) {
  if (LatestPagesOf(owner.record).HaveRoomFor(page_bytes, rules.layout)) return;
  const SiteSlot slot = SiteSlot::Of(site, rules.max_sites);
  name(SiteSlotRow::Key(slot));
  name(SiteRow::Key(slot));
  const KeysOfGroup parts = LatestPart::KeysOf(owner.key, owner.record);
  for (const std::string_view key : parts.all()) name(key);
}

Result<bool> ForgetSite(std::string_view name, std::uint64_t max_sites, RowReader& rows,
                        Changes& changes) {
  bool had_slot = false;
  if (max_sites > 0) {
    const SiteSlot slot = SiteSlot::Of(name, max_sites);
    const std::string key = SiteSlotRow::Key(slot);
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto owned, SiteSlotRow::Read(rows, key));
    if (owned.has_value() && owned->record.site() == name) {
      had_slot = true;
      changes.Delete(Table::kHosts, key);
      changes.Delete(Table::kHosts, SiteRow::Key(slot));
    }
  }
  for (const std::string& owner : LatestPagesOwnersOf(name)) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(auto host, HostRow::Read(rows, owner));
    if (!host.has_value()) continue;
    if (host->record.latest_parts() > 0) LatestPart::DeleteAll(owner, changes);
    if (!ClearSite(host->record)) continue;
    if (host->record.ByteSizeLong() == 0) {
      changes.Delete(Table::kHosts, host->key);
    } else {
      host->Write(changes);
    }
  }
  return had_slot;
}

Result<RowMap::Value> RowWithoutSites(std::span<const std::string> names, std::uint64_t max_sites,
                                      std::string_view key, RowReader& rows, std::string& changed) {
  for (const std::string& name : names) {
    if (max_sites > 0 && key == SiteSlotRow::Key(SiteSlot::Of(name, max_sites))) {
      CRAWLSIEVE_ASSIGN_OR_RETURN(const auto slot, SiteSlotRow::Read(rows, key));
      if (slot.has_value() && slot->record.site() == name) return RowMap::Value();
    }
    const auto owners = LatestPagesOwnersOf(name);
    if (std::ranges::find(owners, key) == owners.end()) continue;
    CRAWLSIEVE_ASSIGN_OR_RETURN(auto host, HostRow::Read(rows, key));
    if (!host.has_value() || !ClearSite(host->record)) continue;
    if (host->record.ByteSizeLong() == 0) return RowMap::Value();
    changed = host->record.SerializeAsString();
    return RowMap::Value(changed);
  }
  return rows.Row(Table::kHosts, key);
}

void NameSiteRows(std::string_view name, std::uint64_t max_sites, const KeyNamer& want) {
  if (max_sites == 0) return;
  want(SiteSlotRow::Key(SiteSlot::Of(name, max_sites)));
  for (const std::string& owner : LatestPagesOwnersOf(name)) want(owner);
}

void NameSiteParts(std::string_view name, RowReader& rows, const KeyNamer& want) {
  for (const std::string& owner : LatestPagesOwnersOf(name)) {
    const auto host = HostRow::Read(rows, owner);
    if (!host || !host->has_value() || !CheckParts(owner, (*host)->record)) continue;
    const KeysOfGroup parts = LatestPart::KeysOf(owner, (*host)->record);
    for (const std::string_view key : parts.all()) want(key);
  }
}

Result<std::optional<SiteSlot>> SlotHeldBy(std::string_view site, std::uint64_t max_sites,
                                           RowReader& rows) {
  if (max_sites == 0) return std::optional<SiteSlot>();
  const SiteSlot slot = SiteSlot::Of(site, max_sites);
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto row, SiteSlotRow::Read(rows, SiteSlotRow::Key(slot)));
  const bool is_held = row.has_value() && row->record.site() == site;
  return is_held ? std::optional(slot) : std::nullopt;
}

Result<site::Expected> ExpectedOfHosts(std::string_view site, const site::Expected& average,
                                       RowReader& rows) {
  constexpr std::uint64_t kMostPages = site::FetchCounts::kLimit / site::FetchCounts::kFetch;
  std::uint64_t pages = 0;
  std::uint64_t fresh = 0;
  for (const std::string& owner : LatestPagesOwnersOf(site)) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto host, HostRow::Read(rows, owner));
    if (!host.has_value()) continue;
    pages += host->record.pages();
    fresh += host->record.pages() - std::min(host->record.duplicates(), host->record.pages());
  }
  for (; pages > kMostPages; pages /= 2) fresh /= 2;
  site::FetchCounts counts;
  counts.fetched = static_cast<std::uint32_t>(pages * site::FetchCounts::kFetch);
  counts.with_new = static_cast<std::uint32_t>(fresh * site::FetchCounts::kFetch);
  const site::Share chance = counts.Expect(average).chance;
  if (average.chance == 0) return site::Expected{chance, average.worth};
  // Hosts count no worth: a page of new content is worth what such a page of the crawl is.
  const std::uint64_t worth = std::uint64_t{average.worth} * chance / average.chance;
  return site::Expected{chance,
                        static_cast<site::Share>(std::min<std::uint64_t>(worth, site::kWhole))};
}

Result<std::optional<SiteState>> ReadSite(std::string_view name, std::uint64_t max_sites,
                                          RowReader& rows) {
  std::optional<SiteState> known;
  if (max_sites == 0) return known;
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto slot, SlotHeldBy(name, max_sites, rows));
  if (slot.has_value()) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(auto learned, SiteRow::Read(rows, *slot));
    known.emplace().site = std::move(learned.site);
  }
  const std::array<std::string, 2> owners = LatestPagesOwnersOf(name);
  for (std::size_t i = 0; i < owners.size(); ++i) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto host, HostRow::Read(rows, owners[i]));
    const std::uint32_t pages = host.has_value() ? host->record.latest_pages() : 0;
    if (pages == 0) continue;
    if (!known.has_value()) known.emplace();
    std::vector<site::Brought> ignored;
    CRAWLSIEVE_RETURN_IF_ERROR(AddLatestPages(owners[i], host->record, rows, known->site, ignored));
    known->latest_pages[i] = pages;
  }
  return known;
}

}  // namespace crawlsieve
