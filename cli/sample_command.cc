#include "consumer/claims/body_fetcher.h"
#include "consumer/claims/redeem.h"
#include "consumer/input/file_reader.h"
#include "consumer/input/formats/body.h"
#include "consumer/observability/printable.h"

#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cli/commands.h"
#include "cli/common.h"
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

}  // namespace

int SampleCommand(const CheckArguments& arguments) {
  const auto config = LoadOrReport(arguments.config);
  if (!config.has_value()) return kExitWrongInput;
  auto reader = FileReader::Open({arguments.sample}, FileOptionsOf(*config, arguments.format));
  if (!reader) return PrintError(reader.error());
  const auto bodies = BodyFetcherOf(*config);
  if (!bodies) return PrintError(bodies.error());
  Json records = Json::array();
  for (int i = 0; arguments.all || i < kSampleSize; ++i) {
    FileRecord record;
    const auto has_record = (*reader)->Next(record);
    PrintWarnings((*reader)->TakeWarnings());
    if (!has_record) return PrintError(has_record.error());
    if (!*has_record) break;
    records.push_back(DescribeRecord(record, config->decode, bodies->get()));
    if (!arguments.json) std::fputs(ForPeople(records.back()).c_str(), stdout);
  }
  const FileReaderCounts& counts = (*reader)->counts();
  Json set_aside = Json::object();
  for (const auto& [kind, count] : counts.set_aside) set_aside[kind] = count;
  if (counts.revisits > 0) set_aside["revisit"] = counts.revisits;
  if (arguments.json) {
    const Json all = {{"schema_version", 1}, {"records", records}, {"set_aside", set_aside}};
    std::puts(PrintableJson(Dump(all, 2)).c_str());
  } else if (!set_aside.empty()) {
    fmt::print("set aside before them: {}\n", Printable(Dump(set_aside)));
  }
  if (records.empty()) return PrintError(Error{ErrorCode::kInvalidInput, "no record of a page"});
  return kExitDone;
}

}  // namespace crawlsieve::consumer
