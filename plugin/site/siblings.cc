#include "plugin/site/siblings.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace crawlsieve::site {
namespace {

// Least significant byte first. `bytes` is a constant, so that this becomes one move.
inline std::uint64_t Load(const char* from, std::size_t bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) {
    value |= std::uint64_t{static_cast<unsigned char>(from[i])} << 8 * i;
  }
  return value;
}

inline void Save(std::uint64_t value, std::size_t bytes, char* to) {
  for (std::size_t i = 0; i < bytes; ++i) to[i] = static_cast<char>(value >> 8 * i & 0xff);
}

}  // namespace

std::size_t Siblings::PlaceOf(std::uint32_t key, const std::string& set) {
  for (std::size_t place = 0; place < set.size(); place += kEntryBytes) {
    if (Load(set.data() + place, 4) == key) return place;
  }
  return std::string::npos;
}

std::optional<ContentMark> Siblings::Find(std::uint64_t key) const {
  if (sets_.empty()) return std::nullopt;
  const auto short_key = static_cast<std::uint32_t>(key);
  const std::string& set = sets_[SetOf(short_key)];
  const std::size_t place = PlaceOf(short_key, set);
  if (place == std::string::npos) return std::nullopt;
  return static_cast<ContentMark>(Load(set.data() + place + 4, 4));
}

bool Siblings::Contains(std::uint64_t key) const {
  const auto short_key = static_cast<std::uint32_t>(key);
  return !sets_.empty() && PlaceOf(short_key, sets_[SetOf(short_key)]) != std::string::npos;
}

std::optional<ContentMark> Siblings::Put(std::uint64_t key, ContentMark content) {
  if (sets_.empty()) sets_.resize(1);
  const auto short_key = static_cast<std::uint32_t>(key);
  std::array<char, kEntryBytes> entry{};
  Save(short_key, 4, entry.data());
  Save(content, 4, entry.data() + 4);
  std::string* set = &sets_[SetOf(short_key)];
  if (const std::size_t place = PlaceOf(short_key, *set); place != std::string::npos) {
    const auto before = static_cast<ContentMark>(Load(set->data() + place + 4, 4));
    std::copy(entry.begin(), entry.end(), set->begin() + static_cast<std::ptrdiff_t>(place));
    return before;
  }
  while (set->size() == kSetEntries * kEntryBytes && sets_.size() < kMaxSets) {
    DoubleSets();
    set = &sets_[SetOf(short_key)];
  }
  if (set->size() == kSetEntries * kEntryBytes) set->erase(0, kEntryBytes);
  set->append(entry.data(), entry.size());
  return std::nullopt;
}

void Siblings::DoubleSets() {
  const std::vector<std::string> before = std::exchange(sets_, {});
  sets_.resize(2 * before.size());
  for (const std::string& set : before) {
    for (std::size_t place = 0; place < set.size(); place += kEntryBytes) {
      const auto key = static_cast<std::uint32_t>(Load(set.data() + place, 4));
      sets_[SetOf(key)].append(set, place, kEntryBytes);
    }
  }
}

std::size_t Siblings::size() const {
  std::size_t bytes = 0;
  for (const std::string& set : sets_) bytes += set.size();
  return bytes / kEntryBytes;
}

void Siblings::Encode(schedule::ByteWriter& out) const {
  out.Fixed(sets_.size(), 1);
  for (const std::string& set : sets_) out.Text(set);
}

bool Siblings::Decode(schedule::ByteReader& in) {
  sets_.clear();
  const std::uint64_t count = in.Fixed(1);
  if (count > kMaxSets || (count & (count - 1)) != 0) return false;
  sets_.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string_view bytes = in.Text();
    if (bytes.size() > kSetEntries * kEntryBytes || bytes.size() % kEntryBytes != 0) return false;
    for (std::size_t place = 0; place < bytes.size(); place += kEntryBytes) {
      if ((Load(bytes.data() + place, 4) & (count - 1)) != i) return false;
    }
    sets_.emplace_back(bytes);
  }
  return in.ok();
}

}  // namespace crawlsieve::site
