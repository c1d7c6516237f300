#include "plugin/index/distribution.h"

#include <algorithm>
#include <bit>

namespace crawlsieve {
namespace {

constexpr int kFingerprintsPerBucketLog2 = 3;
constexpr int kIntervalBits = 7;

void Count(Distribution::Occupancy& occupancy, std::uint64_t fingerprints) {
  ++occupancy.with[std::min<std::uint64_t>(fingerprints, occupancy.with.size() - 1)];
  occupancy.fullest = std::max(occupancy.fullest, fingerprints);
}

}  // namespace

Distribution::Distribution(std::uint64_t expected)
    : bucket_bits_(std::clamp(
          static_cast<int>(std::bit_width(expected)) - kFingerprintsPerBucketLog2, 1, 32)) {}

void Distribution::Add(std::span<const IndexEntry> entries) {
  for (const IndexEntry& entry : entries) {
    const std::uint64_t bits = entry.fingerprint.bits;
    if (fingerprints_ != 0) {
      const std::uint64_t differences = bits ^ last_;
      if (differences == 0) continue;
      ++leading_differences_[static_cast<std::size_t>(std::countl_zero(differences))];
      if (differences >> (64 - bucket_bits_) != 0) {
        Count(occupancy_, in_bucket_);
        in_bucket_ = 0;
      }
    }
    ++in_bucket_;
    ++intervals_[bits >> (64 - kIntervalBits)];
    ++fingerprints_;
    last_ = bits;
  }
}

Distribution::Occupancy Distribution::occupancy() const {
  Occupancy occupancy = occupancy_;
  if (in_bucket_ != 0) Count(occupancy, in_bucket_);
  occupancy.buckets = std::uint64_t{1} << bucket_bits_;
  std::uint64_t used = 0;
  for (const std::uint64_t buckets : occupancy.with) used += buckets;
  occupancy.with[0] = occupancy.buckets - used;
  return occupancy;
}

std::string BarChartSvg(const std::string& title, const std::string& axis,
                        std::span<const std::uint64_t> values) {
  constexpr int kBarWidth = 8;
  constexpr int kHeight = 240;
  constexpr int kMargin = 40;
  const int width = kBarWidth * static_cast<int>(values.size()) + 2 * kMargin;
  const std::uint64_t most = values.empty() ? 0 : *std::ranges::max_element(values);
  const auto text = [](int x, int y, const char* anchor, const std::string& what) {
    return "<text x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\" text-anchor=\"" +
           anchor + "\">" + what + "</text>\n";
  };
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + std::to_string(width) +
                    "\" height=\"" + std::to_string(kHeight + 2 * kMargin) +
                    "\" font-family=\"sans-serif\" font-size=\"12\">\n";
  svg += text(width / 2, kMargin / 2, "middle",
              title + " (highest bar: " + std::to_string(most) + ")");
  for (std::size_t i = 0; i < values.size(); ++i) {
    const int height = most == 0 ? 0
                                 : static_cast<int>(static_cast<double>(values[i]) /
                                                    static_cast<double>(most) * kHeight);
    svg += "<rect x=\"" + std::to_string(kMargin + kBarWidth * static_cast<int>(i)) + "\" y=\"" +
           std::to_string(kMargin + kHeight - height) + "\" width=\"" +
           std::to_string(kBarWidth - 1) + "\" height=\"" + std::to_string(height) +
           "\" fill=\"#37699e\"><title>" + std::to_string(i) + ": " + std::to_string(values[i]) +
           "</title></rect>\n";
  }
  svg += text(kMargin, kHeight + kMargin + 16, "start", "0");
  svg += text(width - kMargin, kHeight + kMargin + 16, "end",
              values.empty() ? "" : std::to_string(values.size() - 1));
  svg += text(width / 2, kHeight + kMargin + 32, "middle", axis);
  return svg + "</svg>\n";
}

}  // namespace crawlsieve
