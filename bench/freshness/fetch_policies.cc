#include "bench/freshness/fetch_policies.h"

#include "plugin/schedule/crawl_schedule.h"
#include "plugin/schedule/path_pattern.h"
#include "plugin/verdict/parameters.h"
#include "plugin/verdict/priority.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

namespace crawlsieve::bench {
namespace {

constexpr double kSecondsOfDay = 86'400;

/// The oldest fetch first.
class Uniform final : public FetchPolicy {
 public:
  explicit Uniform(const ChangeWindow& window) : fetched_(window.documents.size(), window.begin) {}
  [[nodiscard]] double Urgency(std::size_t document, double now) const override {
    return now - fetched_[document];
  }
  void Fetched(std::size_t document, double now, bool /*changed*/) override {
    fetched_[document] = now;
  }

 private:
  std::vector<double> fetched_;
};

/// An interval for each document, changed at each fetch; the most overdue first.
class Intervals : public FetchPolicy {
 public:
  Intervals(const ChangeWindow& window, double initial_days)
      : intervals_(window.documents.size(), initial_days),
        due_(window.documents.size(), window.begin + initial_days) {}
  [[nodiscard]] double Urgency(std::size_t document, double now) const final {
    return now - due_[document];
  }
  void Fetched(std::size_t document, double now, bool changed) final {
    intervals_[document] = Next(intervals_[document], changed);
    due_[document] = now + intervals_[document];
  }

 private:
  [[nodiscard]] virtual double Next(double days, bool changed) const = 0;

  std::vector<double> intervals_;
  std::vector<double> due_;
};

/// The recrawl interval of verdicts, with its defaults.
class Verdicts final : public Intervals {
 public:
  explicit Verdicts(const ChangeWindow& window)
      : Intervals(window, static_cast<double>(RecrawlIntervals().initial_seconds) / kSecondsOfDay) {
  }

 private:
  [[nodiscard]] double Next(double days, bool changed) const override {
    const auto seconds = static_cast<std::uint64_t>(std::llround(days * kSecondsOfDay));
    return static_cast<double>(NextInterval(RecrawlIntervals(), seconds, changed)) / kSecondsOfDay;
  }
};

/// Nutch's AdaptiveFetchSchedule without sync_delta: 30 days at first, between a minute and a year.
class Nutch final : public Intervals {
 public:
  explicit Nutch(const ChangeWindow& window) : Intervals(window, 30) {}

 private:
  [[nodiscard]] double Next(double days, bool changed) const override {
    return std::clamp(days * (changed ? 0.8 : 1.4), 60 / kSecondsOfDay, 365.0);
  }
};

/// StormCrawler's AdaptiveScheduler: a day at first, between an hour and two weeks.
class StormCrawler final : public Intervals {
 public:
  explicit StormCrawler(const ChangeWindow& window) : Intervals(window, 1) {}

 private:
  [[nodiscard]] double Next(double days, bool changed) const override {
    constexpr double kLeast = 1.0 / 24;
    return changed ? 0.5 * days + 0.5 * kLeast : std::min(days * 1.5, 14.0);
  }
};

/// The score of plugin/schedule, as a list of due URLs would be made each day.
class Schedule final : public FetchPolicy {
 public:
  Schedule(const ChangeWindow& window, double period)
      : crawl_(Options(window, period)), urls_(window.documents.size()) {
    for (std::size_t i = 0; i < window.documents.size(); ++i) {
      const std::string& name = window.documents[i].document;
      host_of_.push_back(&hosts_[name.substr(0, name.find('/'))]);
      patterns_.push_back(schedule::PathPattern("https://" + name));
      Fetched(i, window.begin, false);
    }
  }
  [[nodiscard]] double Urgency(std::size_t document, double now) const override {
    const schedule::UrlSchedule& url = urls_[document];
    const schedule::HostSchedule& host = *host_of_[document];
    const schedule::Seconds seconds = ToSeconds(now);
    const auto like = sets_.find(SetOf(document));
    const schedule::LogRate rate =
        crawl_.RateOf(url, host, like != sets_.end() ? like->second : schedule::PatternSet(),
                      patterns_[document]);
    return crawl_.ScoreAt(url, host, rate, seconds).value();
  }
  void Fetched(std::size_t document, double now, bool changed) override {
    schedule::Fetch fetch;
    fetch.time = ToSeconds(now);
    fetch.changed = changed;
    crawl_.Add(crawl_
                   .Take(urls_[document], *host_of_[document], sets_[SetOf(document)],
                         patterns_[document], fetch)
                   .change);
  }

 private:
  using SetName = std::pair<const schedule::HostSchedule*, std::uint8_t>;

  [[nodiscard]] SetName SetOf(std::size_t document) const {
    return {host_of_[document], schedule::PatternSet::SetOf(patterns_[document])};
  }
  static schedule::Seconds ToSeconds(double days) {
    return static_cast<schedule::Seconds>(std::llround(days * kSecondsOfDay));
  }
  static schedule::ScheduleOptions Options(const ChangeWindow& window, double period) {
    schedule::ScheduleOptions options;
    const double a_day = static_cast<double>(window.documents.size()) / period;
    options.goal.fetches_a_day_thousandths =
        std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(a_day * 1000)));
    return options;
  }

  schedule::CrawlSchedule crawl_;
  std::vector<schedule::UrlSchedule> urls_;
  std::map<std::string, schedule::HostSchedule> hosts_;
  std::map<SetName, schedule::PatternSet> sets_;
  std::vector<schedule::HostSchedule*> host_of_;
  std::vector<std::string> patterns_;
};

/// The most valuable first, by the rate that the document has in the window. No policy that learns
/// can know it; documents that change at random at a constant rate can't be kept fresher.
class Optimum final : public FetchPolicy {
 public:
  explicit Optimum(const ChangeWindow& window) : fetched_(window.documents.size(), window.begin) {
    for (const ChangeHistory& history : window.documents) {
      const auto changes = std::count_if(history.times.begin() + 1, history.times.end(),
                                         [&](double time) { return time > window.begin; });
      rates_.push_back(std::max(static_cast<double>(changes), 0.5) / window.days);
    }
  }
  [[nodiscard]] double Urgency(std::size_t document, double now) const override {
    const double rate = rates_[document];
    const double elapsed = now - fetched_[document];
    return 1 / rate - (elapsed + 1 / rate) * std::exp(-rate * elapsed);
  }
  void Fetched(std::size_t document, double now, bool /*changed*/) override {
    fetched_[document] = now;
  }

 private:
  std::vector<double> fetched_;
  std::vector<double> rates_;
};

}  // namespace

std::vector<NamedPolicy> AllPolicies(const ChangeWindow& window, double period) {
  std::vector<NamedPolicy> policies;
  policies.push_back({"uniform", "all equally often", std::make_unique<Uniform>(window)});
  policies.push_back({"verdicts", "interval of verdicts", std::make_unique<Verdicts>(window)});
  policies.push_back({"nutch", "Nutch", std::make_unique<Nutch>(window)});
  policies.push_back({"stormcrawler", "StormCrawler", std::make_unique<StormCrawler>(window)});
  policies.push_back({"schedule", "schedule", std::make_unique<Schedule>(window, period)});
  policies.push_back({"optimum", "optimum, true rates", std::make_unique<Optimum>(window)});
  return policies;
}

}  // namespace crawlsieve::bench
