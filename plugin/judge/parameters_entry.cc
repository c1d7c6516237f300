#include "plugin/judge/parameters_entry.h"

#include "plugin/base/timestamp.h"
#include "plugin/judge/fold_version.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

namespace crawlsieve {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// A field of JudgeParameters in the log: the one of the same name in log::Parameters, where a dot
// in the name leads into a message. Every field of the list has one; a test goes through them.

const FieldDescriptor* FieldOf(const Message& message, std::string_view name) {
  return message.GetDescriptor()->FindFieldByName(std::string(name));
}

// By the type of the field. Enumerations have the numbers of the log's, but for URL preferences,
// which begin with 1 there.

void Put(Message& message, const FieldDescriptor* field, std::uint32_t value) {
  message.GetReflection()->SetUInt32(&message, field, value);
}

void Put(Message& message, const FieldDescriptor* field, std::uint64_t value) {
  message.GetReflection()->SetUInt64(&message, field, value);
}

void Put(Message& message, const FieldDescriptor* field, Score value) {
  Put(message, field, value.ten_thousandths);
}

void Put(Message& message, const FieldDescriptor* field, Scope value) {
  message.GetReflection()->SetEnumValue(&message, field, static_cast<int>(value));
}

void Put(Message& message, const FieldDescriptor* field,
         const std::vector<UrlPreference>& preferences) {
  for (const UrlPreference preference : preferences) {
    message.GetReflection()->AddEnumValue(&message, field, static_cast<int>(preference) + 1);
  }
}

void Put(Message& message, const FieldDescriptor* field,
         const std::vector<ScheduleBounds>& bounds) {
  for (const ScheduleBounds& one : bounds) {
    auto& written =
        static_cast<log::ScheduleBounds&>(*message.GetReflection()->AddMessage(&message, field));
    written.set_host(one.host);
    written.set_pattern(one.pattern);
    written.set_min_seconds(one.min_seconds);
    written.set_max_seconds(one.max_seconds);
  }
}

void Take(const Message& message, const FieldDescriptor* field, std::uint32_t& value) {
  value = message.GetReflection()->GetUInt32(message, field);
}

void Take(const Message& message, const FieldDescriptor* field, std::uint64_t& value) {
  value = message.GetReflection()->GetUInt64(message, field);
}

void Take(const Message& message, const FieldDescriptor* field, Score& value) {
  Take(message, field, value.ten_thousandths);
}

void Take(const Message& message, const FieldDescriptor* field, Scope& value) {
  value = static_cast<Scope>(message.GetReflection()->GetEnumValue(message, field));
}

void Take(const Message& message, const FieldDescriptor* field,
          std::vector<UrlPreference>& preferences) {
  const auto& reflection = *message.GetReflection();
  for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
    preferences.push_back(
        static_cast<UrlPreference>(reflection.GetRepeatedEnumValue(message, field, i) - 1));
  }
}

void Take(const Message& message, const FieldDescriptor* field,
          std::vector<ScheduleBounds>& bounds) {
  const auto& reflection = *message.GetReflection();
  for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
    const auto& read =
        static_cast<const log::ScheduleBounds&>(reflection.GetRepeatedMessage(message, field, i));
    bounds.push_back({read.host(), read.pattern(), read.min_seconds(), read.max_seconds()});
  }
}

template <typename T>
void Write(Message& message, std::string_view name, const T& value) {
  const auto dot = name.find('.');
  const FieldDescriptor* field = FieldOf(message, name.substr(0, dot));
  if (dot == std::string_view::npos) return Put(message, field, value);
  Write(*message.GetReflection()->MutableMessage(&message, field), name.substr(dot + 1), value);
}

template <typename T>
void Read(const Message& message, std::string_view name, T& value) {
  const auto dot = name.find('.');
  const FieldDescriptor* field = FieldOf(message, name.substr(0, dot));
  if (dot == std::string_view::npos) return Take(message, field, value);
  Read(message.GetReflection()->GetMessage(message, field), name.substr(dot + 1), value);
}

bool IsKnown(const log::Parameters& entry) {
  return log::Scope_IsValid(entry.scope()) &&
         std::ranges::all_of(entry.preferred_url(), [](int preference) {
           return preference > 0 && log::UrlPreference_IsValid(preference);
         });
}

}  // namespace

log::Entry ParametersEntry(const JudgeParameters& parameters, std::string_view scheme) {
  log::Entry entry;
  log::Parameters& written = *entry.mutable_parameters();
  written.set_fold_version(kFoldVersion);
  written.set_scheme(std::string(scheme));
  ForEachField(parameters, [&written](std::string_view name, const auto& value) {
    Write(written, name, value);
  });
  return entry;
}

log::Entry ClosingEntry(log::Closing closing, std::string_view scheme) {
  log::Entry entry;
  log::Parameters& written = *entry.mutable_parameters();
  written.set_fold_version(kFoldVersionOfClosing);
  written.set_scheme(std::string(scheme));
  *written.mutable_closing() = std::move(closing);
  return entry;
}

Status CheckFoldVersion(const log::Parameters& entry) {
  if (entry.fold_version() == kFoldVersionOfClosing) {
    return MakeError(
        ErrorCode::kMismatch,
        fmt::format(
            "the admission log was closed at {}: the deployment with kafka.group {} goes "
            "on with its input (docs/operations.md, \"Changing the fingerprint scheme\")",
            FormatRfc3339(Timestamp(std::chrono::milliseconds(entry.closing().closed_ms()))),
            entry.closing().group()));
  }
  if (entry.fold_version() < kOldestFoldVersion || entry.fold_version() > kFoldVersion) {
    return MakeError(ErrorCode::kMismatch,
                     fmt::format("the admission log asks for fold version {}; this binary has {} "
                                 "to {}: run the version that has it",
                                 entry.fold_version(), kOldestFoldVersion, kFoldVersion));
  }
  return {};
}

Result<JudgeParameters> ParametersOf(const log::Parameters& entry) {
  if (!IsKnown(entry)) {
    return MakeError(ErrorCode::kInvalidInput,
                     "the admission log holds judging parameters unknown to this version");
  }
  JudgeParameters parameters;
  ForEachField(parameters,
               [&entry](std::string_view name, auto& value) { Read(entry, name, value); });
  parameters.cluster_budget = std::max(1U, parameters.cluster_budget);
  RetentionParameters& retention = parameters.retention;
  if (retention.sweep_entries == 0) retention.sweep_entries = 4'096;
  if (retention.sweep_rows == 0) retention.sweep_rows = 1'024;
  return parameters;
}

}  // namespace crawlsieve
