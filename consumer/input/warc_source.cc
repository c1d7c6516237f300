#include "consumer/input/formats/header_block.h"
#include "consumer/input/formats/warc.h"
#include "consumer/input/record_source.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

constexpr std::size_t kMaxHeadBytes = 2 << 20;

/// As what a record that holds no page is counted: see FileReaderCounts.
std::string SetAsideKind(std::string_view type, std::string_view uri) {
  constexpr std::array<std::string_view, 4> kTypes = {"warcinfo", "request", "metadata",
                                                      "continuation"};
  for (const std::string_view known : kTypes) {
    if (EqualsIgnoringCase(type, known)) return std::string(known);
  }
  // Without the URI it would be a page.
  if (ClassifyWarc(type, {}) == WarcContent::kOther) return "unknown";
  std::string scheme(uri.substr(0, uri.find(':') + 1));
  std::transform(scheme.begin(), scheme.end(), scheme.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return scheme;
}

class WarcSource final : public RecordSource {
 public:
  WarcSource(File file, ByteStream& stream, Context& context)
      : file_(std::move(file)),
        name_(std::filesystem::path(file_.path).filename()),
        stream_(stream),
        context_(context) {}

  bool Next(FileRecord& record) override {
    while (!done_) {
      SkipLineEnds();
      where_ = stream_.Where();
      begin_ = stream_.FileOffset();
      if (stream_.Peek(1).empty()) {
        if (stream_.damage().empty()) {
          done_ = true;
        } else {
          Damaged(stream_.damage());
        }
      } else if (!stream_.Peek(kSignature.size()).starts_with(kSignature)) {
        Damaged(stream_.damage().empty() ? "no WARC record starts here" : stream_.damage());
      } else if (ReadRecord(record)) {
        return true;
      }
    }
    return false;
  }

 private:
  static constexpr std::string_view kSignature = "WARC/";

  /// The file can't be read past the record at `where_`: goes on where another member of it begins
  /// with a record, if there is one.
  void Damaged(std::string_view why) {
    if (!is_damaged_) ++context_.counts.damaged_files;
    is_damaged_ = true;
    ++context_.counts.lost_stretches;
    const std::string what = fmt::format("{} at {}: {}", file_.path, where_, why);
    const auto lost = stream_.SkipToNextMember([](std::string_view text) {
      text.remove_prefix(std::min(text.find_first_not_of("\r\n"), text.size()));
      return text.starts_with(kSignature);
    });
    done_ = !lost.has_value();
    context_.warnings.push_back(
        lost ? fmt::format("{}; what is left of bytes {} to {} of the file is lost, reading goes "
                           "on behind them",
                           what, lost->begin, lost->end - 1)
             : fmt::format("{}; the rest of the file is not read", what));
  }

  void SkipLineEnds() {
    for (;;) {
      const std::string_view text = stream_.Peek(1);
      const std::size_t count = std::min(text.find_first_not_of("\r\n"), text.size());
      if (count == 0) return;
      stream_.Consume(count);
    }
  }

  /// Makes the stream show the head of the record, to its empty line if it has one.
  std::string_view PeekHead() {
    std::size_t scanned = 0;
    for (;;) {
      const std::string_view text = stream_.Peek(scanned + 1).substr(0, kMaxHeadBytes);
      const std::size_t from = scanned < 3 ? 0 : scanned - 3;
      const std::size_t end = std::min(text.find("\n\r\n", from), text.find("\n\n", from));
      if (end != std::string_view::npos || text.size() <= scanned) return text;
      scanned = text.size();
    }
  }

  /// Reads the record that the stream stands at; true if it was a page and is in `record`.
  bool ReadRecord(FileRecord& record) {
    const std::string_view text = PeekHead();
    const HeaderBlock head = ParseHeaderBlock(text, kMaxHeadBytes);
    const std::string* const type_field = FindField(head.fields, "warc-type");
    const std::string* const uri_field = FindField(head.fields, "warc-target-uri");
    const std::string_view type = type_field ? std::string_view(*type_field) : "";
    const std::string_view uri = uri_field ? WarcTargetUri(*uri_field) : "";
    const bool page = ClassifyWarc(type, uri) != WarcContent::kOther;
    const std::optional<std::uint64_t> length = FindNumber(head.fields, "content-length");

    if (head.end == HeaderBlock::End::kComplete && length && !page) {
      ++context_.counts.set_aside[SetAsideKind(type, uri)];
      stream_.Consume(head.size);
      if (stream_.Skip(*length) < *length) Damaged(CutReason());
      return false;
    }
    if (head.end != HeaderBlock::End::kComplete || !length) {
      const bool whole = head.end == HeaderBlock::End::kComplete;
      const std::size_t size = whole ? head.size : text.size();
      const bool known = page && (whole || uri_field);
      if (known) HandOut(head, text.substr(0, size), record);
      stream_.Consume(size);
      if (whole) {
        Damaged("the WARC record has no Content-Length");
      } else if (size == kMaxHeadBytes) {
        Damaged("the head of the WARC record does not end");
      } else {
        Damaged(CutReason());
      }
      return known;
    }
    ReadPage(head, *length, record);
    return true;
  }

  void ReadPage(const HeaderBlock& head, std::uint64_t length, FileRecord& record) {
    const std::size_t limit = std::max(context_.options.max_record_bytes, head.size);
    const bool too_large = length > limit - head.size;
    const std::size_t wanted = too_large ? limit : head.size + static_cast<std::size_t>(length);
    const std::string_view text = stream_.Peek(wanted).substr(0, wanted);
    const std::uint64_t end = stream_.position() + text.size();
    const bool cut = text.size() < wanted;
    HandOut(head, text, record);
    stream_.Consume(text.size());
    const std::uint64_t rest = head.size + length - wanted;
    if (too_large && !cut) {
      context_.warnings.push_back(
          fmt::format("{} at {}: record of {} bytes, over the limit of {}: its page is truncated",
                      file_.path, where_, length, context_.options.max_record_bytes));
    }
    if (cut || stream_.Skip(rest) < rest) {
      Damaged(CutReason());
      return;
    }
    // What follows tells whether these bytes can be trusted while their checksum is yet to come: it
    // must be another record, or the end of a member whose checksum is right.
    // Of a packed file the end of the member, of any other the end of the block.
    auto file_end = stream_.FileOffset();
    SkipLineEnds();
    if (!file_end) file_end = stream_.FileOffset();
    if (file_end && record.place) record.place->length = *file_end - record.place->offset;
    const bool in_order = stream_.Peek(kSignature.size()).starts_with(kSignature) ||
                          (stream_.Peek(1).empty() && stream_.damage().empty());
    if (!in_order && end > stream_.verified_end()) {
      record.record.value->resize(head.size);
      Damaged(stream_.damage().empty() ? "no WARC record follows this one" : stream_.damage());
    }
  }

  [[nodiscard]] std::string CutReason() const {
    return stream_.damage().empty() ? "the WARC record is cut"
                                    : fmt::format("the WARC record is cut: {}", stream_.damage());
  }

  void HandOut(const HeaderBlock& head, std::string_view text, FileRecord& out) const {
    if (const std::string* type = FindField(head.fields, "warc-type")) {
      context_.counts.revisits += EqualsIgnoringCase(*type, "revisit") ? 1 : 0;
    }
    out.format = FormatKind::kWarc;
    out.origin = fmt::format("{} at {}", file_.path, where_);
    out.record = {};
    out.record.value = text;
    out.record.timestamp = file_.modified;
    if (const std::string* date = FindField(head.fields, "warc-date")) {
      out.record.timestamp = ParseRfc3339(*date).value_or(file_.modified);
    }
    if (const std::string* uri = FindField(head.fields, "warc-target-uri")) {
      out.record.key = WarcTargetUri(*uri);
    }
    if (begin_) out.place = RecordPlace{name_, *begin_, 0};
  }

  const File file_;
  const std::string name_;
  ByteStream& stream_;
  Context& context_;
  std::string where_;
  std::optional<std::uint64_t> begin_;  ///< of the record in the file, where that can be said
  bool is_damaged_ = false;
  bool done_ = false;
};

}  // namespace

std::unique_ptr<RecordSource> MakeWarcSource(RecordSource::File file, ByteStream& stream,
                                             RecordSource::Context& context) {
  return std::make_unique<WarcSource>(std::move(file), stream, context);
}

}  // namespace crawlsieve::consumer
