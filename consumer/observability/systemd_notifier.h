#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace crawlsieve::consumer {

/// Tells systemd how the service is, by the protocol of sd_notify(3): one datagram for each report.
/// Without a socket it does nothing.
///
///     READY=1      with the first report that is ready
///     STOPPING=1   with the first report that is stopping, and the time that the stop may take
///     STATUS=      when the text has changed
///     WATCHDOG=1   at half the watchdog's interval, while no stage is hung
///
/// libsystemd would bring four more libraries for one call of sendto(2).
/// A report that systemd doesn't take is sent again with the next call.
/// Thread-compatible.
class SystemdNotifier {
 public:
  using Clock = std::chrono::steady_clock;

  struct Options {
    std::string socket;  ///< path, or "@" and an abstract name; empty: there is no systemd
    std::chrono::microseconds watchdog{
        0};  ///< systemd kills a process that is silent so long; 0: no
    std::chrono::milliseconds stop_timeout{0};  ///< a stop takes at most this

    /// As systemd gives them to this process: NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID.
    [[nodiscard]] static Options FromEnvironment(std::chrono::milliseconds stop_timeout);
  };

  struct Report {
    bool ready = false;
    bool stopping = false;
    std::string status{};  ///< for people
    /// The longest time for which a stage's loop has not come round. From half the watchdog's
    /// interval on, the stage counts as hung and the watchdog hears nothing. A stop has its own
    /// time limit, so this is not looked at while stopping.
    Clock::duration silence{0};
  };

  explicit SystemdNotifier(Options options);
  ~SystemdNotifier();
  SystemdNotifier(const SystemdNotifier&) = delete;
  SystemdNotifier& operator=(const SystemdNotifier&) = delete;

  /// Whether there is anybody to tell.
  [[nodiscard]] bool active() const { return socket_ >= 0; }

  /// Sends what is new in `report`, and the watchdog's signal when it is due. Never waits.
  void Send(const Report& report, Clock::time_point now = Clock::now());

 private:
  [[nodiscard]] bool SendText(const std::string& text) const;

  const Options options_;
  int socket_ = -1;
  bool told_ready_ = false;
  bool told_stopping_ = false;
  std::string told_status_;
  std::optional<Clock::time_point> last_watchdog_;
};

}  // namespace crawlsieve::consumer
