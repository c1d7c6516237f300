#include "cli/report_folder.h"

#include "plugin/base/result.h"

#include <system_error>
#include <utility>

#include "cli/common.h"
#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

constexpr const char* kUnfinished = "index.html.unfinished";

}  // namespace

Result<ReportFolder> ReportFolder::Open(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    return MakeError(ErrorCode::kIo,
                     fmt::format("{} can't be made: {}", folder.string(), error.message()));
  }
  const std::filesystem::path unfinished = folder / kUnfinished;
  CRAWLSIEVE_RETURN_IF_ERROR(OutputFile::Open(unfinished));
  std::filesystem::remove(unfinished, error);  // nothing is left of a scan that fails
  return ReportFolder(folder);
}

Status ReportFolder::Write(std::string_view html) {
  const std::filesystem::path unfinished = folder_ / kUnfinished;
  {
    CRAWLSIEVE_ASSIGN_OR_RETURN(auto file, OutputFile::Open(unfinished));
    CRAWLSIEVE_RETURN_IF_ERROR(file.Write(html));
    CRAWLSIEVE_RETURN_IF_ERROR(file.Flush());
  }
  std::error_code error;
  std::filesystem::rename(unfinished, page(), error);
  if (error) {
    return MakeError(ErrorCode::kIo,
                     fmt::format("{} can't be written: {}", page().string(), error.message()));
  }
  return {};
}

}  // namespace crawlsieve::consumer
