#include "consumer/output/scores/bubing.h"

namespace crawlsieve::consumer {

RenderedScores RenderForBubing(const UrlScore& record) {
  const std::string url(UrlToFetch(record));
  const bool was_fetched = record.fetched && record.action != ScoreAction::kRewrite;
  if (url.empty() || was_fetched || !IsDue(record)) return {};
  if (url.find("%00") != std::string::npos || url.find('\\') != std::string::npos) return {};
  return {{url, url}};
}

}  // namespace crawlsieve::consumer
