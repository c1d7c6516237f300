#include "plugin/judge/remover.h"

#include "plugin/judge/fold_version.h"
#include "plugin/judge/page.h"
#include "plugin/judge/page_site.h"
#include "plugin/schedule/url_schedule.h"
#include "plugin/site/url_parts.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace crawlsieve {
namespace {

/// The key that comes after another one.
std::string After(std::string key) {
  key += '\0';
  return key;
}

std::uint64_t ScopeOfCrawl(const std::string& crawl_id, std::string_view scheme, Scope scope) {
  if (scope != Scope::kCrawl) return 0;
  log::Page page;
  page.set_crawl_id(crawl_id);
  page.set_scheme(std::string(scheme));
  return ScopeOf(page, scope);
}

/// The document that the page showed to be there still; 0: none.
DocId SeenBy(const PageDecision& decision) {
  if (decision.inserted.has_value()) return {};
  if (decision.verdict.match.has_value()) return decision.verdict.match->document;
  const bool is_own = decision.verdict.reason == Reason::kNotModified;
  return is_own ? DocId{decision.url.record.kept()} : DocId{};
}

}  // namespace

Status NoteForRemoval(const log::Page& page, DocId id, const RetentionParameters& retention,
                      const RemovalProgress& removal, JudgeView& view, PageDecision& decision) {
  const std::uint64_t crawl = CrawlHash(page.crawl_id());
  const PurgedRows purged(removal.purges);
  const auto note = [&](UrlRow& url) {
    if (decision.inserted.has_value() || url.record.kept() == 0) url.record.set_crawl(crawl);
    if (retention.expire_seconds > 0) url.record.set_seen(HourOf(removal.now));
    if (purged.MayHave(url)) url.record.set_written(id.sequence);
  };
  if (decision.url_change == PageDecision::UrlChange::kWrite) note(decision.url);
  if (decision.adopted.has_value()) note(*decision.adopted);
  if (decision.inserted.has_value()) decision.inserted->record.set_crawl(crawl);
  if (retention.expire_seconds == 0) return {};
  if (decision.inserted.has_value()) decision.inserted->record.set_seen(HourOf(removal.now));
  const DocId seen = SeenBy(decision);
  if (seen.sequence == 0) return {};
  std::optional<DocumentRow> read;
  DocumentRow* document = nullptr;
  if (decision.matched.has_value() && decision.matched->id == seen) {
    document = &*decision.matched;
  } else {
    CRAWLSIEVE_ASSIGN_OR_RETURN(read, DocumentRow::Read(view, seen));
    if (read.has_value()) document = &*read;
  }
  if (document == nullptr || HourOf(removal.now) < document->record.seen() + SeenStep(retention)) {
    return {};
  }
  document->record.set_seen(HourOf(removal.now));
  if (read.has_value()) decision.matched = std::move(read);
  return {};
}

Result<bool> Remover::Begin(const log::Purge& purge, std::string_view scheme) {
  const auto named = Selection::Of(purge);
  if (!named.has_value() || !progress_.removal.TakeId(purge.id())) return false;
  const bool is_crawl = named->kind() == Selection::Kind::kCrawl;
  const Selection selection(
      named->kind(), named->text(),
      is_crawl ? ScopeOfCrawl(named->text(), scheme, progress_.parameters->scope) : 0);
  // In this order: the row of a host says which rows have its latest pages.
  CRAWLSIEVE_RETURN_IF_ERROR(Forget(selection.site()));
  ForgetPatterns(selection);
  ActivePurge active{progress_.sequence, selection, 0, {}};
  CRAWLSIEVE_ASSIGN_OR_RETURN(const bool is_done, Look(active));
  if (!is_done) progress_.removal.purges.push_back(std::move(active));
  removed_.purges_done += is_done ? 1 : 0;
  return true;
}

void Remover::ForgetPatterns(const Selection& selection) {
  Changes& rows = overlay_.rows();
  switch (selection.kind()) {
    case Selection::Kind::kUrl:
      PatternRow::DeleteOf(selection.text(), rows);
      break;
    case Selection::Kind::kUrlPrefix:
      PatternRow::DeleteAll(HostOfUrl(selection.text()), rows);
      break;
    case Selection::Kind::kHost:
      HostRow::Delete(selection.text(), rows);
      PatternRow::DeleteAll(selection.text(), rows);
      break;
    case Selection::Kind::kCrawl:
      break;
  }
}

Result<std::vector<UrlRow>> Remover::StaleUrlsOf(const log::Page& page) {
  std::vector<UrlRow> stale;
  const PurgedRows purged(progress_.removal.purges);
  if (!purged.any()) return stale;
  for (const std::string* url : {&page.canonical_url(), &page.redirect_target()}) {
    if (url->empty() || (!stale.empty() && stale.front().url() == *url)) continue;
    const std::string key = UrlRow::Key(*url, page, progress_.parameters->scope);
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto bytes, overlay_.Row(Table::kUrls, key));
    if (!bytes.has_value()) continue;
    CRAWLSIEVE_ASSIGN_OR_RETURN(const bool is_purged, purged.Has(Table::kUrls, key, *bytes));
    if (!is_purged) continue;
    CRAWLSIEVE_ASSIGN_OR_RETURN(auto row, UrlRow::Parse(key, *bytes));
    stale.push_back(std::move(row));
  }
  return stale;
}

Status Remover::RemoveStale(const std::vector<UrlRow>& stale) {
  if (stale.empty()) return {};
  for (const std::string& site : PurgedRows(progress_.removal.purges).SitesOf(stale)) {
    CRAWLSIEVE_RETURN_IF_ERROR(Forget(site));
  }
  for (const UrlRow& url : stale) {
    CRAWLSIEVE_RETURN_IF_ERROR(RemoveUrl(url, removed_.purged_urls, removed_.purged_pages));
  }
  return {};
}

Status Remover::Sweep() {
  if (progress_.fold_version < kFoldVersionOfRemoval ||
      progress_.sequence % retention().sweep_entries != 0) {
    return {};
  }
  if (retention().max_pages > 0) {
    CRAWLSIEVE_RETURN_IF_ERROR(KeepBound());
  }
  RemovalProgress& removal = progress_.removal;
  if (retention().expire_seconds > 0) {
    removal.MoveClock();
    if (removal.since == 0) removal.since = removal.now;
  }
  if (removal.purges.empty()) return Expire();
  CRAWLSIEVE_ASSIGN_OR_RETURN(const bool is_done, Look(removal.purges.front()));
  if (is_done) removal.purges.erase(removal.purges.begin());
  removed_.purges_done += is_done ? 1 : 0;
  return {};
}

Result<bool> Remover::Look(ActivePurge& purge) {
  const std::vector<KeyRange> ranges = purge.selection.Ranges();
  std::size_t left = retention().sweep_rows;
  while (purge.range < ranges.size() && left > 0) {
    const KeyRange& range = ranges[purge.range];
    const std::size_t asked = range.is_exact ? 1 : left;
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto rows,
                                overlay_.Range(Table::kUrls, range.prefix, purge.next, asked));
    std::vector<UrlRow> purged;
    for (const Store::Row& row : rows) {
      if (!purge.selection.MayCover(Table::kUrls, row.key, row.value)) continue;
      CRAWLSIEVE_ASSIGN_OR_RETURN(auto url, UrlRow::Parse(row.key, row.value));
      if (url.record.written() < purge.sequence && purge.selection.Covers(url)) {
        purged.push_back(std::move(url));
      }
    }
    CRAWLSIEVE_RETURN_IF_ERROR(ReadAheadFor(purged));
    for (const UrlRow& url : purged) {
      CRAWLSIEVE_RETURN_IF_ERROR(RemoveUrl(url, removed_.purged_urls, removed_.purged_pages));
      // A prefix may be of several hosts.
      if (purge.selection.kind() == Selection::Kind::kUrlPrefix) {
        PatternRow::DeleteOf(url.url(), overlay_.rows());
      }
      const std::string_view site = site::SiteOf(url.url());
      if (site == purge.selection.site()) continue;
      CRAWLSIEVE_RETURN_IF_ERROR(Forget(site));
    }
    left -= std::max<std::size_t>(rows.size(), 1);
    if (range.is_exact || rows.size() < asked) {
      ++purge.range;
      purge.next.clear();
    } else {
      purge.next = After(rows.back().key);
    }
  }
  return purge.range == ranges.size();
}

std::uint32_t Remover::SeenOf(std::uint32_t hour) const {
  const RemovalProgress& removal = progress_.removal;
  // A time ahead of the clock is of an earlier one, that was wrong.
  return std::max(hour > HourOf(removal.now) ? 0 : hour, HourOf(removal.since));
}

Status Remover::Expire() {
  RemovalProgress& removal = progress_.removal;
  const std::uint64_t after = retention().expire_seconds;
  if (after == 0 || removal.now < removal.since + after) return {};
  if (removal.stage == ExpiryStage::kNone) {
    if (removal.pass_began != 0 && removal.now < removal.pass_began + after / 8) return {};
    removal.pass_began = removal.now;
    removal.horizon = removal.now - after;
    removal.stage = ExpiryStage::kDocuments;
    removal.next.clear();
  }
  const bool is_documents = removal.stage == ExpiryStage::kDocuments;
  const Table table = is_documents ? Table::kDocuments : Table::kUrls;
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto rows,
                              overlay_.Range(table, "", removal.next, retention().sweep_rows));
  CRAWLSIEVE_RETURN_IF_ERROR(is_documents ? ExpireDocuments(rows) : ExpireUrls(rows));
  if (rows.size() == retention().sweep_rows) {
    removal.next = After(rows.back().key);
    return {};
  }
  removal.next.clear();
  removal.stage = is_documents ? ExpiryStage::kUrls : ExpiryStage::kNone;
  removed_.is_pass_done |= !is_documents;
  return {};
}

Status Remover::ExpireDocuments(std::span<const Store::Row> rows) {
  std::vector<DocumentRow> expired;
  for (const Store::Row& row : rows) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(auto document, DocumentRow::Parse(row.key, row.value));
    const bool is_old =
        SeenOf(document.record.seen()) + SeenStep(retention()) < HourOf(progress_.removal.horizon);
    if (is_old) expired.push_back(std::move(document));
  }
  ReadAheadFor(expired);
  for (const DocumentRow& document : expired) {
    CRAWLSIEVE_RETURN_IF_ERROR(RemoveDocument(document, removed_.expired_pages));
  }
  return {};
}

Status Remover::ExpireUrls(std::span<const Store::Row> rows) {
  std::vector<UrlRow> old;
  for (const Store::Row& row : rows) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(auto url, UrlRow::Parse(row.key, row.value));
    const bool is_old = SeenOf(url.record.seen()) < HourOf(progress_.removal.horizon);
    if (is_old) old.push_back(std::move(url));
  }
  CRAWLSIEVE_RETURN_IF_ERROR(ReadAheadFor(old));
  for (const UrlRow& url : old) {
    // As long as others repeat the URL's version it is known as the URL's own: or the URL would
    // come to repeat itself.
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto own,
                                DocumentRow::Read(overlay_, DocId{url.record.kept()}));
    if (own.has_value()) continue;
    CRAWLSIEVE_RETURN_IF_ERROR(RemoveUrl(url, removed_.expired_urls, removed_.expired_pages));
  }
  return {};
}

Status Remover::KeepBound() {
  RemovalProgress& removal = progress_.removal;
  std::uint64_t pages =
      removal.indexed.value_or(0) + static_cast<std::uint64_t>(overlay_.index().balance());
  if (pages <= retention().max_pages) return {};
  // As many as may have come since the last time, or the bound would be left behind.
  const std::size_t most = std::size_t{retention().sweep_entries} + retention().sweep_rows;
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto rows,
                              overlay_.Range(Table::kDocuments, "", removal.oldest, most));
  std::vector<DocumentRow> oldest;
  for (const Store::Row& row : rows) {
    if (pages <= retention().max_pages) break;
    CRAWLSIEVE_ASSIGN_OR_RETURN(auto document, DocumentRow::Parse(row.key, row.value));
    if (document.InIndex().has_value()) --pages;
    removal.oldest = After(row.key);
    oldest.push_back(std::move(document));
  }
  ReadAheadFor(oldest);
  for (const DocumentRow& document : oldest) {
    CRAWLSIEVE_RETURN_IF_ERROR(RemoveDocument(document, removed_.evicted_pages));
  }
  return {};
}

Status Remover::ReadAheadFor(std::span<const UrlRow> urls) {
  std::vector<std::string> keys;
  for (const UrlRow& url : urls) {
    const DocId kept{url.record.kept()};
    const DocId representative{url.record.representative()};
    if (kept.sequence != 0) keys.push_back(DocumentRow::Key(kept));
    if (representative != kept) keys.push_back(DocumentRow::Key(representative));
  }
  overlay_.ReadRows(Table::kDocuments, keys);
  std::vector<DocumentRow> documents;
  for (const UrlRow& url : urls) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(auto own, DocumentRow::Read(overlay_, DocId{url.record.kept()}));
    if (own.has_value()) documents.push_back(std::move(*own));
  }
  ReadAheadFor(documents);
  return {};
}

void Remover::ReadAheadFor(std::span<const DocumentRow> documents) {
  std::vector<std::string> keys;
  for (const DocumentRow& document : documents) keys.push_back(ContentRow::Of(document).key);
  overlay_.ReadRows(Table::kContent, keys);
}

Status Remover::RemoveUrl(const UrlRow& row, std::uint64_t& urls, std::uint64_t& pages) {
  const DocId kept{row.record.kept()};
  const DocId representative{row.record.representative()};
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto own, DocumentRow::Read(overlay_, kept));
  if (own.has_value()) {
    CRAWLSIEVE_RETURN_IF_ERROR(RemoveDocument(*own, pages));
  }
  if (representative != kept) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(auto joined, DocumentRow::Read(overlay_, representative));
    if (joined.has_value() && joined->record.preferred_url() == row.url()) {
      joined->record.clear_preferred_url();
      joined->record.clear_preferred_score();
      joined->Write(overlay_.rows());
    }
  }
  if (!row.record.schedule().empty()) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto schedule,
                                schedule::UrlSchedule::Decode(row.record.schedule()));
    progress_.crawl.Add(schedule::CrawlSchedule::Forget(schedule));
  }
  row.Delete(overlay_.rows());
  ++urls;
  return {};
}

Status Remover::RemoveDocument(const DocumentRow& document, std::uint64_t& pages) {
  ++pages;
  document.Delete(overlay_.rows());
  const ContentRow named = ContentRow::Of(document);
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto content, ContentRow::Read(overlay_, named.key));
  // A page that came after the purge may have the same content.
  if (content.has_value() && content->document == document.id) content->Delete(overlay_.rows());
  if (const auto entry = document.InIndex()) overlay_.index().Remove(*entry);
  return {};
}

Status Remover::Forget(std::string_view site) {
  // Rows are in the order of their URLs.
  if (site.empty() || site == last_site_) return {};
  last_site_ = site;
  scores_.ForgetSite(site);
  CRAWLSIEVE_ASSIGN_OR_RETURN(const bool had_slot, ForgetSite(site, progress_.parameters->sites.max,
                                                              overlay_, overlay_.rows()));
  if (had_slot) forgotten_.emplace_back(site);
  return {};
}

}  // namespace crawlsieve
