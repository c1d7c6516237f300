#include "cli/common.h"

#include "config/load.h"
#include "consumer/advice/answers.h"
#include "consumer/observability/printable.h"
#include "plugin/fingerprint/key.h"
#include "plugin/index/sharded_index.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

namespace crawlsieve::consumer {
std::optional<config::Config> LoadOrReport(const std::filesystem::path& path) {
  if (path.empty()) return config::Config();
  auto loaded = config::LoadConfig(path);
  if (loaded.has_value()) return std::move(*loaded);
  fmt::print(stderr, "{}", PrintableLines(config::Describe(loaded.error())));
  return std::nullopt;
}

int PrintError(const Error& error, ExitCode code) {
  fmt::print(stderr, "crawlsieve: {}\n", PrintableLines(error.message));
  return code;
}

void PrintWarnings(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) {
    fmt::print(stderr, "warning: {}\n", Printable(warning));
  }
}

FileReader::Options FileOptionsOf(const config::Config& config, std::string_view name) {
  FileReader::Options options;
  if (const auto named = FormatFromName(name)) {
    options.json_format = *named;
  } else if (IsJsonFormat(config.kafka.input_format)) {
    options.json_format = config.kafka.input_format;
  }
  return options;
}

ProcessorOptions ProcessorOptionsOf(const config::Config& config) {
  return {config.decode, config.extract, config.fingerprint, config.kafka.pass_headers,
          config.extract_stage.max_links};
}

ProcessorOptions OfflineProcessorOptions(const config::Config& config, bool random_key) {
  ProcessorOptions options = ProcessorOptionsOf(config);
  if (random_key) {
    options.fingerprint.key = RandomKey();
    fmt::print(stderr, "note: fingerprints are made with a random key, which isn't kept\n");
  } else if (options.fingerprint.key.empty()) {
    fmt::print(
        stderr,
        "note: fingerprint.key isn't configured: fingerprints are made with a fixed, public key, "
        "so pages that collide can be built; see --random-key\n");
  }
  return options;
}

RecordOptions RecordOptionsOf(const config::Config& config, bool random_key) {
  RecordOptions options;
  options.processor = OfflineProcessorOptions(config, random_key);
  options.threads = WorkersOf(config);
  options.max_in_flight_bytes = config.extract_stage.max_in_flight_bytes;
  options.max_in_flight_records = config.extract_stage.max_in_flight_records;
  options.repeat_cache_bytes = config.extract_stage.repeat_cache_bytes;
  return options;
}

IndexFactory IndexFactoryOf(const config::Config& config) {
  return [options = config.index](int max_distance) -> Result<std::unique_ptr<HammingIndex>> {
    IndexOptions with_distance = options;
    with_distance.max_distance = max_distance;
    return ShardedIndex::Create(with_distance);
  };
}

std::size_t ThreadsOf(const ExtractStageOptions& options) {
  return options.threads > 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());
}

std::size_t WorkersOf(const config::Config& config) {
  const std::size_t threads = ThreadsOf(config.extract_stage);
  return config.claims.enabled() ? std::max<std::size_t>(threads, config.claims.parallel) : threads;
}

Result<std::unique_ptr<BodyFetcher>> BodyFetcherOf(const config::Config& config) {
  return MakeBodyFetcher(config.claims, config.decode, config.extract_stage.max_in_flight_bytes);
}

Result<Timestamp> TimeNamed(const std::string& text) {
  return TimeAsked(text,
                   std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()));
}

OutputFile::OutputFile(std::FILE* file, std::string name) : file_(file), name_(std::move(name)) {}

void OutputFile::Close::operator()(std::FILE* file) const {
  if (file != stdout) (void)std::fclose(file);
}

Result<OutputFile> OutputFile::Open(const std::filesystem::path& path) {
  if (path.empty()) return OutputFile(stdout, "standard output");
  std::FILE* file = std::fopen(path.c_str(), "we");
  if (file == nullptr) {
    return MakeError(ErrorCode::kIo,
                     fmt::format("{} can't be written: {}", path.string(), std::strerror(errno)));
  }
  return OutputFile(file, path.string());
}

Status OutputFile::Failed() const {
  return MakeError(ErrorCode::kIo,
                   fmt::format("{} can't be written: {}", name_, std::strerror(errno)));
}

Status OutputFile::Write(std::string_view bytes) {
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) == bytes.size();
  return written ? Status() : Failed();
}

Status OutputFile::WriteLine(std::string_view line) {
  CRAWLSIEVE_RETURN_IF_ERROR(Write(line));
  return Write("\n");
}

Status OutputFile::Flush() { return std::fflush(file_.get()) == 0 ? Status() : Failed(); }

ScopedDirectory::ScopedDirectory(bool is_wanted) {
  if (!is_wanted) return;
  std::error_code error;
  const auto parent = std::filesystem::temp_directory_path(error);
  std::string pattern = (parent / "crawlsieve-XXXXXX").string();
  if (::mkdtemp(pattern.data()) != nullptr) path_ = pattern;
}

ScopedDirectory::~ScopedDirectory() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace crawlsieve::consumer
