#pragma once

#include "plugin/base/result.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace crawlsieve::consumer {

/// The folder of a report, of which the page is index.html. An earlier report stays until the new
/// one is whole.
class ReportFolder {
 public:
  /// Makes the folder unless it is there, and tries whether a file can be written into it: before
  /// the work that the report is of. Errors: kIo.
  [[nodiscard]] static Result<ReportFolder> Open(const std::filesystem::path& folder);

  /// Errors: kIo.
  [[nodiscard]] Status Write(std::string_view html);

  [[nodiscard]] std::filesystem::path page() const { return folder_ / "index.html"; }

 private:
  explicit ReportFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::filesystem::path folder_;
};

}  // namespace crawlsieve::consumer
