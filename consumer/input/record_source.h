#pragma once

#include "consumer/input/byte_stream.h"
#include "consumer/input/file_reader.h"
#include "consumer/input/wacz.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve::consumer {

/// Takes the records off one file, one after the other.
class RecordSource {
 public:
  /// What the sources of one FileReader share.
  struct Context {
    FileReader::Options options;
    FileReaderCounts counts;
    std::vector<std::string> warnings;
  };

  /// One file to read.
  struct File {
    std::string path;
    Timestamp modified;
    std::uint64_t size = 0;
  };

  virtual ~RecordSource() = default;

  /// Puts the next record into `record`; false at the end of the file or of what can be read of it.
  /// Whether a read failed is for the stream's status to say.
  virtual bool Next(FileRecord& record) = 0;
};

/// WARC records that hold a page, as ClassifyWarc has it; the others are counted.
///
/// A record that is cut, or longer than `max_record_bytes`, is handed out as far as it goes if its
/// head says that it is a page: its block is then shorter than its Content-Length, which the format
/// reports as a truncated page. So is a record whose checksum is wrong: it loses its block. A head
/// is looked for in the first 2 MiB of a record.
[[nodiscard]] std::unique_ptr<RecordSource> MakeWarcSource(RecordSource::File file,
                                                           ByteStream& stream,
                                                           RecordSource::Context& context);

/// Lines, each a record of `format`; blank ones are passed over. A line longer than
/// `max_record_bytes` is handed out cut, which makes it a dead letter, with a warning.
[[nodiscard]] std::unique_ptr<RecordSource> MakeJsonLinesSource(RecordSource::File file,
                                                                FormatKind format,
                                                                ByteStream& stream,
                                                                RecordSource::Context& context);

/// Lines of a WACZ file's list of pages, in format browsertrix: those of pages that aren't in
/// `archived`, and those that can't be read.
[[nodiscard]] std::unique_ptr<RecordSource> MakePageListSource(RecordSource::File file,
                                                               ByteStream& stream,
                                                               ArchivedUrls& archived,
                                                               RecordSource::Context& context);

/// One page, in format raw; `stream` does not unpack, `packed` says whether the format has to. A
/// file longer than `max_record_bytes` is handed out cut and says so in header `content-length`.
[[nodiscard]] std::unique_ptr<RecordSource> MakePageSource(RecordSource::File file,
                                                           std::string_view content_type,
                                                           bool packed, ByteStream& stream,
                                                           RecordSource::Context& context);

}  // namespace crawlsieve::consumer
