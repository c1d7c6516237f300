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

Result<ScoreFile> ScoreFile::Open(const std::filesystem::path& path, const std::string& format) {
  const ScoreFormat* const found = FindScoreFormat(format);
  if (found == nullptr && format != kJson) {
    return MakeError(ErrorCode::kInvalidInput, "no format of scores: " + format);
  }
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto file, OutputFile::Open(path));
  return ScoreFile(std::move(file), found);
}

ScoreFile::Rendered ScoreFile::Render(const UrlScore& score) const {
  Rendered rendered{score.score, {}};
  if (format_ == nullptr) {
    rendered.bytes = UrlScoreRecord(score) + '\n';
  } else {
    for (const RenderedScore& record : format_->render(score)) {
      AppendFramed(format_->framing, record.value, rendered.bytes);
    }
  }
  return rendered;
}

void ScoreFile::Add(std::span<const UrlScore> scores) {
  for (const UrlScore& score : scores) {
    Rendered rendered = Render(score);
    const auto [known, is_new] = urls_.try_emplace(score.url, rendered_.size());
    if (is_new) {
      rendered_.push_back(std::move(rendered));
    } else {
      rendered_[known->second] = std::move(rendered);
    }
  }
}

Status ScoreFile::Write() {
  if (format_ != nullptr && format_->sorted) {
    std::ranges::stable_sort(rendered_, std::ranges::greater(), &Rendered::score);
  }
  for (const Rendered& rendered : rendered_) {
    left_out_ += rendered.bytes.empty() ? 1 : 0;
    CRAWLSIEVE_RETURN_IF_ERROR(file_.Write(rendered.bytes));
  }
  return file_.Flush();
}

}  // namespace crawlsieve::consumer
