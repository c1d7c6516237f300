#pragma once

#include "plugin/base/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace crawlsieve::bench {

/// When a document changed, in days since 1970. The first time is that of its first version.
struct ChangeHistory {
  std::string document;
  std::vector<double> times;  ///< ascending; at least one
};

/// What a simulation runs over: the last days of a file of histories, and the documents that
/// existed long enough before.
struct ChangeWindow {
  double begin = 0;  ///< days since 1970
  int days = 0;
  std::vector<ChangeHistory> documents;
};

/// Reads a line a document: its name and its times, with tabs between. Errors: kIo; kInvalidInput
/// for a line without times, or with times that are no numbers or don't ascend, by line number.
[[nodiscard]] Result<std::vector<ChangeHistory>> LoadChangeHistories(
    const std::filesystem::path& path);

/// The last `days` days before the last time of all histories, or as many as there are 30 days
/// after the first time, and the documents that were there 30 days before the window. Errors:
/// kInvalidInput if there is no such document, or no day.
[[nodiscard]] Result<ChangeWindow> WindowOf(const std::vector<ChangeHistory>& histories, int days);

}  // namespace crawlsieve::bench
