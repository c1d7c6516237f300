#pragma once

#include "config/config.h"
#include "consumer/claims/body_fetcher.h"
#include "consumer/input/file_reader.h"
#include "consumer/pipeline/extract_records.h"
#include "consumer/pipeline/page_processor.h"
#include "plugin/base/result.h"
#include "plugin/base/timestamp.h"
#include "plugin/judge/detector.h"

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"

namespace crawlsieve::consumer {

/// The configuration in `path`, or all defaults if it is empty. Prints every mistake on standard
/// error; nullopt if there was one.
[[nodiscard]] std::optional<config::Config> LoadOrReport(const std::filesystem::path& path);

/// Prints an error on standard error and returns the exit code.
int PrintError(const Error& error, ExitCode code = kExitWrongInput);

/// Prints each of `warnings` on a line of standard error, with text of files and pages escaped.
void PrintWarnings(const std::vector<std::string>& warnings);

/// How files are to be read: JSON lines in format `name`, or where that is empty in the configured
/// format, or in canonical if that is none of JSON.
[[nodiscard]] FileReader::Options FileOptionsOf(const config::Config& config,
                                                std::string_view name);

[[nodiscard]] ProcessorOptions ProcessorOptionsOf(const config::Config& config);

/// The same for commands that work without a broker: with the configured key, a random one, or else
/// a fixed, public one. Says which on standard error, unless it is the configured one.
[[nodiscard]] ProcessorOptions OfflineProcessorOptions(const config::Config& config,
                                                       bool random_key);
/// How commands that work without a broker make entries of records, but for bodies that lie
/// elsewhere.
[[nodiscard]] RecordOptions RecordOptionsOf(const config::Config& config, bool random_key);
[[nodiscard]] IndexFactory IndexFactoryOf(const config::Config& config);
[[nodiscard]] std::size_t ThreadsOf(const ExtractStageOptions& options);

/// Threads that turn records into entries. One of them waits while it fetches a body that lies
/// elsewhere, so there are as many as fetches at a time, where these are more.
[[nodiscard]] std::size_t WorkersOf(const config::Config& config);

/// What fetches bodies that lie elsewhere; nullptr where no store is configured. Errors: those of
/// MakeBodyFetcher.
[[nodiscard]] Result<std::unique_ptr<BodyFetcher>> BodyFetcherOf(const config::Config& config);

/// As TimeAsked, by the clock.
[[nodiscard]] Result<Timestamp> TimeNamed(const std::string& text);

/// Lines into a file, or to standard output.
class OutputFile {
 public:
  /// Errors: kIo, with the path.
  [[nodiscard]] static Result<OutputFile> Open(const std::filesystem::path& path);

  [[nodiscard]] Status Write(std::string_view bytes);
  [[nodiscard]] Status WriteLine(std::string_view line);
  [[nodiscard]] Status Flush();

 private:
  struct Close {
    void operator()(std::FILE* file) const;
  };
  OutputFile(std::FILE* file, std::string name);
  [[nodiscard]] Status Failed() const;

  std::unique_ptr<std::FILE, Close> file_;
  std::string name_;
};

/// A new directory below the system's temporary one, removed with everything in it at the end.
class ScopedDirectory {
 public:
  /// Makes none unless `is_wanted`.
  explicit ScopedDirectory(bool is_wanted);
  ~ScopedDirectory();
  ScopedDirectory(const ScopedDirectory&) = delete;
  ScopedDirectory& operator=(const ScopedDirectory&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace crawlsieve::consumer
