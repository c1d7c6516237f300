#include "evaluation/crawl/neighbours.h"

#include "plugin/base/result.h"
#include "plugin/fingerprint/simhash.h"
#include "plugin/judge/page.h"
#include "plugin/judge/rows.h"
#include "plugin/state/changes.h"
#include "plugin/verdict/comparison.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace crawlsieve::consumer {
namespace {

/// Finds the values within 7 bits of a query: of the eight bytes at least one is the same then.
class SmallIndex {
 public:
  static constexpr int kMaxDistance = 7;

  void Add(Fingerprint fingerprint, std::size_t value) {
    for (std::size_t byte = 0; byte < kBytes; ++byte) {
      places_[byte * 256 + ByteOf(fingerprint, byte)].push_back({fingerprint, value});
    }
  }

  /// Calls visit(value, distance) once for each value within `max_distance` bits, at most 7.
  template <typename Visit>
  void Find(Fingerprint query, int max_distance, const Visit& visit) const {
    for (std::size_t byte = 0; byte < kBytes; ++byte) {
      for (const Entry& entry : places_[byte * 256 + ByteOf(query, byte)]) {
        const int distance = HammingDistance(query, entry.fingerprint);
        if (distance > max_distance) continue;
        // Found at each byte that is the same: counts at the first.
        std::size_t first = 0;
        while (ByteOf(query, first) != ByteOf(entry.fingerprint, first)) ++first;
        if (first == byte) visit(entry.value, distance);
      }
    }
  }

 private:
  static constexpr std::size_t kBytes = 8;

  struct Entry {
    Fingerprint fingerprint;
    std::size_t value;
  };

  static std::size_t ByteOf(Fingerprint fingerprint, std::size_t byte) {
    return fingerprint.bits >> (8 * byte) & 0xFFU;
  }

  std::array<std::vector<Entry>, 256 * kBytes> places_;
};

}  // namespace

Result<Neighbourhood> FindNeighbours(const Store& store, std::span<const KeptPage> kept,
                                     const JudgeParameters& parameters) {
  Neighbourhood found;
  found.sampled = kept.size();
  const int laxer =
      std::min(static_cast<int>(parameters.max_distance) + 1, SmallIndex::kMaxDistance);
  JudgeParameters laxer_parameters = parameters;
  laxer_parameters.max_distance = static_cast<std::uint32_t>(laxer);

  SmallIndex index;
  std::vector<PageTraits> traits;
  traits.reserve(kept.size());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    traits.push_back(TraitsOf(kept[i].page));
    index.Add(InIndex(kept[i].page.simhash(), ScopeOf(kept[i].page, parameters.scope)), i);
  }
  std::vector<std::optional<KeptPair>> nearest(kept.size());
  std::vector<bool> would_be_near(kept.size(), false);
  CRAWLSIEVE_RETURN_IF_ERROR(
      store.ForEach(Table::kDocuments, [&](std::string_view key, std::string_view value) -> Status {
        CRAWLSIEVE_ASSIGN_OR_RETURN(const auto document, DocumentRow::Parse(key, value));
        const auto entry = document.InIndex();
        if (!entry.has_value()) return {};
        const PageTraits other = document.Traits();
        if (IsTooShort(other, parameters)) return {};
        index.Find(entry->fingerprint, laxer, [&](std::size_t i, int distance) {
          if (document.id.sequence >= kept[i].sequence) return;
          const Comparison comparison = Compare(other, traits[i], laxer_parameters);
          const bool is_near = comparison.kind != Comparison::Kind::kDifferent;
          if (is_near && distance == laxer) would_be_near[i] = true;
          // Documents come by their age: of those as near, the oldest stays.
          if (nearest[i].has_value() && nearest[i]->distance <= distance) return;
          nearest[i] = KeptPair{{kept[i].sequence, kept[i].page.url(), kept[i].page.id()},
                                {document.id.sequence, document.record.url(), document.record.id()},
                                distance,
                                comparison.similarity,
                                is_near};
        });
        return {};
      }));
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (would_be_near[i]) ++found.would_be_near;
    if (nearest[i].has_value()) found.pairs.push_back(std::move(*nearest[i]));
  }
  std::ranges::stable_sort(found.pairs, {}, &KeptPair::distance);
  return found;
}

}  // namespace crawlsieve::consumer
