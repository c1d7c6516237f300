#include "tests/consumer/status/sample_process.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>
#include <random>

namespace crawlsieve::testing {
namespace {

using consumer::BatchFindings;
using consumer::Count;
using consumer::Latency;
using std::chrono::microseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr unsigned kSeed = 22;

/// Pages a minute over the day: more at noon.
std::uint64_t PagesOf(int minute) {
  return static_cast<std::uint64_t>(20'000 -
                                    12'000 * std::cos(2 * std::numbers::pi * minute / 1440.0));
}

}  // namespace

const std::vector<std::string>& HostileTexts() {
  static const std::vector<std::string> texts{
      "<script>document.title='owned'</script>",
      "\"><img src=x onerror=\"document.title='owned'\">",
      "' onmouseover='alert(1)' x='",
      "</style></title></textarea><svg onload=alert(1)>",
      "javascript:alert(1)",
      "http://evil.example/<!--",
      "http://evil.example/]]>-->&lt;b&gt;&amp;#60;",
      "http://evil.example/\xE2\x80\xAEgpj.exe",      // U+202E: what follows reads backwards
      "http://evil.example/\x1b[2J\x1b]0;owned\x07",  // clears a terminal, names its window
      "http://evil.example/\xFF\xC3(\x80",            // no UTF-8
      std::string("http://evil.example/\0null", 25),
      "http://evil.example/{}{0}%s%n",
      "http://evil.example/" + std::string(100'000, 'a'),
      "http://evil.example/" + std::string(100'000, '"')};
  return texts;
}

SampleProcess::SampleProcess(Timestamp now, const Options& options)
    : now_(now),
      options_(options),
      metrics_({"crawler-7",
                "0.1.0",
                {consumer::Role::kExtract, consumer::Role::kJudge},
                now - minutes(options.minutes) - std::chrono::hours(3)}) {
  std::mt19937 random(kSeed);
  for (int minute = options.minutes - 1; minute >= 0; --minute) {
    const Timestamp time = now - minutes(minute);
    const std::uint64_t pages = PagesOf(options.minutes - minute);
    metrics_.Add(Count::kRecordsConsumed, pages);
    metrics_.Add(Count::kBytesConsumed, pages * 40'000);
    metrics_.Kept("unique").Add(pages * 55 / 100);
    metrics_.Kept("updated").Add(pages * 6 / 100);
    metrics_.Kept("too_short").Add(pages * 3 / 100);
    metrics_.Dropped("exact_duplicate").Add(pages * 14 / 100);
    metrics_.Dropped("near_duplicate").Add(pages * 9 / 100);
    metrics_.Dropped("unchanged").Add(pages * 12 / 100);
    metrics_.Dropped("error_status").Add(pages / 100);
    metrics_.DeadLetters("invalid_json").Add(minute % 7 == 0 ? 3 : 0);
    metrics_.AddDistances({pages / 100, pages / 50, pages / 30, pages / 33, 0, 0, 0, 0});
    for (int i = 0; i < 50; ++i) {
      metrics_.Observe(Latency::kExtract, microseconds(800 + random() % 4000));
      metrics_.Observe(Latency::kJudge, microseconds(30 + random() % 200));
      metrics_.Observe(Latency::kEndToEnd, microseconds(200'000 + random() % 400'000));
    }
    recorder_.Sample(metrics_.Read(), time, seconds(60));
  }

  BatchFindings findings;
  const auto text = [&](std::size_t i, const std::string& tame) {
    return options.is_hostile ? HostileTexts()[i % HostileTexts().size()] : tame;
  };
  for (int host = 0; host < options.hosts; ++host) {
    const std::string name = "www" + std::to_string(host) + ".example";
    const int times = host < 40 ? 4000 / (host + 1) : 1 + host % 3;
    for (int i = 0; i < times; ++i) findings.AddDuplicate(name);
  }
  for (std::size_t i = 0; options.is_hostile && i < HostileTexts().size(); ++i) {
    for (int times = 0; times < 5000; ++times) findings.AddDuplicate(HostileTexts()[i]);
  }
  recorder_.AddBatch(findings, now - minutes(90));
  for (std::size_t i = 0; i < 24; ++i) {
    BatchFindings one;
    const std::string page = std::to_string(1000 + i * 37);
    one.AddPair({.url = text(i, "https://www" + std::to_string(i % 5) + ".example/news/" + page +
                                    "?utm_source=letter"),
                 .match_url = text(i + 1, "https://www" + std::to_string(i % 5) + ".example/news/" +
                                              page + "/print"),
                 .distance = static_cast<int>(i % 4),
                 .similarity = 0.83 + 0.006 * static_cast<double>(i),
                 .words = static_cast<std::uint32_t>(180 + 11 * i),
                 .text_length = static_cast<std::uint32_t>(2100 + 170 * i),
                 .language = options.is_hostile ? HostileTexts()[i % 4] : "en",
                 .first_seen = now - std::chrono::hours(24 * (i + 1))});
    recorder_.AddBatch(one, now - seconds(24 - i));
  }

  metrics_.SetConnected(true);
  metrics_.SetIndex({12'345'678, 11'900'000, std::uint64_t{430} << 20, 16, now - minutes(12)});
  metrics_.SetStorage({std::uint64_t{9} << 30, std::uint64_t{70} << 30});
  metrics_.SetLogClock(now - seconds(1));
  metrics_.SetAssignment({{"crawl.pages", 0, 9'123'456, 1200, 2.4},
                          {"crawl.pages", 1, 9'120'001, 0, 0.0},
                          {"crawlsieve.log", 0, 28'000'123, 85, 0.3}});
  metrics_.SetKafkaClient("extract_consumer", consumer::KafkaClientReport{812, 33'000'000, 0.004});
  metrics_.SetKafkaClient("judge_producer", consumer::KafkaClientReport{1999, 2'600'000, 0.011});
  metrics_.SetRestoring(options.is_restoring);
  if (options.is_restoring) {
    metrics_.SetRestore(
        consumer::RestoreReport{.from = 1000,
                                .next = 251'000,
                                .to = 1'001'000,
                                .began = std::chrono::steady_clock::now() - seconds(100)});
  }
}

consumer::StatusReport SampleProcess::Report() const {
  consumer::StatusReport report;
  report.instance = metrics_.identity().instance;
  report.version = metrics_.identity().version;
  report.commit = "0123456789ab";
  report.scheme = "crawlsieve-2-0123456789abcdef";
  report.roles = {"extract", "judge"};
  report.inputs = {"crawl.pages"};
  report.brokers = "kafka1.example:9092,kafka2.example:9092";
  report.log_topic = "crawlsieve.log";
  report.verdict_topic = "crawl.verdicts";
  report.time = now_;
  report.started_at = metrics_.identity().started_at;
  const bool is_ready = !options_.is_restoring;
  report.health =
      is_ready ? consumer::StatusReport::Health::kReady : consumer::StatusReport::Health::kNotReady;
  report.reason = is_ready ? "" : "restoring state from the admission log";
  if (options_.is_hostile) {
    const std::vector<std::string>& texts = HostileTexts();
    report.instance = texts[1];
    report.version = texts[0];
    report.commit = texts[3];
    report.reason = texts[2];
    report.scheme = texts[12];
    report.inputs = texts;
    report.brokers = texts[13];
    report.log_topic = texts[4];
    report.verdict_topic = texts[5];
  }
  consumer::TakeUp(metrics_.Read(), recorder_.Read(), report);
  const consumer::IndexReport index = metrics_.Read().index;
  report.index =
      consumer::StatusReport::Index{index.entries, index.fingerprints, index.bytes,
                                    20'000'000,    20'000'000 * 40,    index.last_snapshot};
  report.memory = consumer::MemoryReport{std::uint64_t{1300} << 20, std::uint64_t{4} << 30};
  for (std::size_t i = 0; i < (options_.is_hostile ? 20 : 2); ++i) {
    report.problems.push_back(
        {.is_error = i % 2 == 0,
         .event = options_.is_hostile ? HostileTexts()[i % HostileTexts().size()]
                  : i == 0            ? "judge.failed"
                                      : "extract.commit_failed",
         .text = options_.is_hostile ? std::string(400, '"')
                                     : "error=\"broker 2: no answer within 10 s\" again_in_ms=500",
         .count = 7 + i,
         .last = now_ - minutes(3 + 20 * i)});
  }
  return report;
}

}  // namespace crawlsieve::testing
