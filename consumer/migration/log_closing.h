#pragma once

#include "consumer/migration/judged_bounds.h"
#include "consumer/service/options.h"
#include "plugin/base/result.h"
#include "plugin/log/entry.pb.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace crawlsieve::consumer {

/// Told how far a command is that reads a topic.
using TopicProgress =
    std::function<void(std::uint64_t done, std::uint64_t total, const std::string& topic)>;

/// The entry that closed a deployment's log, if its judges' group is behind one: from there on no
/// judge of the deployment, of whatever version, gives a verdict. `kafka`: of the deployment.
/// Errors: kIo; kMismatch, where the log isn't the one that the group was done with.
[[nodiscard]] Result<std::optional<log::Closing>> FindClosing(const KafkaOptions& kafka);

/// Ends what a deployment judges, at a place of its log that nothing can move afterwards.
///
/// Operation: takes the judges' transactional id, so that a judge that still runs can't commit;
/// looks how far the verdicts go; puts an entry at the end of the log that every judge refuses; and
/// moves the group's place behind that entry. Only the last step counts: before it, nothing has
/// changed, but for an entry that judges stop at. After it, FindClosing finds the entry.
/// Thread-compatible.
class LogClosing {
 public:
  /// `kafka`: of the deployment; borrowed.
  explicit LogClosing(const KafkaOptions& kafka) : kafka_(kafka) {}

  /// Reads the verdicts that have come since the last call. Called once while judges still run, it
  /// leaves little for Close to read, and so little time without verdicts. Errors: kIo.
  [[nodiscard]] Status ReadVerdicts(const TopicProgress& progress);

  /// Closes the log. `group`: of the deployment that goes on. Errors: kBusy, where a judge of the
  /// deployment runs; kMismatch, where the log has no entries; kIo.
  [[nodiscard]] Result<log::Closing> Close(const std::string& group, const TopicProgress& progress);

 private:
  [[nodiscard]] Status ReadExtracted();
  /// Entries from `first` on. Returns the scheme of the log.
  [[nodiscard]] Result<std::string> ReadWaiting(std::optional<std::int64_t> first);
  [[nodiscard]] log::Closing MakeClosing(const std::string& group) const;

  const KafkaOptions& kafka_;
  JudgedBounds judged_;
  std::map<std::int32_t, std::int64_t> read_;  ///< of the topic of verdicts, by partition
};

}  // namespace crawlsieve::consumer
