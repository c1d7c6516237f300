#include "consumer/observability/process_metrics.h"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>

#include <sys/resource.h>
#include <unistd.h>

namespace crawlsieve::consumer {
namespace {

using prometheus::MetricFamily;
using prometheus::MetricType;

/// Fields of /proc/self/stat, numbered as in proc(5).
constexpr std::size_t kUserTicks = 14;
constexpr std::size_t kSystemTicks = 15;
constexpr std::size_t kVirtualBytes = 23;
constexpr std::size_t kResidentPages = 24;

/// The fields behind the program's name, which may hold spaces and brackets; [0] is field 3.
/// Empty if the file can't be read.
std::vector<std::string> StatFields() {
  std::ifstream file("/proc/self/stat");
  std::string line;
  std::getline(file, line);
  const std::size_t name_end = line.rfind(')');
  std::vector<std::string> fields;
  if (name_end == std::string::npos) return fields;
  std::istringstream rest(line.substr(name_end + 1));
  for (std::string field; rest >> field;) fields.push_back(std::move(field));
  return fields;
}

std::optional<double> StatField(const std::vector<std::string>& fields, std::size_t number) {
  constexpr std::size_t kFirst = 3;
  if (number - kFirst >= fields.size()) return std::nullopt;
  std::istringstream text(fields[number - kFirst]);
  double value = 0;
  return text >> value ? std::optional(value) : std::nullopt;
}

std::optional<double> OpenFiles() {
  std::error_code error;
  double count = 0;
  for (std::filesystem::directory_iterator entry("/proc/self/fd", error), end;
       !error && entry != end; entry.increment(error)) {
    ++count;
  }
  if (error) return std::nullopt;
  return count;
}

std::optional<double> MaxOpenFiles() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return std::nullopt;
  }
  return static_cast<double>(limit.rlim_cur);
}

class Families {
 public:
  void Add(const char* name, const char* help, MetricType type, std::optional<double> value) {
    if (!value.has_value()) return;
    prometheus::ClientMetric metric;
    (type == MetricType::Counter ? metric.counter.value : metric.gauge.value) = *value;
    families_.push_back(MetricFamily{name, help, type, {std::move(metric)}});
  }
  [[nodiscard]] std::vector<MetricFamily> Take() && { return std::move(families_); }

 private:
  std::vector<MetricFamily> families_;
};

}  // namespace

std::vector<MetricFamily> ProcessMetrics::Collect() const {
  const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  const auto page = static_cast<double>(::sysconf(_SC_PAGESIZE));
  const std::vector<std::string> stat = StatFields();
  std::optional<double> processor;
  const auto user = StatField(stat, kUserTicks);
  const auto system = StatField(stat, kSystemTicks);
  if (user && system) processor = (*user + *system) / ticks;
  std::optional<double> resident = StatField(stat, kResidentPages);
  if (resident) *resident *= page;
  const std::chrono::duration<double> started = started_at_.time_since_epoch();

  Families families;
  families.Add("process_cpu_seconds_total", "Processor time of the process.", MetricType::Counter,
               processor);
  families.Add("process_resident_memory_bytes", "Memory of the process that is in RAM.",
               MetricType::Gauge, resident);
  families.Add("process_virtual_memory_bytes", "Address space of the process.", MetricType::Gauge,
               StatField(stat, kVirtualBytes));
  families.Add("process_open_fds", "Open files and sockets.", MetricType::Gauge, OpenFiles());
  families.Add("process_max_fds", "How many open files and sockets are allowed.", MetricType::Gauge,
               MaxOpenFiles());
  families.Add("process_start_time_seconds", "When the process started, since 1970.",
               MetricType::Gauge, started.count());
  return std::move(families).Take();
}

}  // namespace crawlsieve::consumer
