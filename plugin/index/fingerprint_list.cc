#include "plugin/index/fingerprint_list.h"

#include "plugin/index/base/kernel.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace crawlsieve {
namespace {

constexpr std::size_t kWords = 16;
constexpr std::size_t kBatch = 16;

}  // namespace

void FingerprintList::Add(Fingerprint fingerprint) {
  const std::size_t word = fingerprints_.size() % kWords;
  if (word == 0) low_halves_.emplace_back();
  low_halves_.back().words[word] = static_cast<std::uint32_t>(fingerprint.bits);
  fingerprints_.push_back(fingerprint);
}

void FingerprintList::Clear() {
  fingerprints_.clear();
  low_halves_.clear();
}

void FingerprintList::Find(Fingerprint query, int max_distance,
                           std::vector<std::size_t>& found) const {
  found.clear();
  std::array<const Line*, kBatch> lines;
  std::array<std::uint32_t, kBatch> queries;
  std::array<std::uint32_t, kBatch> budgets;
  std::array<std::uint16_t, kBatch> masks;
  queries.fill(static_cast<std::uint32_t>(query.bits));
  budgets.fill(static_cast<std::uint32_t>(std::min(max_distance, 32)));
  for (std::size_t first = 0; first < low_halves_.size(); first += kBatch) {
    const std::size_t count = std::min(kBatch, low_halves_.size() - first);
    for (std::size_t i = 0; i < count; ++i) lines[i] = &low_halves_[first + i];
    BestKernel().run(lines.data(), queries.data(), budgets.data(), count, masks.data());
    for (std::size_t i = 0; i < count; ++i) {
      for (unsigned mask = masks[i]; mask != 0; mask &= mask - 1) {
        const std::size_t number =
            (first + i) * kWords + static_cast<std::size_t>(std::countr_zero(mask));
        if (number < size() && HammingDistance(query, fingerprints_[number]) <= max_distance) {
          found.push_back(number);
        }
      }
    }
  }
}

}  // namespace crawlsieve
