#include "consumer/status/batch_findings.h"

#include "consumer/html/bounded_text.h"

#include <utility>

namespace crawlsieve::consumer {

void BatchFindings::AddDuplicate(std::string_view host) {
  if (const auto found = hosts_.find(host); found != hosts_.end()) {
    ++found->second;
  } else {
    hosts_.emplace(std::string(host), 1);
  }
}

void BatchFindings::AddPair(NearPair pair) {
  if (!WantsPair()) return;
  pair.url = BoundedText(pair.url, kMaxUrlBytes);
  pair.match_url = BoundedText(pair.match_url, kMaxUrlBytes);
  pair.language = BoundedText(pair.language, kMaxLanguageBytes);
  pairs_.push_back(std::move(pair));
}

}  // namespace crawlsieve::consumer
