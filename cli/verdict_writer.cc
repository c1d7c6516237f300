#include "cli/verdict_writer.h"

#include "consumer/observability/printable.h"
#include "consumer/output/verdict_record.h"

#include <chrono>
#include <cstdio>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {

Status VerdictWriter::Write(const log::Page& page, const Verdict& verdict) {
  summary_.Add(page, verdict);
  const auto now = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  const std::string record = VerdictRecord(page, verdict, {"scan", now});
  return out_.WriteLine(to_terminal_ ? PrintableJson(record) : record);
}

Result<std::optional<OutputFile>> RecordReporter::OpenFile(const std::filesystem::path& path) {
  if (path.empty()) return std::optional<OutputFile>();
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto file, OutputFile::Open(path));
  return std::optional<OutputFile>(std::move(file));
}

Status RecordReporter::OnDeadLetter(const std::string& origin, const DecodeFailure& failure) {
  progress_.Clear();
  fmt::print(stderr, "dead letter: {}: {}: {}\n", Printable(origin), failure.code,
             Printable(failure.message));
  if (!dead_letters_.has_value()) return {};
  return dead_letters_->WriteLine(nlohmann::json{
      {"origin", origin},
      {"code", failure.code},
      {"field", failure.field},
      {"message", failure.message}}.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void RecordReporter::OnFormat(FormatKind format, const std::string& origin) {
  progress_.Clear();
  fmt::print(stderr, "format: {}, from {}\n", FormatName(format), Printable(origin));
}

Status RecordReporter::Flush() {
  return dead_letters_.has_value() ? dead_letters_->Flush() : Status();
}

}  // namespace crawlsieve::consumer
