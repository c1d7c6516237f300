#include "plugin/judge/removal.h"

#include "plugin/base/result.h"
#include "plugin/fingerprint/checksum.h"
#include "plugin/judge/page_site.h"
#include "plugin/site/url_parts.h"

#include <algorithm>
#include <span>
#include <utility>

namespace crawlsieve {
namespace {

/// The most that the clock moves on at a step: whoever writes wrong times must do so for long.
constexpr std::uint64_t kLongestStep = 86'400;
constexpr std::int64_t kYear10000Ms = 253'402'300'800'000;

}  // namespace

RemovalRow RemovalProgress::ToRow() const {
  RemovalRow row;
  state::Removal& record = row.record;
  for (const ActivePurge& purge : purges) {
    state::Removal::Purge& written = *record.add_purges();
    written.set_sequence(purge.sequence);
    written.set_kind(static_cast<std::uint32_t>(purge.selection.kind()));
    written.set_text(purge.selection.text());
    written.set_scope(purge.selection.scope());
    written.set_range(purge.range);
    written.set_next(purge.next);
  }
  record.mutable_known_ids()->Add(known_ids.begin(), known_ids.end());
  record.set_now(now);
  record.set_earliest(earliest);
  record.set_since(since);
  record.set_pass_began(pass_began);
  record.set_horizon(horizon);
  record.set_stage(static_cast<std::uint32_t>(stage));
  record.set_next(next);
  record.set_oldest(oldest);
  if (indexed.has_value()) record.set_indexed(*indexed);
  return row;
}

RemovalProgress RemovalProgress::Of(const RemovalRow& row) {
  const state::Removal& record = row.record;
  RemovalProgress progress;
  progress.has_row = true;
  for (const state::Removal::Purge& purge : record.purges()) {
    progress.purges.push_back(
        {purge.sequence(),
         Selection(static_cast<Selection::Kind>(purge.kind()), purge.text(), purge.scope()),
         purge.range(), purge.next()});
  }
  progress.known_ids.assign(record.known_ids().begin(), record.known_ids().end());
  progress.now = record.now();
  progress.earliest = record.earliest();
  progress.since = record.since();
  progress.pass_began = record.pass_began();
  progress.horizon = record.horizon();
  progress.stage = static_cast<ExpiryStage>(record.stage());
  progress.next = record.next();
  progress.oldest = record.oldest();
  if (record.has_indexed()) progress.indexed = record.indexed();
  return progress;
}

bool RemovalProgress::TakeId(std::string_view id) {
  has_row = true;
  const std::uint64_t hash = RawChecksum(id).low;
  if (std::ranges::find(known_ids, hash) != known_ids.end()) return false;
  if (known_ids.size() == kMaxIds) known_ids.erase(known_ids.begin());
  known_ids.push_back(hash);
  return true;
}

void RemovalProgress::NoteTime(std::int64_t timestamp_ms) {
  has_row = true;
  if (timestamp_ms < 1000) return;
  const auto seconds = static_cast<std::uint64_t>(std::min(timestamp_ms, kYear10000Ms) / 1000);
  earliest = earliest == 0 ? seconds : std::min(earliest, seconds);
}

void RemovalProgress::MoveClock() {
  const std::uint64_t time = std::exchange(earliest, 0);
  if (time <= now) return;
  now = now == 0 ? time : std::min(time, now + kLongestStep);
}

void RemovalProgress::StopClock() {
  now = earliest = since = pass_began = horizon = 0;
  stage = ExpiryStage::kNone;
  next.clear();
}

bool PurgedRows::Has(const UrlRow& row) const {
  return std::ranges::any_of(purges_, [&row](const ActivePurge& purge) {
    return row.record.written() < purge.sequence && purge.selection.Covers(row);
  });
}

bool PurgedRows::Has(const DocumentRow& row) const {
  return std::ranges::any_of(purges_, [&row](const ActivePurge& purge) {
    return row.id.sequence < purge.sequence && purge.selection.Covers(row);
  });
}

Result<bool> PurgedRows::Has(Table table, std::string_view key, std::string_view value) const {
  if (table != Table::kUrls && table != Table::kDocuments) return false;
  const bool may_be = std::ranges::any_of(purges_, [&](const ActivePurge& purge) {
    return purge.selection.MayCover(table, key, value);
  });
  if (!may_be) return false;
  if (table == Table::kUrls) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto row, UrlRow::Parse(key, value));
    return Has(row);
  }
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto row, DocumentRow::Parse(key, value));
  return Has(row);
}

bool PurgedRows::MayHave(const UrlRow& row) const {
  return std::ranges::any_of(
      purges_, [&row](const ActivePurge& purge) { return purge.selection.Covers(row); });
}

std::vector<std::string> PurgedRows::SitesOf(const std::vector<UrlRow>& rows) const {
  std::vector<std::string> sites;
  for (const UrlRow& row : rows) {
    const std::string_view site = site::SiteOf(row.url());
    const bool is_forgotten = std::ranges::any_of(purges_, [&](const ActivePurge& purge) {
      return purge.selection.Covers(row) && purge.selection.site() == site;
    });
    if (!is_forgotten && !site.empty()) sites.emplace_back(site);
  }
  return sites;
}

Result<RowMap::Value> LivingRows::Row(Table table, std::string_view key) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto bytes, rows_.Row(table, key));
  if (!bytes.has_value()) return bytes;
  CRAWLSIEVE_ASSIGN_OR_RETURN(const bool is_purged, purged_.Has(table, key, *bytes));
  return is_purged ? RowMap::Value() : bytes;
}

Result<RowValues> LivingRows::Rows(Table table, std::span<const std::string_view> keys) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto rows, rows_.Rows(table, keys));
  for (std::size_t i = 0; purged_.any() && i < keys.size(); ++i) {
    RowMap::Value& row = rows.values[i];
    if (!row.has_value()) continue;
    CRAWLSIEVE_ASSIGN_OR_RETURN(const bool is_purged, purged_.Has(table, keys[i], *row));
    if (is_purged) row.reset();
  }
  return rows;
}

Result<RowMap::Value> LivingView::Row(Table table, std::string_view key) {
  if (table == Table::kDocuments) return Document(key);
  if (table == Table::kHosts && !forgotten_.empty()) {
    return RowWithoutSites(forgotten_, parameters_.sites.max, key, view_, changed_);
  }
  return LivingRows(purged_, view_).Row(table, key);
}

Result<RowMap::Value> LivingView::Document(std::string_view key) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto bytes,
                              LivingRows(purged_, view_).Row(Table::kDocuments, key));
  // Where no URLs are preferred, nobody looks at those that were.
  if (!bytes.has_value() || parameters_.preferred_url.empty()) return bytes;
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto row, DocumentRow::Parse(key, *bytes));
  if (row.record.preferred_url().empty()) return bytes;
  changed_ = *bytes;
  const std::string preferred =
      UrlRow::Key(row.record.preferred_url(), crawl_id_, parameters_.scope);
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto url, UrlRow::Read(view_, preferred));
  if (url.has_value() && purged_.Has(*url)) {
    row.record.clear_preferred_url();
    row.record.clear_preferred_score();
    changed_ = row.record.SerializeAsString();
  }
  return RowMap::Value(changed_);
}

Result<FoundCandidates> LivingView::Candidates(Fingerprint query, const Reach& reach) {
  for (Reach asked = reach;; asked.limit = reach.limit + kMore) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(const FoundCandidates found, view_.Candidates(query, asked));
    const bool is_cut = found.matches.size() >= asked.limit;
    matches_.clear();
    for (const Match& match : found.matches) {
      const std::string key = DocumentRow::Key(match.document);
      CRAWLSIEVE_ASSIGN_OR_RETURN(const auto bytes, view_.Row(Table::kDocuments, key));
      bool is_purged = false;
      if (bytes.has_value()) {
        CRAWLSIEVE_ASSIGN_OR_RETURN(is_purged, purged_.Has(Table::kDocuments, key, *bytes));
      }
      if (!is_purged) matches_.push_back(match);
    }
    if (matches_.size() >= reach.limit) {
      matches_.resize(reach.limit);
      return FoundCandidates{matches_, true};
    }
    if (!found.is_whole) return FoundCandidates{matches_, false};
    if (!is_cut || asked.limit > reach.limit) return FoundCandidates{matches_, true};
  }
}

}  // namespace crawlsieve
