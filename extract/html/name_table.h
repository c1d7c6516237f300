#pragma once

#include "extract/html/node_arena.h"
#include "extract/html/open_elements.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace crawlsieve::extract::html {

/// A hash of names and values that pages can't foresee: every object has a key of its own, by
/// chance, so no page makes tables slow. Thread-compatible.
class KeyedHash {
 public:
  KeyedHash();
  /// Of the bytes; with `lower_case`, of the bytes with the letters of ASCII in lower case.
  [[nodiscard]] std::uint64_t Of(std::string_view bytes, bool lower_case) const;
  [[nodiscard]] std::uint64_t Mix(std::uint64_t a, std::uint64_t b) const;

 private:
  std::uint64_t key_;
};

/// Numbers the names of a page's elements that no Tag has: the same name in any letter case has
/// the same number. Thread-compatible; memory stays from page to page.
class NameTable {
 public:
  explicit NameTable(const KeyedHash& hash) : hash_(hash) {}

  /// Forgets the names of the last page.
  void Begin();

  struct Found {
    NameId name;
    bool is_new;
  };
  /// The number of `name`, whose bytes stay where they are until Begin.
  [[nodiscard]] Found Find(std::string_view name);

 private:
  struct Slot {
    std::uint64_t hash;
    const char* name;
    std::uint32_t length;
    NameId id;
    std::uint64_t page;  ///< the slot is free on any other page
  };
  static constexpr std::size_t kFirstSlots = 64;
  static constexpr std::size_t kKeptSlots = 16 << 10;

  void Grow();

  const KeyedHash& hash_;
  Pool<Slot> slots_;
  std::size_t used_ = 0;
  std::uint64_t page_ = 0;
};

}  // namespace crawlsieve::extract::html
