#include "plugin/state/row_map.h"

#include "plugin/fingerprint/checksum.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <random>
#include <string>
#include <utility>

namespace crawlsieve {
namespace {

constexpr std::size_t kFewestSlots = 16;
/// Places of so many keys are fetched at the same time: they all have to fit into the first cache.
constexpr std::size_t kKeysTogether = 32;
constexpr std::size_t kWordBytes = 8;

/// Under a key of this process: keys of rows are URLs of strangers, who could make all of them fall
/// together.
std::uint32_t HashOf(std::string_view key) {
  static const KeyedChecksum hash = [] {
    std::random_device random;
    return KeyedChecksum(std::to_string(random()) + std::to_string(random()));
  }();
  return static_cast<std::uint32_t>(hash(key).low);
}

/// A row, and the eight bytes of its key by which it is sorted now.
struct Place {
  std::uint64_t word = 0;
  const RowMap::Row* row = nullptr;
};

/// The eight bytes from `at` on as a number that has their order; behind the key's end are zeros.
std::uint64_t WordOf(std::string_view key, std::size_t at) {
  std::uint64_t word = 0;
  if (at < key.size()) std::memcpy(&word, key.data() + at, std::min(key.size() - at, kWordBytes));
  return __builtin_bswap64(word);
}

/// Sorts rows whose keys are equal up to `at`, a word of the keys after the other: keys lie
/// anywhere in memory, and many of a table begin alike. So each is looked at once, and not at every
/// comparison.
void SortFrom(std::span<Place> places, std::size_t at) {
  constexpr std::size_t kFew = 8;
  const auto key_of = [](const Place& place) { return place.row->key(); };
  if (places.size() <= kFew) {
    std::ranges::sort(places, {}, key_of);
    return;
  }
  // Strangers' keys may begin alike as far as they like.
  const auto goes_on_alike = [&](const Place& place) {
    return place.word == places.front().word && key_of(place).size() > at + kWordBytes;
  };
  const auto take_words = [&] {
    for (Place& place : places) place.word = WordOf(key_of(place), at);
  };
  for (take_words(); std::ranges::all_of(places, goes_on_alike); take_words()) at += kWordBytes;
  std::ranges::sort(places, {}, &Place::word);
  for (auto begin = places.begin(); begin != places.end();) {
    const auto is_other = [&](const Place& place) { return place.word != begin->word; };
    const auto end = std::find_if(begin, places.end(), is_other);
    if (end - begin > 1) {
      // A key that ends here begins all that go on, and the shorter ones that end here the longer.
      const auto ends = [&](const Place& place) { return key_of(place).size() <= at + kWordBytes; };
      const auto goes_on = std::partition(begin, end, ends);
      std::sort(begin, goes_on, [&](const Place& a, const Place& b) {
        return key_of(a).size() < key_of(b).size();
      });
      SortFrom({goes_on, end}, at + kWordBytes);
    }
    begin = end;
  }
}

}  // namespace

std::size_t RowMap::SlotOf(std::string_view key, std::uint32_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = hash & mask;
  for (; slots_[i].row != 0; i = (i + 1) & mask) {
    if (slots_[i].hash == hash && rows_[slots_[i].row - 1].key() == key) break;
  }
  return i;
}

std::optional<std::size_t> RowMap::PlaceOf(std::string_view key) const {
  if (rows_.empty()) return std::nullopt;
  const std::uint32_t row = slots_[SlotOf(key, HashOf(key))].row;
  return row == 0 ? std::nullopt : std::optional<std::size_t>(row - 1);
}

std::optional<RowMap::Value> RowMap::Find(std::string_view key) const {
  const std::optional<std::size_t> place = PlaceOf(key);
  if (!place.has_value()) return std::nullopt;
  return std::optional<Value>(std::in_place, rows_[*place].value());
}

RowMap::Keys::Keys(std::span<const std::string_view> keys) : keys_(keys) {
  hashes_.reserve(keys.size());
  for (const std::string_view key : keys) hashes_.push_back(HashOf(key));
}

std::vector<std::optional<RowMap::Value>> RowMap::FindAll(const Keys& wanted) const {
  std::vector<std::optional<Value>> found(wanted.keys_.size());
  if (rows_.empty()) return found;
  for (std::size_t begin = 0; begin < found.size(); begin += kKeysTogether) {
    const std::size_t count = std::min(kKeysTogether, found.size() - begin);
    FindSome(wanted.keys_.subspan(begin, count), std::span(wanted.hashes_).subspan(begin, count),
             std::span(found).subspan(begin, count));
  }
  return found;
}

// Each look leads to the next place, and waits for memory: here for all keys at once.
void RowMap::FetchPlaces(std::span<const std::uint32_t> hashes) const {
  const std::size_t mask = slots_.size() - 1;
  for (const std::uint32_t hash : hashes) __builtin_prefetch(&slots_[hash & mask]);
  const auto likely_row = [&](std::uint32_t hash) {
    const Slot& slot = slots_[hash & mask];
    return slot.row != 0 && slot.hash == hash ? &rows_[slot.row - 1] : nullptr;
  };
  for (const std::uint32_t hash : hashes) {
    if (const Row* const row = likely_row(hash)) __builtin_prefetch(row);
  }
  for (const std::uint32_t hash : hashes) {
    if (const Row* const row = likely_row(hash)) __builtin_prefetch(row->key().data());
  }
}

void RowMap::FindSome(std::span<const std::string_view> keys, std::span<const std::uint32_t> hashes,
                      std::span<std::optional<Value>> found) const {
  FetchPlaces(hashes);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::uint32_t row = slots_[SlotOf(keys[i], hashes[i])].row;
    if (row != 0) found[i].emplace(rows_[row - 1].value());
  }
}

void RowMap::Put(std::string_view key, Value value) { SetValueOf(RowOf(key, HashOf(key)), value); }

std::size_t RowMap::PutIfNew(std::string_view key) {
  return static_cast<std::size_t>(&RowOf(key, HashOf(key)) - rows_.data());
}

void RowMap::SetValue(const Row& row, Value value) {
  SetValueOf(rows_[static_cast<std::size_t>(&row - rows_.data())], value);
}

RowMap::Row& RowMap::RowOf(std::string_view key, std::uint32_t hash) {
  MakeRoomFor(rows_.size() + 1);
  Slot& slot = slots_[SlotOf(key, hash)];
  if (slot.row == 0) {
    rows_.emplace_back(bytes_.Copy(key), std::nullopt);
    slot = {hash, static_cast<std::uint32_t>(rows_.size())};
  }
  return rows_[slot.row - 1];
}

void RowMap::SetValueOf(Row& row, Value value) {
  if (value.has_value()) {
    const Value before = row.value();
    const bool fits = before.has_value() && before->size() >= value->size();
    char* bytes = fits ? const_cast<char*>(before->data()) : bytes_.Allocate(value->size());
    if (!value->empty()) std::memmove(bytes, value->data(), value->size());
    value = std::string_view(bytes, value->size());
  }
  row = Row(row.key(), value);
}

void RowMap::PutAll(const RowMap& other) {
  PutKeys(other, [this](const Row& theirs, const Row& here) { SetValue(here, theirs.value()); });
}

void RowMap::PutKeys(const RowMap& other,
                     const std::function<void(const Row&, const Row&)>& visit) {
  MakeRoomFor(rows_.size() + other.rows_.size());
  std::array<const Row*, kKeysTogether> theirs;
  std::array<std::uint32_t, kKeysTogether> hashes;
  std::size_t count = 0;
  const auto put = [&] {
    FetchPlaces(std::span(hashes).first(count));
    for (std::size_t i = 0; i < count; ++i) visit(*theirs[i], RowOf(theirs[i]->key(), hashes[i]));
    count = 0;
  };
  for (const Slot& slot : other.slots_) {
    if (slot.row == 0) continue;
    theirs[count] = &other.rows_[slot.row - 1];
    hashes[count] = slot.hash;
    if (++count == kKeysTogether) put();
  }
  put();
}

void RowMap::Clear() {
  rows_.clear();
  std::ranges::fill(slots_, Slot());
  bytes_.Clear();
}

std::vector<const RowMap::Row*> RowMap::InOrder() const {
  std::vector<const Row*> rows;
  rows.reserve(rows_.size());
  for (const Row& row : rows_) rows.push_back(&row);
  Sort(rows);
  return rows;
}

void RowMap::Sort(std::span<const Row*> rows) {
  std::vector<Place> places;
  places.reserve(rows.size());
  for (const Row* const row : rows) places.push_back({0, row});
  SortFrom(places, 0);
  std::ranges::transform(places, rows.begin(), &Place::row);
}

void RowMap::MakeRoomFor(std::size_t rows) {
  if (rows * 2 <= slots_.size()) return;
  std::vector<Slot> slots(std::max(kFewestSlots, std::bit_ceil(rows * 2)));
  const std::size_t mask = slots.size() - 1;
  for (const Slot& slot : slots_) {
    if (slot.row == 0) continue;
    std::size_t i = slot.hash & mask;
    while (slots[i].row != 0) i = (i + 1) & mask;
    slots[i] = slot;
  }
  slots_ = std::move(slots);
}

}  // namespace crawlsieve
