#pragma once

#include "plugin/base/timestamp.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace crawlsieve::consumer {

/// A page that was found to be nearly the same as a kept one. Addresses are as pages brought them,
/// in at most BatchFindings::kMaxUrlBytes each.
struct NearPair {
  std::string url{};
  std::string match_url{};
  int distance = 0;         ///< bits
  double similarity = 0;    ///< 0 to 1
  std::uint32_t words = 0;  ///< distinct features of the page
  std::uint32_t text_length = 0;
  std::string language{};  ///< BCP 47; empty: unknown
  Timestamp first_seen{};  ///< of the match
  Timestamp judged{};      ///< when its verdict was published
};

/// What the verdicts of one batch tell an operator: which hosts repeat themselves, and a few pairs
/// of near duplicates.
///
/// Bounded by the number of pages of a batch: it counts a page by one look-up of its host, and
/// copies the addresses of the first kPairs pairs only. Thread-compatible.
class BatchFindings {
 public:
  static constexpr std::size_t kPairs = 3;
  static constexpr std::size_t kMaxUrlBytes = 300;
  static constexpr std::size_t kMaxLanguageBytes = 16;

  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const {
      return std::hash<std::string_view>()(name);
    }
  };
  using Hosts = std::unordered_map<std::string, std::uint64_t, Hash, std::equal_to<>>;

  /// A page of `host` repeats another page.
  void AddDuplicate(std::string_view host);

  /// Whether AddPair would keep a pair: otherwise there is no need to make one.
  [[nodiscard]] bool WantsPair() const { return pairs_.size() < kPairs; }
  void AddPair(NearPair pair);

  [[nodiscard]] const Hosts& hosts() const { return hosts_; }
  [[nodiscard]] const std::vector<NearPair>& pairs() const { return pairs_; }

 private:
  Hosts hosts_;  ///< pages that repeat another one, by host
  std::vector<NearPair> pairs_;
};

}  // namespace crawlsieve::consumer
