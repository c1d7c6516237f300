#include "plugin/judge/detector.h"

#include "plugin/fingerprint/checksum.h"
#include "plugin/fingerprint/scheme.h"
#include "plugin/fingerprint/sha256.h"
#include "plugin/verdict/preference.h"
#include "plugin/verdict/priority.h"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve {
namespace {

constexpr std::uint32_t kStateFormat = 3;
/// The first of the rules under which pages that ran into a limit count for their host.
constexpr std::uint32_t kFoldVersionOfLimits = 5;
/// The first of the rules under which a page that isn't evaluated leaves its URL's version alone.
constexpr std::uint32_t kFoldVersionOfUnknownContent = 5;
constexpr std::string_view kPositionKey = "position";
constexpr std::string_view kParametersKey = "parameters";

/// Keys of the table documents sort by sequence.
std::string DocumentKey(DocId id) {
  std::string key(8, '\0');
  for (int i = 0; i < 8; ++i) key[i] = static_cast<char>(id.sequence >> (56 - 8 * i));
  return key;
}

Result<DocId> DocumentFromKey(std::string_view key) {
  if (key.size() != 8) {
    return MakeError(ErrorCode::kCorruption,
                     fmt::format("state: a document key of {} bytes, not 8", key.size()));
  }
  DocId id;
  for (const char c : key) id.sequence = id.sequence << 8 | static_cast<unsigned char>(c);
  return id;
}

std::string MarkKey(const log::Source& source) {
  return fmt::format("{}/{}", source.topic(), source.partition());
}

/// What the pages of one scope have in common; 0 where all pages are in one.
std::uint64_t ScopeOf(const log::Page& page, Scope scope) {
  std::string_view name;
  switch (scope) {
    case Scope::kGlobal:
      return 0;
    case Scope::kCrawl:
      name = page.crawl_id();
      break;
    case Scope::kRegisteredDomain:
      name = page.host();
      if (page.registered_domain_bytes() > 0 && page.registered_domain_bytes() <= name.size()) {
        name.remove_prefix(name.size() - page.registered_domain_bytes());
      }
      break;
    case Scope::kHost:
      name = page.host();
      break;
  }
  // Host names are chosen by strangers: none may have the scope of another one.
  const std::string label = fmt::format("{} {}", static_cast<int>(scope), name);
  const Checksum checksum = VersionOfScheme(page.scheme()) == SchemeVersion::k1
                                ? RawChecksum(label)
                                : Sha256().Add(label).FinishChecksum();
  return checksum.low | 1;
}

/// A URL has one history, or one in each crawl. A canonical URL has no line break.
std::string UrlKey(const log::Page& page, Scope scope) {
  if (scope != Scope::kCrawl) return page.canonical_url();
  return page.canonical_url() + '\n' + page.crawl_id();
}

std::string ContentKey(std::string_view checksum, std::uint64_t scope) {
  std::string key(checksum);
  for (int i = 0; scope != 0 && i < 8; ++i) key += static_cast<char>(scope >> (56 - 8 * i));
  return key;
}

/// Where a simhash of a scope lies in the index. Within a scope distances stay what they are;
/// those of two scopes are as far apart as any two random ones.
Fingerprint InIndex(std::uint64_t simhash, std::uint64_t scope) {
  return Fingerprint{simhash ^ scope};
}

/// Times far from any real one can't overflow what is computed from them.
Timestamp FetchTime(const log::Page& page) {
  constexpr std::int64_t kYear10000 = 253'402'300'800'000;
  return Timestamp{
      std::chrono::milliseconds(std::clamp<std::int64_t>(page.fetch_time_ms(), 0, kYear10000))};
}

bool HasContent(const log::Page& page) {
  return page.outcome() == log::OUTCOME_TEXT || page.outcome() == log::OUTCOME_NOT_HTML;
}

/// A sketch of another length, which FoldPage refuses, is read as far as it goes.
Sketch SketchFromProto(const google::protobuf::RepeatedField<std::uint64_t>& words) {
  Sketch sketch;
  std::copy_n(words.begin(), std::min<std::size_t>(words.size(), Sketch::kWords),
              sketch.words.begin());
  return sketch;
}

PageTraits TraitsOf(const state::Document& document) {
  return {.content_checksum = document.content_checksum(),
          .is_text = document.features() > 0,
          .features = document.features(),
          .simhash = Fingerprint{document.simhash()},
          .shingles = document.shingles(),
          .sketch = SketchFromProto(document.sketch()),
          .item = {document.canonical_url(), document.title()}};
}

JudgeParameters FromProto(const log::Parameters& proto) {
  JudgeParameters parameters;
  parameters.max_distance = proto.max_distance();
  parameters.min_similarity = Score{proto.min_similarity()};
  parameters.short_text_shingles = proto.short_text_shingles();
  parameters.short_text_similarity = Score{proto.short_text_similarity()};
  parameters.same_item_similarity =
      Score{proto.fold_version() < 4 ? Score::kOne : proto.same_item_similarity()};
  parameters.other_item_similarity = Score{proto.other_item_similarity()};
  parameters.other_item_short_shingles = proto.other_item_short_shingles();
  parameters.other_item_short_similarity = Score{proto.other_item_short_similarity()};
  parameters.max_candidates = proto.max_candidates();
  parameters.min_features = proto.min_features();
  parameters.cluster_budget = std::max(1U, proto.cluster_budget());
  parameters.scope = static_cast<Scope>(proto.scope());
  for (const int preference : proto.preferred_url()) {
    parameters.preferred_url.push_back(static_cast<UrlPreference>(preference - 1));
  }
  parameters.priority = {proto.priority().novelty(), proto.priority().host(),
                         proto.priority().depth(), proto.priority().change()};
  parameters.recrawl = {proto.recrawl().initial_seconds(), proto.recrawl().min_seconds(),
                        proto.recrawl().max_seconds()};
  return parameters;
}

}  // namespace

PageTraits TraitsOf(const log::Page& page) {
  return {.content_checksum = page.content_checksum(),
          .is_text = page.outcome() == log::OUTCOME_TEXT,
          .features = page.features(),
          .simhash = Fingerprint{page.simhash()},
          .shingles = page.shingles(),
          .sketch = SketchFromProto(page.sketch()),
          .item = {page.canonical_url(), page.title()}};
}

log::Entry ParametersEntry(const JudgeParameters& parameters, std::string_view scheme) {
  log::Entry entry;
  log::Parameters& proto = *entry.mutable_parameters();
  proto.set_fold_version(kFoldVersion);
  proto.set_scheme(std::string(scheme));
  proto.set_max_distance(parameters.max_distance);
  proto.set_min_similarity(parameters.min_similarity.ten_thousandths);
  proto.set_short_text_shingles(parameters.short_text_shingles);
  proto.set_short_text_similarity(parameters.short_text_similarity.ten_thousandths);
  proto.set_same_item_similarity(parameters.same_item_similarity.ten_thousandths);
  proto.set_other_item_similarity(parameters.other_item_similarity.ten_thousandths);
  proto.set_other_item_short_shingles(parameters.other_item_short_shingles);
  proto.set_other_item_short_similarity(parameters.other_item_short_similarity.ten_thousandths);
  proto.set_max_candidates(parameters.max_candidates);
  proto.set_min_features(parameters.min_features);
  proto.set_cluster_budget(parameters.cluster_budget);
  proto.set_scope(static_cast<log::Scope>(parameters.scope));
  for (const UrlPreference preference : parameters.preferred_url) {
    proto.add_preferred_url(static_cast<log::UrlPreference>(static_cast<int>(preference) + 1));
  }
  proto.mutable_priority()->set_novelty(parameters.priority.novelty);
  proto.mutable_priority()->set_host(parameters.priority.host);
  proto.mutable_priority()->set_depth(parameters.priority.depth);
  proto.mutable_priority()->set_change(parameters.priority.change);
  proto.mutable_recrawl()->set_initial_seconds(parameters.recrawl.initial_seconds);
  proto.mutable_recrawl()->set_min_seconds(parameters.recrawl.min_seconds);
  proto.mutable_recrawl()->set_max_seconds(parameters.recrawl.max_seconds);
  return entry;
}

Detector::Detector(Store& store, IndexFactory make_index, std::string scheme,
                   RestartOptions restart)
    : store_(store),
      make_index_(std::move(make_index)),
      scheme_(std::move(scheme)),
      snapshots_(std::move(restart), scheme_) {}

Result<std::unique_ptr<Detector>> Detector::Open(Store& store, IndexFactory make_index,
                                                 std::string scheme, RestartOptions restart) {
  std::unique_ptr<Detector> detector(
      new Detector(store, std::move(make_index), std::move(scheme), std::move(restart)));
  if (auto loaded = detector->Load(); !loaded) return tl::unexpected(loaded.error());
  return detector;
}

Result<std::optional<std::string>> Detector::SchemeOf(const Store& store) {
  auto stored = store.Get(Table::kMeta, kParametersKey);
  if (!stored) return tl::unexpected(stored.error());
  if (!stored->has_value()) return std::optional<std::string>();
  log::Parameters parameters;
  if (!parameters.ParseFromString(**stored)) {
    return MakeError(ErrorCode::kCorruption, "state: the judging parameters can't be read");
  }
  return std::optional(std::move(*parameters.mutable_scheme()));
}

template <typename Record>
Result<std::optional<Record>> Detector::Read(Table table, std::string_view key) const {
  std::optional<RowMap::Value> known = overlay_.Find(table, key);
  if (!known.has_value()) known = ahead_.Row(table, key);
  std::optional<std::string> stored;
  if (!known.has_value()) {
    auto read = store_.Get(table, key);
    if (!read) return tl::unexpected(read.error());
    stored = std::move(*read);
    known.emplace(stored);
  }
  if (!known->has_value()) return std::optional<Record>();
  std::optional<Record> record(std::in_place);
  if (!record->ParseFromArray((*known)->data(), static_cast<int>((*known)->size()))) {
    return MakeError(ErrorCode::kCorruption,
                     fmt::format("state: the record of key '{}' can't be read", key));
  }
  return record;
}

template <typename Record>
void Detector::Write(Table table, std::string_view key, const Record& record) {
  overlay_.Put(table, key, record.SerializeAsString());
}

Status Detector::Load() {
  auto position = Read<state::Position>(Table::kMeta, kPositionKey);
  if (!position) return tl::unexpected(position.error());
  auto parameters = Read<log::Parameters>(Table::kMeta, kParametersKey);
  if (!parameters) return tl::unexpected(parameters.error());

  if (position->has_value()) {
    const state::Position& stored = **position;
    if (stored.format() != kStateFormat) {
      return MakeError(ErrorCode::kMismatch,
                       fmt::format("state format {}; this version reads format {}: use the version "
                                   "that wrote it, or an empty state directory",
                                   stored.format(), kStateFormat));
    }
    position_ = {stored.log_offset(), stored.entry_checksum()};
    current_.sequence = stored.sequence();
  }
  if (parameters->has_value()) {
    if ((*parameters)->scheme() != scheme_) {
      return MakeError(ErrorCode::kMismatch,
                       fmt::format("state of scheme {}; the configuration makes scheme {}: "
                                   "fingerprints of the two can't be compared. Restore the old "
                                   "settings, or start with a new log topic, group and state "
                                   "directory",
                                   (*parameters)->scheme(), scheme_));
    }
    current_.parameters = FromProto(**parameters);
    current_.fold_version = (*parameters)->fold_version();
  }
  committed_ = current_;
  return RebuildIndex(current_.parameters ? static_cast<int>(current_.parameters->max_distance)
                                          : 0);
}

Status Detector::RebuildIndex(int max_distance) {
  snapshots_.Abandon();
  auto made = make_index_(max_distance);
  if (!made) return tl::unexpected(made.error());
  index_ = std::move(*made);
  const auto loaded = snapshots_.Load(store_, position_.offset, *index_);
  if (!loaded && index_->Stats().documents > 0) {
    made = make_index_(max_distance);
    if (!made) return tl::unexpected(made.error());
    index_ = std::move(*made);
  }
  if (auto filled = InsertDocumentsAfter(loaded.value_or(0)); !filled) return filled;
  for (const IndexChange& change : index_changes_) {
    if (change.inserted) {
      index_->Insert(change.entry.fingerprint, change.entry.document);
    } else {
      index_->Remove(change.entry.fingerprint, change.entry.document);
    }
  }
  return {};
}

Status Detector::InsertDocumentsAfter(std::uint64_t sequence) {
  return store_.ForEach(
      Table::kDocuments,
      [this](std::string_view key, std::string_view value) -> Status {
        const auto id = DocumentFromKey(key);
        if (!id) return tl::unexpected(id.error());
        state::Document document;
        if (!document.ParseFromArray(value.data(), static_cast<int>(value.size()))) {
          return MakeError(ErrorCode::kCorruption,
                           fmt::format("state: document {} can't be read", id->sequence));
        }
        if (document.features() > 0) {
          index_->Insert(InIndex(document.simhash(), document.scope()), *id);
        }
        return {};
      },
      DocumentKey(DocId{sequence + 1}));
}

Result<Folded> Detector::Fold(const log::Entry& entry) {
  switch (entry.body_case()) {
    case log::Entry::kParameters:
      return FoldParameters(entry.parameters());
    case log::Entry::kPage:
      return FoldPage(entry.page());
    case log::Entry::BODY_NOT_SET:
      break;
  }
  return MakeError(ErrorCode::kInvalidInput,
                   "the admission log holds an entry of a kind unknown to this version");
}

Status Detector::Commit(const LogPosition& position) {
  state::Position record;
  record.set_format(kStateFormat);
  record.set_log_offset(position.offset);
  record.set_entry_checksum(position.entry_checksum);
  record.set_sequence(current_.sequence);
  Write(Table::kMeta, kPositionKey, record);
  std::vector<IndexEntry> retired;
  for (const IndexChange& change : index_changes_) {
    if (!change.inserted) retired.push_back(change.entry);
  }
  auto recorded = snapshots_.Record(store_, current_.sequence, retired, overlay_);
  if (!recorded) return recorded;
  ahead_.Clear();
  if (auto applied = store_.Apply(overlay_); !applied) return applied;
  overlay_.Clear();
  index_changes_.clear();
  changed_fingerprints_.Clear();
  committed_ = current_;
  position_ = position;
  if (snapshots_.Committed(position_.offset, committed_.sequence, *index_)) {
    // After a crash only a snapshot counts of which a file says so. An error comes up again with
    // the next commit.
    (void)store_.BeginFlush();
  }
  return {};
}

void Detector::Discard() {
  bool with_removals = false;
  for (auto change = index_changes_.rbegin(); change != index_changes_.rend(); ++change) {
    if (change->inserted) {
      index_->Remove(change->entry.fingerprint, change->entry.document);
    } else {
      index_->Insert(change->entry.fingerprint, change->entry.document);
      with_removals = true;
    }
  }
  snapshots_.Discarded(with_removals);
  ahead_.Clear();
  index_changes_.clear();
  changed_fingerprints_.Clear();
  overlay_.Clear();
  current_ = committed_;
}

Status Detector::Flush() {
  if (committed_.sequence == 0) return {};
  snapshots_.Finish(position_.offset, committed_.sequence, *index_);
  if (auto committed = Commit(LogPosition(position_)); !committed) return committed;
  return store_.Flush();
}

Result<Folded> Detector::FoldParameters(const log::Parameters& parameters) {
  if (parameters.fold_version() < kOldestFoldVersion || parameters.fold_version() > kFoldVersion) {
    return MakeError(ErrorCode::kMismatch,
                     fmt::format("the admission log asks for fold version {}; this binary has {} "
                                 "to {}: run the version that has it",
                                 parameters.fold_version(), kOldestFoldVersion, kFoldVersion));
  }
  if (parameters.scheme() != scheme_) {
    return MakeError(
        ErrorCode::kMismatch,
        fmt::format("the admission log is of scheme {}, the configuration makes scheme "
                    "{}: restore the old settings, or start with a new log topic, "
                    "group and state directory",
                    parameters.scheme(), scheme_));
  }
  if (!log::Scope_IsValid(parameters.scope()) ||
      !std::ranges::all_of(parameters.preferred_url(), [](int preference) {
        return preference > 0 && log::UrlPreference_IsValid(preference);
      })) {
    return MakeError(ErrorCode::kInvalidInput,
                     "the admission log holds judging parameters unknown to this version");
  }
  const int max_distance = static_cast<int>(parameters.max_distance());
  if (max_distance > index_->max_distance()) {
    if (auto rebuilt = RebuildIndex(max_distance); !rebuilt) return tl::unexpected(rebuilt.error());
  }
  ++current_.sequence;
  current_.parameters = FromProto(parameters);
  current_.fold_version = parameters.fold_version();
  Write(Table::kMeta, kParametersKey, parameters);
  return Folded{FoldOutcome::kParameters, std::nullopt, {}};
}

Result<Folded> Detector::FoldPage(const log::Page& page) {
  if (!current_.parameters.has_value()) {
    return MakeError(ErrorCode::kInvalidInput,
                     "the admission log begins with a page, not with judging parameters");
  }
  if (page.scheme() != scheme_) {
    return MakeError(ErrorCode::kMismatch,
                     fmt::format("an entry of scheme {} in a log of scheme {}: an extract process "
                                 "runs with other settings; give all processes the same ones",
                                 page.scheme(), scheme_));
  }
  const std::size_t sketch_words = page.shingles() > 0 ? Sketch::kWords : 0;
  if (static_cast<std::size_t>(page.sketch_size()) != sketch_words) {
    return MakeError(ErrorCode::kInvalidInput,
                     fmt::format("the admission log holds a sketch of {} words, not {}",
                                 page.sketch_size(), sketch_words));
  }
  auto mark = Read<state::Mark>(Table::kMarks, MarkKey(page.source()));
  if (!mark) return tl::unexpected(mark.error());
  const MarkStep step = AdvanceMark(*mark, page.source(), current_.fold_version);
  if (step.refused.has_value()) return Folded{*step.refused, std::nullopt, {}};

  Folded folded;
  folded.gap = {step.opened, step.given_up, step.fills_gap};
  Write(Table::kMarks, MarkKey(page.source()), step.mark);
  ++current_.sequence;
  if (page.outcome() == log::OUTCOME_DEAD_LETTER) {
    folded.outcome = FoldOutcome::kDeadLetter;
    return folded;
  }
  auto verdict = Judge(page);
  if (!verdict) return tl::unexpected(verdict.error());
  folded.verdict = std::move(*verdict);
  return folded;
}

Result<std::vector<InputGap>> Detector::OpenGaps() const {
  std::vector<InputGap> gaps;
  auto read = store_.ForEach(
      Table::kMarks, [&gaps](std::string_view key, std::string_view value) -> Status {
        state::Mark mark;
        const auto slash = key.rfind('/');
        std::int32_t partition = 0;
        if (slash == std::string_view::npos ||
            std::from_chars(key.data() + slash + 1, key.data() + key.size(), partition).ec !=
                std::errc() ||
            !mark.ParseFromArray(value.data(), static_cast<int>(value.size()))) {
          return MakeError(ErrorCode::kCorruption,
                           fmt::format("state: the mark of '{}' can't be read", key));
        }
        for (const state::Mark::Gap& gap : mark.gap()) {
          gaps.push_back({std::string(key.substr(0, slash)), partition, {gap.from(), gap.to()}});
        }
        return {};
      });
  if (!read) return tl::unexpected(read.error());
  return gaps;
}

Result<std::optional<Detector::Representative>> Detector::ReadRepresentative(DocId id) const {
  if (id.sequence == 0) return std::optional<Representative>();
  auto document = Read<state::Document>(Table::kDocuments, DocumentKey(id));
  if (!document) return tl::unexpected(document.error());
  if (!document->has_value()) return std::optional<Representative>();
  return Representative{id, std::move(**document)};
}

Result<Detector::Finding> Detector::Find(const ScopedPage& scoped,
                                         const std::optional<Representative>& own) {
  const log::Page& page = scoped.page;
  const PageTraits& traits = scoped.traits;
  switch (page.outcome()) {
    case log::OUTCOME_DELETED:
      return Finding{Reason::kDeleted, std::nullopt, {}};
    case log::OUTCOME_ERROR_STATUS:
      return Finding{Reason::kErrorStatus, std::nullopt, {}};
    case log::OUTCOME_TEXT:
    case log::OUTCOME_NOT_HTML:
      if (IsTooShort(traits, *current_.parameters)) {
        return Finding{Reason::kTooShort, std::nullopt, {}};
      }
      break;
    default:
      return Finding{Reason::kNotEvaluated, std::nullopt, {}};
  }

  if (own.has_value()) {
    const Comparison comparison = Compare(TraitsOf(own->document), traits, *current_.parameters);
    if (comparison.kind != Comparison::Kind::kDifferent) {
      return Finding{Reason::kUnchanged, own, comparison};
    }
  }

  auto same_content =
      Read<state::Content>(Table::kContent, ContentKey(page.content_checksum(), scoped.scope));
  if (!same_content) return tl::unexpected(same_content.error());
  if (same_content->has_value()) {
    auto match = ReadRepresentative(DocId{(*same_content)->document()});
    if (!match) return tl::unexpected(match.error());
    if (match->has_value()) {
      const Comparison comparison =
          Compare(TraitsOf((*match)->document), traits, *current_.parameters);
      return Finding{Reason::kExactDuplicate, std::move(*match), comparison};
    }
  }
  if (traits.is_text) {
    auto near = FindNear(scoped, own);
    if (!near) return tl::unexpected(near.error());
    if (near->has_value()) return std::move(**near);
  }
  if (!traits.is_text) return Finding{Reason::kNotHtml, std::nullopt, {}};
  return Finding{own.has_value() ? Reason::kUpdated : Reason::kUnique, std::nullopt, {}};
}

Result<std::optional<Detector::Finding>> Detector::FindNear(
    const ScopedPage& scoped, const std::optional<Representative>& own) {
  FindNeighbours(InIndex(scoped.traits.simhash.bits, scoped.scope));
  std::uint32_t compared = 0;
  for (const Match& candidate : matches_) {
    if (own.has_value() && own->id == candidate.document) continue;
    if (compared == current_.parameters->max_candidates) {
      ++confirm_work_.cut;
      break;
    }
    ++compared;
    ++confirm_work_.compared;
    auto match = ReadRepresentative(candidate.document);
    if (!match) return tl::unexpected(match.error());
    if (!match->has_value()) {
      return MakeError(ErrorCode::kCorruption,
                       fmt::format("state: document {} is in the index, not in the store",
                                   candidate.document.sequence));
    }
    if ((*match)->document.scope() != scoped.scope) continue;
    const Comparison comparison =
        Compare(TraitsOf((*match)->document), scoped.traits, *current_.parameters);
    if (comparison.kind == Comparison::Kind::kDifferent) continue;
    ++confirm_work_.confirmed;
    return Finding{Reason::kNearDuplicate, std::move(*match), comparison};
  }
  return std::optional<Finding>();
}

ReadAhead::Reach Detector::reach() const {
  // Two more than are compared: the page's own earlier version, and one that shows the bound.
  return {static_cast<int>(current_.parameters->max_distance),
          std::size_t{current_.parameters->max_candidates} + 2};
}

void Detector::FindNeighbours(Fingerprint query) {
  const auto [max_distance, limit] = reach();
  const std::vector<Match>* known = ahead_.Matches(query, reach());
  if (known == nullptr) {
    index_->Find(query, max_distance, limit, matches_, &lookup_work_);
    return;
  }
  matches_ = *known;
  changed_fingerprints_.Find(query, max_distance, changed_nearby_);
  for (const std::size_t i : changed_nearby_) {
    if (i < changes_before_ahead_) continue;
    const auto& [inserted, entry] = index_changes_[i];
    if (inserted) {
      matches_.push_back(
          {entry.document, entry.fingerprint, HammingDistance(query, entry.fingerprint)});
    } else if (std::erase_if(matches_,
                             [&entry = entry](const Match& match) {
                               return match.document == entry.document;
                             }) > 0 &&
               known->size() == limit) {
      // Which one comes up behind those that were asked for isn't known.
      index_->Find(query, max_distance, limit, matches_, &lookup_work_);
      return;
    }
  }
  std::ranges::sort(matches_, {},
                    [](const Match& match) { return std::pair(match.distance, match.document); });
  if (matches_.size() > limit) matches_.resize(limit);
}

void Detector::ReadAheadFor(std::span<const log::Entry> entries, std::size_t threads) {
  if (!current_.parameters.has_value()) return;
  changes_before_ahead_ = index_changes_.size();
  const auto for_pages = [&](void (Detector::*step)(const log::Page&, ReadAhead::Reader&) const) {
    return [this, entries, step](std::size_t i, ReadAhead::Reader& reader) {
      if (entries[i].has_page()) (this->*step)(entries[i].page(), reader);
    };
  };
  const LookupWork work =
      ahead_.Read(store_, *index_, reach(), entries.size(), threads,
                  {for_pages(&Detector::ReadRowsOf), for_pages(&Detector::ReadDocumentsFor)});
  lookup_work_.probes += work.probes;
  lookup_work_.candidates += work.candidates;
}

// These two follow what Judge reads. It needn't be all of it, nor all be needed.

void Detector::ReadRowsOf(const log::Page& page, ReadAhead::Reader& reader) const {
  const Scope scope = current_.parameters->scope;
  reader.Want(Table::kUrls, UrlKey(page, scope));
  reader.Want(Table::kHosts, page.host());
  if (!HasContent(page)) return;
  reader.Want(Table::kContent, ContentKey(page.content_checksum(), ScopeOf(page, scope)));
}

void Detector::ReadDocumentsFor(const log::Page& page, ReadAhead::Reader& reader) const {
  const auto read_document = [&reader](std::uint64_t sequence) {
    if (sequence != 0) reader.Want(Table::kDocuments, DocumentKey(DocId{sequence}));
  };
  const Scope scope = current_.parameters->scope;
  state::Url url;
  if (const auto row = reader.Row(Table::kUrls, UrlKey(page, scope))) {
    if (url.ParseFromArray(row->data(), static_cast<int>(row->size()))) read_document(url.kept());
  }
  if (!HasContent(page)) return;
  const std::uint64_t scope_hash = ScopeOf(page, scope);
  state::Content content;
  if (const auto row =
          reader.Row(Table::kContent, ContentKey(page.content_checksum(), scope_hash))) {
    if (content.ParseFromArray(row->data(), static_cast<int>(row->size()))) {
      read_document(content.document());
    }
  } else if (page.outcome() == log::OUTCOME_TEXT) {
    for (const Match& match : reader.Matches(InIndex(page.simhash(), scope_hash))) {
      read_document(match.document.sequence);
    }
  }
}

Result<Verdict> Detector::Judge(const log::Page& page) {
  const JudgeParameters& parameters = *current_.parameters;
  const DocId id{current_.sequence};
  const ScopedPage scoped{page, TraitsOf(page), ScopeOf(page, parameters.scope)};
  const std::string url_key = UrlKey(page, parameters.scope);

  auto known_url = Read<state::Url>(Table::kUrls, url_key);
  if (!known_url) return tl::unexpected(known_url.error());
  const bool is_known = known_url->has_value();
  state::Url url = is_known ? std::move(**known_url) : state::Url();
  auto own = ReadRepresentative(DocId{url.kept()});
  if (!own) return tl::unexpected(own.error());

  auto found = Find(scoped, *own);
  if (!found) return tl::unexpected(found.error());
  // Another URL's content: a page of that cluster, for the first time or back again.
  const bool joins = found->match.has_value() && url.representative() != found->match->id.sequence;
  if (joins && found->reason != Reason::kUnchanged &&
      found->match->document.cluster_size() < parameters.cluster_budget) {
    found->reason = Reason::kClusterBudget;
  }
  const Rule& rule = RuleFor(found->reason);

  Verdict verdict;
  verdict.sequence = id.sequence;
  verdict.reason = found->reason;

  const bool retires_own =
      rule.retires_own || (found->reason == Reason::kNotEvaluated &&
                           current_.fold_version < kFoldVersionOfUnknownContent);
  if (retires_own && own->has_value()) {
    Retire(**own);
    url.set_kept(0);
  }
  DocId representative;
  if (rule.inserts) {
    Insert(scoped, id);
    url.set_kept(id.sequence);
    representative = id;
    verdict.cluster = Cluster{id, 1, {}};
  } else if (found->match.has_value()) {
    Representative& match = *found->match;
    representative = match.id;
    if (joins) {
      match.document.set_cluster_size(match.document.cluster_size() + 1);
      Write(Table::kDocuments, DocumentKey(match.id), match.document);
    }
    verdict.cluster = Cluster{match.id, match.document.cluster_size(), {}};
    verdict.match =
        VerdictMatch{match.id,
                     match.document.id(),
                     match.document.url(),
                     found->comparison.kind == Comparison::Kind::kExact,
                     found->comparison.distance,
                     found->comparison.similarity,
                     Timestamp{std::chrono::milliseconds(match.document.first_seen_ms())}};
  }

  const DocId before{url.representative()};
  if ((HasContent(page) || page.outcome() == log::OUTCOME_DELETED) && before.sequence != 0 &&
      before != representative) {
    if (auto left = LeaveCluster(before, page.canonical_url()); !left) {
      return tl::unexpected(left.error());
    }
  }
  bool is_repeat = false;  // the same content on the same URL as the last time
  std::optional<bool> changed;
  if (HasContent(page)) {
    // A URL whose fetches had no content so far has nothing to compare with.
    if (url.fetches() > 0) {
      // Not the same bytes, but judged to repeat what the fetch before was or repeated: the same.
      const bool repeats_the_last =
          representative.sequence != 0 && url.representative() == representative.sequence;
      changed = url.content_checksum() != page.content_checksum() && !repeats_the_last;
      if (*changed) url.set_changes(url.changes() + 1);
      is_repeat = !*changed;
    }
    url.set_interval_seconds(
        changed.has_value() ? NextInterval(parameters.recrawl, url.interval_seconds(), *changed)
                            : parameters.recrawl.initial_seconds);
    url.set_fetches(url.fetches() + 1);
    url.set_representative(representative.sequence);
    url.set_content_checksum(page.content_checksum());
  }
  if (page.outcome() == log::OUTCOME_DELETED) {
    overlay_.Delete(Table::kUrls, url_key);
  } else if (is_known || HasContent(page)) {
    Write(Table::kUrls, url_key, url);
  }

  auto known_host = Read<state::Host>(Table::kHosts, page.host());
  if (!known_host) return tl::unexpected(known_host.error());
  state::Host host = known_host->has_value() ? **known_host : state::Host();
  // Pages without a host (file:, dns:) say nothing about each other.
  const HostCount host_count = current_.fold_version >= kFoldVersionOfLimits
                                   ? HostCountOf(found->reason, page.detail())
                                   : rule.host_count;
  if (host_count != HostCount::kNot && !is_repeat && !page.host().empty()) {
    host.set_pages(host.pages() + 1);
    if (host_count == HostCount::kAsDuplicate) host.set_duplicates(host.duplicates() + 1);
    Write(Table::kHosts, page.host(), host);
  }

  PriorityEvidence evidence{.novelty = rule.novelty,
                            .host_pages = host.pages(),
                            .host_duplicates = host.duplicates(),
                            .path_depth = page.path_depth(),
                            .refetches = url.fetches() > 0 ? url.fetches() - 1 : 0,
                            .changes = url.changes()};
  verdict.priority = ComputePriority(parameters.priority, evidence);
  if (verdict.cluster.has_value() && !parameters.preferred_url.empty()) {
    evidence.novelty = 0;
    auto preferred = Prefer(representative, page.canonical_url(),
                            ComputePriority(parameters.priority, evidence).score);
    if (!preferred) return tl::unexpected(preferred.error());
    verdict.cluster->preferred_url = std::move(*preferred);
  }
  if (page.outcome() != log::OUTCOME_DELETED) {
    const std::uint64_t interval =
        url.interval_seconds() > 0 ? url.interval_seconds() : parameters.recrawl.initial_seconds;
    verdict.recrawl = Recrawl{
        changed, FetchTime(page) + std::chrono::seconds(static_cast<std::int64_t>(interval)),
        interval};
  }
  return verdict;
}

Result<std::string> Detector::Prefer(DocId cluster, std::string_view url, Score score) {
  auto read = ReadRepresentative(cluster);
  if (!read) return tl::unexpected(read.error());
  if (!read->has_value()) {
    return MakeError(ErrorCode::kCorruption,
                     fmt::format("state: cluster {} has no document", cluster.sequence));
  }
  state::Document& document = (*read)->document;
  const std::string before = document.SerializeAsString();
  if (url == document.canonical_url()) document.set_score(score.ten_thousandths);
  if (url == document.preferred_url()) document.set_preferred_score(score.ten_thousandths);
  const bool is_own = document.preferred_url().empty();
  const ClusterUrl preferred{is_own ? document.canonical_url() : document.preferred_url(),
                             Score{is_own ? document.score() : document.preferred_score()}};
  if (url != preferred.url &&
      GoesBefore({url, score}, preferred, current_.parameters->preferred_url)) {
    document.clear_preferred_url();
    document.clear_preferred_score();
    if (url != document.canonical_url()) {
      document.set_preferred_url(std::string(url));
      document.set_preferred_score(score.ten_thousandths);
    }
  }
  if (std::string after = document.SerializeAsString(); after != before) {
    overlay_.Put(Table::kDocuments, DocumentKey(cluster), after);
  }
  return document.preferred_url().empty() ? document.canonical_url() : document.preferred_url();
}

Status Detector::LeaveCluster(DocId cluster, std::string_view url) {
  auto read = ReadRepresentative(cluster);
  if (!read) return tl::unexpected(read.error());
  if (!read->has_value() || (*read)->document.preferred_url() != url) return {};
  (*read)->document.clear_preferred_url();
  (*read)->document.clear_preferred_score();
  Write(Table::kDocuments, DocumentKey(cluster), (*read)->document);
  return {};
}

void Detector::Insert(const ScopedPage& scoped, DocId id) {
  const log::Page& page = scoped.page;
  state::Document document;
  document.set_url(page.url());
  document.set_id(page.id());
  document.set_canonical_url(page.canonical_url());
  document.set_content_checksum(page.content_checksum());
  document.set_first_seen_ms(FetchTime(page).time_since_epoch().count());
  document.set_cluster_size(1);
  document.set_scope(scoped.scope);
  if (page.outcome() == log::OUTCOME_TEXT) {
    document.set_simhash(page.simhash());
    document.set_features(page.features());
    document.set_shingles(page.shingles());
    document.set_title(page.title());
    *document.mutable_sketch() = page.sketch();
    const Fingerprint fingerprint = InIndex(page.simhash(), scoped.scope);
    index_->Insert(fingerprint, id);
    NoteIndexChange({true, {fingerprint, id}});
  }
  Write(Table::kDocuments, DocumentKey(id), document);
  state::Content content;
  content.set_document(id.sequence);
  Write(Table::kContent, ContentKey(page.content_checksum(), scoped.scope), content);
}

void Detector::Retire(const Representative& representative) {
  overlay_.Delete(Table::kDocuments, DocumentKey(representative.id));
  overlay_.Delete(Table::kContent, ContentKey(representative.document.content_checksum(),
                                              representative.document.scope()));
  if (representative.document.features() > 0) {
    const Fingerprint fingerprint =
        InIndex(representative.document.simhash(), representative.document.scope());
    index_->Remove(fingerprint, representative.id);
    NoteIndexChange({false, {fingerprint, representative.id}});
  }
}

void Detector::NoteIndexChange(const IndexChange& change) {
  index_changes_.push_back(change);
  changed_fingerprints_.Add(change.entry.fingerprint);
}

}  // namespace crawlsieve
