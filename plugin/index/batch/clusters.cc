#include "plugin/index/batch/clusters.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace crawlsieve {

std::uint32_t Clusters::NodeOf(std::uint64_t id) {
  const auto next = static_cast<std::uint32_t>(nodes_.size());
  if (nodes_.size() == std::numeric_limits<std::uint32_t>::max()) {
    throw std::length_error("more than 2^32 ids in clusters");
  }
  const auto [found, is_new] = numbers_.try_emplace(id, next);
  if (is_new) {
    nodes_.push_back({.parent = next, .size = 1, .smallest = id});
    ++sets_;
  }
  return found->second;
}

std::uint32_t Clusters::TopOf(std::uint32_t node) {
  while (nodes_[node].parent != node) {
    nodes_[node].parent = nodes_[nodes_[node].parent].parent;
    node = nodes_[node].parent;
  }
  return node;
}

void Clusters::Join(std::uint64_t a, std::uint64_t b) {
  std::uint32_t top = TopOf(NodeOf(a));
  std::uint32_t other = TopOf(NodeOf(b));
  if (top == other) return;
  if (nodes_[top].size < nodes_[other].size) std::swap(top, other);
  nodes_[other].parent = top;
  nodes_[top].size += nodes_[other].size;
  nodes_[top].smallest = std::min(nodes_[top].smallest, nodes_[other].smallest);
  --sets_;
}

std::vector<Clusters::Member> Clusters::Members() {
  std::vector<Member> members;
  members.reserve(numbers_.size());
  for (const auto& [id, node] : numbers_) members.push_back({id, nodes_[TopOf(node)].smallest});
  std::ranges::sort(members, {}, [](const Member& m) { return std::tuple(m.root, m.id); });
  return members;
}

}  // namespace crawlsieve
