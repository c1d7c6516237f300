#include "plugin/judge/page_site.h"

#include "plugin/fingerprint/checksum.h"
#include "plugin/site/latest_pages.h"
#include "plugin/site/share.h"
#include "plugin/site/url_parts.h"
#include "plugin/verdict/reason.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace crawlsieve {
namespace {

using schedule::FetchClass;
using site::Answer;

std::optional<Answer> AnswerOf(const PageFacts& facts) {
  if (facts.verdict.reason == Reason::kOutdated) return std::nullopt;
  switch (facts.page.outcome()) {
    case log::OUTCOME_TEXT:
    case log::OUTCOME_NOT_HTML:
      return Answer::kContent;
    case log::OUTCOME_ERROR_STATUS:
      break;
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
std::uint64_t ContentOf(const PageFacts& facts) {
  if (facts.verdict.cluster.has_value()) return facts.verdict.cluster->id.sequence;
  const auto checksum = ChecksumFromBytes(facts.page.content_checksum());
  return checksum ? checksum->low : 0;
}

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
    observation.content = ContentOf(facts);
    observation.simhash = page.simhash();
    observation.is_short = facts.verdict.reason == Reason::kTooShort;
    observation.has_known_words = facts.neighbours.has_same_words;
  } else if (*answer == Answer::kRedirect) {
    observation.stands_for = page.redirect_target();
  }
  return observation;
}

Result<SiteChange> LearnOfSite(const site::PageObservation& observation, std::uint64_t max_sites,
                               RowReader& rows) {
  SiteChange change;
  if (max_sites == 0) return change;
  const std::string_view name = site::SiteOf(observation.url);
  std::string key = SiteSlotRow::Key(name, max_sites);
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto read, SiteSlotRow::Read(rows, key));
  SiteSlotRow slot = read.has_value() ? std::move(*read) : SiteSlotRow{std::move(key), {}};
  state::SiteSlot& record = slot.record;
  if (record.site() != name) {
    if (record.patience() > 1) {
      record.set_patience(record.patience() - 1);
      change.slot = std::move(slot);
      return change;
    }
    if (!record.site().empty()) change.forgotten = record.site();
    change.forgets_learned = record.has_learned();
    record.Clear();
    record.set_site(std::string(name));
  }
  record.set_patience(std::min(record.patience() + 1, kMaxPatience));
  auto latest = site::LatestPages::Decode(std::move(*record.mutable_latest()));
  if (latest.is_full()) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(auto learned, SiteRow::Read(rows, slot));
    const auto before = NewsOf(learned.site);
    CRAWLSIEVE_ASSIGN_OR_RETURN(change.brought, latest.AddTo(learned.site));
    change.is_news = NewsOf(learned.site) != before;
    latest.Clear();
    change.learned = std::move(learned);
    record.set_has_learned(true);
  }
  latest.Add(observation);
  record.set_latest(std::move(latest).Encode());
  change.slot = std::move(slot);
  change.taken = observation;
  return change;
}

Status ForgetSite(std::string_view name, std::uint64_t max_sites, RowReader& rows,
                  Changes& changes) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto slot,
                              SiteSlotRow::Read(rows, SiteSlotRow::Key(name, max_sites)));
  if (!slot.has_value() || slot->record.site() != name) return {};
  if (slot->record.has_learned()) changes.Delete(Table::kHosts, SiteRow::Key(*slot));
  changes.Delete(Table::kHosts, slot->key);
  return {};
}

Result<std::optional<site::Site>> ReadSite(std::string_view name, std::uint64_t max_sites,
                                           RowReader& rows) {
  if (max_sites == 0) return std::optional<site::Site>();
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto slot,
                              SiteSlotRow::Read(rows, SiteSlotRow::Key(name, max_sites)));
  if (!slot.has_value() || slot->record.site() != name) return std::optional<site::Site>();
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto learned, SiteRow::Read(rows, *slot));
  const auto latest = site::LatestPages::Decode(slot->record.latest());
  CRAWLSIEVE_RETURN_IF_ERROR(latest.AddTo(learned.site));
  return std::optional(std::move(learned.site));
}

}  // namespace crawlsieve
