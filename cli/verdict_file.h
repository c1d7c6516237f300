#pragma once

#include "consumer/output/verdicts/verdict_format.h"
#include "plugin/base/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cli/common.h"

namespace crawlsieve::consumer {

/// A file made of verdicts, for another program.
///
/// Formats that need an order hold their records in memory until Write: some 300 bytes each.
/// Thread-compatible.
class VerdictFile {
 public:
  /// `format`: of VerdictFormats. Errors: kIo, with the path.
  [[nodiscard]] static Result<VerdictFile> Open(const std::filesystem::path& path,
                                                const VerdictFormat& format);

  /// One verdict, as JSON; they come in the order of the log. Errors: kInvalidInput; kIo.
  [[nodiscard]] Status Add(std::string_view record);

  /// Writes what has not been written. Errors: kIo.
  [[nodiscard]] Status Write();

  [[nodiscard]] std::uint64_t verdicts() const { return verdicts_; }  ///< that came in
  [[nodiscard]] std::uint64_t written() const { return written_; }    ///< records, after Write
  /// Verdicts that the format has something to say of, if they had what it needs.
  [[nodiscard]] std::uint64_t lacking() const { return lacking_; }
  [[nodiscard]] std::string_view missing() const { return missing_; }  ///< what the last one lacked

 private:
  VerdictFile(OutputFile file, const VerdictFormat& format)
      : file_(std::move(file)), format_(format) {}

  [[nodiscard]] Status WriteRecord(std::string_view bytes);

  OutputFile file_;
  const VerdictFormat& format_;
  std::unordered_map<std::string, std::size_t> urls_;  ///< where in `records_` a URL's record is
  std::vector<std::string> records_;
  std::uint64_t verdicts_ = 0;
  std::uint64_t written_ = 0;
  std::uint64_t lacking_ = 0;
  std::string_view missing_;
};

/// Names of VerdictFormats.
[[nodiscard]] std::vector<std::string> VerdictFormatNames();

}  // namespace crawlsieve::consumer
