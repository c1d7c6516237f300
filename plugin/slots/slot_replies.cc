#include "plugin/slots/slot_replies.h"

#include "plugin/judge/rows.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve {
namespace {

/// Places that are remembered. Many commits without a new number are possible: redeliveries.
constexpr std::size_t kMostPlaces = 16'384;

/// The fingerprint of a live document; nullopt: it isn't live.
Result<std::optional<Fingerprint>> LiveFingerprint(DocId document, RowReader& rows) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto row, DocumentRow::Read(rows, document));
  if (!row.has_value()) return std::optional<Fingerprint>();
  const auto entry = row->InIndex();
  if (!entry.has_value()) return std::optional<Fingerprint>();
  return std::optional(entry->fingerprint);
}

}  // namespace

SlotReplies::SlotReplies(SlotLayout layout, std::int64_t window)
    : layout_(std::move(layout)), window_(window) {}

bool SlotReplies::IsKnown(const SlotPlace& place) const {
  const auto found = places_.find(place.position.offset);
  return found != places_.end() && found->second == place;
}

Result<SlotReplies::Taken> SlotReplies::Take(std::string_view bytes) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto record, CandidatesRecord::Parse(bytes));
  if (record.layout != layout_) {
    return MakeError(ErrorCode::kMismatch,
                     fmt::format("slot {} answers as one of {}, the judge has {}: give judge and "
                                 "slots the same index.slots",
                                 record.slot, record.layout.Name(), layout_.Name()));
  }
  if (!IsKnown(record.place)) return Taken::kStale;
  bool is_new = false;
  for (SlotAnswer& answer : record.answers) is_new |= Keep(answer, record);
  return is_new ? Taken::kNew : Taken::kStale;
}

bool SlotReplies::Keep(SlotAnswer& answer, const CandidatesRecord& record) {
  const std::int64_t ahead = answer.offset - committed_.position.offset;
  // No slot answers further ahead than the window: what claims to is no reason to keep it.
  if (ahead <= 0 || ahead > 2 * window_) return false;
  // An entry has one query, unless somebody sends what no slot would.
  if (queries_.size() > 4 * static_cast<std::size_t>(window_)) return false;
  const Key key{answer.query, record.max_distance};
  const auto [found, is_first] = queries_.try_emplace(key);
  Query& query = found->second;
  if (is_first || query.last < answer.offset) {
    if (!is_first) {
      const auto [begin, end] = by_offset_.equal_range(query.last);
      const auto old =
          std::find_if(begin, end, [&](const auto& known) { return known.second == key; });
      if (old != end) by_offset_.erase(old);
    }
    query.last = answer.offset;
    by_offset_.emplace(answer.offset, key);
  }
  const auto reply = std::ranges::lower_bound(query.replies, record.slot, {}, &Reply::slot);
  const bool is_there = reply != query.replies.end() && reply->slot == record.slot;
  const auto value = [](const Reply& r) {
    return std::pair(r.sequence, r.is_cut ? r.candidates.size() : ~std::size_t{0});
  };
  Reply offered{record.slot, record.place.sequence, answer.is_cut, std::move(answer.candidates)};
  if (!is_there) {
    query.replies.insert(reply, std::move(offered));
    ++reply_count_;
    return true;
  }
  if (value(offered) <= value(*reply)) return false;
  *reply = std::move(offered);
  return true;
}

Status SlotReplies::Recall(const ChangesRecord& changes) {
  if (changes.layout.scheme != layout_.scheme) {
    return MakeError(ErrorCode::kMismatch,
                     fmt::format("the topic of changes is of scheme {}, the judge of {}: it is "
                                 "another deployment's (kafka.changes.topic)",
                                 changes.layout.scheme, layout_.scheme));
  }
  if (!Follows(changes)) {
    return MakeError(
        ErrorCode::kMismatch,
        fmt::format("the changes go on behind entry {}, number {}, and that isn't what came before "
                    "them (entry {}, number {}): kafka.changes.topic has records of another log "
                    "(docs/slots.md)",
                    changes.before.position.offset, changes.before.sequence,
                    committed_.position.offset, committed_.sequence));
  }
  for (const Consulted& consulted : changes.consulted) {
    if (consulted.page.sequence > committed_.sequence) {
      recalled_[consulted.page.sequence] = consulted.documents;
    }
  }
  recalled_ends_[changes.after.position.offset] = changes.after;
  return {};
}

bool SlotReplies::Follows(const ChangesRecord& changes) const {
  const std::int64_t before = changes.before.position.offset;
  const std::int64_t at = committed_.position.offset;
  if (before == at) return changes.before == committed_;
  if (before > at) {
    const auto last = recalled_ends_.find(before);
    return last != recalled_ends_.end() && last->second == changes.before;
  }
  // The state ends inside it. Whether it is of this log shows at its end.
  return at < changes.after.position.offset && changes.before.sequence <= committed_.sequence &&
         committed_.sequence <= changes.after.sequence;
}

Result<bool> SlotReplies::Confirm(const LogPosition& position) {
  const auto end = recalled_ends_.find(position.offset);
  if (end == recalled_ends_.end()) return false;
  if (end->second.position.entry_checksum != position.entry_checksum) {
    return MakeError(ErrorCode::kMismatch,
                     fmt::format("a record of changes ends with entry {}, and names another entry "
                                 "than the log has there: kafka.changes.topic has records of "
                                 "another log (docs/slots.md)",
                                 position.offset));
  }
  places_[position.offset] = end->second;
  return true;
}

Status SlotReplies::Recalled(const std::vector<DocId>& documents, Fingerprint query,
                             RowReader& rows, std::vector<Match>& matches) const {
  matches.clear();
  for (const DocId document : documents) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto fingerprint, LiveFingerprint(document, rows));
    if (!fingerprint.has_value()) {
      return MakeError(ErrorCode::kCorruption,
                       fmt::format("the changes name document {} as a candidate, and the state "
                                   "doesn't have it: they are of another log",
                                   document.sequence));
    }
    matches.push_back({document, *fingerprint, HammingDistance(query, *fingerprint)});
  }
  return {};
}

Result<bool> SlotReplies::Complete(DocId page, Fingerprint query, const Reach& reach,
                                   RowReader& rows, std::vector<Match>& matches) {
  if (const auto recalled = recalled_.find(page.sequence); recalled != recalled_.end()) {
    CRAWLSIEVE_RETURN_IF_ERROR(Recalled(recalled->second, query, rows, matches));
    return true;
  }
  const auto known = queries_.find(Key{query, reach.max_distance});
  FindSilent(known == queries_.end() ? nullptr : &known->second);
  if (!silent_.empty()) {
    matches.clear();
    return false;
  }
  merged_.clear();
  for (const Match& match : matches) {
    merged_.push_back({match.distance, match.document, match.fingerprint, true});
  }
  // Up to here every slot's documents are known.
  std::pair horizon{reach.max_distance + 1, DocId{0}};
  for (const Reply& reply : known->second.replies) {
    for (const SlotCandidate& candidate : reply.candidates) {
      if (candidate.distance > reach.max_distance) break;
      merged_.push_back({candidate.distance, candidate.document, {}, false});
    }
    if (!reply.is_cut) continue;
    const SlotCandidate& last = reply.candidates.back();
    horizon = std::min(horizon, std::pair{int{last.distance}, last.document});
  }
  std::ranges::sort(merged_, {}, [](const Candidate& c) {
    return std::tuple(c.distance, c.document, !c.is_live);
  });
  matches.clear();
  for (const Candidate& candidate : merged_) {
    if (matches.size() == reach.limit) return true;
    if (std::pair{candidate.distance, candidate.document} > horizon) break;
    if (!matches.empty() && matches.back().document == candidate.document) continue;
    Fingerprint fingerprint = candidate.fingerprint;
    if (!candidate.is_live) {
      CRAWLSIEVE_ASSIGN_OR_RETURN(const auto live, LiveFingerprint(candidate.document, rows));
      if (!live.has_value()) continue;
      fingerprint = *live;
      if (HammingDistance(query, fingerprint) != candidate.distance) {
        return MakeError(
            ErrorCode::kCorruption,
            fmt::format("slot {} has document {} with another fingerprint than the state: its "
                        "file is of another log or damaged; make it anew (docs/slots.md)",
                        layout_.SlotOf(candidate.document), candidate.document.sequence));
      }
    }
    matches.push_back({candidate.document, fingerprint, candidate.distance});
  }
  if (matches.size() == reach.limit || horizon.first > reach.max_distance) return true;
  FindCut(known->second, horizon);
  return false;
}

void SlotReplies::FindSilent(const Query* known) {
  silent_.clear();
  std::uint32_t next = 0;
  if (known != nullptr) {
    for (const Reply& reply : known->replies) {
      if (!IsUsable(reply)) continue;
      while (next < reply.slot) silent_.push_back(next++);
      ++next;
    }
  }
  while (next < layout_.slots) silent_.push_back(next++);
}

void SlotReplies::FindCut(const Query& known, const std::pair<int, DocId>& horizon) {
  cut_.clear();
  for (const Reply& reply : known.replies) {
    if (reply.is_cut && reply.sequence < committed_.sequence) cut_.push_back(reply.slot);
  }
  if (cut_.empty()) cut_.push_back(layout_.SlotOf(horizon.second));
}

void SlotReplies::NameDocuments(Fingerprint query, const Reach& reach,
                                const std::function<void(DocId)>& name) const {
  const auto known = queries_.find(Key{query, reach.max_distance});
  if (known == queries_.end()) return;
  for (const Reply& reply : known->second.replies) {
    for (const SlotCandidate& candidate : reply.candidates) name(candidate.document);
  }
}

void SlotReplies::OnCommitted(const LogPosition& position, std::uint64_t sequence,
                              std::uint64_t own_after) {
  committed_ = {position, sequence};
  own_after_ = own_after;
  places_[position.offset] = committed_;
  while (places_.size() > 1 &&
         (places_.begin()->second.sequence < own_after || places_.size() > kMostPlaces)) {
    places_.erase(places_.begin());
  }
  const auto judged = by_offset_.upper_bound(position.offset);
  for (auto query = by_offset_.begin(); query != judged; ++query) {
    const auto found = queries_.find(query->second);
    reply_count_ -= found->second.replies.size();
    queries_.erase(found);
  }
  by_offset_.erase(by_offset_.begin(), judged);
  recalled_.erase(recalled_.begin(), recalled_.upper_bound(sequence));
  recalled_ends_.erase(recalled_ends_.begin(), recalled_ends_.upper_bound(position.offset));
}

}  // namespace crawlsieve
