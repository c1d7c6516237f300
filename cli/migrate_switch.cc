#include "consumer/migration/deployment_place.h"
#include "consumer/migration/judge_identity.h"
#include "consumer/migration/log_closing.h"
#include "consumer/migration/output_copy.h"
#include "consumer/observability/logging.h"
#include "consumer/observability/printable.h"
#include "plugin/base/result.h"
#include "plugin/base/timestamp.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

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
constexpr std::chrono::seconds kSayAgain{30};

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

/// Asks `what_is_missing` until it says nothing, for as long as `seconds`. Prints it now and then.
Status WaitFor(std::uint32_t seconds, const std::function<Result<std::string>()>& what_is_missing) {
  const auto deadline = steady_clock::now() + std::chrono::seconds(seconds);
  auto say_again = steady_clock::now();
  while (true) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(const std::string missing, what_is_missing());
    if (missing.empty()) return {};
    const auto now = steady_clock::now();
    if (now >= deadline) {
      return MakeError(
          ErrorCode::kBusy,
          fmt::format("waited {} s in vain: {}. Run this again to go on", seconds, missing));
    }
    if (now >= say_again) {
      fmt::print(stderr, "waiting: {}\n", Printable(missing));
      say_again = now + kSayAgain;
    }
    std::this_thread::sleep_for(kAskAgain);
  }
}

/// Until no judge of a deployment runs, and killed ones are forgotten, too.
Status WaitForJudges(const KafkaOptions& kafka, std::string_view which, std::uint32_t seconds) {
  return WaitFor(seconds, [&]() -> Result<std::string> {
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto judges, JudgesRunning(kafka));
    if (judges.empty()) return std::string();
    return fmt::format("stop the judges of the {} now, group {}: {}", which, JudgeIdentity(kafka),
                       fmt::join(judges, ", "));
  });
}

/// Until the shadow has judged what the old deployment has.
Status WaitForShadow(const KafkaOptions& after, std::map<InputPartition, std::int64_t> bounds,
                     std::uint32_t seconds) {
  CatchUp shadow(after, std::move(bounds));
  return WaitFor(seconds, [&]() -> Result<std::string> {
    CRAWLSIEVE_ASSIGN_OR_RETURN(const std::string missing, shadow.WhatIsMissing());
    if (missing.empty()) return missing;
    return fmt::format("the shadow has to catch up, so it must run: {}", missing);
  });
}

TopicProgress Show(Progress& progress) {
  return [&progress](std::uint64_t done, std::uint64_t total, const std::string& topic) {
    if (progress.IsDue()) progress.Show(done, total, topic);
  };
}

/// The entry that closed the old log, or closes it.
Result<log::Closing> Close(const MigrationPair& pair, std::uint32_t wait) {
  const KafkaOptions& before = pair.before.kafka;
  const KafkaOptions& after = pair.after.kafka;
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto closing, FindClosing(before));
  if (!closing.has_value()) {
    LogClosing log(before);
    Progress progress("migrate switch");
    CRAWLSIEVE_RETURN_IF_ERROR(log.ReadJudged(Show(progress)));
    progress.Clear();
    // Nobody judges from the end of the old one until the shadow is there.
    CRAWLSIEVE_RETURN_IF_ERROR(WaitForShadow(after, log.bounds(), wait));
    CRAWLSIEVE_RETURN_IF_ERROR(WaitForJudges(before, "old deployment", wait));
    CRAWLSIEVE_ASSIGN_OR_RETURN(closing, log.Close(after.group, Show(progress)));
  }
  if (closing->group() == after.group) return *std::move(closing);
  return MakeError(ErrorCode::kMismatch,
                   fmt::format("log {} was closed for group {}, not for {}", before.log_topic,
                               closing->group(), after.group));
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
  for (const RenderedTopic& rendered : before.rendered_topics) {
    fmt::print("  kafka.scores.rendered: {} {}\n", rendered.format, rendered.topic);
  }
}

}  // namespace

int MigrateSwitchCommand(const MigrateArguments& arguments) {
  const auto pair = LoadPair(arguments);
  if (!pair.has_value()) return kExitWrongInput;
  ConfigureLogging(pair->before.log);
  if (const Status checked = CheckSwitch(*pair); !checked) return PrintError(checked.error());
  const KafkaOptions& after = pair->after.kafka;
  if (const Status checked = CheckOutputCopy(pair->before.kafka, after); !checked) {
    return PrintError(checked.error());
  }
  const auto closing = Close(*pair, arguments.wait);
  if (!closing) return PrintError(closing.error(), kExitFailed);
  const auto stopped = WaitForShadow(after, BoundsOf(*closing), arguments.wait).and_then([&] {
    return WaitForJudges(after, "shadow", arguments.wait);
  });
  if (!stopped) return PrintError(stopped.error(), kExitFailed);
  const auto copy = Copy(*pair, *closing);
  if (!copy) return PrintError(copy.error(), kExitFailed);
  arguments.json ? PrintJson(*pair, *closing, *copy) : PrintText(*pair, *closing, *copy);
  return kExitDone;
}

}  // namespace crawlsieve::consumer
