#include "extract/html/formatting_list.h"

#include <utility>

namespace crawlsieve::extract::html {
namespace {

constexpr std::size_t kFirstSlots = 64;  // a power of two

}  // namespace

void FormattingList::Begin() {
  entries_.Reset(kKept);
  markers_.Reset(kKept);
  unsigned_.Reset(kKept);
  if (table_.capacity() > kKept) table_.Reset(0);
  if (table_.empty()) {
    table_.Resize(kFirstSlots);
    for (std::size_t i = 0; i < kFirstSlots; ++i) table_[i] = {};
    page_ = 0;
  }
  used_slots_ = 0;
  next_serial_ = 1;
  if (++page_ == 0) {  // after four thousand million pages: slots of the first ones would be taken
    for (std::size_t i = 0; i < table_.size(); ++i) table_[i] = {};
    page_ = 1;
  }
  last_of_tag_.fill(kNoEntry);
  counts_.fill(0);
  first_free_ = kNoEntry;
  last_ = kNoEntry;
}

std::uint32_t FormattingList::NewEntry(const Entry& entry) {
  if (first_free_ == kNoEntry) {
    entries_.push_back(entry);
    return static_cast<std::uint32_t>(entries_.size() - 1);
  }
  const std::uint32_t index = first_free_;
  first_free_ = entries_[index].next;
  entries_[index] = entry;
  return index;
}

void FormattingList::Link(std::uint32_t entry, std::uint32_t previous) {
  Entry& added = entries_[entry];
  added.previous = previous;
  if (previous == last_) {
    added.next = kNoEntry;
    last_ = entry;
  } else {
    // Only an entry that has one before it is moved, so `previous` is an entry here.
    added.next = entries_[previous].next;
    entries_[added.next].previous = entry;
  }
  if (previous != kNoEntry) entries_[previous].next = entry;
}

void FormattingList::Unlink(const Entry& entry) {
  if (entry.previous != kNoEntry) entries_[entry.previous].next = entry.next;
  if (entry.next == kNoEntry) {
    last_ = entry.previous;
  } else {
    entries_[entry.next].previous = entry.previous;
  }
}

void FormattingList::LinkTag(std::uint32_t entry) {
  Entry& added = entries_[entry];
  std::uint32_t& last = last_of_tag_[static_cast<std::size_t>(added.tag)];
  added.same_tag_before = last;
  added.same_tag_behind = kNoEntry;
  if (last != kNoEntry) entries_[last].same_tag_behind = entry;
  last = entry;
}

void FormattingList::UnlinkTag(const Entry& entry) {
  if (entry.same_tag_before != kNoEntry) {
    entries_[entry.same_tag_before].same_tag_behind = entry.same_tag_behind;
  }
  if (entry.same_tag_behind == kNoEntry) {
    last_of_tag_[static_cast<std::size_t>(entry.tag)] = entry.same_tag_before;
  } else {
    entries_[entry.same_tag_behind].same_tag_before = entry.same_tag_before;
  }
}

void FormattingList::LinkAlike(std::uint32_t entry) {
  Entry& added = entries_[entry];
  std::uint32_t& last = SlotOf(added.signature).last;
  added.alike_before = last;
  added.alike_behind = kNoEntry;
  if (last != kNoEntry) entries_[last].alike_behind = entry;
  last = entry;
}

void FormattingList::UnlinkAlike(const Entry& entry) {
  if (entry.signature == 0) return;
  if (entry.alike_before != kNoEntry) {
    entries_[entry.alike_before].alike_behind = entry.alike_behind;
  }
  if (entry.alike_behind == kNoEntry) {
    SlotOf(entry.signature).last = entry.alike_before;
  } else {
    entries_[entry.alike_behind].alike_before = entry.alike_before;
  }
}

std::uint32_t FormattingList::PushMarker() {
  const auto level = static_cast<std::uint32_t>(markers_.size());
  const std::uint32_t marker = NewEntry({kNoNode, kNoEntry, kNoEntry, level, kNoEntry, kNoEntry,
                                         kNoEntry, kNoEntry, 0, Tag::kUnknown, true});
  Link(marker, last_);
  markers_.push_back(marker);
  return marker;
}

void FormattingList::ClearToMarker() {
  if (markers_.empty()) {
    while (last_ != kNoEntry) Remove(last_);
    return;
  }
  const std::uint32_t marker = markers_.back();
  while (last_ != marker) Remove(last_);
  markers_.pop_back();
  Unlink(entries_[marker]);
  entries_[marker].next = first_free_;
  first_free_ = marker;
}

std::uint32_t FormattingList::Push(NodeIndex element, Tag tag) {
  std::uint64_t signature = 0;
  if (counts_[static_cast<std::size_t>(tag)] >= kNoahsArk) {
    SignAll();
    signature = signer_.Sign(element);
    MakeRoomFor(signature);
  }
  const auto level = static_cast<std::uint32_t>(markers_.size());
  const std::uint32_t entry = NewEntry({element, kNoEntry, kNoEntry, level, kNoEntry, kNoEntry,
                                        kNoEntry, kNoEntry, signature, tag, false});
  Link(entry, last_);
  LinkTag(entry);
  ++counts_[static_cast<std::size_t>(tag)];
  if (signature == 0) {
    entries_[entry].serial = next_serial_;
    unsigned_.push_back({entry, next_serial_++});
  } else {
    LinkAlike(entry);
  }
  return entry;
}

void FormattingList::SignAll() {
  // In the order in which they were listed, so each chain of equal signatures is in order.
  for (std::size_t i = 0; i < unsigned_.size(); ++i) {
    const auto [index, serial] = unsigned_[i];
    Entry& entry = entries_[index];
    if (entry.serial != serial || entry.node == kNoNode) continue;  // used again; or removed
    entry.signature = signer_.Sign(entry.node);
    LinkAlike(index);
  }
  unsigned_.clear();
}

void FormattingList::MakeRoomFor(std::uint64_t signature) {
  std::uint32_t entry = SlotOf(signature).last;
  for (std::size_t i = 1; entry != kNoEntry; ++i) {
    if (entries_[entry].level != markers_.size()) return;
    if (i == kNoahsArk) {
      Remove(entry);
      return;
    }
    entry = entries_[entry].alike_before;
  }
}

void FormattingList::Remove(std::uint32_t entry) {
  const Entry removed = entries_[entry];
  Unlink(removed);
  UnlinkTag(removed);
  UnlinkAlike(removed);
  --counts_[static_cast<std::size_t>(removed.tag)];
  entries_[entry].node = kNoNode;
  entries_[entry].next = first_free_;
  first_free_ = entry;
  if (last_ == kNoEntry) unsigned_.clear();
}

void FormattingList::MoveBehind(std::uint32_t entry, std::uint32_t bookmark) {
  Unlink(entries_[entry]);
  entries_[entry].level = entries_[bookmark].level;
  Link(entry, bookmark);
}

FormattingList::Slot& FormattingList::SlotOf(std::uint64_t signature) {
  if (2 * used_slots_ >= table_.size()) GrowTable();
  const std::size_t mask = table_.size() - 1;
  for (std::size_t i = signature & mask;; i = (i + 1) & mask) {
    Slot& slot = table_[i];
    if (slot.page != page_) {
      slot = {signature, kNoEntry, page_};
      ++used_slots_;
      return slot;
    }
    if (slot.signature == signature) return slot;
  }
}

void FormattingList::GrowTable() {
  Pool<Slot> old = std::move(table_);
  table_ = {};
  table_.Resize(2 * old.size());
  for (std::size_t i = 0; i < table_.size(); ++i) table_[i] = {};
  used_slots_ = 0;
  for (std::size_t i = 0; i < old.size(); ++i) {
    if (old[i].page == page_) SlotOf(old[i].signature).last = old[i].last;
  }
}

}  // namespace crawlsieve::extract::html
