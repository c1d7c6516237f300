#pragma once

#include "plugin/schedule/byte_writer.h"
#include "plugin/site/bounded_table.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <vector>

namespace crawlsieve::site {

/// Finds the page that a site shows, at status 200, for whatever it doesn't have: a soft 404.
///
/// One content on kMinUrls URLs of kMinPaths kinds of path is one, unless the home page has it. A
/// kind of path is the pattern without the query: a login form that returns to any page is one path
/// with many queries, which is the business of URL rules.
///
/// Bounded: kMaxContents contents; that with the fewest URLs makes room (space-saving, ties by
/// hash). Thread-compatible.
class RepeatedContent {
 public:
  static constexpr std::size_t kMaxContents = 32;
  static constexpr std::uint32_t kMinUrls = 8;
  static constexpr std::size_t kMinPaths = 3;
  static constexpr std::uint32_t kOften = 4;
  static constexpr std::size_t kMaxEncodedBytes =
      1 + kMaxContents * (4 + 1 + 4 * kMinPaths + 2 * 5 + 1);

  /// Takes the first fetch of a URL at status 200.
  void Add(std::uint32_t content, std::string_view path_pattern, bool is_home);
  /// Whether it is among the contents that are remembered.
  [[nodiscard]] bool Contains(std::uint32_t content) const {
    return contents_.Find(content) != nullptr;
  }
  /// Whether kOften URLs had it.
  [[nodiscard]] bool IsOften(std::uint32_t content) const {
    const Content* const known = contents_.Find(content);
    return known != nullptr && known->urls >= kOften;
  }
  [[nodiscard]] bool IsSoftError(std::uint32_t content) const;
  /// Of each soft error, the number of URLs that showed it, the largest first.
  [[nodiscard]] std::vector<std::uint32_t> UrlsOfSoftErrors() const;

  void Encode(schedule::ByteWriter& out) const;
  /// False: not what Encode writes.
  [[nodiscard]] bool Decode(schedule::ByteReader& in);

  friend bool operator==(const RepeatedContent&, const RepeatedContent&) = default;

 private:
  struct Content {
    std::uint32_t urls = 0;
    std::uint32_t inherited = 0;
    std::vector<std::uint32_t> paths;  ///< hashes, ascending, at most kMinPaths
    bool is_home = false;

    /// The home page's stays: it must never be taken for a soft error.
    [[nodiscard]] std::tuple<bool, std::uint32_t> rank() const {
      return {is_home, urls + inherited};
    }

    friend bool operator==(const Content&, const Content&) = default;
  };

  BoundedTable<std::uint32_t, Content> contents_;
};

}  // namespace crawlsieve::site
