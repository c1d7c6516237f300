#include "plugin/judge/rows.h"

#include "plugin/judge/page.h"

#include <charconv>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve {
namespace {

constexpr std::string_view kPositionKey = "position";
constexpr std::string_view kParametersKey = "parameters";

void AppendBigEndian(std::uint64_t number, std::string& key) {
  for (int shift = 56; shift >= 0; shift -= 8) key += static_cast<char>(number >> shift);
}

template <typename Record>
bool ParseRecord(std::string_view bytes, Record& record) {
  return record.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

/// Reads the record of `key`, and makes a row of it.
template <typename Record, typename Make>
auto ReadRow(RowReader& rows, Table table, std::string_view key, const Make& make)
    -> Result<std::optional<decltype(make(Record()))>> {
  const auto bytes = rows.Row(table, key);
  if (!bytes) return tl::unexpected(bytes.error());
  std::optional<decltype(make(Record()))> row;
  if (!bytes->has_value()) return row;
  Record record;
  if (!ParseRecord(**bytes, record)) {
    return MakeError(ErrorCode::kCorruption,
                     fmt::format("state: the record of key '{}' can't be read", key));
  }
  row.emplace(make(std::move(record)));
  return row;
}

template <typename Record>
void WriteRecord(Table table, std::string_view key, const Record& record, Changes& changes) {
  changes.Put(table, key, record.SerializeAsString());
}

std::string MarkKey(std::string_view topic, std::int32_t partition) {
  return fmt::format("{}/{}", topic, partition);
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
  if (id.sequence == 0) return std::optional<DocumentRow>();
  return ReadRow<state::Document>(rows, Table::kDocuments, Key(id), [id](state::Document record) {
    return DocumentRow{id, std::move(record)};
  });
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

Result<std::optional<ContentRow>> ContentRow::Read(RowReader& rows, std::string key) {
  return ReadRow<state::Content>(rows, Table::kContent, key, [&key](const state::Content& record) {
    return ContentRow{std::move(key), DocId{record.document()}};
  });
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
  if (scope != Scope::kCrawl) return page.canonical_url();
  // A canonical URL has no line break.
  return page.canonical_url() + '\n' + page.crawl_id();
}

Result<std::optional<UrlRow>> UrlRow::Read(RowReader& rows, std::string key) {
  return ReadRow<state::Url>(rows, Table::kUrls, key, [&key](state::Url record) {
    return UrlRow{std::move(key), std::move(record)};
  });
}

void UrlRow::Write(Changes& changes) const { WriteRecord(Table::kUrls, key, record, changes); }

void UrlRow::Delete(Changes& changes) const { changes.Delete(Table::kUrls, key); }

Result<std::optional<HostRow>> HostRow::Read(RowReader& rows, std::string key) {
  return ReadRow<state::Host>(rows, Table::kHosts, key, [&key](state::Host record) {
    return HostRow{std::move(key), std::move(record)};
  });
}

void HostRow::Write(Changes& changes) const { WriteRecord(Table::kHosts, key, record, changes); }

Result<MarkRow> MarkRow::Parse(std::string_view key, std::string_view value) {
  MarkRow row;
  const auto slash = key.rfind('/');
  if (slash == std::string_view::npos ||
      std::from_chars(key.data() + slash + 1, key.data() + key.size(), row.partition).ec !=
          std::errc() ||
      !ParseRecord(value, row.record)) {
    return MakeError(ErrorCode::kCorruption,
                     fmt::format("state: the mark of '{}' can't be read", key));
  }
  row.topic = key.substr(0, slash);
  return row;
}

Result<std::optional<MarkRow>> MarkRow::Read(RowReader& rows, const log::Source& source) {
  return ReadRow<state::Mark>(
      rows, Table::kMarks, MarkKey(source.topic(), source.partition()),
      [&source](state::Mark record) {
        return MarkRow{source.topic(), source.partition(), std::move(record)};
      });
}

void MarkRow::Write(Changes& changes) const {
  WriteRecord(Table::kMarks, MarkKey(topic, partition), record, changes);
}

Result<std::optional<PositionRow>> PositionRow::Read(RowReader& rows) {
  return ReadRow<state::Position>(rows, Table::kMeta, kPositionKey, [](state::Position record) {
    return PositionRow{std::move(record)};
  });
}

void PositionRow::Write(Changes& changes) const {
  WriteRecord(Table::kMeta, kPositionKey, record, changes);
}

Result<std::optional<ParametersRow>> ParametersRow::Read(RowReader& rows) {
  return ReadRow<log::Parameters>(rows, Table::kMeta, kParametersKey, [](log::Parameters record) {
    return ParametersRow{std::move(record)};
  });
}

void ParametersRow::Write(Changes& changes) const {
  WriteRecord(Table::kMeta, kParametersKey, record, changes);
}

}  // namespace crawlsieve
