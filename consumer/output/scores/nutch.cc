#include "consumer/output/scores/nutch.h"

namespace crawlsieve::consumer {

RenderedScores RenderForNutch(const UrlScore& record) {
  const std::string url(UrlToFetch(record));
  if (url.empty() || !IsDue(record)) return {};
  return {{url, url + "\tnutch.score=" + Decimal(record.score)}};
}

}  // namespace crawlsieve::consumer
