#include "consumer/claims/body_fetcher.h"
#include "consumer/claims/redeem.h"
#include "consumer/input/file_reader.h"
#include "consumer/input/formats/body.h"
#include "consumer/observability/printable.h"

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "cli/commands.h"
#include "cli/common.h"
#include "cli/topic_sample.h"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

constexpr int kSampleSize = 10;

using Json = nlohmann::ordered_json;

Json Describe(const extract::Page& page) {
  Json json;
  json["becomes"] = "page";
  json["url"] = page.url;
  if (!page.final_url.empty()) json["final_url"] = page.final_url;
  json["status"] = page.status_code;
  json["content_type"] = page.content_type;
  if (!page.charset.empty()) json["charset"] = page.charset;
  if (page.fetch_time) json["fetch_time"] = FormatRfc3339(*page.fetch_time);
  if (page.body_problem.empty()) {
    json[page.body_kind == extract::BodyKind::kText ? "text_bytes" : "body_bytes"] =
        page.body.size();
  } else {
    json["not_evaluated"] = page.body_problem;
  }
  if (page.revisit) {
    json.erase("not_evaluated");
    json["revisit_of"] = page.revisit->url;
    if (page.revisit->time) json["revisit_time"] = FormatRfc3339(*page.revisit->time);
  }
  return json;
}

Json Describe(const BodyRef& ref) {
  Json json = {{"file", ShownFile(ref.file)}, {"offset", ref.offset}};
  if (ref.length) json["length"] = *ref.length;
  if (!ref.digest.empty()) json["digest"] = ref.digest;
  if (ref.holds == BodyRef::Holds::kBody) json["holds"] = "body";
  return json;
}

/// Without a fetch.
Json Describe(const ClaimedPage& claimed) {
  extract::Page page = claimed.page;
  page.body_problem = kUnsupportedBodyRef;
  return Describe(page);
}

Json Describe(const Tombstone& tombstone) {
  return {{"becomes", "tombstone"}, {"url", tombstone.url}};
}

Json Describe(const NotAPage& other) {
  return {{"becomes", "dead letter"}, {"code", "not_a_page"}, {"message", other.what}};
}

Json Describe(const DecodeFailure& failure) {
  Json json = {{"becomes", "dead letter"}, {"code", failure.code}, {"message", failure.message}};
  if (!failure.field.empty()) json["field"] = failure.field;
  return json;
}

/// `bodies`: nullptr: none are fetched.
Json DescribeRecord(const FileRecord& file_record, const DecodeOptions& options,
                    BodyFetcher* bodies) {
  FormatKind taken = file_record.format;
  Decoded decoded = Decode(file_record.record, file_record.format, options, &taken);
  Json json = {{"origin", file_record.origin}, {"format", FormatName(taken)}};
  if (auto* claimed = std::get_if<ClaimedPage>(&decoded)) {
    json["body_ref"] = Describe(claimed->ref);
    if (bodies != nullptr) {
      auto body = bodies->Fetch(claimed->ref, {});
      if (!body) {
        json["becomes"] = "page, later";
        json["url"] = claimed->page.url;
        json["waits"] = body.error().message;
        return json;
      }
      if (!body->message.empty()) json["body_message"] = body->message;
      decoded = Redeem(std::move(*claimed), std::move(*body), options);
    }
  }
  json.update(std::visit([](const auto& outcome) { return Describe(outcome); }, decoded));
  if (file_record.record.value) {
    const std::vector<std::string> ignored =
        IgnoredMembers(*file_record.record.value, taken, options);
    if (!ignored.empty()) json["ignored"] = ignored;
  }
  return json;
}

std::string Dump(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

/// One field a line, the first one as a heading.
std::string ForPeople(const Json& json) {
  std::string text;
  for (const auto& [name, value] : json.items()) {
    const std::string shown = value.is_string() ? value.get<std::string>() : Dump(value);
    text += name == "origin" ? fmt::format("{}\n", Printable(shown))
                             : fmt::format("  {:14} {}\n", name, Printable(shown));
  }
  return text;
}

/// What a sample shows: each record as it is read, or all of them at the end as JSON.
class Sample {
 public:
  Sample(const config::Config& config, BodyFetcher* bodies, bool as_json)
      : config_(config), bodies_(bodies), as_json_(as_json) {}

  void Show(const FileRecord& record) {
    records_.push_back(DescribeRecord(record, config_.decode, bodies_));
    if (!as_json_) std::fputs(ForPeople(records_.back()).c_str(), stdout);
  }

  /// Returns the exit code.
  int Finish(const Json& set_aside) const {
    if (as_json_) {
      const Json all = {{"schema_version", 1}, {"records", records_}, {"set_aside", set_aside}};
      std::puts(PrintableJson(Dump(all, 2)).c_str());
    } else if (!set_aside.empty()) {
      fmt::print("set aside before them: {}\n", Printable(Dump(set_aside)));
    }
    if (!records_.empty()) return kExitDone;
    return PrintError(Error{ErrorCode::kInvalidInput, "no record of a page"});
  }

 private:
  const config::Config& config_;
  BodyFetcher* const bodies_;
  const bool as_json_;
  Json records_ = Json::array();
};

int SampleOfFile(const CheckArguments& arguments, const config::Config& config, Sample& sample) {
  auto reader = FileReader::Open({arguments.sample}, FileOptionsOf(config, arguments.format));
  if (!reader) return PrintError(reader.error());
  for (int i = 0; arguments.all || i < kSampleSize; ++i) {
    FileRecord record;
    const auto has_record = (*reader)->Next(record);
    PrintWarnings((*reader)->TakeWarnings());
    if (!has_record) return PrintError(has_record.error());
    if (!*has_record) break;
    sample.Show(record);
  }
  const FileReaderCounts& counts = (*reader)->counts();
  Json set_aside = Json::object();
  for (const auto& [kind, count] : counts.set_aside) set_aside[kind] = count;
  return sample.Finish(set_aside);
}

int SampleOfTopic(const CheckArguments& arguments, const config::Config& config, Sample& sample) {
  const std::string topic = arguments.sample.native();
  if (arguments.all) {
    return PrintError(Error{ErrorCode::kInvalidInput,
                            fmt::format("--all reads files, and {} is none: of a topic the newest "
                                        "records of each partition are shown",
                                        topic)});
  }
  const FormatKind format = FormatFromName(arguments.format).value_or(config.kafka.input_format);
  std::vector<std::string> warnings;
  const auto read = ForEachNewest(
      config, topic, format, [&sample](const FileRecord& record) { sample.Show(record); },
      warnings);
  PrintWarnings(warnings);
  if (!read) return PrintError(read.error(), kExitFailed);
  return sample.Finish(Json::object());
}

}  // namespace

int SampleCommand(const CheckArguments& arguments) {
  const auto config = LoadOrReport(arguments.config);
  if (!config.has_value()) return kExitWrongInput;
  const auto bodies = BodyFetcherOf(*config);
  if (!bodies) return PrintError(bodies.error());
  Sample sample(*config, bodies->get(), arguments.json);
  std::error_code error;
  // Without a configuration there is no cluster to ask.
  const bool is_topic = !arguments.config.empty() && arguments.sample != "-" &&
                        IsTopicName(arguments.sample.native()) &&
                        !std::filesystem::exists(arguments.sample, error) && !error;
  return is_topic ? SampleOfTopic(arguments, *config, sample)
                  : SampleOfFile(arguments, *config, sample);
}

}  // namespace crawlsieve::consumer
