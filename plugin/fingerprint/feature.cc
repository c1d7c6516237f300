#include "plugin/fingerprint/feature.h"

#include "plugin/fingerprint/key.h"
#include "plugin/fingerprint/nh.h"
#include "plugin/fingerprint/secret.h"

#include <algorithm>
#include <bit>
#include <string>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace crawlsieve {
namespace {

template <typename Value>
std::string_view BytesOf(const Value& value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

template <typename Key>
void Derive(std::string_view key, std::string_view purpose, Key& derived) {
  DeriveBytes(key, purpose, std::as_writable_bytes(std::span(&derived, 1)));
}

/// Version 1's hash of a run: of hashes under a key, but with nothing secret of its own.
std::uint64_t MixRun(std::span<const Feature> run) {
  constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15;
  std::uint64_t hash = run.front().hash;
  for (const Feature& feature : run.subspan(1)) {
    hash = (std::rotl(hash, 32) ^ feature.hash) * kOdd;
  }
  return hash ^ hash >> 32;
}

}  // namespace

FeatureHasher::FeatureHasher(std::string_view key, SchemeVersion version) : version_(version) {
  Derive(key, "feature", feature_key_);
  Derive(key, "run", run_key_);
  Derive(key, "feature pieces", nh_key_);
  DeriveSecret("feature", key, xxh3_secret_);
}

std::uint64_t FeatureHasher::Hash(std::string_view feature) const {
  if (version_ == SchemeVersion::k1) {
    return XXH3_64bits_withSecret(feature.data(), feature.size(), xxh3_secret_.data(),
                                  xxh3_secret_.size());
  }
  if (feature.size() > kPieceBytes) return HashLong(feature);
  const NhValue value = Nh(nh_key_.data(), feature, feature.data() + feature.size());
  return SipHash20(feature_key_, value.low, value.high, static_cast<std::uint32_t>(feature.size()));
}

void FeatureHasher::HashAll(std::span<const std::string_view> features, const char* readable_end,
                            std::uint64_t* hashes) const {
  if (version_ == SchemeVersion::k1) {
    for (const std::string_view feature : features) *hashes++ = Hash(feature);
    return;
  }
  SipMessages messages;
  while (!features.empty()) {
    const std::size_t count = std::min(features.size(), SipMessages::kMost);
    bool any_long = false;
    for (std::size_t i = 0; i < count; ++i) {
      const bool is_long = features[i].size() > kPieceBytes;
      any_long |= is_long;
      const std::string_view feature = features[i].substr(0, is_long ? 0 : kPieceBytes);
      const NhValue value = Nh(nh_key_.data(), feature, readable_end);
      messages.low[i] = value.low;
      messages.high[i] = value.high;
      messages.size[i] = feature.size();
    }
    SipHashAll(feature_key_, messages, count, hashes);
    for (std::size_t i = 0; any_long && i < count; ++i) {
      if (features[i].size() > kPieceBytes) hashes[i] = HashLong(features[i]);
    }
    features = features.subspan(count);
    hashes += count;
  }
}

std::uint64_t FeatureHasher::HashRun(std::span<const Feature> run) const {
  if (version_ == SchemeVersion::k1) return MixRun(run);
  // Each step takes in one more hash; the last one is marked, so that no run ends as another goes
  // on.
  constexpr std::uint32_t kLast = 1U << 31;
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < run.size(); ++i) {
    const auto step = static_cast<std::uint32_t>(i) | (i + 1 == run.size() ? kLast : 0);
    hash = SipHash20(run_key_, hash, run[i].hash, step);
  }
  return hash;
}

std::uint64_t FeatureHasher::HashLong(std::string_view feature) const {
  std::string message;
  const std::uint64_t size = feature.size();
  for (; !feature.empty(); feature.remove_prefix(std::min(feature.size(), kPieceBytes))) {
    const std::string_view piece = feature.substr(0, kPieceBytes);
    message += BytesOf(Nh(nh_key_.data(), piece, piece.data() + piece.size()));
  }
  return SipHash(feature_key_, message.append(BytesOf(size)));
}

}  // namespace crawlsieve
