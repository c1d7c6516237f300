// What hostile pages cost the HTML parser: time and memory by family, and how both the counter of
// work and the time grow from one size to the next.
//
//     html_hostile                       every family with 4 MiB
//     html_hostile --bytes 1048576 NAME  one of them, with another size
//     html_hostile --most-memory 10      every family's memory, which may be ten times the page
//
// Each page is parsed in a process of its own, which is how its memory is told from the others'.

#include "extract/html/html_text.h"
#include "tests/support/html/event_log.h"
#include "tests/support/html/hostile_pages.h"
#include "tests/support/html/parsers.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace crawlsieve::html_check {
namespace {

/// Drops all events.
class NoEvents final : public extract::HtmlEvents {
 public:
  void OnLanguage(std::string_view) override {}
  void OnTitle(std::string_view) override {}
  void OnText(std::string_view) override {}
  void OnBreak() override {}
  void OnBlockBegin(extract::Hints) override {}
  void OnBlockEnd() override {}
  void OnLinkBegin(const extract::LinkTarget&) override {}
  void OnLinkEnd() override {}
  void OnBase(std::string_view) override {}
  void OnCanonical(std::string_view) override {}
  void OnRefresh(std::string_view) override {}
  void OnRobots(std::string_view) override {}
  void OnAltText(std::string_view) override {}
};

struct Cost {
  double milliseconds = 0;
  double mebibytes = 0;  ///< more than the page alone takes
  std::uint64_t work = 0;
  extract::ParseEnd end = extract::ParseEnd::kDone;
};

double ThreadMilliseconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

/// Runs `work` in a child and reads the cost that it writes; adds its peak memory.
template <typename Work>
Cost InChild(Work work) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    const Cost cost = work();
    const bool written = write(ends[1], &cost, sizeof(cost)) == sizeof(cost);
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  Cost cost;
  if (read(ends[0], &cost, sizeof(cost)) != sizeof(cost)) fmt::print("the child has died\n");
  close(ends[0]);
  rusage usage{};
  wait4(child, nullptr, 0, &usage);
  cost.mebibytes = static_cast<double>(usage.ru_maxrss) / 1024;
  return cost;
}

Cost Measure(const HostileFamily& family, std::size_t bytes, const std::string& name, int runs) {
  const Cost page_alone = InChild([&] {
    Cost cost;
    cost.work = family.make(bytes).size();
    return cost;
  });
  const auto parse = [&] {
    const std::string page = family.make(bytes);
    const auto parser = MakeParser(extract::Limits{}, name);
    NoEvents events;
    Cost spent;
    const double start = ThreadMilliseconds();
    spent.end = parser->Parse(page, events);
    spent.milliseconds = ThreadMilliseconds() - start;
    spent.work = WorkOf(*parser);
    return spent;
  };
  // The fastest of a few: other programs on the machine take their share of each.
  Cost cost = InChild(parse);
  for (int again = 1; again < runs; ++again) {
    cost.milliseconds = std::min(cost.milliseconds, InChild(parse).milliseconds);
  }
  cost.mebibytes -= page_alone.mebibytes;
  return cost;
}

/// Prints the memory of each family and returns how many take more than `most` times the page.
std::size_t CheckMemory(const std::vector<HostileFamily>& families, std::size_t bytes, double most,
                        const std::string& parser) {
  std::size_t over = 0;
  for (const HostileFamily& family : families) {
    const Cost cost = Measure(family, bytes, parser, 1);
    const double times = cost.mebibytes * (1 << 20) / static_cast<double>(bytes);
    fmt::print("{:48} {:9.1f} MiB {:6.2f} times the page  {}\n", family.name, cost.mebibytes, times,
               extract::ParseEndCode(cost.end));
    over += times > most ? 1 : 0;
  }
  fmt::print("{} families over {} times the page\n", over, most);
  return over;
}

int Main(int argc, char** argv) {
  CLI::App app{"Prints what hostile pages cost the HTML parser."};
  std::vector<std::string> names;
  app.add_option("FAMILIES", names, "without names: all");
  std::size_t bytes = std::size_t{4} << 20;
  app.add_option("--bytes", bytes, "size of the largest page")->capture_default_str();
  std::string parser = KernelNames().front();
  app.add_option("--parser", parser, "a kernel, or gumbo")->capture_default_str();
  double most_memory = 0;
  app.add_option("--most-memory", most_memory,
                 "measure memory alone; exit with 1 where it is more than so many times the page");
  CLI11_PARSE(app, argc, argv);

  constexpr int kRuns = 3;
  std::vector<HostileFamily> families;
  for (const HostileFamily& family : HostileFamilies()) {
    if (names.empty() || std::find(names.begin(), names.end(), family.name) != names.end()) {
      families.push_back(family);
    }
  }
  if (most_memory > 0) return CheckMemory(families, bytes, most_memory, parser) == 0 ? 0 : 1;
  fmt::print("{:48} {:>9} {:>9} {:>9} {:>9}  {}\n", "family", "ms", "MiB", "work x2", "time x2",
             "end");
  std::size_t slow = 0;
  for (const HostileFamily& family : families) {
    const Cost half = Measure(family, bytes / 2, parser, kRuns);
    const Cost whole = Measure(family, bytes, parser, kRuns);
    const double work =
        half.work == 0 ? 0 : static_cast<double>(whole.work) / static_cast<double>(half.work);
    const double time = whole.milliseconds / half.milliseconds;
    fmt::print("{:48} {:9.2f} {:9.1f} {:9.3f} {:9.2f}  {}\n", family.name, whole.milliseconds,
               whole.mebibytes, work, time, extract::ParseEndCode(whole.end));
    std::fflush(stdout);
    if (whole.milliseconds > 100 ||
        (whole.mebibytes > 64 && whole.end != extract::ParseEnd::kNodes)) {
      ++slow;
    }
  }
  fmt::print("{} families over 100 ms or 64 MiB\n", slow);
  return slow == 0 ? 0 : 1;
}

}  // namespace
}  // namespace crawlsieve::html_check

int main(int argc, char** argv) { return crawlsieve::html_check::Main(argc, argv); }
