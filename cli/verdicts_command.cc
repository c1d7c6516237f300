#include "consumer/observability/logging.h"
#include "plugin/base/result.h"

#include <string>

#include "cli/commands.h"
#include "cli/common.h"
#include "cli/verdict_file.h"
#include "cli/verdict_source.h"
#include <fmt/format.h>

namespace crawlsieve::consumer {

int VerdictsCommand(const VerdictsArguments& arguments) {
  const auto config = LoadOrReport(arguments.config);
  if (!config.has_value()) return kExitWrongInput;
  const VerdictFormat* const format = FindVerdictFormat(arguments.format);
  if (format == nullptr) {
    return PrintError({ErrorCode::kInvalidInput, "no format of verdicts: " + arguments.format});
  }
  auto file = VerdictFile::Open(arguments.out, *format);
  if (!file) return PrintError(file.error());
  const VerdictTaker take = [&](std::string_view record) { return file->Add(record); };
  Status read;
  if (arguments.files.empty()) {
    ConfigureLogging(config->log);
    read = ForEachVerdictRecord(*config, take);
  } else {
    read = ForEachVerdictLine(arguments.files, take);
  }
  if (!read) {
    return PrintError(read.error(),
                      read.error().code == ErrorCode::kIo ? kExitFailed : kExitWrongInput);
  }
  if (const Status written = file->Write(); !written) {
    return PrintError(written.error(), kExitFailed);
  }
  fmt::print(stderr, "{} records out of {} verdicts\n", file->written(), file->verdicts());
  if (file->lacking() == 0) return kExitDone;
  fmt::print(stderr,
             "{} verdicts are left out, because they lack {}: see extract.payload_digests\n",
             file->lacking(), file->missing());
  return file->written() == 0 ? kExitWrongInput : kExitDone;
}

}  // namespace crawlsieve::consumer
