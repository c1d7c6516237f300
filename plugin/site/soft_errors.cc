#include "plugin/site/soft_errors.h"

#include "plugin/fingerprint/checksum.h"
#include "plugin/fingerprint/simhash.h"

#include <algorithm>
#include <bit>
#include <functional>

namespace crawlsieve::site {
namespace {

constexpr std::uint32_t kMeanStep = 16;
constexpr int kMeanOf = 8;  // pages, about
/// Up to this mean distance pages hardly differ.
constexpr std::uint32_t kHardly = kMeanStep / 2;
constexpr std::uint64_t kMaxMean = 64 * kMeanStep;

std::uint32_t HashOf(std::string_view text) {
  return static_cast<std::uint32_t>(RawChecksum(text).low);
}

}  // namespace

int SoftErrors::Group::ReachFor(const Likeness& page) const {
  const int reach = page.title != 0 && page.title == title ? kReachOfTitle : kReach;
  if (urls < kMinUrls) return reach;
  return std::min(reach, static_cast<int>(mean_distance / kMeanStep) + kMoreThanMean);
}

bool SoftErrors::Group::IsSoftError() const {
  if (urls < kMinUrls || std::popcount(names) < kMinNames) return false;
  if (paths.size() < (mean_distance <= kHardly ? kMinPaths : kMinPathsOfUnlike)) return false;
  std::uint32_t most = 0;
  std::uint32_t second = 0;
  for (const Path& path : paths) {
    second = std::max(second, std::min(most, path.urls));
    most = std::max(most, path.urls);
  }
  return urls - most - second >= kMinElsewhere;
}

void SoftErrors::Group::Take(const Likeness& page, int distance) {
  votes.Add(page.simhash);
  if (urls == kMaxUrls) {
    urls /= 2;
    for (Path& path : paths) path.urls /= 2;
  }
  ++urls;
  const int mean = static_cast<int>(mean_distance);
  mean_distance =
      static_cast<std::uint32_t>(mean + (distance * static_cast<int>(kMeanStep) - mean) / kMeanOf);
}

void SoftErrors::Group::TakePath(std::uint32_t hash) {
  auto path = std::ranges::find(paths, hash, &Path::hash);
  if (path == paths.end() && paths.size() < kMaxPaths) {
    path = paths.insert(paths.end(), {hash, 0});
  } else if (path == paths.end()) {
    path = std::ranges::min_element(paths, {}, &Path::urls);
    // Kinds of path with several URLs stay, so that the two with the most are among them.
    if (path->urls > 1) return;
    *path = {hash, 0};
  }
  ++path->urls;
}

std::pair<const SoftErrors::Group*, int> SoftErrors::Find(const Likeness& page) const {
  const Group* nearest = nullptr;
  int least = 0;
  for (const Group& group : groups_) {
    const int distance =
        HammingDistance(Fingerprint{group.votes.centre()}, Fingerprint{page.simhash});
    if (distance > group.ReachFor(page) || (nearest != nullptr && distance >= least)) continue;
    nearest = &group;
    least = distance;
  }
  return {nearest, least};
}

SoftErrors::Group& SoftErrors::AddGroup(const Likeness& page) {
  constexpr std::size_t kFewest = 8;
  if (groups_.empty()) groups_.reserve(kFewest);
  Group added;
  added.title = page.title;
  if (groups_.size() == kMaxGroups) {
    const auto weakest = std::ranges::min_element(groups_, {}, &Group::rank);
    added.inherited = std::min(weakest->rank().second, kMaxUrls);
    groups_.erase(weakest);
  }
  return groups_.emplace_back(std::move(added));
}

void SoftErrors::Add(const Likeness& page, std::string_view path_pattern, std::string_view name,
                     bool is_home) {
  if (page.simhash == 0) return;
  const auto [found, distance] = Find(page);
  Group& group =
      found != nullptr ? groups_[static_cast<std::size_t>(found - groups_.data())] : AddGroup(page);
  group.Take(page, distance);
  group.TakePath(HashOf(path_pattern));
  group.names |= 1U << (HashOf(name) & 31);
  group.is_home = group.is_home || is_home;
}

bool SoftErrors::Contains(const Likeness& page) const {
  // Most sites have no such group.
  if (page.simhash == 0 || std::ranges::none_of(groups_, &Group::IsSoftError)) return false;
  const auto [group, distance] = Find(page);
  return group != nullptr && group->IsSoftError() && (!group->is_home || distance <= kReach);
}

std::vector<std::uint32_t> SoftErrors::UrlsOfGroups() const {
  std::vector<std::uint32_t> urls;
  for (const Group& group : groups_) {
    if (group.IsSoftError()) urls.push_back(group.urls);
  }
  std::ranges::sort(urls, std::greater<>());
  return urls;
}

void SoftErrors::Encode(schedule::ByteWriter& out) const {
  out.Varint(groups_.size());
  for (const Group& group : groups_) {
    group.votes.Encode(out);
    out.Fixed(group.title, 1);
    out.Varint(group.urls);
    out.Varint(group.inherited);
    out.Fixed(group.mean_distance, 2);
    out.Fixed(group.names, 4);
    out.Fixed(group.is_home ? 1 : 0, 1);
    out.Varint(group.paths.size());
    for (const Path& path : group.paths) {
      out.Fixed(path.hash, 4);
      out.Varint(path.urls);
    }
  }
}

bool SoftErrors::Decode(schedule::ByteReader& in) {
  groups_.clear();
  const std::uint64_t count = in.Varint();
  if (count > kMaxGroups) return false;
  for (std::uint64_t i = 0; i < count; ++i) {
    Group group;
    if (!group.votes.Decode(in)) return false;
    group.title = static_cast<std::uint32_t>(in.Fixed(1));
    const std::uint64_t urls = in.Varint();
    const std::uint64_t inherited = in.Varint();
    group.mean_distance = static_cast<std::uint32_t>(in.Fixed(2));
    group.names = static_cast<std::uint32_t>(in.Fixed(4));
    const std::uint64_t is_home = in.Fixed(1);
    const std::uint64_t paths = in.Varint();
    if (!in.ok() || group.title >= kTitles || urls == 0 || urls > kMaxUrls ||
        inherited > kMaxUrls || group.mean_distance > kMaxMean || is_home > 1 ||
        paths > kMaxPaths) {
      return false;
    }
    group.urls = static_cast<std::uint32_t>(urls);
    group.inherited = static_cast<std::uint32_t>(inherited);
    group.is_home = is_home == 1;
    std::uint64_t of_paths = 0;
    for (std::uint64_t j = 0; j < paths; ++j) {
      const auto hash = static_cast<std::uint32_t>(in.Fixed(4));
      const std::uint64_t of_path = in.Varint();
      of_paths += of_path;
      group.paths.push_back({hash, static_cast<std::uint32_t>(of_path)});
    }
    if (of_paths > urls) return false;
    groups_.push_back(std::move(group));
  }
  return in.ok();
}

}  // namespace crawlsieve::site
