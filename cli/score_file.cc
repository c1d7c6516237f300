#include "cli/score_file.h"

#include "consumer/output/scores/score_record.h"

#include <algorithm>
#include <utility>

namespace crawlsieve::consumer {
namespace {

constexpr const char* kJson = "json";

}  // namespace

std::vector<std::string> ScoreFileFormats() {
  std::vector<std::string> names{kJson};
  for (const ScoreFormat& format : ScoreFormats()) names.emplace_back(format.name);
  return names;
}

Result<ScoreFileFormat> ScoreFileFormat::Named(const std::string& name) {
  const ScoreFormat* const found = FindScoreFormat(name);
  if (found == nullptr && name != kJson) {
    return MakeError(ErrorCode::kInvalidInput, "no format of scores: " + name);
  }
  return ScoreFileFormat(found);
}

std::string ScoreFileFormat::Render(const UrlScore& score) const {
  if (format_ == nullptr) return UrlScoreRecord(score) + '\n';
  std::string bytes;
  for (const RenderedScore& record : format_->render(score)) {
    AppendFramed(format_->framing, record.value, bytes);
  }
  return bytes;
}

Result<ScoreFile> ScoreFile::Open(const std::filesystem::path& path, const std::string& format) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto named, ScoreFileFormat::Named(format));
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto file, OutputFile::Open(path));
  return ScoreFile(std::move(file), named);
}

void ScoreFile::Add(std::span<const UrlScore> scores) {
  for (const UrlScore& score : scores) {
    Rendered rendered{score.score, format_.Render(score)};
    const auto [known, is_new] = urls_.try_emplace(score.url, rendered_.size());
    if (is_new) {
      rendered_.push_back(std::move(rendered));
    } else {
      rendered_[known->second] = std::move(rendered);
    }
  }
}

Status ScoreFile::Write() {
  if (format_.is_sorted()) {
    std::ranges::stable_sort(rendered_, std::ranges::greater(), &Rendered::score);
  }
  for (const Rendered& rendered : rendered_) {
    left_out_ += rendered.bytes.empty() ? 1 : 0;
    CRAWLSIEVE_RETURN_IF_ERROR(file_.Write(rendered.bytes));
  }
  return file_.Flush();
}

}  // namespace crawlsieve::consumer
