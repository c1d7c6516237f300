#pragma once

#include "plugin/score/url_score.h"

#include <random>
#include <string>
#include <vector>

namespace crawlsieve::consumer {

/// 2026-03-01T00:00:00Z.
inline constexpr Timestamp kSampleTime{std::chrono::seconds(1'772'323'200)};

/// A sound record of a due URL that was never fetched.
[[nodiscard]] inline UrlScore DueScore() {
  UrlScore record;
  record.url = "https://www.a.example/x/y?b=2&a=1";
  record.host = "www.a.example";
  record.registered_domain = "a.example";
  record.as_of = kSampleTime;
  record.score = Score{8'000};
  record.components = {{"chance", Score{8'000}}};
  record.reason = "new_content";
  record.depth = 2;
  record.parent_url = "https://www.a.example/";
  record.crawl_id = "c";
  record.sequence = 7;
  return record;
}

/// The same of a fetched URL that isn't due for a day.
[[nodiscard]] inline UrlScore LaterScore() {
  UrlScore record = DueScore();
  record.score = Score{2'500};
  record.reason = "recrawl";
  record.fetched = true;
  record.last_status = 200;
  record.next_fetch = kSampleTime + std::chrono::hours(24);
  return record;
}

/// Sound records of every kind, as of kSampleTime, that a crawl might have.
[[nodiscard]] inline UrlScore RandomScore(std::mt19937_64& random) {
  const auto below = [&](std::uint64_t bound) { return random() % bound; };
  UrlScore record = DueScore();
  record.url = "https://h" + std::to_string(below(50)) + ".example/" + std::to_string(random());
  record.host = record.url.substr(8, record.url.find('/', 8) - 8);
  record.score = Score{static_cast<std::uint32_t>(below(Score::kOne + 1))};
  record.action = static_cast<ScoreAction>(below(kScoreActions));
  if (record.action == ScoreAction::kRewrite) record.rewrite_to = record.url + "/target";
  if (below(2) == 0) {
    const std::uint32_t statuses[] = {200, 206, 301, 302, 304, 404, 410, 429, 500, 503};
    record.fetched = true;
    record.last_status = statuses[below(std::size(statuses))];
    const std::chrono::milliseconds distance(1 + below(std::uint64_t{400} * 86'400'000));
    const bool is_due = record.score.ten_thousandths >= Score::kOne / 2;
    record.next_fetch = is_due ? record.as_of - distance : record.as_of + distance;
  }
  if (below(4) == 0) record.depth.reset();
  record.sequence = random() >> 1;
  return record;
}

/// Texts that pages might bring as URLs to break what they are written into.
[[nodiscard]] inline std::vector<std::string> HostileUrls() {
  using namespace std::string_literals;
  std::vector<std::string> urls = {
      "",
      "http://",
      "https:///x",
      "http://@/",
      "http://:80/",
      "http://[::1/",
      "javascript:alert(1)",
      "data:text/html,x",
      "ftp://a.example/",
      "HTTP://a.example/",
      "# a.example",
      "http://a.example/\tnutch.score=1",
      "http://a.example/\nhttp://b.example/",
      "http://a.example/\r\nDEL c:q\r\n",
      "http://a.example/ x",
      "http://a.example/\0x"s,
      "http://a.example/\x1b[2J",
      "http://a.example/\x7f",
      "http://a.example/\xff\xfe",
      "http://a.example/\xc3\xa9",
      "http://a.example/\xe2\x80\xae",
      "http://a.example/\xed\xa0\x80",
      "http://a.example/\"}}\\",
      "http://a.example/'];--<>`{}|^",
      "http://a.example/%00%0A%zz%",
      "http://a.example/?a=1;b=2&&c&=d#f",
  };
  urls.push_back("http://a.example/" + std::string(65'536, 'x'));
  urls.push_back("http://a.example/" + std::string(65'536, '"'));
  urls.push_back("http://a.example/?" + std::string(16'000, '&'));
  urls.push_back("http://" + std::string(10'000, 'a') + "." + std::string(5'000, 'b') + "/");
  return urls;
}

}  // namespace crawlsieve::consumer
