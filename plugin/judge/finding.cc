#include "plugin/judge/finding.h"

#include "plugin/judge/page.h"
#include "plugin/site/url_parts.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve {
namespace {

/// Simhashes of the same words differ in so many bits at most, and their numbers by a tenth.
constexpr int kSameWordsDistance = 3;
/// Of shorter pages it isn't said.
constexpr std::uint32_t kLeastWords = 20;

/// Whether two pages have the same words, nearly, in whatever order. That is less than is asked
/// before a page is dropped: a listing that is sorted in another way has none of the shingles.
bool HasSameWords(const PageTraits& a, const PageTraits& b) {
  const std::uint32_t fewer = std::min(a.features, b.features);
  const std::uint32_t more = std::max(a.features, b.features);
  return fewer >= kLeastWords && 10 * (more - fewer) <= more && a.item.title != 0 &&
         a.item.title == b.item.title &&
         HammingDistance(a.simhash, b.simhash) <= kSameWordsDistance;
}

/// Takes a candidate that isn't near.
void Note(const PageTraits& candidate, const PageTraits& page, Score similarity,
          SiteNeighbours& neighbours) {
  if (site::SiteOf(candidate.item.url) != site::SiteOf(page.item.url)) return;
  neighbours.similarity = std::max(neighbours.similarity, similarity);
  neighbours.has_same_words |= HasSameWords(candidate, page);
}

/// The first candidate of the scope that is near by sketch and item evidence; nullopt: none, and
/// `neighbours` has what the others are.
Result<std::optional<Finding>> FindNear(const log::Page& page, const PageTraits& traits,
                                        const std::optional<DocumentRow>& own, std::uint64_t scope,
                                        const JudgeParameters& parameters, JudgeView& view,
                                        SiteNeighbours& neighbours, ConfirmWork& work) {
  std::uint32_t compared = 0;
  CRAWLSIEVE_ASSIGN_OR_RETURN(const FoundCandidates candidates,
                              view.Candidates(InIndex(page.simhash(), scope), ReachOf(parameters)));
  bool is_cut = false;
  for (const Match& candidate : candidates.matches) {
    if (own.has_value() && own->id == candidate.document) continue;
    if (compared == parameters.max_candidates) {
      is_cut = true;
      break;
    }
    ++compared;
    ++work.compared;
    CRAWLSIEVE_ASSIGN_OR_RETURN(auto match, DocumentRow::Read(view, candidate.document));
    if (!match.has_value()) {
      return MakeError(ErrorCode::kCorruption,
                       fmt::format("state: document {} is in the index, not in the store",
                                   candidate.document.sequence));
    }
    if (match->record.scope() != scope) continue;
    const PageTraits other = match->Traits();
    const Comparison comparison = Compare(other, traits, parameters);
    if (comparison.kind == Comparison::Kind::kDifferent) {
      Note(other, traits, comparison.similarity, neighbours);
      continue;
    }
    ++work.confirmed;
    return Finding{Reason::kNearDuplicate, std::move(match), comparison, {}};
  }
  if (is_cut) {
    ++work.cut;
  } else if (!candidates.is_whole) {
    return MakeError(ErrorCode::kBusy, "more candidates are needed than slots have answered");
  }
  return std::optional<Finding>();
}

}  // namespace

std::optional<Reason> ReasonWithoutComparison(const log::Page& page, const PageTraits& traits,
                                              const JudgeParameters& parameters) {
  switch (page.outcome()) {
    case log::OUTCOME_DELETED:
      return Reason::kDeleted;
    case log::OUTCOME_ERROR_STATUS:
      return Reason::kErrorStatus;
    case log::OUTCOME_TEXT:
    case log::OUTCOME_NOT_HTML:
      if (IsTooShort(traits, parameters)) return Reason::kTooShort;
      return std::nullopt;
    default:
      return Reason::kNotEvaluated;
  }
}

Result<Finding> FindMatch(const log::Page& page, const std::optional<DocumentRow>& own,
                          const JudgeParameters& parameters, JudgeView& view, ConfirmWork& work) {
  const PageTraits traits = TraitsOf(page);
  if (const auto reason = ReasonWithoutComparison(page, traits, parameters)) {
    return Finding{*reason, std::nullopt, {}, {}};
  }
  if (own.has_value()) {
    const Comparison comparison = Compare(own->Traits(), traits, parameters);
    if (comparison.kind != Comparison::Kind::kDifferent) {
      return Finding{Reason::kUnchanged, own, comparison, {}};
    }
  }
  const std::uint64_t scope = ScopeOf(page, parameters.scope);
  CRAWLSIEVE_ASSIGN_OR_RETURN(
      const auto same_content,
      ContentRow::Read(view, ContentRow::Key(page.content_checksum(), scope)));
  if (same_content.has_value()) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(auto match, DocumentRow::Read(view, same_content->document));
    if (match.has_value()) {
      const Comparison comparison = Compare(match->Traits(), traits, parameters);
      return Finding{Reason::kExactDuplicate, std::move(match), comparison, {}};
    }
  }
  if (!traits.is_text) return Finding{Reason::kNotHtml, std::nullopt, {}, {}};
  SiteNeighbours neighbours;
  CRAWLSIEVE_ASSIGN_OR_RETURN(
      auto near, FindNear(page, traits, own, scope, parameters, view, neighbours, work));
  if (near.has_value()) return std::move(*near);
  return Finding{
      own.has_value() ? Reason::kUpdated : Reason::kUnique, std::nullopt, {}, neighbours};
}

}  // namespace crawlsieve
