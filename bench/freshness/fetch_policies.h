#pragma once

#include "bench/freshness/change_histories.h"

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

namespace crawlsieve::bench {

/// Chooses which documents to fetch again. Documents are numbered as in the window; times are days
/// since 1970. All documents were fetched at the beginning of the window. Thread-compatible.
class FetchPolicy {
 public:
  FetchPolicy() = default;
  FetchPolicy(const FetchPolicy&) = delete;
  FetchPolicy& operator=(const FetchPolicy&) = delete;
  virtual ~FetchPolicy() = default;

  /// How urgent a fetch is: the highest are fetched, of equals the first in the file.
  [[nodiscard]] virtual double Urgency(std::size_t document, double now) const = 0;

  /// The document was fetched, and its content was another than at the fetch before.
  virtual void Fetched(std::size_t document, double now, bool changed) = 0;
};

struct NamedPolicy {
  std::string_view name;   ///< of JSON
  std::string_view title;  ///< of the table
  std::unique_ptr<FetchPolicy> policy;
};

/// All policies that are compared, "uniform" first and "optimum" last. `period` is that of the
/// simulation: a document is fetched once in so many days, on average.
[[nodiscard]] std::vector<NamedPolicy> AllPolicies(const ChangeWindow& window, double period);

}  // namespace crawlsieve::bench
