#include "consumer/input/record_source.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

class JsonLinesSource final : public RecordSource {
 public:
  JsonLinesSource(File file, FormatKind format, ByteStream& stream, Context& context)
      : file_(std::move(file)), format_(format), stream_(stream), context_(context) {}

  bool Next(FileRecord& record) override {
    for (;;) {
      const std::string where = stream_.Where();
      const std::size_t length = PeekLine();
      const std::string_view line = stream_.Peek(length).substr(0, length);
      if (line.empty()) {
        if (!GoOnBehindDamage(where)) return false;
        continue;
      }
      const bool blank = line.find_first_not_of(" \t\r\n") == std::string_view::npos;
      if (!blank) {
        record.format = format_;
        record.origin = fmt::format("{} at {}", file_.path, where);
        record.record = {};
        record.record.value = line.substr(0, line.size() - (line.ends_with('\n') ? 1 : 0));
        record.record.timestamp = file_.modified;
      }
      const bool whole = line.ends_with('\n');
      stream_.Consume(length);
      if (!whole && !stream_.Peek(1).empty()) SkipRestOfLine(where);
      if (!blank) return true;
    }
  }

 private:
  /// Bytes of the next line with its line end, within the limit.
  std::size_t PeekLine() {
    const std::size_t limit = context_.options.max_record_bytes;
    std::size_t scanned = 0;
    for (;;) {
      const std::string_view text = stream_.Peek(scanned + 1).substr(0, limit);
      const std::size_t newline = text.find('\n', scanned);
      if (newline != std::string_view::npos) return newline + 1;
      if (text.size() <= scanned) return text.size();
      scanned = text.size();
    }
  }

  void SkipRestOfLine(const std::string& where) {
    std::uint64_t skipped = 0;
    for (;;) {
      const std::string_view text = stream_.Peek(1);
      const std::size_t newline = text.find('\n');
      const std::size_t count = std::min(newline, text.size());
      stream_.Consume(newline == std::string_view::npos ? count : count + 1);
      skipped += count;
      if (text.empty() || newline != std::string_view::npos) break;
    }
    if (skipped == 0) return;  // only the line end was over the limit
    context_.warnings.push_back(fmt::format(
        "{} at {}: line of {} bytes, over the limit of {}: it is cut", file_.path, where,
        context_.options.max_record_bytes + skipped, context_.options.max_record_bytes));
  }

  /// At the end of what can be read: goes on with the next member, if the end is damage and there
  /// is one. Where members don't end with lines the first line is then cut: a dead letter.
  bool GoOnBehindDamage(const std::string& where) {
    if (stream_.damage().empty() || gave_up_) return false;
    if (!is_damaged_) ++context_.counts.damaged_files;
    is_damaged_ = true;
    ++context_.counts.lost_stretches;
    const std::string what = fmt::format("{} at {}: {}", file_.path, where, stream_.damage());
    const auto lost = stream_.SkipToNextMember([](std::string_view text) { return !text.empty(); });
    gave_up_ = !lost.has_value();
    context_.warnings.push_back(
        lost ? fmt::format("{}; what is left of bytes {} to {} of the file is lost, reading goes "
                           "on behind them",
                           what, lost->begin, lost->end - 1)
             : fmt::format("{}; the rest of the file is not read", what));
    return lost.has_value();
  }

  const File file_;
  const FormatKind format_;
  ByteStream& stream_;
  Context& context_;
  bool is_damaged_ = false;
  bool gave_up_ = false;
};

}  // namespace

std::unique_ptr<RecordSource> MakeJsonLinesSource(RecordSource::File file, FormatKind format,
                                                  ByteStream& stream,
                                                  RecordSource::Context& context) {
  return std::make_unique<JsonLinesSource>(std::move(file), format, stream, context);
}

}  // namespace crawlsieve::consumer
