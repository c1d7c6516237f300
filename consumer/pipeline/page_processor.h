#pragma once

#include "consumer/claims/stored_body.h"
#include "consumer/input/formats/input_format.h"
#include "consumer/pipeline/repeat_cache.h"
#include "extract/extractor.h"
#include "extract/options.h"
#include "plugin/fingerprint/checksum.h"
#include "plugin/fingerprint/content_checksum.h"
#include "plugin/fingerprint/scheme.h"
#include "plugin/log/entry.pb.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace crawlsieve::consumer {

struct ProcessorOptions {
  DecodeOptions decode;
  extract::ExtractOptions extract;
  FingerprintOptions fingerprint;
  bool pass_headers = false;  ///< all of the record's headers into the entry, not only the trace's
  std::uint32_t max_links = 0;  ///< of a page, in its entry
  /// Whether the caller fetches bodies that lie elsewhere: ProcessedRecord::claim. If not, such a
  /// page is `not_evaluated`, code `unsupported_body_ref`.
  bool takes_claims = false;
};

/// One input record and where it came from.
struct SourceRecord {
  InputRecord record;
  FormatKind format = FormatKind::kCanonical;
  log::Source source;
  std::optional<RecordPlace> place;  ///< as FileRecord's
};

/// What the extract stage makes of it.
struct ProcessedRecord {
  log::Entry entry;
  std::optional<DecodeFailure> failure;   ///< set: the record belongs to the dead letters
  FormatKind format = FormatKind::kAuto;  ///< that it was read in; kAuto: none was found
  /// Whether the cache had what the page's text came to; nothing where the text wasn't looked at,
  /// or not by way of the cache.
  std::optional<bool> repeated;
  /// Set: the page's body must be fetched first, and the entry is for PageProcessor::Finish to fill
  /// in. Only with ProcessorOptions::takes_claims.
  std::optional<ClaimedPage> claim;
};

/// How much of a record is looked at.
enum class Depth {
  kWhole,
  kDecodeOnly,  ///< not the page's body: `not_evaluated`, code `crashed`
  kNothing,     ///< not even where the URL is: a dead letter, code `crashed`
};

/// The extract stage's work on one record: decode, extract, fingerprint.
///
/// A pure function of record and options, whatever is in the cache. Thread-compatible: one for each
/// worker thread.
class PageProcessor {
 public:
  /// `repeats` is borrowed, and for processors of the same options only; nullptr: every page is
  /// parsed.
  explicit PageProcessor(const ProcessorOptions& options, RepeatCache* repeats = nullptr);

  /// One entry per record, for dead letters too; smaller than kMaxOwnRecordBytes. Never fails.
  /// `text`, where given, receives the normalised text that the fingerprints are of: the words, one
  /// space between them.
  [[nodiscard]] ProcessedRecord Process(SourceRecord&& source, Depth depth = Depth::kWhole,
                                        std::string* text = nullptr);

  /// Fills in the entry of a record that has a claim, with the body that was fetched for it. The
  /// same as Process with that body in the record; see Redeem.
  void Finish(StoredBody body, ProcessedRecord& processed, std::string* text = nullptr);

 private:
  /// Whether the cache had it: see ProcessedRecord.
  std::optional<bool> FillPage(extract::Page&& page, log::Page& entry, std::string* text);
  /// The body as it was stored, if that is wanted of `page`; `place` may be null.
  static void FillPayload(const extract::Page& page, const RecordPlace* place, log::Page& entry);
  /// What the response says about the next fetch.
  void FillFetch(const extract::Page& page, log::Page& entry) const;
  /// What a page without a body says that it repeats. Needs the entry's identity and outcome.
  void FillRevisit(const extract::Page& page, log::Page& entry) const;
  /// What depends on the page's text, or on its URL, in log fields. Returns where the page leads.
  extract::References Extract(const extract::Page& page, log::Page& entry, std::string* text);
  std::optional<bool> ExtractOrRepeat(const extract::Page& page, log::Page& entry,
                                      extract::References& references);
  /// Needs the entry's identity.
  void FillLinks(const extract::Page& page, const extract::References& references,
                 log::Page& entry) const;
  [[nodiscard]] Checksum RepeatKey(const extract::Page& page) const;

  const ProcessorOptions options_;
  const std::string scheme_;
  const ContentChecksum content_checksum_;
  extract::Extractor extractor_;
  RepeatCache* const repeats_;
};

/// The scheme of the fingerprints that `options` make.
[[nodiscard]] std::string SchemeOf(const ProcessorOptions& options);

/// `options`, in this version of fingerprints.
[[nodiscard]] ProcessorOptions WithVersion(ProcessorOptions options, SchemeVersion version);

/// `options` as they make `scheme`, where a version of fingerprints does, and one of the parsers if
/// ParserKind::kAuto leaves it open; else as they are.
[[nodiscard]] ProcessorOptions ToMatch(std::string_view scheme, ProcessorOptions options);

}  // namespace crawlsieve::consumer
