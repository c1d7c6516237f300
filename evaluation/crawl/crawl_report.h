#pragma once

#include "consumer/input/file_reader.h"
#include "plugin/verdict/parameters.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "evaluation/crawl/crawl_findings.h"
#include "evaluation/crawl/neighbours.h"
#include "evaluation/crawl/sampled_texts.h"

namespace crawlsieve::consumer {

/// Two pages to judge by eye, and what the scan made of the first.
struct CrawlPair {
  NamedPage page;
  NamedPage other;  ///< came earlier and was kept
  int distance = 0;
  Score similarity;
  bool is_dropped = false;
  bool is_near_at_laxer = false;  ///< see KeptPair
};

/// Some that were dropped, at each distance, then some that were kept though close: at most 150.
[[nodiscard]] std::vector<CrawlPair> PairsToShow(const CrawlFindings& findings,
                                                 const Neighbourhood& neighbours);

/// Numbers of the records whose words the pairs need, from 0 on. Records of earlier scans aren't
/// among them.
[[nodiscard]] std::set<std::uint64_t> RecordsOf(const std::vector<CrawlPair>& pairs,
                                                const CrawlFindings& findings);

/// What a report of a scan is made of. Borrows all that is big.
struct CrawlReportParts {
  const CrawlFindings& findings;
  const Neighbourhood& neighbours;
  const std::vector<CrawlPair>& pairs;
  const std::map<std::uint64_t, SampledText>& texts;  ///< by record
  const FileReaderCounts& files;
  JudgeParameters parameters{};
  std::chrono::duration<double> elapsed{};
};

/// A scan as one HTML page: what was kept and dropped, why and when; clusters, hosts and path
/// patterns by duplicates; what stricter and laxer settings would change; pairs to label. At most
/// 5 MB whatever the pages, hosts and URLs are, which are only text in it.
[[nodiscard]] std::string CrawlReport(const CrawlReportParts& parts);

}  // namespace crawlsieve::consumer
