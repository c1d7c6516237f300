#include "plugin/judge/remover.h"

#include "plugin/judge/fold_version.h"
#include "plugin/judge/page.h"
#include "plugin/judge/page_site.h"
#include "plugin/schedule/url_schedule.h"
#include "plugin/site/url_parts.h"

#include <algorithm>
#include <utility>

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
  if (selection.kind() == Selection::Kind::kHost) {
    HostRow::DeleteAll(selection.text(), overlay_.rows());
    CRAWLSIEVE_RETURN_IF_ERROR(ForgetSiteOf("http://" + selection.text() + "/"));
  } else if (!is_crawl) {
    CRAWLSIEVE_RETURN_IF_ERROR(ForgetSiteOf(selection.text()));
  }
  ActivePurge active{progress_.sequence, selection, 0, {}};
  CRAWLSIEVE_ASSIGN_OR_RETURN(const bool is_done, Look(active));
  if (!is_done) progress_.removal.purges.push_back(std::move(active));
  has_finished_ |= is_done;
  return true;
}

Status Remover::CompleteFor(std::string_view key) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto row, UrlRow::Read(overlay_, key));
  if (!row.has_value() || !PurgedRows(progress_.removal.purges).Has(*row)) return {};
  CRAWLSIEVE_RETURN_IF_ERROR(RemoveUrl(*row));
  return ForgetSiteOf(row->url());
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
  has_finished_ |= is_done;
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
    for (const Store::Row& row : rows) {
      CRAWLSIEVE_ASSIGN_OR_RETURN(const auto url, UrlRow::Parse(row.key, row.value));
      if (url.record.written() < purge.sequence && purge.selection.Covers(url)) {
        CRAWLSIEVE_RETURN_IF_ERROR(RemoveUrl(url));
        CRAWLSIEVE_RETURN_IF_ERROR(ForgetSiteOf(url.url()));
      }
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
  for (const Store::Row& row : rows) {
    CRAWLSIEVE_RETURN_IF_ERROR(is_documents ? ExpireDocument(row) : ExpireUrl(row));
  }
  if (rows.size() == retention().sweep_rows) {
    removal.next = After(rows.back().key);
    return {};
  }
  removal.next.clear();
  removal.stage = is_documents ? ExpiryStage::kUrls : ExpiryStage::kNone;
  has_finished_ |= !is_documents;
  return {};
}

Status Remover::ExpireDocument(const Store::Row& row) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto document, DocumentRow::Parse(row.key, row.value));
  const bool is_old =
      SeenOf(document.record.seen()) + SeenStep(retention()) < HourOf(progress_.removal.horizon);
  return is_old ? RemoveDocument(document) : Status();
}

Status Remover::ExpireUrl(const Store::Row& row) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto url, UrlRow::Parse(row.key, row.value));
  if (SeenOf(url.record.seen()) >= HourOf(progress_.removal.horizon)) return {};
  // As long as others repeat the URL's version it is known as the URL's own: or the URL would come
  // to repeat itself.
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto own,
                              DocumentRow::Read(overlay_, DocId{url.record.kept()}));
  return own.has_value() ? Status() : RemoveUrl(url);
}

Status Remover::KeepBound() {
  RemovalProgress& removal = progress_.removal;
  std::uint64_t pages = overlay_.index().get().Stats().documents;
  if (pages <= retention().max_pages) return {};
  removal.has_row = true;
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto rows, overlay_.Range(Table::kDocuments, "", removal.oldest,
                                                              retention().sweep_rows));
  for (const Store::Row& row : rows) {
    if (pages <= retention().max_pages) break;
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto document, DocumentRow::Parse(row.key, row.value));
    CRAWLSIEVE_RETURN_IF_ERROR(RemoveDocument(document));
    if (document.InIndex().has_value()) --pages;
    removal.oldest = After(row.key);
  }
  return {};
}

Status Remover::RemoveUrl(const UrlRow& row) {
  const DocId kept{row.record.kept()};
  const DocId representative{row.record.representative()};
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto own, DocumentRow::Read(overlay_, kept));
  if (own.has_value()) {
    CRAWLSIEVE_RETURN_IF_ERROR(RemoveDocument(*own));
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
  return {};
}

Status Remover::RemoveDocument(const DocumentRow& document) {
  document.Delete(overlay_.rows());
  const ContentRow named = ContentRow::Of(document);
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto content, ContentRow::Read(overlay_, named.key));
  // A page that came after the purge may have the same content.
  if (content.has_value() && content->document == document.id) content->Delete(overlay_.rows());
  if (const auto entry = document.InIndex()) overlay_.index().Remove(*entry);
  return {};
}

Status Remover::ForgetSiteOf(std::string_view url) {
  const std::uint64_t max_sites = progress_.parameters->sites.max;
  const std::string_view site = site::SiteOf(url);
  if (max_sites == 0 || site.empty() || site == forgotten_) return {};
  forgotten_ = site;
  sites_.Forget(site);
  return ForgetSite(site, max_sites, overlay_, overlay_.rows());
}

}  // namespace crawlsieve
