#pragma once

#include "plugin/schedule/byte_writer.h"
#include "plugin/site/bit_votes.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace crawlsieve::site {

/// Classes of titles, and 0 for none.
inline constexpr std::uint32_t kTitles = 128;

/// By what a page is told to be like others of its site. Value type.
struct Likeness {
  std::uint64_t simhash = 0;  ///< 0: no text to go by
  std::uint32_t title = 0;    ///< class of the title's words, below kTitles; 0: no title
};

/// Finds the page that a site shows, at status 200, for whatever it doesn't have: a soft 404.
///
/// Pages that are alike are a group: whose simhashes are near the group's centre, which has each
/// bit as most of its pages have it. So a page may name the URL that it stands for, or list pages
/// that may help, which differ from URL to URL. A group is a soft 404 if its pages stand at many
/// URLs of many kinds of path with many names. A kind of path is the pattern without the query: a
/// login form that returns to any page is one path with many queries, which is the business of URL
/// rules. A page under one name in many folders, as a licence, isn't one either.
///
/// The home page is never one. Where a site answers with its home page, a page must be as good as
/// that page to be one.
///
/// Bounded: kMaxGroups groups; that with the fewest URLs makes room, of equals the oldest, and its
/// successor takes over its rank (space-saving). No floating point. Thread-compatible.
class SoftErrors {
 public:
  static constexpr std::size_t kMaxGroups = 24;
  static constexpr std::uint32_t kMinUrls = 8;
  /// Kinds of path, if the pages hardly differ, and if they do.
  static constexpr std::size_t kMinPaths = 3;
  static constexpr std::size_t kMinPathsOfUnlike = 5;
  /// URLs that aren't of the two kinds of path with the most.
  static constexpr std::uint32_t kMinElsewhere = 4;
  /// Last segments, by 32 hashes.
  static constexpr int kMinNames = 8;
  /// Bits from the centre: with the group's title, without, and of the home page's group.
  static constexpr int kReachOfTitle = 18;
  static constexpr int kReach = 3;
  /// In a group that has kMinUrls: so many bits more than its pages have on average.
  static constexpr int kMoreThanMean = 6;

  static constexpr std::size_t kMaxPaths = 6;
  /// Where a group has so many, its counts are halved.
  static constexpr std::uint32_t kMaxUrls = (1U << 21) - 1;
  static constexpr std::size_t kMaxEncodedBytes =
      1 +
      kMaxGroups * (BitVotes::kMaxEncodedBytes + 1 + 3 + 3 + 2 + 4 + 1 + 1 + kMaxPaths * (4 + 3));

  /// Takes the first fetch of a URL at status 200. `path_pattern`: of the URL, without its query;
  /// `name`: its last segment.
  void Add(const Likeness& page, std::string_view path_pattern, std::string_view name,
           bool is_home);
  /// Whether a page as this one, that isn't the home page, is what the site shows for URLs that it
  /// doesn't have.
  [[nodiscard]] bool Contains(const Likeness& page) const;
  /// Of each such group, the number of URLs, the largest first.
  [[nodiscard]] std::vector<std::uint32_t> UrlsOfGroups() const;

  void Encode(schedule::ByteWriter& out) const;
  /// False: not what Encode writes.
  [[nodiscard]] bool Decode(schedule::ByteReader& in);

  friend bool operator==(const SoftErrors&, const SoftErrors&) = default;

 private:
  struct Path {
    std::uint32_t hash = 0;
    std::uint32_t urls = 0;

    friend bool operator==(const Path&, const Path&) = default;
  };
  struct Group {
    BitVotes votes;           ///< of its pages' simhashes
    std::uint32_t title = 0;  ///< of its first page
    std::uint32_t urls = 0;
    std::uint32_t inherited = 0;
    std::uint32_t mean_distance = 0;  ///< from the centre, of the latest pages, in 1/16 bits
    std::uint32_t names = 0;          ///< a bit for each hash of a last segment
    bool is_home = false;
    std::vector<Path> paths;  ///< as they came, at most kMaxPaths

    /// The home page's stays: it must never be taken for a soft error.
    [[nodiscard]] std::pair<bool, std::uint32_t> rank() const {
      return {is_home, urls + inherited};
    }
    /// How far from the centre a page may be.
    [[nodiscard]] int ReachFor(const Likeness& page) const;
    [[nodiscard]] bool IsSoftError() const;
    void Take(const Likeness& page, int distance);
    void TakePath(std::uint32_t hash);

    friend bool operator==(const Group&, const Group&) = default;
  };

  /// The group that the page is one of, and how far it is from its centre; nullptr: none.
  [[nodiscard]] std::pair<const Group*, int> Find(const Likeness& page) const;
  Group& AddGroup(const Likeness& page);

  std::vector<Group> groups_;  // the oldest first
};

}  // namespace crawlsieve::site
