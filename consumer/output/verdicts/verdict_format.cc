#include "consumer/output/verdicts/verdict_format.h"

#include "consumer/output/verdicts/cdxj.h"
#include "consumer/output/verdicts/crawl_db.h"
#include "consumer/output/verdicts/dedup_rows.h"

#include <algorithm>
#include <array>

namespace crawlsieve::consumer {
namespace {

constexpr std::array kFormats = {
    VerdictFormat{"cdxj", "an index of the WARC records of kept pages", FileOrder::kSorted,
                  RenderCdxj, nullptr},
    VerdictFormat{"heritrix", "SQL for the table of payload digests of Heritrix and warcprox",
                  FileOrder::kAsTheyCome, RenderDedupRow, nullptr},
    VerdictFormat{"nutch", "duplicates and gone pages for Nutch's updatedb", FileOrder::kLastOfUrl,
                  RenderCrawlDatum, CrawlDatumFileHead},
};

}  // namespace

std::span<const VerdictFormat> VerdictFormats() { return kFormats; }

const VerdictFormat* FindVerdictFormat(std::string_view name) {
  const auto found = std::ranges::find(kFormats, name, &VerdictFormat::name);
  return found == kFormats.end() ? nullptr : &*found;
}

}  // namespace crawlsieve::consumer
