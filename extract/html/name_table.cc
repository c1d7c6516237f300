#include "extract/html/name_table.h"

#include "extract/text/ascii.h"

#include <cstring>
#include <random>
#include <utility>

namespace crawlsieve::extract::html {
namespace {

constexpr std::uint64_t kOnes = 0x0101010101010101;
constexpr std::uint64_t kHighBits = 0x8080808080808080;

/// The eight bytes of `word` with A to Z in lower case, and nothing else changed.
constexpr std::uint64_t LowerCaseAscii(std::uint64_t word) {
  const std::uint64_t low = word & ~kHighBits;
  const std::uint64_t from_a = low + (0x80 - 'A') * kOnes;
  const std::uint64_t behind_z = low + (0x7F - 'Z') * kOnes;
  const std::uint64_t upper = (from_a ^ behind_z) & ~word & kHighBits;
  return word | upper >> 2;
}
static_assert(LowerCaseAscii(0x5B5A41402D7AC161) == 0x5B7A61402D7AC161);

bool EqualNames(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (AsciiLower(a[i]) != AsciiLower(b[i])) return false;
  }
  return true;
}

}  // namespace

KeyedHash::KeyedHash() {
  std::random_device random;
  key_ = (std::uint64_t{random()} << 32 | random()) | 1;
}

std::uint64_t KeyedHash::Mix(std::uint64_t a, std::uint64_t b) const {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a ^ key_) * (b ^ 0x9E3779B97F4A7C15U ^ key_ << 1);
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t KeyedHash::Of(std::string_view bytes, bool lower_case) const {
  std::uint64_t hash = bytes.size();
  while (!bytes.empty()) {
    std::uint64_t word = 0;
    const std::size_t length = bytes.size() < 8 ? bytes.size() : 8;
    std::memcpy(&word, bytes.data(), length);
    hash = Mix(hash, lower_case ? LowerCaseAscii(word) : word);
    bytes.remove_prefix(length);
  }
  return hash;
}

void NameTable::Begin() {
  if (slots_.capacity() > kKeptSlots) slots_.Reset(0);
  if (slots_.empty()) {
    slots_.Resize(kFirstSlots);
    for (std::size_t i = 0; i < kFirstSlots; ++i) slots_[i] = {};
    page_ = 0;
  }
  used_ = 0;
  ++page_;
}

NameTable::Found NameTable::Find(std::string_view name) {
  if (2 * used_ >= slots_.size()) Grow();
  const std::uint64_t hash = hash_.Of(name, true);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = hash & mask;; i = (i + 1) & mask) {
    Slot& slot = slots_[i];
    if (slot.page != page_) {
      const auto id = static_cast<NameId>(kTagCount + used_++);
      slot = {hash, name.data(), static_cast<std::uint32_t>(name.size()), id, page_};
      return {id, true};
    }
    if (slot.hash == hash && EqualNames({slot.name, slot.length}, name)) return {slot.id, false};
  }
}

void NameTable::Grow() {
  const Pool<Slot> old = std::move(slots_);
  slots_ = {};
  slots_.Resize(2 * old.size());
  for (std::size_t i = 0; i < slots_.size(); ++i) slots_[i] = {};
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = 0; i < old.size(); ++i) {
    if (old[i].page != page_) continue;
    std::size_t at = old[i].hash & mask;
    while (slots_[at].page == page_) at = (at + 1) & mask;
    slots_[at] = old[i];
  }
}

}  // namespace crawlsieve::extract::html
