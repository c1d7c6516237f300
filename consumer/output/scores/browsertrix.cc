#include "consumer/output/scores/browsertrix.h"

#include <initializer_list>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

// A URL is marked as seen and queued in one step, as the crawler itself does it.
constexpr std::string_view kQueueIfNew =
    "if redis.call('SADD', KEYS[1], ARGV[1]) == 0 then return 0 end "
    "return redis.call('ZADD', KEYS[2], ARGV[2], ARGV[3])";

std::string Command(std::initializer_list<std::string_view> words) {
  std::string command = fmt::format("*{}\r\n", words.size());
  for (const std::string_view word : words) {
    command += fmt::format("${}\r\n", word.size());
    command += word;
    command += "\r\n";
  }
  return command;
}

/// 10 (1 - score), in decimal.
std::string QueueScore(Score score) {
  const std::uint32_t thousandths = Score::kOne - score.ten_thousandths;
  return fmt::format("{}.{:03}", thousandths / 1'000, thousandths % 1'000);
}

std::string QueueUrl(const UrlScore& record, const std::string& url) {
  nlohmann::ordered_json page;
  page["added"] = FormatRfc3339(record.as_of);
  page["url"] = url;
  page["seedId"] = 0;
  page["depth"] = record.depth.value_or(0);
  page["extraHops"] = 0;
  return Command({"EVAL", kQueueIfNew, "2", record.crawl_id + ":s", record.crawl_id + ":q", url,
                  QueueScore(record.score), page.dump()});
}

}  // namespace

RenderedScores RenderForBrowsertrix(const UrlScore& record) {
  if (record.crawl_id.empty() || record.crawl_id.find('{') != std::string::npos) return {};
  const bool is_fetched_itself =
      record.action == ScoreAction::kSchedule || record.action == ScoreAction::kProbe;
  RenderedScores rendered;
  if (!is_fetched_itself && !record.fetched && IsRenderable(record.url)) {
    rendered.push_back({record.url, Command({"SADD", record.crawl_id + ":s", record.url})});
  }
  const std::string url(UrlToFetch(record));
  const bool was_fetched = is_fetched_itself && record.fetched;
  if (!url.empty() && !was_fetched && IsDue(record)) {
    rendered.push_back({url, QueueUrl(record, url)});
  }
  return rendered;
}

}  // namespace crawlsieve::consumer
