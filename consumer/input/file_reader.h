#pragma once

#include "consumer/input/formats/input_format.h"
#include "plugin/base/result.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace crawlsieve::consumer {

/// One record out of a file, in the format that its file has.
struct FileRecord {
  InputRecord record;
  FormatKind format = FormatKind::kCanonical;
  std::string origin;  ///< "pages.warc.gz at byte 1234", for messages
  /// Of a WARC record, where it can be read by itself: the file's name without its folder.
  std::optional<RecordPlace> place;
};

/// What reading met that is not a page.
struct FileReaderCounts {
  std::uint64_t files = 0;
  std::uint64_t records = 0;   ///< handed out
  std::uint64_t revisits = 0;  ///< of these, WARC revisit records
  /// WARC records that hold no page, by type: `request`, `metadata`, ...; those of types that the
  /// standard doesn't have, or of none, as `unknown`. Records of a page's type under a URI that
  /// names none (WarcContent::kOther) by its scheme: `urn:`, `dns:`, ...
  std::map<std::string, std::uint64_t> set_aside;
  std::uint64_t damaged_files = 0;   ///< cut or corrupt
  std::uint64_t lost_stretches = 0;  ///< parts of these that could not be read
};

/// Reads pages from files and folders, in the order given; a folder in byte order of its paths.
///
///   *.warc, *.wet                WARC records; also .gz and .zst, per record or over the whole
///                                file, a dictionary in front included
///   *.jsonl, *.json, *.ndjson, *.cdxj
///                                one record a line, in Options::json_format; also .gz and .zst
///   *.html, *.htm, *.xhtml, *.txt  one page, format raw, URL file://<absolute path>; also .gz
///   -                            standard input: one record a line, as in *.jsonl
///   *.wacz                       the WARC files in its folder archive/; and of its lists of
///                                pages those that have no record there, in format browsertrix
///   a folder                     every file in and below it with one of these endings
///
/// Streams: memory is bounded by the largest record (and by `max_record_bytes`). Records get the
/// page's own fetch time as timestamp where the file has one, else the file's modification time.
/// Thread-compatible.
class FileReader {
 public:
  struct Options {
    std::size_t max_record_bytes = 32 << 20;
    FormatKind json_format = FormatKind::kCanonical;  ///< of JSON lines; see IsJsonFormat
    /// Counts as the time at which every file was modified, where given.
    std::optional<Timestamp> modified;
  };

  /// Looks at every path, so that a wrong one is known before the first page is read.
  /// Errors: kInvalidInput (no such file, unknown ending; names all of them), kIo.
  [[nodiscard]] static Result<std::unique_ptr<FileReader>> Open(
      const std::vector<std::filesystem::path>& paths, const Options& options);

  virtual ~FileReader() = default;

  /// Puts the next record into `record`; false at the end of the last file. What can't be read of a
  /// damaged file is reported through TakeWarnings, with its place, and counted. Reading goes on
  /// with the next gzip member or zstd frame of the file that begins well, else with the next file.
  /// Errors: kIo (a read failed), after which the reader is done.
  [[nodiscard]] virtual Result<bool> Next(FileRecord& record) = 0;

  [[nodiscard]] virtual const FileReaderCounts& counts() const = 0;

  /// What was wrong with files so far, for a person; taken out by the call.
  [[nodiscard]] virtual std::vector<std::string> TakeWarnings() = 0;

  /// Bytes of files read so far and in all, as they lie on the disk: for a progress bar.
  [[nodiscard]] virtual std::uint64_t bytes_read() const = 0;
  [[nodiscard]] virtual std::uint64_t bytes_total() const = 0;
};

}  // namespace crawlsieve::consumer
