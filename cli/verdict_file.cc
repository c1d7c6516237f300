#include "cli/verdict_file.h"

#include <algorithm>
#include <utility>

namespace crawlsieve::consumer {

Result<VerdictFile> VerdictFile::Open(const std::filesystem::path& path,
                                      const VerdictFormat& format) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto file, OutputFile::Open(path));
  VerdictFile made(std::move(file), format);
  if (format.head != nullptr) CRAWLSIEVE_RETURN_IF_ERROR(made.file_.Write(format.head()));
  return made;
}

Status VerdictFile::Add(std::string_view record) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto verdict, ParseVerdictRecord(record));
  ++verdicts_;
  RenderedVerdict rendered = format_.render(verdict);
  if (!rendered.missing.empty()) {
    ++lacking_;
    missing_ = rendered.missing;
  }
  switch (format_.order) {
    case FileOrder::kAsTheyCome:
      return WriteRecord(rendered.bytes);
    case FileOrder::kSorted:
      if (!rendered.bytes.empty()) records_.push_back(std::move(rendered.bytes));
      return {};
    case FileOrder::kLastOfUrl:
      break;
  }
  const auto known = urls_.find(verdict.url);
  if (known != urls_.end()) {
    records_[known->second] = std::move(rendered.bytes);
  } else if (!rendered.bytes.empty()) {
    urls_.emplace(verdict.url, records_.size());
    records_.push_back(std::move(rendered.bytes));
  }
  return {};
}

Status VerdictFile::Write() {
  if (format_.order == FileOrder::kSorted) std::ranges::sort(records_);
  for (const std::string& record : records_) CRAWLSIEVE_RETURN_IF_ERROR(WriteRecord(record));
  records_.clear();
  urls_.clear();
  return file_.Flush();
}

Status VerdictFile::WriteRecord(std::string_view bytes) {
  if (bytes.empty()) return {};
  ++written_;
  return file_.Write(bytes);
}

std::vector<std::string> VerdictFormatNames() {
  std::vector<std::string> names;
  for (const VerdictFormat& format : VerdictFormats()) names.emplace_back(format.name);
  return names;
}

}  // namespace crawlsieve::consumer
