#include "evaluation/schemes/scheme.h"

#include "plugin/fingerprint/checksum.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <unordered_map>
#include <utility>

#include <openssl/evp.h>

namespace crawlsieve::consumer {
namespace {

using Hashes = std::vector<std::uint64_t>;
using HashSpan = std::span<const std::uint64_t>;

constexpr std::size_t kShingleWords = 4;

std::uint64_t Hash(std::string_view bytes) { return RawChecksum(bytes).low; }

/// The finisher of SplitMix64: another hash of the same value for each `number`.
std::uint64_t Rehash(std::uint64_t value, std::uint64_t number) {
  std::uint64_t mixed = value + (number + 1) * 0x9e3779b97f4a7c15;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return mixed ^ (mixed >> 31);
}

void SortDistinct(Hashes& hashes) {
  std::sort(hashes.begin(), hashes.end());
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
}

/// Hashes of all runs of kShingleWords words, in order; of all words when there are fewer.
Hashes Shingles(const SchemeText& text) {
  Hashes hashes;
  if (text.words.empty()) return hashes;
  const std::size_t length = std::min(kShingleWords, text.words.size());
  for (std::size_t first = 0; first + length <= text.words.size(); ++first) {
    const std::string_view last = text.words[first + length - 1];
    const char* begin = text.words[first].data();
    hashes.push_back(Hash({begin, static_cast<std::size_t>(last.data() + last.size() - begin)}));
  }
  return hashes;
}

Hashes ShingleSet(const SchemeText& text) {
  Hashes hashes = Shingles(text);
  SortDistinct(hashes);
  return hashes;
}

double Jaccard(HashSpan a, HashSpan b) {
  Hashes common;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
  const std::size_t all = a.size() + b.size() - common.size();
  return all == 0 ? 0 : static_cast<double>(common.size()) / static_cast<double>(all);
}

/// Share of the places at which two fingerprints agree.
double Agreement(HashSpan a, HashSpan b) {
  if (a.empty() || a.size() != b.size()) return 0;
  std::size_t equal = 0;
  for (std::size_t i = 0; i < a.size(); ++i) equal += a[i] == b[i] ? 1 : 0;
  return static_cast<double>(equal) / static_cast<double>(a.size());
}

std::vector<double> Steps(double first, double last, double step) {
  std::vector<double> steps;
  for (int i = 0; first + i * step < last + step / 2; ++i) steps.push_back(first + i * step);
  return steps;
}

/// A checksum of the whole text; equal or not.
class ExactScheme : public Scheme {
 public:
  [[nodiscard]] double Similarity(HashSpan a, HashSpan b) const override {
    return std::equal(a.begin(), a.end(), b.begin(), b.end()) ? 1 : 0;
  }
  [[nodiscard]] std::vector<double> thresholds() const override { return {1}; }
};

class Xxh3Scheme final : public ExactScheme {
 public:
  [[nodiscard]] std::string_view name() const override { return "xxh3"; }
  [[nodiscard]] Hashes Fingerprint(const SchemeText& text) const override {
    const Checksum checksum = RawChecksum(text.text);
    return {checksum.high, checksum.low};
  }
};

/// MD5 or SHA-256, as OpenSSL computes them.
class DigestScheme final : public ExactScheme {
 public:
  DigestScheme(std::string_view name, const EVP_MD* digest) : name_(name), digest_(digest) {}
  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] Hashes Fingerprint(const SchemeText& text) const override {
    Hashes words(EVP_MAX_MD_SIZE / sizeof(std::uint64_t));
    unsigned int bytes = 0;
    EVP_Digest(text.text.data(), text.text.size(), reinterpret_cast<unsigned char*>(words.data()),
               &bytes, digest_, nullptr);
    words.resize(bytes / sizeof(std::uint64_t));
    return words;
  }

 private:
  std::string_view name_;
  const EVP_MD* digest_;
};

/// Broder, Glassman, Manasse, Zweig (WWW 1997): 84 min-hashes of the shingles in 6 groups of 14,
/// each group hashed to a super-shingle. r-similar: r of 6 agree.
class SuperShingles final : public Scheme {
 public:
  [[nodiscard]] std::string_view name() const override { return "super_shingles"; }
  [[nodiscard]] Hashes Fingerprint(const SchemeText& text) const override {
    constexpr std::size_t kGroups = 6;
    constexpr std::size_t kGroupSize = 14;
    const Hashes shingles = ShingleSet(text);
    Hashes groups;
    for (std::size_t group = 0; group < kGroups && !shingles.empty(); ++group) {
      Hashes minima;
      for (std::size_t i = 0; i < kGroupSize; ++i) {
        std::uint64_t least = ~std::uint64_t{0};
        for (const std::uint64_t shingle : shingles) {
          least = std::min(least, Rehash(shingle, group * kGroupSize + i));
        }
        minima.push_back(least);
      }
      groups.push_back(Hash(
          {reinterpret_cast<const char*>(minima.data()), minima.size() * sizeof(std::uint64_t)}));
    }
    return groups;
  }
  [[nodiscard]] double Similarity(HashSpan a, HashSpan b) const override { return Agreement(a, b); }
  [[nodiscard]] std::vector<double> thresholds() const override {
    return Steps(1.0 / 6, 1.0, 1.0 / 6);
  }
};

/// Broder (SEQUENCES 1997): the 200 least hashes of the shingles. The least of both sketches
/// together are a sample of the union.
class Minimum200 final : public Scheme {
 public:
  [[nodiscard]] std::string_view name() const override { return "minimum_200"; }
  [[nodiscard]] Hashes Fingerprint(const SchemeText& text) const override {
    Hashes set = ShingleSet(text);
    if (set.size() > kSize) set.resize(kSize);
    return set;
  }
  [[nodiscard]] double Similarity(HashSpan a, HashSpan b) const override {
    Hashes all;
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
    if (all.size() > kSize) all.resize(kSize);
    const auto common = std::count_if(all.begin(), all.end(), [&](std::uint64_t hash) {
      return std::binary_search(a.begin(), a.end(), hash) &&
             std::binary_search(b.begin(), b.end(), hash);
    });
    return all.empty() ? 0 : static_cast<double>(common) / static_cast<double>(all.size());
  }
  [[nodiscard]] std::vector<double> thresholds() const override { return Steps(0.5, 0.9, 0.1); }

 private:
  static constexpr std::size_t kSize = 200;
};

/// Broder, Glassman, Manasse, Zweig (WWW 1997): the shingles whose hash is 0 modulo 25.
class ModP final : public Scheme {
 public:
  [[nodiscard]] std::string_view name() const override { return "mod_p"; }
  [[nodiscard]] Hashes Fingerprint(const SchemeText& text) const override {
    constexpr std::uint64_t kModulus = 25;
    Hashes set = ShingleSet(text);
    std::erase_if(set, [](std::uint64_t hash) { return hash % kModulus != 0; });
    return set;
  }
  [[nodiscard]] double Similarity(HashSpan a, HashSpan b) const override { return Jaccard(a, b); }
  [[nodiscard]] std::vector<double> thresholds() const override { return Steps(0.5, 0.9, 0.1); }
};

/// Schleimer, Wilkerson, Aiken (SIGMOD 2003): the least hash of every 20 consecutive shingles, the
/// rightmost where several are least.
class Winnowing final : public Scheme {
 public:
  [[nodiscard]] std::string_view name() const override { return "winnowing"; }
  [[nodiscard]] Hashes Fingerprint(const SchemeText& text) const override {
    constexpr std::size_t kWindow = 20;
    const Hashes shingles = Shingles(text);
    Hashes chosen;
    if (shingles.empty()) return chosen;
    const std::size_t window = std::min(kWindow, shingles.size());
    for (auto first = shingles.begin();
         first + static_cast<std::ptrdiff_t>(window) <= shingles.end(); ++first) {
      chosen.push_back(*std::min_element(first, first + static_cast<std::ptrdiff_t>(window)));
    }
    SortDistinct(chosen);
    return chosen;
  }
  [[nodiscard]] double Similarity(HashSpan a, HashSpan b) const override { return Jaccard(a, b); }
  [[nodiscard]] std::vector<double> thresholds() const override { return Steps(0.5, 0.9, 0.1); }
};

/// Chowdhury, Frieder, Grossman, McCabe (TOIS 2002): one hash of the distinct words that are
/// neither common nor rare in the collection: here in 1 % to 20 % of its pages.
class IMatch final : public Scheme {
 public:
  [[nodiscard]] std::string_view name() const override { return "i_match"; }
  void Learn(const SchemeText& text) override {
    ++texts_;
    for (const std::uint64_t word : WordSet(text)) ++texts_with_[word];
  }
  [[nodiscard]] Hashes Fingerprint(const SchemeText& text) const override {
    std::string bytes;
    for (const std::uint64_t word : WordSet(text)) {
      const auto found = texts_with_.find(word);
      const std::uint64_t count = found == texts_with_.end() ? 0 : found->second;
      if (count * 100 < texts_ || count * 5 > texts_) continue;
      bytes.append(reinterpret_cast<const char*>(&word), sizeof(word));
    }
    if (bytes.empty()) return {};
    return {Hash(bytes)};
  }
  [[nodiscard]] double Similarity(HashSpan a, HashSpan b) const override { return Agreement(a, b); }
  [[nodiscard]] std::vector<double> thresholds() const override { return {1}; }

 private:
  static Hashes WordSet(const SchemeText& text) {
    Hashes words;
    for (const std::string_view word : text.words) words.push_back(Hash(word));
    SortDistinct(words);
    return words;
  }

  std::uint64_t texts_ = 0;
  std::unordered_map<std::uint64_t, std::uint64_t> texts_with_;
};

/// Pugh and Henzinger (US patent 6,658,423): each word goes into one of 8 lists by its hash, and
/// each list gets a checksum; pages that agree in one are near duplicates.
class BucketChecksums final : public Scheme {
 public:
  [[nodiscard]] std::string_view name() const override { return "bucket_checksums"; }
  [[nodiscard]] Hashes Fingerprint(const SchemeText& text) const override {
    if (text.words.empty()) return {};
    Hashes checksums(kLists, 0);
    for (const std::string_view word : text.words) {
      const std::uint64_t hash = Hash(word);
      std::uint64_t& checksum = checksums[hash % kLists];
      checksum = Rehash(checksum ^ hash, 0);
    }
    return checksums;
  }
  [[nodiscard]] double Similarity(HashSpan a, HashSpan b) const override { return Agreement(a, b); }
  [[nodiscard]] std::vector<double> thresholds() const override {
    return Steps(1.0 / kLists, 0.5, 1.0 / kLists);
  }

 private:
  static constexpr std::size_t kLists = 8;
};

/// Charikar (STOC 2002): signs of 64 random projections of the vector of word counts; the share of
/// equal signs estimates the angle, and so the cosine.
class RandomHyperplanes final : public Scheme {
 public:
  [[nodiscard]] std::string_view name() const override { return "random_hyperplanes"; }
  [[nodiscard]] Hashes Fingerprint(const SchemeText& text) const override {
    if (text.words.empty()) return {};
    std::unordered_map<std::uint64_t, double> counts;
    for (const std::string_view word : text.words) counts[Hash(word)] += 1;
    std::uint64_t signs = 0;
    for (std::uint64_t plane = 0; plane < 64; ++plane) {
      double sum = 0;
      for (const auto& [word, count] : counts) sum += count * Gaussian(Rehash(word, plane));
      if (sum > 0) signs |= std::uint64_t{1} << plane;
    }
    return {signs};
  }
  [[nodiscard]] double Similarity(HashSpan a, HashSpan b) const override {
    if (a.empty() || b.empty()) return 0;
    return std::max(0.0, std::cos(std::numbers::pi * std::popcount(a[0] ^ b[0]) / 64));
  }
  [[nodiscard]] std::vector<double> thresholds() const override {
    return {0.9, 0.95, 0.98, 0.99, 0.995};
  }

 private:
  /// A draw from the normal distribution, by Box and Muller.
  static double Gaussian(std::uint64_t bits) {
    const double u = (static_cast<double>(bits >> 32) + 0.5) / 4294967296.0;
    const double v = static_cast<double>(bits & 0xffffffff) / 4294967296.0;
    return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
  }
};

/// Manber (USENIX 1994): rolling fingerprints (Karp and Rabin 1987) of all runs of 50 bytes, those
/// that are 0 modulo 256.
class KarpRabin final : public Scheme {
 public:
  [[nodiscard]] std::string_view name() const override { return "karp_rabin"; }
  [[nodiscard]] Hashes Fingerprint(const SchemeText& text) const override {
    constexpr std::size_t kRun = 50;
    constexpr std::uint64_t kAnchor = 256;
    std::uint64_t leaving = 1;  // kBase ^ kRun
    for (std::size_t i = 0; i < kRun; ++i) leaving = Multiply(leaving, kBase);
    Hashes chosen;
    std::uint64_t rolling = 0;
    const auto byte = [&text](std::size_t i) -> std::uint64_t {
      return static_cast<unsigned char>(text.text[i]) + 1;
    };
    for (std::size_t i = 0; i < text.text.size(); ++i) {
      rolling = (Multiply(rolling, kBase) + byte(i)) % kPrime;
      if (i >= kRun) {
        rolling = (rolling + kPrime - Multiply(leaving, byte(i - kRun))) % kPrime;
      }
      if (i + 1 >= kRun && rolling % kAnchor == 0) chosen.push_back(rolling);
    }
    SortDistinct(chosen);
    return chosen;
  }
  [[nodiscard]] double Similarity(HashSpan a, HashSpan b) const override { return Jaccard(a, b); }
  [[nodiscard]] std::vector<double> thresholds() const override { return Steps(0.5, 0.9, 0.1); }

 private:
  static constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - 1;
  static constexpr std::uint64_t kBase = 0x1f35'8a2d'90c4'6b17 % kPrime;

  static std::uint64_t Multiply(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>(static_cast<Wide>(a) * b % kPrime);
  }
};

}  // namespace

std::vector<std::unique_ptr<Scheme>> MakeSchemes() {
  std::vector<std::unique_ptr<Scheme>> schemes;
  schemes.push_back(std::make_unique<SuperShingles>());
  schemes.push_back(std::make_unique<Minimum200>());
  schemes.push_back(std::make_unique<ModP>());
  schemes.push_back(std::make_unique<Winnowing>());
  schemes.push_back(std::make_unique<IMatch>());
  schemes.push_back(std::make_unique<BucketChecksums>());
  schemes.push_back(std::make_unique<RandomHyperplanes>());
  schemes.push_back(std::make_unique<KarpRabin>());
  schemes.push_back(std::make_unique<DigestScheme>("md5", EVP_md5()));
  schemes.push_back(std::make_unique<DigestScheme>("sha256", EVP_sha256()));
  schemes.push_back(std::make_unique<Xxh3Scheme>());
  return schemes;
}

SchemeText SplitText(std::string_view text) {
  SchemeText split{text, {}};
  while (!text.empty()) {
    const std::size_t end = text.find(' ');
    split.words.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return split;
}

}  // namespace crawlsieve::consumer
