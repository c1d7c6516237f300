#include "consumer/observability/printable.h"
#include "extract/url/page_url.h"
#include "plugin/judge/due_urls.h"
#include "plugin/judge/state_reader.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "cli/commands.h"
#include "cli/common.h"
#include "cli/score_file.h"
#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

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
  DueOutput(OutputFile file, ScoreFileFormat format, bool to_terminal, Timestamp before,
            std::uint64_t sequence)
      : file_(std::move(file)),
        format_(format),
        to_terminal_(to_terminal),
        before_(before),
        sequence_(sequence) {}

  Status Write(const DueUrl& due) {
    UrlScore score = UrlScoreOf(due, before_, sequence_);
    // URLs of one host come one after the other.
    if (score.host != host_) {
      host_ = score.host;
      registered_domain_ = extract::RegisteredDomain(host_);
    }
    score.registered_domain = registered_domain_;
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
  const Timestamp before_;
  const std::uint64_t sequence_;
  std::string host_;
  std::string registered_domain_;
  std::uint64_t written_ = 0;
  std::uint64_t left_out_ = 0;
};

Error Wrong(std::string message) { return {ErrorCode::kInvalidInput, std::move(message)}; }

Result<DueCounts> WriteDue(StateReader& state, const DueOptions& options, std::uint64_t limit,
                           DueOutput& output) {
  if (limit == 0) {
    return ForEachDue(state, options, [&](const DueUrl& due) { return output.Write(due); });
  }
  MostUrgent most_urgent(limit);
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto counts, ForEachDue(state, options, [&](DueUrl&& due) -> Status {
                                most_urgent.Add(std::move(due));
                                return {};
                              }));
  for (const DueUrl& due : std::move(most_urgent).Take()) {
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
  const std::optional<Timestamp> before = TimeNamed(arguments.before);
  if (!before.has_value()) return PrintError(NoTime(arguments.before));
  options.before = *before;
  if (!arguments.host.empty()) {
    options.host = extract::CanonicalizeUrl("http://" + arguments.host + "/").host;
    if (options.host.empty()) {
      return PrintError(Wrong(fmt::format("{} is no host", Printable(arguments.host))));
    }
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
  const auto state = StateReader::Open(arguments.state);
  if (!state) return PrintError(state.error());
  auto file = OutputFile::Open(arguments.out);
  if (!file) return PrintError(file.error());

  DueOutput output(std::move(*file), *format, arguments.out.empty(), options.before,
                   (*state)->progress().sequence);
  const auto counts = WriteDue(**state, options, arguments.limit, output);
  if (!counts) return PrintError(counts.error(), kExitFailed);
  if (const Status flushed = output.Flush(); !flushed) {
    return PrintError(flushed.error(), kExitFailed);
  }
  PrintCounts(*counts, output, arguments.limit > 0);
  return kExitDone;
}

}  // namespace crawlsieve::consumer
