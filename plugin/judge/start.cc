#include "plugin/judge/start.h"

#include <algorithm>

#include <fmt/format.h>

namespace crawlsieve {
namespace {

template <typename... Args>
tl::unexpected<Error> Mismatch(fmt::format_string<Args...> format, Args&&... args) {
  return MakeError(ErrorCode::kMismatch, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace

Result<std::int64_t> FirstToPublish(const StartFacts& facts) {
  const std::int64_t folded = facts.folded;
  const std::int64_t committed = facts.committed.value_or(0);
  if (folded >= facts.bounds.high) {
    return Mismatch(
        "the state covers log {} up to offset {}, but the log ends at {}: it was recreated or "
        "truncated. What to do: docs/reliability.md, \"When the log lost entries\"",
        facts.log_topic, folded, facts.bounds.high);
  }
  if (committed > facts.bounds.high) {
    return Mismatch(
        "group {} has committed offset {} of log {}, which ends at {}: the log was recreated or "
        "truncated. What to do: docs/reliability.md, \"When the log lost entries\"",
        facts.judge_group, committed, facts.log_topic, facts.bounds.high);
  }
  if (std::max<std::int64_t>(folded, 0) < facts.bounds.low) {
    return Mismatch(
        "log {} begins at offset {}, but the state covers it only up to {}: entries between them "
        "are gone. Start from a checkpoint that is newer (`crawlsieve checkpoint restore`; with "
        "service.checkpoints.directory it is enough to move the state directory away)",
        facts.log_topic, facts.bounds.low, folded);
  }
  if (!facts.is_exactly_once) return std::max(committed, folded + 1);
  if (!facts.committed.has_value() && folded >= 0) {
    return Mismatch(
        "the state covers log {} up to offset {}, but group {} has no committed offset (it "
        "expired, or the group is another one): which verdicts were published can't be known. Set "
        "the group's offset with kafka-consumer-groups, or start with an empty state directory to "
        "publish all verdicts again",
        facts.log_topic, folded, facts.judge_group);
  }
  if (folded >= committed) {
    return Mismatch(
        "the state covers log {} up to offset {}, past the committed offset {} of group {}: the "
        "group's offset was set back, or the state belongs to another group. Start with an empty "
        "state directory",
        facts.log_topic, folded, committed, facts.judge_group);
  }
  return committed;
}

}  // namespace crawlsieve
