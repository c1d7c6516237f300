#include "consumer/input/file_reader.h"

#include "consumer/input/byte_stream.h"
#include "consumer/input/record_source.h"
#include "consumer/input/wacz.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sys/stat.h>

namespace crawlsieve::consumer {
namespace {

namespace fs = std::filesystem;

enum class Content { kWarc, kJsonLines, kPage, kWacz, kPageList };

struct FileType {
  std::string_view ending;
  Content content = Content::kPage;
  std::string_view media_type;  ///< of a page
  bool may_be_zstd = false;
};

constexpr std::array kFileTypes = {
    FileType{".warc", Content::kWarc, {}, true},
    FileType{".wet", Content::kWarc, {}, true},
    FileType{".jsonl", Content::kJsonLines, {}, true},
    FileType{".ndjson", Content::kJsonLines, {}, true},
    FileType{".json", Content::kJsonLines, {}, true},
    FileType{".cdxj", Content::kJsonLines, {}, true},
    FileType{".html", Content::kPage, "text/html", false},
    FileType{".htm", Content::kPage, "text/html", false},
    FileType{".xhtml", Content::kPage, "application/xhtml+xml", false},
    FileType{".txt", Content::kPage, "text/plain", false},
    FileType{".wacz", Content::kWacz, {}, false},
};

/// A file and what its name says about it.
struct InputFile {
  RecordSource::File file;  ///< its path, and behind it the name inside a WACZ file
  std::string on_disk;      ///< the file to open
  FileSlice slice;          ///< of it
  FileType type;
  bool gzip = false;

  [[nodiscard]] bool is_in_wacz() const { return file.path != on_disk; }
};

/// Opened by name, which gives the bytes that are left of it.
constexpr const char* kStandardInput = "/dev/stdin";

InputFile StandardInput() {
  InputFile file;
  file.file.path = kStandardInput;
  file.on_disk = kStandardInput;
  file.type.content = Content::kJsonLines;
  return file;
}

std::optional<InputFile> Classify(const fs::path& path) {
  std::string name = path.filename().native();
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  InputFile file;
  file.gzip = name.ends_with(".gz");
  const bool zstd = name.ends_with(".zst");
  if (file.gzip || zstd) name.resize(name.rfind('.'));
  for (const FileType& type : kFileTypes) {
    if (!name.ends_with(type.ending) || (zstd && !type.may_be_zstd)) continue;
    file.type = type;
    if (type.content == Content::kWacz && (file.gzip || zstd)) return std::nullopt;
    file.file.path = path.native();
    file.on_disk = path.native();
    return file;
  }
  return std::nullopt;
}

std::string ErrnoText(int code) { return std::generic_category().message(code); }

/// Fills in what the file system knows of `file`; false, with errno set, if it is gone.
bool Stat(InputFile& file) {
  struct stat info {};
  if (::stat(file.on_disk.c_str(), &info) != 0) return false;
  file.file.size = static_cast<std::uint64_t>(info.st_size);
  file.file.modified = Timestamp(std::chrono::seconds(info.st_mtim.tv_sec) +
                                 std::chrono::milliseconds(info.st_mtim.tv_nsec / 1'000'000));
  return true;
}

/// The files with a known ending in and below `folder`. Links to folders are not followed, so
/// that a loop of them is no danger; links to files are.
Result<std::vector<InputFile>> ListFolder(const fs::path& folder) {
  std::vector<InputFile> files;
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, error);
  const fs::recursive_directory_iterator end;
  while (!error && entry != end) {
    std::error_code ignored;  // a link to nowhere is no file
    if (entry->is_regular_file(ignored)) {
      if (std::optional<InputFile> file = Classify(entry->path())) {
        files.push_back(std::move(*file));
      }
    }
    entry.increment(error);
  }
  if (error) {
    return MakeError(ErrorCode::kIo, fmt::format("{}: {}", folder.native(), error.message()));
  }
  std::sort(files.begin(), files.end(),
            [](const InputFile& a, const InputFile& b) { return a.file.path < b.file.path; });
  return files;
}

/// The files inside a WACZ file, in whose place they are read. What can't be read is said and
/// counted: of a file whose directory is damaged, all of it. Errors: kIo.
Result<std::vector<InputFile>> FilesInside(const InputFile& wacz, RecordSource::Context& context) {
  std::vector<InputFile> files;
  auto contents = ReadWacz(wacz.on_disk);
  std::vector<std::string> warnings;
  if (contents) {
    warnings = std::move(contents->warnings);
    for (const WaczPart& part : contents->parts) {
      InputFile& file = files.emplace_back(wacz);
      const bool is_list = part.content == WaczPart::Content::kPageList;
      file.file.path = wacz.on_disk + "/" + part.name;
      file.file.size = part.size;
      file.slice = part.slice;
      file.type.content = is_list ? Content::kPageList : Content::kWarc;
    }
  } else if (contents.error().code == ErrorCode::kIo) {
    return tl::unexpected<Error>(std::move(contents.error()));
  } else {
    warnings.push_back(contents.error().message + "; none of it is read");
  }
  context.counts.damaged_files += warnings.size();
  context.counts.lost_stretches += warnings.size();
  std::move(warnings.begin(), warnings.end(), std::back_inserter(context.warnings));
  return files;
}

class FileReaderImpl final : public FileReader {
 public:
  FileReaderImpl(std::vector<InputFile> files, RecordSource::Context context)
      : files_(std::move(files)), context_(std::move(context)) {
    for (const InputFile& file : files_) bytes_total_ += file.file.size;
  }

  Result<bool> Next(FileRecord& record) override {
    while (!failed_) {
      if (!source_) {
        if (next_part_ == parts_.size()) {
          if (next_file_ == files_.size()) return false;
          if (Status begun = BeginFile(files_[next_file_++]); !begun) return Fail(begun.error());
          continue;
        }
        if (Status opened = OpenPart(parts_[next_part_++]); !opened) return Fail(opened.error());
      }
      record.place.reset();
      const bool more = source_->Next(record);
      if (!stream_->status()) return Fail(stream_->status().error());
      const InputFile& part = parts_[next_part_ - 1];
      if (more) {
        if (part.type.content == Content::kWarc && part.is_in_wacz() && record.record.key) {
          archived_.Add(*record.record.key);
        }
        ++context_.counts.records;
        return true;
      }
      bytes_of_parts_ += part.file.size;
      source_.reset();
      stream_.reset();
    }
    return false;
  }

  [[nodiscard]] const FileReaderCounts& counts() const override { return context_.counts; }

  [[nodiscard]] std::vector<std::string> TakeWarnings() override {
    return std::exchange(context_.warnings, {});
  }

  [[nodiscard]] std::uint64_t bytes_read() const override {
    std::uint64_t of_parts = bytes_of_parts_ + (stream_ ? stream_->file_bytes_read() : 0);
    // Parts of a WACZ file may be deflated, and then count as what they unpack to.
    if (next_file_ > 0 && files_[next_file_ - 1].type.content == Content::kWacz) {
      of_parts = std::min(of_parts, files_[next_file_ - 1].file.size);
    }
    return bytes_of_finished_ + of_parts;
  }
  [[nodiscard]] std::uint64_t bytes_total() const override { return bytes_total_; }

 private:
  tl::unexpected<Error> Fail(Error error) {
    failed_ = true;
    return tl::unexpected<Error>(std::move(error));
  }

  /// Finds the parts of `file`: itself, or what is inside a WACZ file. Only when it is its turn,
  /// so that no more than one list of parts is held.
  Status BeginFile(const InputFile& file) {
    if (next_file_ > 1) bytes_of_finished_ += files_[next_file_ - 2].file.size;
    bytes_of_parts_ = 0;
    archived_.Clear();
    next_part_ = 0;
    if (file.type.content == Content::kWacz) {
      CRAWLSIEVE_ASSIGN_OR_RETURN(parts_, FilesInside(file, context_));
    } else {
      parts_ = {file};
    }
    return {};
  }

  Status OpenPart(const InputFile& file) {
    const bool page = file.type.content == Content::kPage;
    Result<std::unique_ptr<ByteStream>> stream = ByteStream::Open(
        file.on_disk, page ? ByteStream::Unpack::kNo : ByteStream::Unpack::kYes, file.slice);
    if (!stream) return tl::unexpected<Error>(std::move(stream.error()));
    stream_ = std::move(*stream);
    ++context_.counts.files;
    switch (file.type.content) {
      case Content::kWarc:
        source_ = MakeWarcSource(file.file, *stream_, context_);
        break;
      case Content::kJsonLines:
        source_ = MakeJsonLinesSource(file.file, context_.options.json_format, *stream_, context_);
        break;
      case Content::kPageList:
        source_ = MakePageListSource(file.file, *stream_, archived_, context_);
        break;
      case Content::kWacz:  // has its files inside in its place
      case Content::kPage:
        source_ = MakePageSource(file.file, file.type.media_type, file.gzip, *stream_, context_);
        break;
    }
    return {};
  }

  const std::vector<InputFile> files_;
  std::size_t next_file_ = 0;
  std::vector<InputFile> parts_;  ///< of the file before next_file_
  std::size_t next_part_ = 0;
  RecordSource::Context context_;
  ArchivedUrls archived_;  ///< of the WACZ file that is read, if one is
  std::unique_ptr<ByteStream> stream_;
  std::unique_ptr<RecordSource> source_;  ///< reads stream_
  bool failed_ = false;
  std::uint64_t bytes_of_finished_ = 0;
  std::uint64_t bytes_of_parts_ = 0;  ///< finished ones
  std::uint64_t bytes_total_ = 0;
};

}  // namespace

Result<std::unique_ptr<FileReader>> FileReader::Open(const std::vector<fs::path>& paths,
                                                     const Options& options) {
  std::vector<InputFile> files;
  std::vector<std::string> mistakes;
  std::vector<std::string> warnings;
  for (const fs::path& path : paths) {
    if (path == "-") {
      files.push_back(StandardInput());
      continue;
    }
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (fs::is_directory(status)) {
      Result<std::vector<InputFile>> found = ListFolder(path);
      if (!found) return tl::unexpected<Error>(std::move(found.error()));
      if (found->empty()) {
        warnings.push_back(
            fmt::format("{}: no file in this folder has a known ending", path.native()));
      }
      files.insert(files.end(), found->begin(), found->end());
    } else if (!fs::exists(status)) {
      mistakes.push_back(
          fmt::format("{}: {}", path.native(), error ? error.message() : ErrnoText(ENOENT)));
    } else if (!fs::is_regular_file(status)) {
      mistakes.push_back(fmt::format("{}: neither a file nor a folder", path.native()));
    } else if (std::optional<InputFile> file = Classify(path)) {
      files.push_back(std::move(*file));
    } else {
      mistakes.push_back(fmt::format(
          "{}: unknown ending; known are .warc, .wet, .jsonl, .ndjson, .json, .cdxj, .html, .htm, "
          ".xhtml and .txt, also with .gz behind, those of WARC and JSON with .zst too, and .wacz",
          path.native()));
    }
  }
  if (!mistakes.empty()) {
    return MakeError(ErrorCode::kInvalidInput, fmt::format("{}", fmt::join(mistakes, "\n")));
  }
  RecordSource::Context context;
  context.options = options;
  context.warnings = std::move(warnings);
  for (InputFile& file : files) {
    if (!Stat(file)) {
      return MakeError(ErrorCode::kIo, fmt::format("{}: {}", file.file.path, ErrnoText(errno)));
    }
    if (options.modified.has_value()) file.file.modified = *options.modified;
  }
  return std::make_unique<FileReaderImpl>(std::move(files), std::move(context));
}

}  // namespace crawlsieve::consumer
