// What the status page costs: the judge for each verdict, and the process for each look at it.

#include "consumer/status/batch_findings.h"
#include "consumer/status/status_page.h"
#include "consumer/status/status_recorder.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

constexpr int kBatch = 2000;
constexpr int kRepeats = 200;

/// Microseconds of the fastest of kRepeats calls.
template <typename Function>
double Fastest(const Function& call) {
  using Clock = std::chrono::steady_clock;
  double fastest = 1e9;
  for (int i = 0; i < kRepeats; ++i) {
    const Clock::time_point begin = Clock::now();
    call();
    const std::chrono::duration<double, std::micro> took = Clock::now() - begin;
    fastest = std::min(fastest, took.count());
  }
  return fastest;
}

/// Batches in which every page is a duplicate, every third a near one.
void MeasureBatches(int host_count) {
  std::vector<std::string> hosts;
  for (int i = 0; i < host_count; ++i) {
    hosts.push_back("www" + std::to_string(i) + ".some-site.example");
  }
  StatusRecorder recorder;
  std::size_t next = 0;
  const double took = Fastest([&] {
    BatchFindings findings;
    for (int i = 0; i < kBatch; ++i) {
      findings.AddDuplicate(hosts[next++ % hosts.size()]);
      if (i % 3 == 0 && findings.WantsPair()) {
        findings.AddPair({.url = "https://www.some-site.example/news/2026/some-words-of-a-title",
                          .match_url = "https://www.some-site.example/news/2026/some-words"});
      }
    }
    recorder.AddBatch(findings, Timestamp{});
  });
  fmt::print("{:>8} hosts: {:6.1f} ns for each duplicate\n", host_count, 1000 * took / kBatch);
}

void MeasureSampleAndPage() {
  Metrics metrics({"bench", "0", {Role::kJudge}, Timestamp{}});
  StatusRecorder recorder;
  Timestamp now{};
  for (int minute = 0; minute < 1440; ++minute) {
    metrics.Kept("unique").Add(20'000);
    metrics.Dropped("exact_duplicate").Add(10'000);
    now += std::chrono::minutes(1);
    recorder.Sample(metrics.Read(), now, std::chrono::seconds(60));
  }
  BatchFindings findings;
  for (int i = 0; i < 10'000; ++i) findings.AddDuplicate("www" + std::to_string(i) + ".example");
  recorder.AddBatch(findings, now);
  const double sample = Fastest([&] {
    now += std::chrono::seconds(5);
    recorder.Sample(metrics.Read(), now, std::chrono::seconds(5));
  });
  std::size_t bytes = 0;
  const double page = Fastest([&] {
    StatusReport report;
    report.roles = {"judge"};
    TakeUp(metrics.Read(), recorder.Read(), report);
    bytes = StatusPage(report).size();
  });
  fmt::print("a sample, every 5 s: {:6.1f} us\na page of {} bytes: {:6.1f} us\n", sample, bytes,
             page);
}

}  // namespace
}  // namespace crawlsieve::consumer

int main() {
  for (const int hosts : {1, 100, 100'000}) crawlsieve::consumer::MeasureBatches(hosts);
  crawlsieve::consumer::MeasureSampleAndPage();
}
