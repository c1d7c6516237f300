#pragma once

#include "plugin/schedule/byte_writer.h"
#include "plugin/site/bounded_table.h"

#include <cstddef>
#include <cstdint>

namespace crawlsieve::site {

/// Contents that a site has at several URLs, as a login form.
///
/// Bounded: kMaxContents contents; that with the fewest URLs makes room (space-saving, ties by
/// hash). Thread-compatible.
class RepeatedContent {
 public:
  static constexpr std::size_t kMaxContents = 32;
  static constexpr std::uint32_t kOften = 4;
  static constexpr std::size_t kMaxEncodedBytes = 1 + kMaxContents * (4 + 2 * 5);

  /// Takes the first fetch of a URL at status 200.
  void Add(std::uint32_t content);
  /// Whether it is among the contents that are remembered.
  [[nodiscard]] bool Contains(std::uint32_t content) const {
    return contents_.Find(content) != nullptr;
  }
  /// Whether kOften URLs had it.
  [[nodiscard]] bool IsOften(std::uint32_t content) const {
    const Content* const known = contents_.Find(content);
    return known != nullptr && known->urls >= kOften;
  }

  void Encode(schedule::ByteWriter& out) const;
  /// False: not what Encode writes.
  [[nodiscard]] bool Decode(schedule::ByteReader& in);

  friend bool operator==(const RepeatedContent&, const RepeatedContent&) = default;

 private:
  struct Content {
    std::uint32_t urls = 0;
    std::uint32_t inherited = 0;

    [[nodiscard]] std::uint32_t rank() const { return urls + inherited; }

    friend bool operator==(const Content&, const Content&) = default;
  };

  BoundedTable<std::uint32_t, Content> contents_;
};

}  // namespace crawlsieve::site
