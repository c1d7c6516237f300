// Formatting elements: those that are opened again behind a block, and the adoption agency.

#include "extract/html/tree_builder.h"

namespace crawlsieve::extract::html {
namespace {

/// Entries of the list of formatting elements that don't count as memory.
constexpr std::uint32_t kFreeEntries = 4096;

}  // namespace

NodeIndex TreeBuilder::Clone(NodeIndex element) {
  const Node& node = nodes_[element];
  const auto flags = static_cast<std::uint8_t>(node.flags | kClone);
  --clones_left_;
  return nodes_.Add(node.tag, flags, node.begin, node.extra, node.attributes);
}

std::uint64_t TreeBuilder::Sign(NodeIndex element) {
  const Node& node = nodes_[element];
  const auto tag = static_cast<std::uint64_t>(node.tag);
  const std::size_t before = tags_.most_signed();
  const std::uint64_t attributes = tags_.SignatureOf(node.begin, hash_);
  nodes_.Charge(tags_.most_signed() - before);  // one takes a little less than a node
  return hash_.Mix(tag + 1, attributes) | 1;
}

void TreeBuilder::ReconstructFormatting() {
  if (clones_left_ == 0) return;
  std::uint32_t entry = formatting_.last();
  const auto is_done = [this](std::uint32_t at) {
    return formatting_.IsMarker(at) || nodes_[formatting_[at].node].place != kNoPlace;
  };
  if (entry == kNoEntry || is_done(entry)) return;
  while (formatting_[entry].previous != kNoEntry && !is_done(formatting_[entry].previous)) {
    entry = formatting_[entry].previous;
  }
  for (; entry != kNoEntry && clones_left_ != 0; entry = formatting_[entry].next) {
    const NodeIndex clone = Clone(formatting_[entry].node);
    Insert(open_.current(), clone);
    open_.Push(clone, static_cast<NameId>(nodes_[clone].tag));
    open_[open_.top()].listed = entry;
    formatting_.Replace(entry, clone);
    ++work_;
  }
}

void TreeBuilder::StartFormattingElement(const TagToken& token) {
  if (token.tag == Tag::kA) {
    const std::uint32_t entry = formatting_.FindLast(Tag::kA);
    if (entry != kNoEntry) {
      const NodeIndex link = formatting_[entry].node;
      RunAdoptionAgency(token);
      // The agency leaves a link alone that isn't in scope.
      const std::uint32_t left = formatting_.FindLast(Tag::kA);
      if (left != kNoEntry && formatting_[left].node == link) formatting_.Remove(left);
      if (nodes_[link].place != kNoPlace) RemoveOpen(nodes_[link].place);
    }
  }
  ReconstructFormatting();
  if (token.tag == Tag::kNobr && open_.HasInScope(Tag::kNobr, kScope)) {
    RunAdoptionAgency(token);
    ReconstructFormatting();
  }
  const NodeIndex element = InsertHtml(token);
  const std::uint32_t entry = formatting_.Push(element, token.tag);
  if (entry >= kFreeEntries) nodes_.Charge(4);  // its signature included
  open_[open_.top()].listed = entry;
}

void TreeBuilder::PushMarker() {
  if (formatting_.PushMarker() >= kFreeEntries) nodes_.Charge(2);
}

void TreeBuilder::RunAdoptionAgency(const TagToken& token) {
  constexpr int kRounds = 8;
  const OpenElements::Entry& current = open_[open_.top()];
  const bool listed =
      current.listed != kNoEntry && formatting_[current.listed].node == current.node;
  if (CurrentIs(token.tag) && !listed) {
    open_.Pop();
    return;
  }
  for (int round = 0; round < kRounds; ++round) {
    if (!AdoptOnce(token)) return;
  }
}

void TreeBuilder::RemoveOpen(std::uint32_t place) {
  const std::uint32_t above = open_[place].above;
  open_.Remove(place);
  if (open_.HasForeign()) work_ += open_.RenewRun(above);
}

bool TreeBuilder::AdoptOnce(const TagToken& token) {
  constexpr std::size_t kKeptInside = 3;
  const std::uint32_t entry = formatting_.FindLast(token.tag);
  if (entry == kNoEntry) {
    EndAnyOther(token.name);
    return false;
  }
  const NodeIndex formatting = formatting_[entry].node;
  const std::uint32_t place = nodes_[formatting].place;
  if (place == kNoPlace) {
    formatting_.Remove(entry);
    return false;
  }
  if (!open_.IsWithin(place, kScope)) return false;
  const std::uint32_t block_place = open_.LowestOfAbove(kSpecial, place);
  if (block_place == kNoPlace) {
    open_.PopThrough(place);
    formatting_.Remove(entry);
    return false;
  }
  if (clones_left_ <= kKeptInside) {  // too few for this round: what is in the element stays there
    formatting_.Remove(entry);
    RemoveOpen(place);
    return false;
  }
  const NodeIndex block = open_[block_place].node;
  const NodeIndex ancestor = open_[open_[place].below].node;

  // The inner loop: elements between the block and the formatting element, from the top.
  std::uint32_t bookmark = kNoEntry;
  std::size_t inside = 0;
  NodeIndex last = block;
  for (std::uint32_t at = open_[block_place].below; at != place;) {
    const OpenElements::Entry between = open_[at];
    ++inside;
    ++work_;
    bool listed = between.listed != kNoEntry && formatting_[between.listed].node == between.node;
    if (listed && inside > kKeptInside) {
      formatting_.Remove(between.listed);
      listed = false;
    }
    if (!listed) {
      open_.Remove(at);
      at = between.below;
      continue;
    }
    const NodeIndex clone = Clone(between.node);
    formatting_.Replace(between.listed, clone);
    open_.Replace(at, clone);
    if (bookmark == kNoEntry) bookmark = between.listed;
    nodes_.Remove(last);
    nodes_.Append(clone, last);
    last = clone;
    at = between.below;
  }

  nodes_.Remove(last);
  Insert(ancestor, last);
  const NodeIndex clone = Clone(formatting);
  work_ += nodes_.MoveChildren(block, clone);
  nodes_.Append(block, clone);
  // In the list it comes behind the topmost of the elements that were kept.
  if (bookmark != kNoEntry) formatting_.MoveBehind(entry, bookmark);
  formatting_.Replace(entry, clone);
  open_.MoveAboveBlock(place, block_place, clone);
  if (open_.HasForeign()) {
    const std::uint32_t above = open_[block_place].above;
    work_ += open_.RenewRun(block_place - 1);
    work_ += open_.RenewRun(above);
  }
  return true;
}

}  // namespace crawlsieve::extract::html
