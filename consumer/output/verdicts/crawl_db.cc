#include "consumer/output/verdicts/crawl_db.h"

#include "consumer/output/verdicts/hadoop_file.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

namespace crawlsieve::consumer {
namespace {

// Constants of org.apache.nutch.crawl.CrawlDatum.
constexpr std::uint8_t kDatumVersion = 7;
constexpr std::uint8_t kDbDuplicate = 0x07;
constexpr std::uint8_t kFetchGone = 0x25;

// db.fetch.interval.default. An interval over two thirds of db.fetch.interval.max, 90 days, would
// make a page that is gone one that was never fetched.
constexpr std::chrono::days kInterval{30};
constexpr std::chrono::days kDuplicateRests{91};

struct Datum {
  std::uint8_t status = 0;
  Timestamp fetch;  ///< when it was, or for db_* when it is next
};

Datum DatumOf(bool is_gone, Timestamp fetched, const VerdictFacts& verdict) {
  if (is_gone) return {kFetchGone, fetched};
  const Timestamp rested = fetched + kDuplicateRests;
  return {kDbDuplicate, std::max(rested, verdict.next_fetch.value_or(rested))};
}

}  // namespace

RenderedVerdict RenderCrawlDatum(const VerdictFacts& verdict) {
  const bool is_gone = verdict.reason == "gone" || verdict.reason == "deleted";
  const bool is_duplicate =
      verdict.reason == "exact_duplicate" || verdict.reason == "near_duplicate";
  if (!is_gone && (!is_duplicate || verdict.match_url == verdict.url)) return {};
  const auto fetched =
      verdict.payload.has_value() ? std::optional(verdict.payload->fetched) : verdict.time;
  if (!fetched.has_value()) return {{}, "a time"};
  const Datum datum = DatumOf(is_gone, *fetched, verdict);
  std::string key;
  HadoopWriter(key).Text(verdict.url);
  std::string value;
  HadoopWriter write(value);
  write.Byte(kDatumVersion);
  write.Byte(datum.status);
  write.Long(datum.fetch.time_since_epoch().count());
  write.Byte(0);  // retries
  write.Int(static_cast<std::int32_t>(std::chrono::seconds(kInterval).count()));
  write.Float(static_cast<float>(verdict.score));
  write.Long(0);  // not known when it was modified
  write.Byte(0);  // no signature
  write.Byte(0);  // no metadata
  return {SequenceFileRecord(key, value), {}};
}

std::string CrawlDatumFileHead() {
  return SequenceFileHead("org.apache.hadoop.io.Text", "org.apache.nutch.crawl.CrawlDatum");
}

}  // namespace crawlsieve::consumer
