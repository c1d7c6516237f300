#include "consumer/status/heavy_hitters.h"

#include "consumer/html/bounded_text.h"

#include <algorithm>
#include <utility>

namespace crawlsieve::consumer {

HeavyHitters::HeavyHitters(std::size_t capacity) : capacity_(std::max<std::size_t>(1, capacity)) {
  places_.reserve(capacity_);
  counts_.reserve(capacity_);
  errors_.reserve(capacity_);
  names_.reserve(capacity_);
  lowest_.reserve(capacity_);
}

void HeavyHitters::Add(std::string_view name, std::uint64_t count) {
  total_ += count;
  const std::string cut = name.size() > kMaxNameBytes ? BoundedText(name, kMaxNameBytes) : "";
  if (!cut.empty()) name = cut;
  if (const auto found = places_.find(name); found != places_.end()) {
    counts_[found->second] += count;
    return;
  }
  if (counts_.size() < capacity_) {
    const auto added = places_.emplace(std::string(name), counts_.size()).first;
    names_.push_back(&added->first);
    counts_.push_back(count);
    errors_.push_back(0);
    EnterLowest(counts_.size() - 1);
    return;
  }
  // The new name takes the place of the rarest one, with its count: it may have occurred so often
  // while it wasn't counted.
  const std::size_t place = LowestPlace();
  auto node = places_.extract(places_.find(*names_[place]));
  node.key() = std::string(name);
  names_[place] = &places_.insert(std::move(node)).position->first;
  errors_[place] = counts_[place];
  counts_[place] += count;
}

std::size_t HeavyHitters::LowestPlace() {
  while (lowest_.front().count != counts_[lowest_.front().place]) {
    const std::size_t place = lowest_.front().place;
    std::ranges::pop_heap(lowest_, std::greater<>());
    lowest_.pop_back();
    EnterLowest(place);
  }
  return lowest_.front().place;
}

void HeavyHitters::EnterLowest(std::size_t place) {
  lowest_.push_back({counts_[place], place});
  std::ranges::push_heap(lowest_, std::greater<>());
}

std::uint64_t HeavyHitters::Missed() const {
  return counts_.size() < capacity_ ? 0 : *std::ranges::min_element(counts_);
}

std::vector<HeavyHitters::Item> HeavyHitters::Top(const HeavyHitters& one,
                                                  const HeavyHitters& other, std::size_t most) {
  std::vector<Item> items;
  const auto add = [&items](const HeavyHitters& from, const HeavyHitters& beside, bool is_second) {
    const std::uint64_t missed = beside.Missed();
    for (std::size_t i = 0; i < from.counts_.size(); ++i) {
      const std::string& name = *from.names_[i];
      const auto found = beside.places_.find(name);
      if (found == beside.places_.end()) {
        items.push_back({name, from.counts_[i] + missed, from.errors_[i] + missed});
      } else if (!is_second) {
        items.push_back({name, from.counts_[i] + beside.counts_[found->second],
                         from.errors_[i] + beside.errors_[found->second]});
      }
    }
  };
  add(one, other, /*is_second=*/false);
  add(other, one, /*is_second=*/true);
  std::ranges::sort(items, [](const Item& left, const Item& right) {
    return left.count != right.count ? left.count > right.count : left.name < right.name;
  });
  if (items.size() > most) items.resize(most);
  return items;
}

void HeavyHitters::Clear() {
  total_ = 0;
  places_.clear();
  counts_.clear();
  errors_.clear();
  names_.clear();
  lowest_.clear();
}

}  // namespace crawlsieve::consumer
