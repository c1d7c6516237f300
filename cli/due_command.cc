#include "consumer/advice/answers.h"
#include "consumer/observability/printable.h"
#include "consumer/output/scores/score_record.h"
#include "plugin/judge/due_urls.h"
#include "plugin/judge/state_reader.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "cli/commands.h"
#include "cli/common.h"
#include "cli/score_file.h"
#include "cli/state_questions.h"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

using Json = nlohmann::ordered_json;

/// Lines of a record: text of pages is only in those of JSON. Others have URLs of visible ASCII.
std::string PrintableRecord(std::string_view record) {
  std::string lines;
  while (!record.empty()) {
    const std::string_view line = record.substr(0, record.find('\n'));
    lines += line.starts_with('{') ? PrintableJson(line) : std::string(line);
    lines += '\n';
    record.remove_prefix(std::min(line.size() + 1, record.size()));
  }
  return lines;
}

/// Writes what is due as one record after the other.
class DueOutput {
 public:
  DueOutput(OutputFile file, ScoreFileFormat format, bool to_terminal)
      : file_(std::move(file)), format_(format), to_terminal_(to_terminal) {}

  Status Write(const UrlScore& score) {
    const std::string bytes = format_.Render(score);
    ++(bytes.empty() ? left_out_ : written_);
    return file_.Write(to_terminal_ ? PrintableRecord(bytes) : bytes);
  }

  Status Flush() { return file_.Flush(); }

  [[nodiscard]] std::uint64_t written() const { return written_; }
  [[nodiscard]] std::uint64_t left_out() const { return left_out_; }

 private:
  OutputFile file_;
  const ScoreFileFormat format_;
  const bool to_terminal_;
  std::uint64_t written_ = 0;
  std::uint64_t left_out_ = 0;
};

Error Wrong(std::string message) { return {ErrorCode::kInvalidInput, std::move(message)}; }

/// The due URLs of a running service, page by page. Each page is of the state as it was then.
class ServiceDue {
 public:
  ServiceDue(ServiceAddress service, std::string before, std::string host)
      : service_(std::move(service)), before_(std::move(before)), host_(std::move(host)) {}

  /// `take` gets each record.
  Result<DueCounts> ForEach(const std::function<Status(UrlScore&&)>& take) const {
    DueCounts counts;
    Json question = {{"before", before_}};
    if (!host_.empty()) question["host"] = host_;
    std::string after;  // ascends, so that an end comes whoever answers
    while (true) {
      CRAWLSIEVE_ASSIGN_OR_RETURN(const auto text, AskService(service_, "/due", question));
      // Copying and writing JSON take a stack as deep as it is, and an answer may be anything.
      const auto is_shallow = [](int depth, Json::parse_event_t, const Json&) {
        return depth < 16;
      };
      const auto answer = Json::parse(text, is_shallow, /*allow_exceptions=*/false);
      const auto number = [&](const char* name) {
        return answer.is_object() ? answer.value(name, Json()) : Json();
      };
      const Json scores = number("scores");
      const Json next = number("next");
      const bool is_next = next.is_null() || (next.is_string() && next.get<std::string>() > after);
      if (!scores.is_array() || !is_next || !number("urls").is_number_unsigned() ||
          !number("due").is_number_unsigned() || !number("without_schedule").is_number_unsigned()) {
        return MakeError(ErrorCode::kIo, fmt::format("{} gives no list of due URLs", service_.url));
      }
      counts.urls += number("urls").get<std::uint64_t>();
      counts.due += number("due").get<std::uint64_t>();
      counts.without_schedule += number("without_schedule").get<std::uint64_t>();
      for (const Json& record : scores) {
        CRAWLSIEVE_ASSIGN_OR_RETURN(auto score, ParseUrlScoreRecord(record.dump()));
        CRAWLSIEVE_RETURN_IF_ERROR(take(std::move(score)));
      }
      if (next.is_null()) return counts;
      after = next.get<std::string>();
      question["after"] = after;
    }
  }

 private:
  const ServiceAddress service_;
  const std::string before_;
  const std::string host_;
};

/// Gives what is due to its argument, in the order of the URLs.
using DueSource = std::function<Result<DueCounts>(const std::function<Status(UrlScore&&)>&)>;

Result<DueCounts> WriteDue(const DueSource& source, std::uint64_t limit, DueOutput& output) {
  if (limit == 0) return source([&](UrlScore&& due) { return output.Write(due); });
  MostUrgent most_urgent(limit);
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto counts, source([&](UrlScore&& due) -> Status {
                                most_urgent.Add(std::move(due));
                                return {};
                              }));
  for (const UrlScore& due : std::move(most_urgent).Take()) {
    CRAWLSIEVE_RETURN_IF_ERROR(output.Write(due));
  }
  return counts;
}

void PrintCounts(const DueCounts& counts, const DueOutput& output, bool is_sorted) {
  fmt::print(
      stderr, "{} of {} URLs are due; {} written, {}\n", counts.due, counts.urls, output.written(),
      is_sorted ? "the highest score first" : "in the order of the URLs (--limit sorts by score)");
  if (output.left_out() > 0) {
    fmt::print(stderr, "{} of them have no record in this format\n", output.left_out());
  }
  if (counts.without_schedule > 0) {
    fmt::print(stderr,
               "{} URLs have no date yet: they were last fetched under fold version 5 or before\n",
               counts.without_schedule);
  }
}

}  // namespace

int DueCommand(const DueArguments& arguments) {
  DueOptions options;
  const auto before = TimeNamed(arguments.before);
  if (!before) return PrintError(before.error());
  options.before = *before;
  if (!arguments.host.empty()) {
    auto host = HostAsked(arguments.host);
    if (!host) return PrintError(host.error());
    options.host = std::move(*host);
  }
  const auto format = ScoreFileFormat::Named(arguments.format);
  if (!format) return PrintError(format.error());
  if (format->is_sorted() && arguments.limit == 0) {
    return PrintError(Wrong(
        fmt::format("in the format {} the order is all that there is of a score: give --limit, too",
                    arguments.format)));
  }
  if (!format->is_text() && arguments.out.empty()) {
    return PrintError(
        Wrong(fmt::format("the format {} isn't text: give --out, too", arguments.format)));
  }
  std::unique_ptr<StateReader> state;
  DueSource source;
  if (arguments.service.url.empty()) {
    auto opened = StateReader::Open(arguments.state);
    if (!opened) return PrintError(opened.error());
    state = std::move(*opened);
    source = [&](const auto& take) { return ForEachDueScore(*state, options, take); };
  } else {
    // One time for all pages, also for "now".
    source = [service = ServiceDue(arguments.service, FormatRfc3339(*before), options.host)](
                 const auto& take) { return service.ForEach(take); };
  }
  auto file = OutputFile::Open(arguments.out);
  if (!file) return PrintError(file.error());

  DueOutput output(std::move(*file), *format, arguments.out.empty());
  const auto counts = WriteDue(source, arguments.limit, output);
  if (!counts) return PrintError(counts.error(), kExitFailed);
  if (const Status flushed = output.Flush(); !flushed) {
    return PrintError(flushed.error(), kExitFailed);
  }
  PrintCounts(*counts, output, arguments.limit > 0);
  return kExitDone;
}

}  // namespace crawlsieve::consumer
