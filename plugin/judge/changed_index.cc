#include "plugin/judge/changed_index.h"

#include <algorithm>
#include <utility>

namespace crawlsieve {

void ChangedIndex::Redo() {
  for (const auto& [inserted, entry] : changes_) {
    if (inserted) {
      index_->Insert(entry.fingerprint, entry.document);
    } else {
      index_->Remove(entry.fingerprint, entry.document);
    }
  }
}

void ChangedIndex::Insert(const IndexEntry& entry) {
  index_->Insert(entry.fingerprint, entry.document);
  Note({true, entry});
}

void ChangedIndex::Remove(const IndexEntry& entry) {
  index_->Remove(entry.fingerprint, entry.document);
  Note({false, entry});
}

void ChangedIndex::Note(const Change& change) {
  changes_.push_back(change);
  balance_ += change.inserted ? 1 : -1;
  fingerprints_.Add(change.entry.fingerprint);
}

std::vector<IndexEntry> ChangedIndex::Removed() const {
  std::vector<IndexEntry> removed;
  for (const auto& [inserted, entry] : changes_) {
    if (!inserted) removed.push_back(entry);
  }
  return removed;
}

std::vector<IndexEntry> ChangedIndex::Inserted() const {
  std::vector<IndexEntry> inserted_entries;
  for (const auto& [inserted, entry] : changes_) {
    if (inserted) inserted_entries.push_back(entry);
  }
  return inserted_entries;
}

void ChangedIndex::Commit() {
  changes_.clear();
  balance_ = 0;
  fingerprints_.Clear();
}

bool ChangedIndex::Undo() {
  bool puts_back = false;
  for (auto change = changes_.rbegin(); change != changes_.rend(); ++change) {
    if (change->inserted) {
      index_->Remove(change->entry.fingerprint, change->entry.document);
    } else {
      index_->Insert(change->entry.fingerprint, change->entry.document);
      puts_back = true;
    }
  }
  Commit();
  return puts_back;
}

bool ChangedIndex::Update(Fingerprint query, const Reach& reach, std::size_t since,
                          std::vector<Match>& answer) {
  const bool was_cut = answer.size() == reach.limit;
  fingerprints_.Find(query, reach.max_distance, nearby_);
  for (const std::size_t i : nearby_) {
    if (i < since) continue;
    const auto& [inserted, entry] = changes_[i];
    if (inserted) {
      answer.push_back(
          {entry.document, entry.fingerprint, HammingDistance(query, entry.fingerprint)});
      continue;
    }
    const auto is_removed = [&entry = entry](const Match& match) {
      return match.document == entry.document;
    };
    // Which document comes up behind those that were asked for isn't known.
    if (std::erase_if(answer, is_removed) > 0 && was_cut) return false;
  }
  std::ranges::sort(answer, {},
                    [](const Match& match) { return std::pair(match.distance, match.document); });
  if (answer.size() > reach.limit) answer.resize(reach.limit);
  return true;
}

}  // namespace crawlsieve
