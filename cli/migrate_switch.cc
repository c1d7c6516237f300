#include "consumer/migration/judge_identity.h"
#include "consumer/migration/log_closing.h"
#include "consumer/migration/output_copy.h"
#include "consumer/observability/logging.h"
#include "consumer/observability/printable.h"
#include "plugin/base/result.h"
#include "plugin/base/timestamp.h"

#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "cli/commands.h"
#include "cli/common.h"
#include "cli/migration_pair.h"
#include "cli/progress.h"
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kAskAgain{500};

/// Why records could get two verdicts or none by a switch from one to the other.
Status CheckSwitch(const MigrationPair& pair) {
  for (const KafkaOptions* kafka : {&pair.before.kafka, &pair.after.kafka}) {
    if (kafka->delivery == Delivery::kExactlyOnce) continue;
    return MakeError(ErrorCode::kInvalidConfig,
                     fmt::format("kafka.delivery of group {} is at_least_once: a judge that still "
                                 "runs couldn't be kept from giving verdicts. Stop both "
                                 "deployments, and tell readers from which record of each "
                                 "partition on the new topic counts: `crawlsieve migrate report`",
                                 kafka->group));
  }
  if (pair.before.kafka.input_generation != pair.after.kafka.input_generation) {
    return MakeError(ErrorCode::kInvalidConfig,
                     "kafka.input.generation differs: offsets of the two can't be compared");
  }
  return {};
}

/// Waits until no judge of a deployment runs, for killed ones to be forgotten, too.
Status WaitForJudges(const KafkaOptions& kafka, steady_clock::time_point deadline) {
  std::vector<std::string> said;
  while (true) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(auto judges, JudgesRunning(kafka));
    if (judges.empty()) return {};
    if (judges != said) {
      fmt::print(stderr, "stop the judges of group {} now; waiting for {}: {}\n",
                 JudgeIdentity(kafka), judges.size(),
                 Printable(fmt::format("{}", fmt::join(judges, ", "))));
      said = std::move(judges);
    }
    if (steady_clock::now() >= deadline) {
      return MakeError(
          ErrorCode::kBusy,
          fmt::format("judges of group {} still run: nothing was changed by this wait. "
                      "Stop them, then run this again",
                      JudgeIdentity(kafka)));
    }
    std::this_thread::sleep_for(kAskAgain);
  }
}

TopicProgress Show(Progress& progress) {
  return [&progress](std::uint64_t done, std::uint64_t total, const std::string& topic) {
    if (progress.IsDue()) progress.Show(done, total, topic);
  };
}

/// The entry that closed the old log, or closes it.
Result<log::Closing> Close(const MigrationPair& pair, steady_clock::time_point deadline) {
  const KafkaOptions& before = pair.before.kafka;
  const KafkaOptions& after = pair.after.kafka;
  Progress progress("migrate switch");
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto found, FindClosing(before));
  if (found.has_value() && found->group() != after.group) {
    return MakeError(ErrorCode::kMismatch,
                     fmt::format("log {} was closed for group {}, not for {}", before.log_topic,
                                 found->group(), after.group));
  }
  LogClosing closing(before);
  if (!found.has_value()) CRAWLSIEVE_RETURN_IF_ERROR(closing.ReadVerdicts(Show(progress)));
  progress.Clear();
  if (!found.has_value()) CRAWLSIEVE_RETURN_IF_ERROR(WaitForJudges(before, deadline));
  CRAWLSIEVE_RETURN_IF_ERROR(WaitForJudges(after, deadline));
  if (found.has_value()) return *std::move(found);
  return closing.Close(after.group, Show(progress));
}

Result<OutputCopy> Copy(const MigrationPair& pair, const log::Closing& closing) {
  Progress progress("migrate switch");
  return CopyOutput(pair.before.kafka, pair.after.kafka, closing, Show(progress));
}

std::uint64_t CopiedOf(const OutputCopy& copy, OutputKind kind) {
  return copy.copied[static_cast<std::size_t>(kind)];
}

void PrintJson(const MigrationPair& pair, const log::Closing& closing, const OutputCopy& copy) {
  const nlohmann::ordered_json line = {
      {"closed_log", pair.before.kafka.log_topic},
      {"closed_at", FormatRfc3339(Timestamp(std::chrono::milliseconds(closing.closed_ms())))},
      {"verdicts", CopiedOf(copy, OutputKind::kVerdict)},
      {"kept_pages", CopiedOf(copy, OutputKind::kKept)},
      {"scores", CopiedOf(copy, OutputKind::kScores)},
      {"there_already", copy.there_already},
      {"judged_before", copy.judged_before},
      {"unreadable", copy.unreadable}};
  fmt::print("{}\n", line.dump());
}

void PrintText(const MigrationPair& pair, const log::Closing& closing, const OutputCopy& copy) {
  const KafkaOptions& before = pair.before.kafka;
  const KafkaOptions& after = pair.after.kafka;
  fmt::print(
      "log {} is closed since {}: no judge of group {} gives a verdict any more\n"
      "copied from the shadow's topics: {} verdicts, {} kept pages, {} scores\n"
      "{} verdicts were there from an earlier run; {} of the shadow's are of records that the old "
      "deployment judged\n",
      before.log_topic, FormatRfc3339(Timestamp(std::chrono::milliseconds(closing.closed_ms()))),
      JudgeIdentity(before), CopiedOf(copy, OutputKind::kVerdict),
      CopiedOf(copy, OutputKind::kKept), CopiedOf(copy, OutputKind::kScores), copy.there_already,
      copy.judged_before);
  if (copy.unreadable > 0) {
    fmt::print("{} records of {} are no verdicts and were left out\n", copy.unreadable,
               after.verdict_topic);
  }
  fmt::print(
      "Now set in the shadow's configuration, and start its judges with it:\n"
      "  kafka.verdicts.topic: {}\n",
      before.verdict_topic);
  if (!before.kept_topic.empty()) fmt::print("  kafka.kept.topic: {}\n", before.kept_topic);
  if (!before.score_topic.empty()) fmt::print("  kafka.scores.topic: {}\n", before.score_topic);
}

}  // namespace

int MigrateSwitchCommand(const MigrateArguments& arguments) {
  const auto pair = LoadPair(arguments);
  if (!pair.has_value()) return kExitWrongInput;
  ConfigureLogging(pair->before.log);
  if (const Status checked = CheckSwitch(*pair); !checked) return PrintError(checked.error());
  const auto closing = Close(*pair, steady_clock::now() + std::chrono::seconds(arguments.wait));
  if (!closing) return PrintError(closing.error(), kExitFailed);
  const auto copy = Copy(*pair, *closing);
  if (!copy) return PrintError(copy.error(), kExitFailed);
  arguments.json ? PrintJson(*pair, *closing, *copy) : PrintText(*pair, *closing, *copy);
  return kExitDone;
}

}  // namespace crawlsieve::consumer
