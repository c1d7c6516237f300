#include "plugin/index/bucket/nest.h"

#include "plugin/index/base/radius.h"

#include <algorithm>
#include <array>
#include <span>

namespace crawlsieve {

Nest::Nest(int key_bits, int max_distance, bool with_documents) : key_bits_(key_bits) {
  const std::size_t tables = max_distance == 0 ? 1 : 2;
  for (std::size_t i = 0; i < tables; ++i) {
    // The first half of the bits, rounded up, or what a rotation by that leaves to the second.
    const int half = (key_bits + 1) / 2;
    const int address_bits = i == 0 ? half : key_bits - half;
    tables_.emplace_back(key_bits, std::min(address_bits, 32), max_distance,
                         with_documents && i == 0);
  }
}

std::uint64_t Nest::Rotate(std::uint64_t key, std::size_t table) const {
  if (table == 0) return key;
  const int half = (key_bits_ + 1) / 2;
  return (key << half | key >> (key_bits_ - half)) & ((std::uint64_t{1} << key_bits_) - 1);
}

std::uint64_t Nest::RotateBack(std::uint64_t key, std::size_t table) const {
  if (table == 0) return key;
  const int half = (key_bits_ + 1) / 2;
  return (key >> half | key << (key_bits_ - half)) & ((std::uint64_t{1} << key_bits_) - 1);
}

void Nest::Insert(std::uint64_t key, std::uint64_t document) {
  for (std::size_t i = 0; i < tables_.size(); ++i) tables_[i].Insert(Rotate(key, i), document);
}

bool Nest::Erase(std::uint64_t key) {
  if (!tables_.front().Erase(key)) return false;
  for (std::size_t i = 1; i < tables_.size(); ++i) tables_[i].Erase(Rotate(key, i));
  return true;
}

void Nest::Collect(std::uint64_t key, int max_distance, std::vector<std::uint64_t>& keys,
                   ProbeWork& work) const {
  keys.clear();
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    const int radius =
        BlockRadius(max_distance, static_cast<int>(tables_.size()), static_cast<int>(i));
    if (radius < 0) continue;
    const std::array<std::uint64_t, 1> query{Rotate(key, i)};
    std::vector<Hit> hits;
    ProbeQueue queue(query, max_distance, hits);
    tables_[i].Enqueue(queue, 0, query[0], radius, max_distance);
    queue.Drain();
    for (const Hit& hit : hits) keys.push_back(RotateBack(hit.key, i));
    work.probes += queue.work().probes;
    work.lines += queue.work().lines;
    work.candidates += queue.work().candidates;
  }
  // Each table finds most of them, and so it would go on, level by level.
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

std::uint64_t Nest::bytes() const {
  std::uint64_t bytes = sizeof(Nest);
  for (const auto& table : tables_) bytes += table.bytes();
  return bytes;
}

}  // namespace crawlsieve
