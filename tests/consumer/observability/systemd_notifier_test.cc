#include "consumer/observability/systemd_notifier.h"

#include "tests/support/temporary_directory.h"

#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace crawlsieve::consumer {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// A datagram socket as systemd has one.
class Listener {
 public:
  /// `name`: a path, or "@" and an abstract name.
  explicit Listener(const std::string& name)
      : socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, name.data(), name.size());
    if (name.front() == '@') address.sun_path[0] = '\0';
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    EXPECT_EQ(::bind(socket_, reinterpret_cast<const sockaddr*>(&address), size), 0);
  }
  ~Listener() { ::close(socket_); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  /// The next datagram; empty if there is none.
  std::string Next() const {
    std::array<char, 4096> buffer{};
    const auto size = ::recv(socket_, buffer.data(), buffer.size(), 0);
    return size > 0 ? std::string(buffer.data(), static_cast<std::size_t>(size)) : std::string();
  }

 private:
  int socket_;
};

class SystemdNotifierTest : public ::testing::Test {
 protected:
  static constexpr seconds kWatchdog{60};

  testing::TemporaryDirectory folder_;
  const std::string socket_ = (folder_.path() / "notify").string();
  const SystemdNotifier::Clock::time_point start_ = SystemdNotifier::Clock::now();

  SystemdNotifier::Options OptionsWith(microseconds watchdog) const {
    return {socket_, watchdog, milliseconds(35'000)};
  }
};

TEST_F(SystemdNotifierTest, WithoutASocketItTellsNobody) {
  SystemdNotifier notifier({});
  EXPECT_FALSE(notifier.active());
  notifier.Send({.ready = true, .status = "working"});
}

TEST_F(SystemdNotifierTest, ReadyIsToldOnceAndOnlyWhenItIs) {
  const Listener systemd(socket_);
  SystemdNotifier notifier(OptionsWith(microseconds(0)));
  ASSERT_TRUE(notifier.active());
  notifier.Send({.ready = false, .status = "starting: connecting to Kafka"});
  EXPECT_EQ(systemd.Next(), "STATUS=starting: connecting to Kafka\n");
  notifier.Send({.ready = true, .status = "working"});
  EXPECT_EQ(systemd.Next(), "READY=1\nSTATUS=working\n");
  notifier.Send({.ready = false, .status = "not connected to Kafka"});
  EXPECT_EQ(systemd.Next(), "STATUS=not connected to Kafka\n");
  notifier.Send({.ready = true, .status = "working"});
  EXPECT_EQ(systemd.Next(), "STATUS=working\n");
  notifier.Send({.ready = true, .status = "working"});
  EXPECT_EQ(systemd.Next(), "");
}

TEST_F(SystemdNotifierTest, AStopIsToldOnceWithTheTimeThatItMayTake) {
  const Listener systemd(socket_);
  SystemdNotifier notifier(OptionsWith(microseconds(0)));
  notifier.Send({.ready = true, .stopping = true, .status = "stopping"});
  EXPECT_EQ(systemd.Next(), "STOPPING=1\nEXTEND_TIMEOUT_USEC=35000000\nSTATUS=stopping\n");
  notifier.Send({.ready = true, .stopping = true, .status = "stopping"});
  EXPECT_EQ(systemd.Next(), "");
}

TEST_F(SystemdNotifierTest, TheWatchdogHearsAtHalfItsInterval) {
  const Listener systemd(socket_);
  SystemdNotifier notifier(OptionsWith(kWatchdog));
  notifier.Send({}, start_);
  EXPECT_EQ(systemd.Next(), "WATCHDOG=1\n");
  notifier.Send({}, start_ + kWatchdog / 2 - milliseconds(1));
  EXPECT_EQ(systemd.Next(), "");
  notifier.Send({}, start_ + kWatchdog / 2);
  EXPECT_EQ(systemd.Next(), "WATCHDOG=1\n");
}

TEST_F(SystemdNotifierTest, TheWatchdogHearsNothingOfAHungStage) {
  const Listener systemd(socket_);
  SystemdNotifier notifier(OptionsWith(kWatchdog));
  notifier.Send({.silence = kWatchdog / 2 - milliseconds(1)}, start_);
  EXPECT_EQ(systemd.Next(), "WATCHDOG=1\n");
  for (seconds later = kWatchdog / 2; later <= 2 * kWatchdog; later += seconds(1)) {
    notifier.Send({.silence = later}, start_ + later);
    ASSERT_EQ(systemd.Next(), "") << later.count();
  }
  notifier.Send({.silence = seconds(0)}, start_ + 2 * kWatchdog + seconds(1));
  EXPECT_EQ(systemd.Next(), "WATCHDOG=1\n");
}

TEST_F(SystemdNotifierTest, AStopHasATimeLimitOfItsOwn) {
  const Listener systemd(socket_);
  SystemdNotifier notifier(OptionsWith(kWatchdog));
  notifier.Send({.stopping = true, .silence = kWatchdog}, start_);
  EXPECT_NE(systemd.Next().find("WATCHDOG=1\n"), std::string::npos);
}

TEST_F(SystemdNotifierTest, AStatusStaysOnOneLine) {
  const Listener systemd(socket_);
  SystemdNotifier notifier(OptionsWith(microseconds(0)));
  notifier.Send({.status = "broker says:\nREADY=1\r"});
  EXPECT_EQ(systemd.Next(), "STATUS=broker says: READY=1 \n");
}

TEST_F(SystemdNotifierTest, WhatNobodyTookIsSentAgain) {
  SystemdNotifier notifier(OptionsWith(kWatchdog));
  notifier.Send({.ready = true, .status = "working"}, start_);
  const Listener systemd(socket_);
  notifier.Send({.ready = true, .status = "working"}, start_);
  EXPECT_EQ(systemd.Next(), "READY=1\nSTATUS=working\nWATCHDOG=1\n");
}

TEST_F(SystemdNotifierTest, AbstractSocketsAreReachedToo) {
  const std::string name = "@crawlsieve-test" + std::to_string(::getpid());
  const Listener systemd(name);
  SystemdNotifier notifier({name, microseconds(0), milliseconds(0)});
  notifier.Send({.ready = true});
  EXPECT_EQ(systemd.Next(), "READY=1\n");
}

TEST_F(SystemdNotifierTest, ANameThatIsNoSocketChangesNothing) {
  SystemdNotifier relative({"notify", kWatchdog, milliseconds(0)});
  relative.Send({.ready = true});
  SystemdNotifier too_long({"/" + std::string(200, 'x'), kWatchdog, milliseconds(0)});
  too_long.Send({.ready = true});
}

TEST_F(SystemdNotifierTest, TheEnvironmentSaysWhereAndHowOften) {
  ::setenv("NOTIFY_SOCKET", "/run/systemd/notify", 1);
  ::setenv("WATCHDOG_USEC", "600000000", 1);
  ::setenv("WATCHDOG_PID", std::to_string(::getpid()).c_str(), 1);
  auto options = SystemdNotifier::Options::FromEnvironment(seconds(35));
  EXPECT_EQ(options.socket, "/run/systemd/notify");
  EXPECT_EQ(options.watchdog, std::chrono::minutes(10));
  EXPECT_EQ(options.stop_timeout, seconds(35));

  ::setenv("WATCHDOG_PID", "1", 1);
  EXPECT_EQ(SystemdNotifier::Options::FromEnvironment(seconds(35)).watchdog, seconds(0));

  ::unsetenv("WATCHDOG_PID");
  ::setenv("WATCHDOG_USEC", "often", 1);
  EXPECT_EQ(SystemdNotifier::Options::FromEnvironment(seconds(35)).watchdog, seconds(0));

  ::unsetenv("WATCHDOG_USEC");
  ::unsetenv("NOTIFY_SOCKET");
  EXPECT_TRUE(SystemdNotifier::Options::FromEnvironment(seconds(35)).socket.empty());
}

}  // namespace
}  // namespace crawlsieve::consumer
