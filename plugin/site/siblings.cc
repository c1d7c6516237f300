#include "plugin/site/siblings.h"

#include <algorithm>
#include <bit>

namespace crawlsieve::site {

bool IsSameContent(const ContentMark& a, const ContentMark& b) {
  if (a.content == b.content) return true;
  const int fewer = std::min(a.features, b.features);
  const int more = std::max(a.features, b.features);
  return fewer >= kMinComparedFeatures && 10 * (more - fewer) <= more && a.title != 0 &&
         a.title == b.title && std::popcount(a.simhash ^ b.simhash) <= kMaxSiblingDistance;
}

std::optional<ContentMark> Siblings::Find(std::uint64_t key) const {
  const auto place = places_.find(static_cast<std::uint32_t>(key));
  if (place == places_.end()) return std::nullopt;
  return entries_[place->second].mark;
}

void Siblings::Put(std::uint64_t key, const ContentMark& mark) {
  const auto short_key = static_cast<std::uint32_t>(key);
  if (const auto known = places_.find(short_key); known != places_.end()) {
    entries_[known->second].mark = mark;
    return;
  }
  if (entries_.size() < kMaxEntries) {
    places_.emplace(short_key, entries_.size());
    entries_.push_back({short_key, mark});
    return;
  }
  places_.erase(entries_[next_].key);
  places_.emplace(short_key, next_);
  entries_[next_] = {short_key, mark};
  next_ = (next_ + 1) % kMaxEntries;
}

void Siblings::Encode(schedule::ByteWriter& out) const {
  out.Varint(entries_.size());
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[(next_ + i) % entries_.size()];
    out.Fixed(entry.key, 4);
    out.Fixed(entry.mark.content, 4);
    out.Fixed(entry.mark.simhash, 8);
    out.Fixed(entry.mark.title, 1);
    out.Fixed(entry.mark.features, 1);
  }
}

bool Siblings::Decode(schedule::ByteReader& in) {
  entries_.clear();
  places_.clear();
  next_ = 0;
  const std::uint64_t count = in.Varint();
  if (count > kMaxEntries) return false;
  for (std::uint64_t i = 0; i < count; ++i) {
    Entry entry;
    entry.key = static_cast<std::uint32_t>(in.Fixed(4));
    entry.mark.content = static_cast<std::uint32_t>(in.Fixed(4));
    entry.mark.simhash = in.Fixed(8);
    entry.mark.title = static_cast<std::uint8_t>(in.Fixed(1));
    entry.mark.features = static_cast<std::uint8_t>(in.Fixed(1));
    if (!in.ok() || !places_.emplace(entry.key, entries_.size()).second) return false;
    entries_.push_back(entry);
  }
  return in.ok();
}

}  // namespace crawlsieve::site
