#pragma once

#include "consumer/output/scores/score_format.h"
#include "plugin/base/result.h"
#include "plugin/score/url_score.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "cli/common.h"

namespace crawlsieve::consumer {

/// A file with the last score of each URL that a scan came across.
///
/// Holds them until then, in memory: some 300 bytes a URL. Thread-compatible.
class ScoreFile {
 public:
  /// `format`: a name of ScoreFormats, or "json" for records of docs/schemas/url_score.schema.json.
  /// Errors: kIo, with the path; kInvalidInput: there is no such format.
  [[nodiscard]] static Result<ScoreFile> Open(const std::filesystem::path& path,
                                              const std::string& format);

  /// Later scores of a URL take the place of earlier ones.
  void Add(std::span<const UrlScore> scores);

  /// Writes them: the highest score first where the format needs it, else as URLs came up first.
  /// Errors: kIo.
  [[nodiscard]] Status Write();

  [[nodiscard]] std::size_t urls() const { return urls_.size(); }
  /// Of these, URLs that the format can't say anything about.
  [[nodiscard]] std::size_t left_out() const { return left_out_; }

 private:
  struct Rendered {
    Score score;
    std::string bytes;  ///< as they are in the file
  };

  ScoreFile(OutputFile file, const ScoreFormat* format) : file_(std::move(file)), format_(format) {}
  [[nodiscard]] Rendered Render(const UrlScore& score) const;

  OutputFile file_;
  const ScoreFormat* format_;  // null: JSON
  std::unordered_map<std::string, std::size_t> urls_;
  std::vector<Rendered> rendered_;
  std::size_t left_out_ = 0;
};

/// Names that ScoreFile::Open takes.
[[nodiscard]] std::vector<std::string> ScoreFileFormats();

}  // namespace crawlsieve::consumer
