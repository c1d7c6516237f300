#pragma once

#include "plugin/base/result.h"
#include "plugin/fingerprint/simhash.h"
#include "plugin/index/hamming_index.h"
#include "plugin/judge/view.h"
#include "plugin/log/entry.pb.h"
#include "plugin/schedule/crawl_schedule.h"
#include "plugin/schedule/pattern_set.h"
#include "plugin/site/pattern_counts.h"
#include "plugin/site/site.h"
#include "plugin/state/latest_page_key.h"
#include "plugin/state/state.pb.h"
#include "plugin/state/store.h"
#include "plugin/verdict/comparison.h"
#include "plugin/verdict/parameters.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve {

// The rows of the judge's tables (docs/state.md), a struct for each kind: its key, its record, and
// how it is read and written. Nothing else makes keys or parses records of these tables.
//
// A record stays the protobuf message that it is on disk: a row that is read and written again
// keeps fields that this version doesn't know.
//
// Read gives nullopt where there is no such row. Errors of Read and Parse: kIo (Read only),
// kCorruption.

/// Table documents: a live, kept version of a page.
struct DocumentRow {
  DocId id;
  state::Document record;

  [[nodiscard]] static std::string Key(DocId id);
  [[nodiscard]] static Result<DocumentRow> Parse(std::string_view key, std::string_view value);
  /// nullopt also for document 0, which is none.
  [[nodiscard]] static Result<std::optional<DocumentRow>> Read(RowReader& rows, DocId id);
  /// The row of a page that becomes a representative with document number `id`.
  [[nodiscard]] static DocumentRow Of(const log::Page& page, DocId id, std::uint64_t scope);

  void Write(Changes& changes) const;
  void Delete(Changes& changes) const;

  /// Borrows from the record.
  [[nodiscard]] PageTraits Traits() const;
  /// What the index holds of it; nullopt: nothing, since it isn't text.
  [[nodiscard]] std::optional<IndexEntry> InIndex() const;
};

/// Table content: the live version that has a content within a scope.
struct ContentRow {
  std::string key;
  DocId document;

  [[nodiscard]] static std::string Key(std::string_view content_checksum, std::uint64_t scope);
  [[nodiscard]] static Result<std::optional<ContentRow>> Read(RowReader& rows,
                                                              std::string_view key);
  /// The row that names `document`.
  [[nodiscard]] static ContentRow Of(const DocumentRow& document);

  void Write(Changes& changes) const;
  void Delete(Changes& changes) const;
};

/// Table urls: what is known of a page's history.
struct UrlRow {
  std::string key;
  state::Url record;

  /// A URL has one history, or one in each crawl.
  [[nodiscard]] static std::string Key(const log::Page& page, Scope scope);
  /// Of another URL, in the crawl of `page`.
  [[nodiscard]] static std::string Key(std::string_view canonical_url, const log::Page& page,
                                       Scope scope);
  [[nodiscard]] static std::string Key(std::string_view canonical_url, std::string_view crawl_id,
                                       Scope scope);
  [[nodiscard]] static Result<UrlRow> Parse(std::string_view key, std::string_view value);
  [[nodiscard]] static Result<std::optional<UrlRow>> Read(RowReader& rows, std::string_view key);

  void Write(Changes& changes) const;
  void Delete(Changes& changes) const;

  /// What the key names: the canonical URL, and the crawl, which is empty where a URL has one
  /// history. Views are into the key.
  [[nodiscard]] std::string_view url() const;
  [[nodiscard]] std::string_view crawl_id() const;
};

/// Table hosts, by host name.
struct HostRow {
  std::string key;
  state::Host record;

  /// Also nullopt where the key has NUL, which no host's name has.
  [[nodiscard]] static Result<std::optional<HostRow>> Read(RowReader& rows, std::string_view key);

  void Write(Changes& changes) const;

  static void Delete(std::string_view host, Changes& changes);
};

/// Table hosts, by host name, NUL and the number of the set: some of the host's path patterns.
struct PatternRow {
  std::string key;
  schedule::PatternSet patterns;

  [[nodiscard]] static std::string Key(std::string_view host, std::string_view pattern);
  [[nodiscard]] static Result<std::optional<PatternRow>> Read(RowReader& rows,
                                                              std::string_view key);

  void Write(Changes& changes) const;
  /// Deletes the set that a URL's pattern is in.
  static void DeleteOf(std::string_view canonical_url, Changes& changes);
  /// Deletes all sets of a host.
  static void DeleteAll(std::string_view host, Changes& changes);
};

/// Table hosts, by NUL, a byte of 255, host name, NUL and the number of the part: some of the
/// host's latest pages.
struct LatestPart {
  std::string key;
  std::string pages;  ///< as site::EncodePage writes them, one behind the other

  /// `number`: less than site::LatestPages::kMaxPages.
  [[nodiscard]] static std::string Key(std::string_view host, std::uint32_t number);
  /// Of those that the host has, in the order in which their pages came.
  [[nodiscard]] static KeysOfGroup KeysOf(std::string_view host, const state::Host& record);

  void Write(Changes& changes) const;
  /// Deletes all of a host.
  static void DeleteAll(std::string_view host, Changes& changes);
};

/// One of so many slots of sites, by a hash of its name. Value type.
struct SiteSlot {
  std::uint64_t number = 0;

  /// `max_sites` isn't 0.
  [[nodiscard]] static SiteSlot Of(std::string_view name, std::uint64_t max_sites);

  friend bool operator==(const SiteSlot&, const SiteSlot&) = default;
};

/// Table hosts, by NUL, a slot and 'o': the site that has the slot.
struct SiteSlotRow {
  std::string key;
  state::SiteSlot record;

  [[nodiscard]] static std::string Key(SiteSlot slot);
  [[nodiscard]] static Result<std::optional<SiteSlotRow>> Read(RowReader& rows,
                                                               std::string_view key);

  void Write(Changes& changes) const;
};

/// Table hosts, by NUL, a slot and 't': what was learned of the site that has the slot.
struct SiteRow {
  std::string key;
  site::Site site;

  [[nodiscard]] static std::string Key(SiteSlot slot);
  /// Errors: also kCorruption where there is no row.
  [[nodiscard]] static Result<SiteRow> Read(RowReader& rows, SiteSlot slot);

  void Write(Changes& changes) const;
};

/// Table marks: the last input record of a partition that was folded.
struct MarkRow {
  struct Partition {
    std::string topic;
    std::int32_t number = 0;
  };

  std::string key;
  state::Mark record;

  [[nodiscard]] static std::string Key(const log::Source& source);
  [[nodiscard]] static Result<MarkRow> Parse(std::string_view key, std::string_view value);
  [[nodiscard]] static Result<std::optional<MarkRow>> Read(RowReader& rows, std::string_view key);
  /// What the key names. Errors: kCorruption.
  [[nodiscard]] Result<Partition> OfPartition() const;

  void Write(Changes& changes) const;
};

/// Table meta: what of the log the state covers.
struct PositionRow {
  state::Position record;

  [[nodiscard]] static Result<std::optional<PositionRow>> Read(RowReader& rows);

  void Write(Changes& changes) const;
};

/// Table meta: what the schedules of all URLs share.
struct ScheduleRow {
  [[nodiscard]] static Result<std::optional<schedule::CrawlSchedule>> Read(
      RowReader& rows, const schedule::ScheduleOptions& options);

  static void Write(const schedule::CrawlSchedule& crawl, Changes& changes);
};

/// Table meta: what first fetches brought, of all sites that anything was learned of.
struct SitesRow {
  [[nodiscard]] static Result<std::optional<site::FetchCounts>> Read(RowReader& rows);

  static void Write(const site::FetchCounts& counts, Changes& changes);
  /// As fold version 7 has it, which had a count less, where nothing is learned.
  static void WriteNothing(Changes& changes);
};

/// Table meta: what is being taken out of the state.
struct RemovalRow {
  state::Removal record;

  [[nodiscard]] static Result<std::optional<RemovalRow>> Read(RowReader& rows);

  void Write(Changes& changes) const;
};

/// Table meta: the judging parameters in force, as the log has them.
struct ParametersRow {
  log::Parameters record;

  [[nodiscard]] static Result<std::optional<ParametersRow>> Read(RowReader& rows);

  void Write(Changes& changes) const;
};

}  // namespace crawlsieve
