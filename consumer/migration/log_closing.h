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

/// The first record of each input partition that the closed log has no verdict of.
[[nodiscard]] std::map<InputPartition, std::int64_t> BoundsOf(const log::Closing& closing);

/// The entry that closed a deployment's log, if its judges' group is behind one: from there on no
/// judge of the deployment, of whatever version, gives a verdict. `kafka`: of the deployment.
/// Errors: kIo; kMismatch, where the log isn't the one that the group was done with, or the group
/// has no place in it.
[[nodiscard]] Result<std::optional<log::Closing>> FindClosing(const KafkaOptions& kafka);

/// Ends what a deployment judges, at a place of its log that nothing can move afterwards.
///
/// Operation: takes the judges' transactional id, so that a judge that still runs can't commit;
/// reads the log for how far each input partition was judged; puts an entry at the end of the log
/// that every judge refuses; and moves the group's place behind that entry. The last step decides:
/// before it, the next call begins anew; after it, FindClosing finds the entry.
/// Thread-compatible.
class LogClosing {
 public:
  /// `kafka`: of the deployment; borrowed.
  explicit LogClosing(const KafkaOptions& kafka) : kafka_(kafka) {}

  /// Reads what of the log has been judged since the last call. Called once while judges still run,
  /// it leaves little for Close to read, and so little time without verdicts. Errors: those of
  /// FindClosing.
  [[nodiscard]] Status ReadJudged(const TopicProgress& progress);

  /// How far each input partition was judged, as far as the log was read.
  [[nodiscard]] std::map<InputPartition, std::int64_t> bounds() const { return bounds_.Bounds(); }

  /// Closes the log, unless it is. `group`: of the deployment that goes on. Errors: kBusy, where a
  /// judge of the deployment runs; those of FindClosing.
  [[nodiscard]] Result<log::Closing> Close(const std::string& group, const TopicProgress& progress);

 private:
  [[nodiscard]] Status ReadExtracted();
  [[nodiscard]] Status ReadWaiting();
  [[nodiscard]] Result<log::Closing> MakeClosing(const std::string& group) const;

  const KafkaOptions& kafka_;
  JudgedBounds bounds_;
  std::int64_t judged_ = 0;  ///< the entries before it have been judged, and read
};

}  // namespace crawlsieve::consumer
