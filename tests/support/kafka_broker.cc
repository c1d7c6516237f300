#include "tests/support/kafka_broker.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace crawlsieve::testing {
namespace {

constexpr int kKillTimeoutMs = 20'000;

/// Runs script/broker; what it printed, on both channels.
Result<std::string> RunScript(const std::string& arguments) {
  const std::string command =
      fmt::format("'{}/script/broker' {} 2>&1", CRAWLSIEVE_SOURCE_DIR, arguments);
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) {
    return MakeError(ErrorCode::kIo, "can't run " + command);
  }
  std::string output;
  char buffer[4096];
  std::size_t size = 0;
  while ((size = std::fread(buffer, 1, sizeof(buffer), pipe)) > 0) {
    output.append(buffer, size);
  }
  if (::pclose(pipe) != 0) {
    return MakeError(ErrorCode::kIo, command + " failed:\n" + output);
  }
  return output;
}

/// The broker that the whole program shares, or why there is none.
Result<std::unique_ptr<KafkaBroker>>& SharedBroker() {
  static Result<std::unique_ptr<KafkaBroker>> broker = KafkaBroker::Start();
  return broker;
}

}  // namespace

Result<std::unique_ptr<KafkaBroker>> KafkaBroker::Start() {
  std::string directory = (std::filesystem::temp_directory_path() / "crawlsieve-XXXXXX").string();
  if (::mkdtemp(directory.data()) == nullptr) {
    return MakeError(ErrorCode::kIo, "can't make a folder like " + directory);
  }
  std::unique_ptr<KafkaBroker> broker(new KafkaBroker(directory));
  if (Status started = broker->StartAgain(); !started) {
    return tl::unexpected(started.error());
  }
  return broker;
}

KafkaBroker::~KafkaBroker() {
  static_cast<void>(Kill());
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

Status KafkaBroker::StartAgain() {
  const Result<std::string> output =
      RunScript(fmt::format("start '{}' --while {}", directory_.string(), ::getpid()));
  if (!output) {
    return tl::unexpected(output.error());
  }
  std::ifstream(directory_ / "bootstrap") >> bootstrap_;
  return {};
}

Status KafkaBroker::Stop() {
  const Result<std::string> output = RunScript(fmt::format("stop '{}'", directory_.string()));
  if (!output) {
    return tl::unexpected(output.error());
  }
  return {};
}

Status KafkaBroker::Kill() {
  pid_t pid = 0;
  if (!(std::ifstream(directory_ / "pid") >> pid) || pid <= 0) {
    return {};  // it does not run
  }
  // By number: glibc 2.36 declares the functions without C linkage.
  const int process = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  if (process < 0) {
    return {};
  }
  ::syscall(SYS_pidfd_send_signal, process, SIGKILL, nullptr, 0);
  pollfd ended{process, POLLIN, 0};
  const int count = ::poll(&ended, 1, kKillTimeoutMs);
  ::close(process);
  if (count != 1) {
    return MakeError(ErrorCode::kIo, fmt::format("broker {} did not end", pid));
  }
  return {};
}

std::string UniqueName(std::string_view prefix) {
  static const unsigned int program = std::random_device{}();
  static std::atomic<int> count = 0;
  return fmt::format("{}-{:08x}-{}", prefix, program, ++count);
}

void BrokerTest::SetUp() {
  Result<std::unique_ptr<KafkaBroker>>& shared = SharedBroker();
  ASSERT_TRUE(shared.has_value()) << "this test needs a Kafka broker: " << shared.error().message;
}

KafkaBroker& BrokerTest::broker() { return **SharedBroker(); }

consumer::KafkaOptions BrokerTest::Options() {
  consumer::KafkaOptions options;
  options.bootstrap_servers = broker().bootstrap();
  options.group = UniqueName("group");
  options.input_topics = {UniqueName("pages")};
  options.log_topic = UniqueName("log");
  options.verdict_topic = UniqueName("verdicts");
  return options;
}

}  // namespace crawlsieve::testing
