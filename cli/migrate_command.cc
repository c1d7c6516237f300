#include "consumer/kafka/topic_reader.h"
#include "consumer/migration/verdict_join.h"
#include "consumer/observability/logging.h"
#include "consumer/observability/printable.h"
#include "plugin/base/result.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/common.h"
#include "cli/migration_pair.h"
#include "cli/migration_plan.h"
#include "cli/progress.h"
#include "cli/topic_sample.h"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<const char*, kSides> kNames{"old", "new"};

struct Example {
  InputRecordAt source;
  std::array<SeenVerdict, kSides> verdicts;
};

struct MigrationReport {
  VerdictDifferences differences;
  std::array<std::uint64_t, kSides> verdicts{};
  std::array<std::uint64_t, kSides> unreadable{};  ///< records that are no verdict
  std::map<std::pair<std::string, std::string>, std::vector<Example>> examples;
};

Result<std::vector<Example>> ReadExamples(const OutcomeCell& cell,
                                          std::array<TopicReader, kSides>& topics) {
  std::vector<Example> examples;
  for (const JoinedRecord& joined : cell.examples) {
    Example example{joined.source, {}};
    bool is_whole = true;
    for (std::size_t side = 0; side < kSides && is_whole; ++side) {
      const VerdictPlace& place = joined.places[side];
      CRAWLSIEVE_ASSIGN_OR_RETURN(const auto record,
                                  topics[side].At(place.partition, place.offset));
      is_whole = record.has_value();  // retention may have taken it since
      if (!is_whole) continue;
      CRAWLSIEVE_ASSIGN_OR_RETURN(example.verdicts[side], ReadVerdict(*record));
    }
    if (is_whole) examples.push_back(std::move(example));
  }
  return examples;
}

Result<MigrationReport> MakeReport(const MigrationPair& pair, std::size_t examples) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(
      auto before, TopicReader::Open(pair.before.kafka, pair.before.kafka.verdict_topic));
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto after,
                              TopicReader::Open(pair.after.kafka, pair.after.kafka.verdict_topic));
  std::array<TopicReader, kSides> topics{std::move(before), std::move(after)};
  const std::uint64_t total = topics[0].offsets() + topics[1].offsets();
  const ScopedDirectory directory(true);
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto join,
                              VerdictJoin::Make(directory.path(), VerdictJoin::FilesFor(total)));
  MigrationReport report;
  Progress progress("migrate report");
  std::uint64_t done = 0;
  for (const Side side : {Side::kOld, Side::kNew}) {
    const auto i = static_cast<std::size_t>(side);
    CRAWLSIEVE_RETURN_IF_ERROR(topics[i].ForEach([&](const ConsumedRecord& record) -> Status {
      ++done;
      if (progress.IsDue()) progress.Show(done, total, topics[i].name());
      const auto verdict = ReadVerdict(record.value().value_or(std::string_view()));
      ++(verdict.has_value() ? report.verdicts[i] : report.unreadable[i]);
      return verdict.has_value() ? join.Add(side, *verdict, {record.partition(), record.offset()})
                                 : Status();
    }));
  }
  progress.Clear();
  CRAWLSIEVE_ASSIGN_OR_RETURN(report.differences, join.Finish(examples));
  for (const auto& [outcomes, cell] : report.differences.cells) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(report.examples[outcomes], ReadExamples(cell, topics));
  }
  return report;
}

Json OneSidedJson(const OneSided& only) {
  return {{"before", only.before}, {"within", only.within}, {"behind", only.behind}};
}

Json ExampleJson(const Example& example) {
  Json json = {{"topic", example.source.topic},
               {"partition", example.source.partition},
               {"offset", example.source.offset},
               {"url", example.verdicts[0].url}};
  for (std::size_t side = 0; side < kSides; ++side) {
    const std::string& match = example.verdicts[side].match_url;
    json[fmt::format("{}_match", kNames[side])] = match.empty() ? Json() : Json(match);
  }
  return json;
}

Json ReportJson(const MigrationPair& pair, const MigrationReport& report) {
  const VerdictDifferences& found = report.differences;
  Json json;
  const std::array<const KafkaOptions*, kSides> kafka{&pair.before.kafka, &pair.after.kafka};
  for (std::size_t side = 0; side < kSides; ++side) {
    json[kNames[side]] = {{"topic", kafka[side]->verdict_topic},
                          {"verdicts", report.verdicts[side]},
                          {"repeated", found.repeated[side]},
                          {"unreadable", report.unreadable[side]},
                          {"only_here", OneSidedJson(found.only[side])}};
  }
  json["both"] = found.both;
  json["equal"] = found.equal;
  json["other_match"] = found.other_match;
  json["other_outcome"] = found.both - found.equal - found.other_match;
  json["outcomes"] = Json::array();
  for (const auto& [outcomes, cell] : found.cells) {
    Json line = {{"old", outcomes.first},
                 {"new", outcomes.second},
                 {"records", cell.records},
                 {"other_match", cell.other_match},
                 {"examples", Json::array()}};
    for (const Example& example : report.examples.at(outcomes)) {
      line["examples"].push_back(ExampleJson(example));
    }
    json["outcomes"].push_back(std::move(line));
  }
  json["partitions"] = Json::array();
  for (const auto& [name, partition] : found.partitions) {
    Json line = {{"topic", name.first}, {"partition", name.second}};
    for (std::size_t side = 0; side < kSides; ++side) {
      const auto& judged = partition.judged[side];
      line[kNames[side]] = {{"first", judged ? Json(judged->first) : Json()},
                            {"last", judged ? Json(judged->last) : Json()},
                            {"only_here", OneSidedJson(partition.only[side])}};
    }
    json["partitions"].push_back(std::move(line));
  }
  return json;
}

std::string Share(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "-";
  return fmt::format("{:.3f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

void PrintReport(const MigrationPair& pair, const MigrationReport& report) {
  const VerdictDifferences& found = report.differences;
  const std::uint64_t changed = found.both - found.equal - found.other_match;
  const std::array<const KafkaOptions*, kSides> kafka{&pair.before.kafka, &pair.after.kafka};
  for (std::size_t side = 0; side < kSides; ++side) {
    fmt::print("{}: {} verdicts in {}; {} of them repeat a record, {} records are no verdict\n",
               kNames[side], report.verdicts[side], kafka[side]->verdict_topic,
               found.repeated[side], report.unreadable[side]);
  }
  fmt::print(
      "\n{:>12} records that both judged\n{:>12} {:>10}  the same verdict, reason and match\n"
      "{:>12} {:>10}  the same verdict and reason, another match\n"
      "{:>12} {:>10}  another verdict or reason\n\n",
      found.both, found.equal, Share(found.equal, found.both), found.other_match,
      Share(found.other_match, found.both), changed, Share(changed, found.both));
  const OneSided& lag = found.only[static_cast<std::size_t>(Side::kOld)];
  const OneSided& lead = found.only[static_cast<std::size_t>(Side::kNew)];
  fmt::print(
      "records that only one side judged      old     new\n"
      "  before the first of the other {:>11} {:>7}\n"
      "  between its first and last    {:>11} {:>7}\n"
      "  behind its last               {:>11} {:>7}\n"
      "The new one lags behind by {} records.\n\n",
      lag.before, lead.before, lag.within, lead.within, lag.behind, lead.behind, lag.behind);
  using Outcomes = std::pair<std::string, std::string>;
  std::vector<std::pair<std::uint64_t, Outcomes>> differing;
  for (const auto& [outcomes, cell] : found.cells) {
    const auto records = outcomes.first == outcomes.second ? cell.other_match : cell.records;
    if (records > 0) differing.emplace_back(records, outcomes);
  }
  std::stable_sort(differing.begin(), differing.end(),
                   [](const auto& left, const auto& right) { return left.first > right.first; });
  for (const auto& [records, outcomes] : differing) {
    const auto& [old_outcome, new_outcome] = outcomes;
    const std::string change = old_outcome == new_outcome
                                   ? old_outcome + ", another match"
                                   : fmt::format("{} -> {}", old_outcome, new_outcome);
    fmt::print("{:>12}  {}\n", records, Printable(change));
    for (const Example& example : report.examples.at(outcomes)) {
      fmt::print("                {} [{}] {}  {}\n", Printable(example.source.topic),
                 example.source.partition, example.source.offset,
                 Printable(example.verdicts[0].url));
      for (std::size_t side = 0; side < kSides; ++side) {
        const std::string& match = example.verdicts[side].match_url;
        fmt::print("                  {}: {}\n", kNames[side],
                   match.empty() ? "no match" : "matches " + Printable(match));
      }
    }
  }
}

}  // namespace

int MigratePlanCommand(const MigrateArguments& arguments) {
  const auto config = LoadOrReport(arguments.before);
  if (!config.has_value()) return kExitWrongInput;
  if (!IsTopicName(arguments.suffix)) {
    return PrintError(
        {ErrorCode::kInvalidInput,
         fmt::format("--to: {} can't be part of a topic's name", Printable(arguments.suffix))});
  }
  const config::Config shadow = ShadowOf(*config, arguments.suffix);
  if (!IsTopicName(shadow.kafka.log_topic) || !IsTopicName(shadow.kafka.verdict_topic)) {
    return PrintError({ErrorCode::kInvalidInput, "--to: a topic's name would become too long"});
  }
  auto out = OutputFile::Open(arguments.out);
  if (!out) return PrintError(out.error());
  const auto plan = MigrationPlan(*config, arguments.before.string(), arguments.suffix);
  if (auto written = out->Write(plan); !written) return PrintError(written.error(), kExitFailed);
  if (auto flushed = out->Flush(); !flushed) return PrintError(flushed.error(), kExitFailed);
  return kExitDone;
}

int MigrateCheckCommand(const MigrateArguments& arguments) {
  if (!LoadPair(arguments).has_value()) return kExitWrongInput;
  fmt::print("{} and {} can run beside each other\n", Printable(arguments.before.string()),
             Printable(arguments.after.string()));
  return kExitDone;
}

int MigrateReportCommand(const MigrateArguments& arguments) {
  const auto pair = LoadPair(arguments);
  if (!pair.has_value()) return kExitWrongInput;
  ConfigureLogging(pair->before.log);
  const auto report = MakeReport(*pair, arguments.examples);
  if (!report) return PrintError(report.error(), kExitFailed);
  if (arguments.json) {
    fmt::print(
        "{}\n",
        PrintableJson(
            ReportJson(*pair, *report).dump(-1, ' ', false, Json::error_handler_t::replace)));
  } else {
    PrintReport(*pair, *report);
  }
  return kExitDone;
}

}  // namespace crawlsieve::consumer
