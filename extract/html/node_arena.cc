#include "extract/html/node_arena.h"

namespace crawlsieve::extract::html {

void NodeArena::InsertBefore(NodeIndex sibling, NodeIndex child) {
  Node& behind = nodes_[sibling];
  Node& node = nodes_[child];
  node.parent = behind.parent;
  node.previous = behind.previous;
  node.next = sibling;
  // The first child has no `previous`; in the ring the parent's last child is in front of it.
  const NodeIndex before =
      behind.previous == kNoNode ? nodes_[behind.parent].last : behind.previous;
  nodes_[before].next = child;
  behind.previous = child;
}

void NodeArena::Remove(NodeIndex child) {
  Node& node = nodes_[child];
  if (node.parent == kNoNode) return;
  Node& parent = nodes_[node.parent];
  if (parent.last == child && node.previous == kNoNode) {
    parent.last = kNoNode;
  } else {
    const NodeIndex before = node.previous == kNoNode ? parent.last : node.previous;
    nodes_[before].next = node.next;
    if (parent.last == child) {
      parent.last = node.previous;
    } else {
      nodes_[node.next].previous = node.previous;
    }
  }
  node.parent = kNoNode;
  node.previous = kNoNode;
  node.next = kNoNode;
}

std::size_t NodeArena::MoveChildren(NodeIndex from, NodeIndex to) {
  const NodeIndex last = nodes_[from].last;
  if (last == kNoNode) return 0;
  std::size_t moved = 0;
  NodeIndex child = last;
  do {
    child = nodes_[child].next;
    nodes_[child].parent = to;
    ++moved;
  } while (child != last);
  nodes_[to].last = last;
  nodes_[from].last = kNoNode;
  return moved;
}

}  // namespace crawlsieve::extract::html
