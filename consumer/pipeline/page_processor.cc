#include "consumer/pipeline/page_processor.h"

#include "consumer/claims/redeem.h"
#include "consumer/input/formats/body.h"
#include "consumer/input/formats/header_block.h"
#include "consumer/pipeline/extracted.pb.h"
#include "consumer/record_limits.h"
#include "extract/references.h"
#include "extract/url/page_url.h"
#include "plugin/base/http_date.h"
#include "plugin/fingerprint/simhash.h"
#include "plugin/fingerprint/sketch.h"
#include "plugin/log/links.h"
#include "plugin/verdict/item.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

log::Outcome ToProto(extract::Outcome outcome) {
  switch (outcome) {
    case extract::Outcome::kText:
      return log::OUTCOME_TEXT;
    case extract::Outcome::kNotHtml:
      return log::OUTCOME_NOT_HTML;
    case extract::Outcome::kErrorStatus:
      return log::OUTCOME_ERROR_STATUS;
    case extract::Outcome::kNotEvaluated:
      return log::OUTCOME_NOT_EVALUATED;
  }
  return log::OUTCOME_NOT_EVALUATED;
}

References ToProto(const extract::References& references) {
  References proto;
  proto.set_base(references.base);
  proto.mutable_main_text()->Add(references.main_text.begin(), references.main_text.end());
  proto.mutable_elsewhere()->Add(references.elsewhere.begin(), references.elsewhere.end());
  proto.set_canonical(references.canonical);
  return proto;
}

extract::References FromProto(References&& proto) {
  const auto take = [](google::protobuf::RepeatedPtrField<std::string>& from) {
    return std::vector<std::string>(std::make_move_iterator(from.begin()),
                                    std::make_move_iterator(from.end()));
  };
  return {std::move(*proto.mutable_base()), take(*proto.mutable_main_text()),
          take(*proto.mutable_elsewhere()), std::move(*proto.mutable_canonical())};
}

bool IsTraceContext(const std::string& name) {
  return name == "traceparent" || name == "tracestate";
}

constexpr std::string_view kCrashed = "crashed";

#ifdef CRAWLSIEVE_PLANTED_CRASH
/// In builds that test what becomes of pages that kill the process.
void DieOnPlantedPage(const extract::Page& page) {
  if (page.body.find("crawlsieve-planted-crash") != std::string::npos) std::abort();
}
#else
void DieOnPlantedPage(const extract::Page& /*page*/) {}
#endif

void SetIdentity(const extract::Document& document, log::Page& entry) {
  entry.set_canonical_url(document.canonical_url);
  entry.set_host(document.host);
  entry.set_path_depth(document.path_depth);
  const bool is_end = document.host.ends_with(document.registered_domain);
  entry.set_registered_domain_bytes(
      is_end ? static_cast<std::uint32_t>(document.registered_domain.size()) : 0);
}

extract::ExtractOptions WithReferences(extract::ExtractOptions options, bool wanted) {
  options.references = wanted;
  return options;
}

/// The headers of `record` that go on with the page, all or none.
void PassHeaders(const InputRecord& record, bool all, log::Page& page) {
  std::size_t bytes = 0;
  for (const Header& header : record.headers) {
    if (!all && !IsTraceContext(header.name)) continue;
    bytes += header.name.size() + header.value.size() + kHeaderOverheadBytes;
    if (bytes > kMaxHeaderBytes) {
      page.clear_headers();
      page.add_omitted("headers");
      return;
    }
    log::Header& passed = *page.add_headers();
    passed.set_name(header.name);
    passed.set_value(header.value);
  }
}

/// `text` if it is short enough to be repeated in entry and verdict; else nothing, and a note.
std::string UpTo(std::size_t limit, std::string text, const char* name, log::Page& page) {
  if (text.size() <= limit) return text;
  page.add_omitted(name);
  return {};
}

std::optional<DecodeFailure> UrlProblem(std::string_view name, std::string_view url) {
  if (url.size() <= kMaxUrlBytes) return std::nullopt;
  return DecodeFailure{
      "url_too_long",
      fmt::format("{} has {} bytes; at most {} are taken", name, url.size(), kMaxUrlBytes),
      std::string(name)};
}

std::optional<DecodeFailure> UrlProblem(const extract::Page& page) {
  auto problem = UrlProblem("url", page.url);
  return problem.has_value() ? problem : UrlProblem("final_url", page.final_url);
}

/// The record as Decode has it, with URLs that can be written on.
Decoded DecodeWithinLimits(InputRecord record, FormatKind format, const DecodeOptions& options,
                           FormatKind& taken) {
  Decoded decoded = Decode(std::move(record), format, options, &taken);
  std::optional<DecodeFailure> problem;
  if (const auto* tombstone = std::get_if<Tombstone>(&decoded)) {
    problem = UrlProblem("key", tombstone->url);
  } else if (const auto* page = std::get_if<extract::Page>(&decoded)) {
    problem = UrlProblem(*page);
  } else if (const auto* claimed = std::get_if<ClaimedPage>(&decoded)) {
    problem = UrlProblem(claimed->page);
  } else if (const auto* other = std::get_if<NotAPage>(&decoded)) {
    // Every record has a verdict or is a dead letter.
    problem = DecodeFailure{"not_a_page", other->what, {}};
  }
  return problem.has_value() ? Decoded(std::move(*problem)) : std::move(decoded);
}

/// "text/html" of "text/html; charset=x"; empty: it is none that can be written on.
std::string_view MediaTypeOf(std::string_view content_type) {
  constexpr std::size_t kMostBytes = 255;  // two names of 127 (RFC 6838, section 4.2), and a slash
  const std::string_view type = TrimSpaces(content_type.substr(0, content_type.find(';')));
  const bool is_visible =
      std::all_of(type.begin(), type.end(), [](char c) { return c > ' ' && c < 0x7F; });
  return is_visible && type.size() <= kMostBytes ? type : std::string_view();
}

/// When the page was fetched, if the page itself doesn't say.
Timestamp FallbackFetchTime(const InputRecord& record) {
  for (const Header& header : record.headers) {
    if (header.name != kFetchTimeHeader) continue;
    if (const auto time = ParseRfc3339(header.value)) return *time;
  }
  return record.timestamp;
}

/// Retry-After, as seconds or as a date. nullopt: it is neither, or not there.
std::optional<std::uint64_t> RetryAfterSeconds(std::string_view value, std::int64_t fetch_time_ms) {
  value = TrimSpaces(value);
  if (const auto seconds = ParseNumber(value)) return seconds;
  const auto date = ParseHttpDate(value);
  if (!date.has_value()) return std::nullopt;
  // Any 64 bits are a fetch time, and a date is one of 10,000 years.
  const std::int64_t until = date->time_since_epoch().count();
  return fetch_time_ms < until && until > 0
             ? static_cast<std::uint64_t>(until - std::max<std::int64_t>(fetch_time_ms, 0)) / 1000
             : 0;
}

}  // namespace

std::string SchemeOf(const ProcessorOptions& options) {
  return SchemeId(options.fingerprint, extract::DescribeExtraction(options.extract));
}

ProcessorOptions WithVersion(ProcessorOptions options, SchemeVersion version) {
  options.fingerprint.version = version;
  options.extract.revision =
      version == SchemeVersion::k1 ? extract::Revision::k3 : extract::Revision::k4;
  return options;
}

ProcessorOptions ToMatch(std::string_view scheme, ProcessorOptions options) {
  using extract::ParserKind;
  std::vector<ParserKind> parsers = {options.extract.parser};
  if (parsers.front() == ParserKind::kAuto) parsers = {ParserKind::kFast, ParserKind::kGumbo};
  ProcessorOptions other = WithVersion(options, VersionOfScheme(scheme));
  for (const ParserKind parser : parsers) {
    other.extract.parser = parser;
    if (SchemeOf(other) == scheme) return other;
  }
  return options;
}

PageProcessor::PageProcessor(const ProcessorOptions& options, RepeatCache* repeats)
    : options_(options),
      scheme_(SchemeOf(options)),
      content_checksum_(options.fingerprint),
      extractor_(WithReferences(options.extract, options.max_links > 0),
                 FeatureHasher(options.fingerprint)),
      repeats_(repeats != nullptr && repeats->enabled() ? repeats : nullptr) {}

ProcessedRecord PageProcessor::Process(SourceRecord&& source, Depth depth, std::string* text) {
  ProcessedRecord processed;
  log::Page& page = *processed.entry.mutable_page();
  *page.mutable_source() = std::move(source.source);
  page.set_scheme(scheme_);
  if (source.record.key.has_value()) {
    if (source.record.key->size() <= kMaxKeyBytes) {
      page.set_has_key(true);
      page.set_key(*source.record.key);
    } else {
      page.add_omitted("key");
    }
  }
  PassHeaders(source.record, options_.pass_headers, page);
  page.set_fetch_time_ms(FallbackFetchTime(source.record).time_since_epoch().count());

  Decoded decoded = depth == Depth::kNothing
                        ? Decoded(DecodeFailure{
                              std::string(kCrashed), "reading this record killed the process", {}})
                        : DecodeWithinLimits(std::move(source.record), source.format,
                                             options_.decode, processed.format);
  if (auto* failure = std::get_if<DecodeFailure>(&decoded)) {
    page.set_outcome(log::OUTCOME_DEAD_LETTER);
    page.set_detail(failure->code);
    processed.failure = std::move(*failure);
  } else if (auto* tombstone = std::get_if<Tombstone>(&decoded)) {
    extract::CanonicalUrl canonical = extract::IdentityOf(tombstone->url, options_.extract.url);
    page.set_outcome(log::OUTCOME_DELETED);
    page.set_canonical_url(std::move(canonical.url));
    page.set_host(std::move(canonical.host));
    page.set_path_depth(canonical.path_depth);
    page.set_url(std::move(tombstone->url));
  } else if (auto* claimed = std::get_if<ClaimedPage>(&decoded)) {
    if (options_.takes_claims && depth == Depth::kWhole) {
      processed.claim = std::move(*claimed);
    } else {
      claimed->page.body_problem = depth == Depth::kWhole ? kUnsupportedBodyRef : kCrashed;
      processed.repeated = FillPage(std::move(claimed->page), page, text);
    }
  } else {
    extract::Page& content = std::get<extract::Page>(decoded);
    if (depth == Depth::kDecodeOnly) {
      content.body.clear();
      content.body_problem = kCrashed;
    }
    FillPayload(content, source.place ? &*source.place : nullptr, page);
    processed.repeated = FillPage(std::move(content), page, text);
  }
  return processed;
}

void PageProcessor::Finish(StoredBody body, ProcessedRecord& processed, std::string* text) {
  if (!processed.claim.has_value()) return;
  log::Page& entry = *processed.entry.mutable_page();
  const BodyRef& ref = processed.claim->ref;
  const RecordPlace place{ShownFile(ref.file), ref.offset, ref.length.value_or(0)};
  const bool is_record = ref.holds == BodyRef::Holds::kWarcRecord;
  extract::Page page = Redeem(std::move(*processed.claim), std::move(body), options_.decode);
  processed.claim.reset();
  FillPayload(page, is_record ? &place : nullptr, entry);
  processed.repeated = FillPage(std::move(page), entry, text);
}

void PageProcessor::FillPayload(const extract::Page& page, const RecordPlace* place,
                                log::Page& entry) {
  if (!page.payload.has_value()) return;
  log::Payload& payload = *entry.mutable_payload();
  payload.set_sha1(page.payload->sha1);
  payload.set_sha256(page.payload->sha256);
  payload.set_bytes(page.payload->bytes);
  payload.set_media_type(std::string(MediaTypeOf(page.content_type)));
  if (place == nullptr) return;
  payload.set_file(UpTo(kMaxFileBytes, place->file, "file", entry));
  if (payload.file().empty()) return;
  payload.set_offset(place->offset);
  payload.set_length(place->length);
}

void PageProcessor::FillFetch(const extract::Page& page, log::Page& entry) const {
  if (page.status_code != 200) entry.set_status(page.status_code);
  if (const auto seconds = RetryAfterSeconds(page.retry_after, entry.fetch_time_ms())) {
    entry.set_retry_after_seconds(*seconds);
  }
  const extract::UrlOptions& urls = options_.extract.url;
  if (!extract::IsRedirectStatus(page.status_code)) {
    entry.set_was_redirected(!page.final_url.empty() && page.final_url != page.url &&
                             extract::IdentityOf(page.final_url, urls).url !=
                                 extract::IdentityOf(page.url, urls).url);
    return;
  }
  const bool names_target = !page.final_url.empty() && page.final_url != page.url;
  if (!names_target && (page.location.empty() || page.location.size() > kMaxUrlBytes)) return;
  extract::CanonicalUrl target = extract::IdentityOf(
      names_target ? page.final_url
                   : extract::ResolveUrl(extract::CanonicalizeUrl(page.url).url, page.location).url,
      urls);
  if (target.url.size() > kMaxUrlBytes) return;
  entry.set_redirect_target(std::move(target.url));
  entry.set_redirect_host(std::move(target.host));
}

void PageProcessor::FillRevisit(const extract::Page& page, log::Page& entry) const {
  // By its status it may be a failed fetch, like any other page.
  if (!page.revisit.has_value() || page.body_problem != kRevisitRecord ||
      entry.outcome() != log::OUTCOME_NOT_EVALUATED) {
    return;
  }
  std::string url = extract::IdentityOf(page.revisit->url, options_.extract.url).url;
  if (url.size() > kMaxUrlBytes) return;
  entry.set_outcome(log::OUTCOME_REVISIT);
  if (url != entry.canonical_url()) entry.set_revisit_url(std::move(url));
  if (page.revisit->time.has_value()) {
    entry.set_revisit_time_ms(page.revisit->time->time_since_epoch().count());
  }
}

std::optional<bool> PageProcessor::FillPage(extract::Page&& page, log::Page& entry,
                                            std::string* text) {
  DieOnPlantedPage(page);
  std::optional<bool> repeated;
  extract::References references;
  if (repeats_ == nullptr || text != nullptr || !page.body_problem.empty()) {
    references = Extract(page, entry, text);
  } else {
    repeated = ExtractOrRepeat(page, entry, references);
  }
  if (page.body_problem.empty()) entry.set_raw_checksum(ToBytes(RawChecksum(page.body)));
  FillRevisit(page, entry);
  FillLinks(page, references, entry);
  entry.set_body_bytes(page.body.size());
  if (page.fetch_time.has_value()) {
    entry.set_fetch_time_ms(page.fetch_time->time_since_epoch().count());
  }
  FillFetch(page, entry);
  entry.set_id(UpTo(kMaxIdBytes, std::move(page.id), "id", entry));
  entry.set_url(std::move(page.url));
  entry.set_final_url(std::move(page.final_url));
  entry.set_crawl_id(UpTo(kMaxIdBytes, std::move(page.crawl_id), "crawl_id", entry));
  entry.set_attrs(UpTo(kMaxAttrsBytes, std::move(page.attrs), "attrs", entry));
  return repeated;
}

extract::References PageProcessor::Extract(const extract::Page& page, log::Page& entry,
                                           std::string* text) {
  extract::Document document = extractor_.Extract(page);
  SetIdentity(document, entry);
  entry.set_outcome(ToProto(document.outcome));
  entry.set_detail(std::move(document.detail));
  entry.set_language(std::move(document.language));
  if (document.outcome == extract::Outcome::kText) {
    entry.set_content_checksum(ToBytes(content_checksum_.OfText(document.normalized_text)));
    entry.set_simhash(ComputeSimhash(document.features).bits);
    if (!document.features_outside_forms.empty()) {
      entry.set_simhash_outside_forms(ComputeSimhash(document.features_outside_forms).bits);
    }
    entry.set_features(static_cast<std::uint32_t>(document.features.size()));
    entry.set_text_length(document.text_length);
    entry.set_title(TitleClass(document.title_hash));
    if (!document.shingles.empty()) {
      entry.set_shingles(static_cast<std::uint32_t>(document.shingles.size()));
      const Sketch sketch = ComputeSketch(document.shingles);
      entry.mutable_sketch()->Add(sketch.words.begin(), sketch.words.end());
    }
  } else if (document.outcome == extract::Outcome::kNotHtml) {
    entry.set_content_checksum(ToBytes(content_checksum_.OfBytes(page.body)));
  }
  if (text != nullptr) *text = std::move(document.normalized_text);
  return std::move(document.references);
}

std::optional<bool> PageProcessor::ExtractOrRepeat(const extract::Page& page, log::Page& entry,
                                                   extract::References& references) {
  const Checksum key = RepeatKey(page);
  Extracted extracted;
  if (const auto known = repeats_->Find(key);
      known && extracted.ParseFromString(*known) && entry.MergeFromString(extracted.page())) {
    if (!options_.extract.url.follow_canonical_link) SetIdentity(extractor_.Identify(page), entry);
    references = FromProto(std::move(*extracted.mutable_references()));
    return true;
  }
  log::Page found;
  references = Extract(page, found, nullptr);
  entry.MergeFrom(found);
  // Other outcomes are cheap, or depend on a clock.
  if (found.outcome() != log::OUTCOME_TEXT) return std::nullopt;
  found.SerializeToString(extracted.mutable_page());
  if (options_.max_links > 0) *extracted.mutable_references() = ToProto(references);
  repeats_->Add(key, extracted.SerializeAsString());
  return false;
}

void PageProcessor::FillLinks(const extract::Page& page, const extract::References& references,
                              log::Page& entry) const {
  if (options_.max_links == 0 || entry.outcome() != log::OUTCOME_TEXT) return;
  // The page's own address, whatever its identity is.
  const std::string url =
      extract::CanonicalizeUrl(page.final_url.empty() ? page.url : page.final_url).url;
  entry.set_canonical_link(
      extract::ResolveCanonicalLink(references, url, entry.canonical_url(), options_.extract.url));
  const extract::OutLinks links =
      extract::ResolveReferences(page.links.has_value() ? *page.links : references, url,
                                 entry.canonical_url(), options_.extract.url, options_.max_links);
  log::PackedLinks packed = log::PackLinks(links.main_text, links.elsewhere, entry.canonical_url());
  if (packed.left_out > 0) entry.add_omitted("links");
  entry.set_links(std::move(packed.bytes));
}

/// All that Extract depends on. The URL decides the identity, which is made anew for each page
/// unless the page's own link does.
Checksum PageProcessor::RepeatKey(const extract::Page& page) const {
  // Lengths before the texts, so that no two lists are written alike.
  std::string parts =
      fmt::format("{} {} {}:{} {}:{}", page.status_code, static_cast<int>(page.body_kind),
                  page.content_type.size(), page.content_type, page.charset.size(), page.charset);
  if (options_.extract.url.follow_canonical_link) {
    parts += page.final_url.empty() ? page.url : page.final_url;
  }
  return repeats_->KeyOf(page.body, parts);
}

}  // namespace crawlsieve::consumer
