#include "extract/html/open_elements.h"

namespace crawlsieve::extract::html {

void OpenElements::Begin() {
  entries_.Reset(kKeptDepth);
  tops_.Reset(kKeptDepth);
  tops_.Resize(2 * kTagCount);
  for (std::size_t i = 0; i < tops_.size(); ++i) tops_[i] = kNoPlace;
  for (Pool<std::uint32_t>& members : members_) members.Reset(kKeptDepth);
  top_ = kNoPlace;
  depth_ = kFreeDepth;
  foreign_ = 0;
}

void OpenElements::Deepen() {
  depth_ += kFreeDepth;
  constexpr std::size_t kBytes = sizeof(Entry) + kClassCount * sizeof(std::uint32_t);
  nodes_.Charge(kFreeDepth * kBytes / sizeof(Node));
}

std::uint32_t OpenElements::LowestOfAbove(ElementClasses one_class, std::uint32_t place) const {
  const Pool<std::uint32_t>& members = MembersOf(one_class);
  if (members.empty()) return kNoPlace;
  const std::uint32_t* const begin = &members[0];
  const std::uint32_t* const end = begin + members.size();
  const std::uint32_t* const found = std::upper_bound(begin, end, place);
  return found == end ? kNoPlace : *found;
}

void OpenElements::UnchainName(const Entry& entry) {
  if (entry.same_above == kNoPlace) {
    tops_[2 * entry.name + (nodes_[entry.node].IsHtml() ? 0 : 1)] = entry.same_below;
  } else {
    entries_[entry.same_above].same_below = entry.same_below;
  }
  if (entry.same_below != kNoPlace) entries_[entry.same_below].same_above = entry.same_above;
}

void OpenElements::UnchainPlace(const Entry& entry) {
  if (entry.above != kNoPlace) entries_[entry.above].below = entry.below;
  if (entry.below != kNoPlace) entries_[entry.below].above = entry.above;
}

void OpenElements::Remove(std::uint32_t place) {
  if (place == top_) {
    Pop();
    return;
  }
  const Entry entry = entries_[place];
  UnchainName(entry);
  UnchainPlace(entry);
  Node& node = nodes_[entry.node];
  foreign_ -= node.IsHtml() ? 0 : 1;
  node.place = kNoPlace;
  entries_[place].node = kNoNode;
  for (unsigned classes = ClassesOf(node); classes != 0; classes &= classes - 1) {
    // <form> and <head>: what is above them came behind them, and is passed over but once.
    Pool<std::uint32_t>& members = members_[std::countr_zero(classes)];
    std::size_t i = members.size() - 1;
    while (members[i] != place) --i;
    for (; i + 1 < members.size(); ++i) members[i] = members[i + 1];
    members.pop_back();
  }
}

void OpenElements::Replace(std::uint32_t place, NodeIndex node) {
  nodes_[entries_[place].node].place = kNoPlace;
  entries_[place].node = node;
  nodes_[node].place = place;
}

void OpenElements::MoveAboveBlock(std::uint32_t formatting, std::uint32_t block, NodeIndex clone) {
  // The places from `formatting` to `block` are enough: the clone takes the block's, the block the
  // one below it, which is either empty by now or is that of an element that moves down in turn.
  Entry moved_clone = entries_[formatting];
  // Where the clone's name belongs in its chain: elements of that name between the two stay below.
  UnchainName(moved_clone);
  std::uint32_t same_below = moved_clone.same_below;
  std::uint32_t same_above = moved_clone.same_above;
  while (same_above != kNoPlace && same_above < block) {
    same_below = same_above;
    same_above = entries_[same_above].same_above;
  }
  UnchainPlace(moved_clone);
  nodes_[moved_clone.node].place = kNoPlace;
  entries_[formatting].node = kNoNode;

  // Elements that stay between the two move down into the free places, from the lowest one on.
  std::uint32_t free = formatting;
  std::uint32_t place = moved_clone.above;
  while (true) {
    Entry entry = entries_[place];
    const std::uint32_t next = entry.above;
    const std::uint32_t target = place == block ? block - 1 : free;
    if (target != place) {
      if (entry.below != kNoPlace) entries_[entry.below].above = target;
      if (entry.above != kNoPlace) entries_[entry.above].below = target;
      const bool html = nodes_[entry.node].IsHtml();
      if (entry.same_above == kNoPlace) {
        tops_[2 * entry.name + (html ? 0 : 1)] = target;
      } else {
        entries_[entry.same_above].same_below = target;
      }
      if (entry.same_below != kNoPlace) entries_[entry.same_below].same_above = target;
      if (same_below == place) same_below = target;
      entries_[place].node = kNoNode;
      entries_[target] = entry;
      nodes_[entry.node].place = target;
    }
    if (place == block) break;
    free = target + 1;
    place = next;
  }
  const std::uint32_t new_block = block - 1;
  for (unsigned classes = ClassesOf(nodes_[entries_[new_block].node]); classes != 0;
       classes &= classes - 1) {
    Pool<std::uint32_t>& members = members_[std::countr_zero(classes)];
    std::uint32_t* const begin = &members[0];
    *std::lower_bound(begin, begin + members.size(), block) = new_block;
  }

  moved_clone.node = clone;
  moved_clone.same_below = same_below;
  moved_clone.same_above = same_above;
  moved_clone.below = new_block;
  moved_clone.above = entries_[new_block].above;
  entries_[block] = moved_clone;
  entries_[new_block].above = block;
  if (moved_clone.above == kNoPlace) {
    top_ = block;
  } else {
    entries_[moved_clone.above].below = block;
  }
  if (same_below != kNoPlace) entries_[same_below].same_above = block;
  if (same_above == kNoPlace) {
    tops_[2 * moved_clone.name] = block;
  } else {
    entries_[same_above].same_below = block;
  }
  nodes_[clone].place = block;
}

std::size_t OpenElements::RenewRun(std::uint32_t place) {
  std::size_t renewed = 0;
  for (; place != kNoPlace; place = entries_[place].above) {
    Entry& entry = entries_[place];
    if (nodes_[entry.node].IsHtml()) break;
    const bool goes_on = entry.below != kNoPlace && !nodes_[entries_[entry.below].node].IsHtml();
    entry.run = goes_on ? entries_[entry.below].run : place;
    ++renewed;
  }
  return renewed;
}

}  // namespace crawlsieve::extract::html
