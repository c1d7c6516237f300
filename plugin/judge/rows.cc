#include "plugin/judge/rows.h"

#include "plugin/base/result.h"
#include "plugin/judge/page.h"
#include "plugin/schedule/byte_writer.h"
#include "plugin/schedule/path_pattern.h"
#include "plugin/schedule/text_hash.h"
#include "plugin/site/latest_pages.h"
#include "plugin/state/latest_page_key.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve {
namespace {

constexpr std::string_view kPositionKey = "position";
constexpr std::string_view kParametersKey = "parameters";
constexpr std::string_view kScheduleKey = "schedule";
constexpr std::string_view kSitesKey = "sites";
constexpr std::string_view kRemovalKey = "removal";

void AppendBigEndian(std::uint64_t number, std::string& key) {
  for (int shift = 56; shift >= 0; shift -= 8) key += static_cast<char>(number >> shift);
}

template <typename Record>
bool ParseRecord(std::string_view bytes, Record& record) {
  return record.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

/// Reads the record of `key` into a new row, whose key remains to be set. A row is parsed in place
/// and moved as little as can be: moving a record costs as much as reading one of its fields.
template <typename Row>
Result<std::optional<Row>> ReadRow(RowReader& rows, Table table, std::string_view key) {
  Result<std::optional<Row>> row;
  const auto bytes = rows.Row(table, key);
  if (!bytes) {
    row = tl::unexpected(bytes.error());
  } else if (bytes->has_value() && !ParseRecord(**bytes, row->emplace().record)) {
    row = MakeError(ErrorCode::kCorruption,
                    fmt::format("state: the record of key '{}' can't be read", key));
  }
  return row;
}

template <typename Record>
void WriteRecord(Table table, std::string_view key, const Record& record, Changes& changes) {
  changes.Put(table, key, record.SerializeAsString());
}

/// Of a row of the slot. No host begins with NUL.
std::string SlotKey(SiteSlot slot, char kind) {
  std::string key(1, '\0');
  AppendBigEndian(slot.number, key);
  return key += kind;
}

tl::unexpected<Error> UnreadableMark(std::string_view key) {
  return MakeError(ErrorCode::kCorruption,
                   fmt::format("state: the mark of '{}' can't be read", key));
}

}  // namespace

/// Keys sort by sequence.
std::string DocumentRow::Key(DocId id) {
  std::string key;
  AppendBigEndian(id.sequence, key);
  return key;
}

Result<DocumentRow> DocumentRow::Parse(std::string_view key, std::string_view value) {
  if (key.size() != 8) {
    return MakeError(ErrorCode::kCorruption,
                     fmt::format("state: a document key of {} bytes, not 8", key.size()));
  }
  DocumentRow row;
  for (const char c : key) row.id.sequence = row.id.sequence << 8 | static_cast<unsigned char>(c);
  if (!ParseRecord(value, row.record)) {
    return MakeError(ErrorCode::kCorruption,
                     fmt::format("state: document {} can't be read", row.id.sequence));
  }
  return row;
}

Result<std::optional<DocumentRow>> DocumentRow::Read(RowReader& rows, DocId id) {
  auto row = id.sequence == 0 ? Result<std::optional<DocumentRow>>()
                              : ReadRow<DocumentRow>(rows, Table::kDocuments, Key(id));
  if (row && row->has_value()) (*row)->id = id;
  return row;
}

DocumentRow DocumentRow::Of(const log::Page& page, DocId id, std::uint64_t scope) {
  DocumentRow row{id, {}};
  state::Document& document = row.record;
  document.set_url(page.url());
  document.set_id(page.id());
  document.set_canonical_url(page.canonical_url());
  document.set_content_checksum(page.content_checksum());
  document.set_first_seen_ms(FetchTime(page).time_since_epoch().count());
  document.set_cluster_size(1);
  document.set_scope(scope);
  if (page.outcome() == log::OUTCOME_TEXT) {
    document.set_simhash(page.simhash());
    document.set_features(page.features());
    document.set_shingles(page.shingles());
    document.set_title(page.title());
    *document.mutable_sketch() = page.sketch();
  }
  return row;
}

void DocumentRow::Write(Changes& changes) const {
  WriteRecord(Table::kDocuments, Key(id), record, changes);
}

void DocumentRow::Delete(Changes& changes) const { changes.Delete(Table::kDocuments, Key(id)); }

PageTraits DocumentRow::Traits() const {
  return {.content_checksum = record.content_checksum(),
          .is_text = record.features() > 0,
          .features = record.features(),
          .simhash = Fingerprint{record.simhash()},
          .shingles = record.shingles(),
          .sketch = SketchOf(record.sketch()),
          .item = {record.canonical_url(), record.title()}};
}

std::optional<IndexEntry> DocumentRow::InIndex() const {
  if (record.features() == 0) return std::nullopt;
  return IndexEntry{crawlsieve::InIndex(record.simhash(), record.scope()), id};
}

std::string ContentRow::Key(std::string_view content_checksum, std::uint64_t scope) {
  std::string key(content_checksum);
  if (scope != 0) AppendBigEndian(scope, key);
  return key;
}

Result<std::optional<ContentRow>> ContentRow::Read(RowReader& rows, std::string_view key) {
  struct Stored {
    state::Content record;
  };
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto stored, ReadRow<Stored>(rows, Table::kContent, key));
  if (!stored.has_value()) return std::optional<ContentRow>();
  return ContentRow{std::string(key), DocId{stored->record.document()}};
}

ContentRow ContentRow::Of(const DocumentRow& document) {
  return {Key(document.record.content_checksum(), document.record.scope()), document.id};
}

void ContentRow::Write(Changes& changes) const {
  state::Content record;
  record.set_document(document.sequence);
  WriteRecord(Table::kContent, key, record, changes);
}

void ContentRow::Delete(Changes& changes) const { changes.Delete(Table::kContent, key); }

std::string UrlRow::Key(const log::Page& page, Scope scope) {
  return Key(page.canonical_url(), page, scope);
}

std::string UrlRow::Key(std::string_view canonical_url, const log::Page& page, Scope scope) {
  return Key(canonical_url, page.crawl_id(), scope);
}

std::string UrlRow::Key(std::string_view canonical_url, std::string_view crawl_id, Scope scope) {
  std::string key(canonical_url);
  // A canonical URL has no line break.
  if (scope == Scope::kCrawl) (key += '\n') += crawl_id;
  return key;
}

std::string_view UrlRow::url() const { return std::string_view(key).substr(0, key.find('\n')); }

std::string_view UrlRow::crawl_id() const {
  return std::string_view(key).substr(std::min(url().size() + 1, key.size()));
}

Result<UrlRow> UrlRow::Parse(std::string_view key, std::string_view value) {
  UrlRow row{std::string(key), {}};
  if (!ParseRecord(value, row.record)) {
    return MakeError(ErrorCode::kCorruption,
                     fmt::format("state: the record of key '{}' can't be read", key));
  }
  return row;
}

Result<std::optional<UrlRow>> UrlRow::Read(RowReader& rows, std::string_view key) {
  auto row = ReadRow<UrlRow>(rows, Table::kUrls, key);
  if (row && row->has_value()) (*row)->key = key;
  return row;
}

void UrlRow::Write(Changes& changes) const { WriteRecord(Table::kUrls, key, record, changes); }

void UrlRow::Delete(Changes& changes) const { changes.Delete(Table::kUrls, key); }

Result<std::optional<HostRow>> HostRow::Read(RowReader& rows, std::string_view key) {
  // A row of another kind. A URL that can't be taken apart may have NUL in the place of a host.
  if (key.find('\0') != std::string_view::npos) return std::optional<HostRow>();
  auto row = ReadRow<HostRow>(rows, Table::kHosts, key);
  if (row && row->has_value()) (*row)->key = key;
  return row;
}

void HostRow::Write(Changes& changes) const { WriteRecord(Table::kHosts, key, record, changes); }

void HostRow::Delete(std::string_view host, Changes& changes) {
  changes.Delete(Table::kHosts, host);
}

std::string PatternRow::Key(std::string_view host, std::string_view pattern) {
  std::string key(host);
  key += '\0';
  key += static_cast<char>(schedule::PatternSet::SetOf(pattern));
  return key;
}

Result<std::optional<PatternRow>> PatternRow::Read(RowReader& rows, std::string_view key) {
  const auto bytes = rows.Row(Table::kHosts, key);
  if (!bytes) return tl::unexpected(bytes.error());
  if (!bytes->has_value()) return std::optional<PatternRow>();
  auto patterns = schedule::PatternSet::Decode(**bytes);
  if (!patterns) return tl::unexpected(patterns.error());
  return PatternRow{std::string(key), std::move(*patterns)};
}

void PatternRow::Write(Changes& changes) const {
  changes.Put(Table::kHosts, key, patterns.Encode());
}

void PatternRow::DeleteOf(std::string_view canonical_url, Changes& changes) {
  changes.Delete(Table::kHosts,
                 Key(HostOfUrl(canonical_url), schedule::PathPattern(canonical_url)));
}

void PatternRow::DeleteAll(std::string_view host, Changes& changes) {
  std::string key(host);
  key += '\0';
  key += '\0';
  for (std::size_t set = 0; set < schedule::PatternSet::kSets; ++set) {
    key.back() = static_cast<char>(set);
    changes.Delete(Table::kHosts, key);
  }
}

namespace {

constexpr std::uint32_t kMaxParts = site::LatestPages::kMaxPages;
static_assert(kMaxParts <= kMostLatestPages);

}  // namespace

std::string LatestPart::Key(std::string_view host, std::uint32_t number) {
  return LatestPageKey(host, number);
}

KeysOfGroup LatestPart::KeysOf(std::string_view host, const state::Host& record) {
  return KeysOfGroup(GroupOfHost(host), std::min(record.latest_parts(), kMaxParts));
}

void LatestPart::Write(Changes& changes) const { changes.Put(Table::kHosts, key, pages); }

void LatestPart::DeleteAll(std::string_view host, Changes& changes) {
  changes.DeleteLatestPages(host);
}

SiteSlot SiteSlot::Of(std::string_view name, std::uint64_t max_sites) {
  return {schedule::TextHash(name) % max_sites};
}

std::string SiteSlotRow::Key(SiteSlot slot) { return SlotKey(slot, 'o'); }

Result<std::optional<SiteSlotRow>> SiteSlotRow::Read(RowReader& rows, std::string_view key) {
  auto row = ReadRow<SiteSlotRow>(rows, Table::kHosts, key);
  if (row && row->has_value()) (*row)->key = key;
  return row;
}

void SiteSlotRow::Write(Changes& changes) const {
  WriteRecord(Table::kHosts, key, record, changes);
}

std::string SiteRow::Key(SiteSlot slot) { return SlotKey(slot, 't'); }

Result<SiteRow> SiteRow::Read(RowReader& rows, SiteSlot slot) {
  SiteRow row{Key(slot), {}};
  const auto bytes = rows.Row(Table::kHosts, row.key);
  if (!bytes) return tl::unexpected(bytes.error());
  if (!bytes->has_value()) {
    return MakeError(
        ErrorCode::kCorruption,
        fmt::format("state: what was learned of the site in slot {} is gone", slot.number));
  }
  CRAWLSIEVE_ASSIGN_OR_RETURN(row.site, site::Site::Decode(**bytes));
  return row;
}

void SiteRow::Write(Changes& changes) const { changes.Put(Table::kHosts, key, site.Encode()); }

std::string MarkRow::Key(const log::Source& source) {
  return fmt::format("{}/{}", source.topic(), source.partition());
}

Result<MarkRow> MarkRow::Parse(std::string_view key, std::string_view value) {
  MarkRow row{std::string(key), {}};
  if (!ParseRecord(value, row.record)) return UnreadableMark(key);
  return row;
}

Result<std::optional<MarkRow>> MarkRow::Read(RowReader& rows, std::string_view key) {
  auto row = ReadRow<MarkRow>(rows, Table::kMarks, key);
  if (row && row->has_value()) (*row)->key = key;
  return row;
}

Result<MarkRow::Partition> MarkRow::OfPartition() const {
  const auto slash = key.rfind('/');
  Partition partition;
  if (slash == std::string::npos ||
      std::from_chars(key.data() + slash + 1, key.data() + key.size(), partition.number).ec !=
          std::errc()) {
    return UnreadableMark(key);
  }
  partition.topic = key.substr(0, slash);
  return partition;
}

void MarkRow::Write(Changes& changes) const { WriteRecord(Table::kMarks, key, record, changes); }

Result<std::optional<PositionRow>> PositionRow::Read(RowReader& rows) {
  return ReadRow<PositionRow>(rows, Table::kMeta, kPositionKey);
}

void PositionRow::Write(Changes& changes) const {
  WriteRecord(Table::kMeta, kPositionKey, record, changes);
}

Result<std::optional<schedule::CrawlSchedule>> ScheduleRow::Read(
    RowReader& rows, const schedule::ScheduleOptions& options) {
  const auto bytes = rows.Row(Table::kMeta, kScheduleKey);
  if (!bytes) return tl::unexpected(bytes.error());
  if (!bytes->has_value()) return std::optional<schedule::CrawlSchedule>();
  auto crawl = schedule::CrawlSchedule::Decode(**bytes, options);
  if (!crawl) return tl::unexpected(crawl.error());
  return std::optional(*crawl);
}

void ScheduleRow::Write(const schedule::CrawlSchedule& crawl, Changes& changes) {
  changes.Put(Table::kMeta, kScheduleKey, crawl.Encode());
}

Result<std::optional<site::FetchCounts>> SitesRow::Read(RowReader& rows) {
  const auto bytes = rows.Row(Table::kMeta, kSitesKey);
  if (!bytes) return tl::unexpected(bytes.error());
  if (!bytes->has_value()) return std::optional<site::FetchCounts>();
  schedule::ByteReader in(**bytes);
  site::FetchCounts counts;
  if (!site::Decode(in, counts) || !in.at_end()) {
    return MakeError(ErrorCode::kCorruption, "state: the counts of all sites can't be read");
  }
  return std::optional(counts);
}

void SitesRow::Write(const site::FetchCounts& counts, Changes& changes) {
  schedule::ByteWriter out;
  site::Encode(counts, out);
  changes.Put(Table::kMeta, kSitesKey, std::move(out).Take());
}

void SitesRow::WriteNothing(Changes& changes) {
  changes.Put(Table::kMeta, kSitesKey, std::string(5, '\0'));
}

Result<std::optional<RemovalRow>> RemovalRow::Read(RowReader& rows) {
  return ReadRow<RemovalRow>(rows, Table::kMeta, kRemovalKey);
}

void RemovalRow::Write(Changes& changes) const {
  WriteRecord(Table::kMeta, kRemovalKey, record, changes);
}

Result<std::optional<ParametersRow>> ParametersRow::Read(RowReader& rows) {
  return ReadRow<ParametersRow>(rows, Table::kMeta, kParametersKey);
}

void ParametersRow::Write(Changes& changes) const {
  WriteRecord(Table::kMeta, kParametersKey, record, changes);
}

}  // namespace crawlsieve
