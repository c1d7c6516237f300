#include "evaluation/labelled_pairs.h"

#include "consumer/input/read_file.h"
#include "plugin/base/result.h"

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

std::vector<std::string_view> Split(std::string_view line) {
  std::vector<std::string_view> fields;
  while (true) {
    const std::size_t tab = line.find('\t');
    fields.push_back(line.substr(0, tab));
    if (tab == std::string_view::npos) return fields;
    line.remove_prefix(tab + 1);
  }
}

Label LabelOf(std::string_view name) {
  if (name == "near") return Label::kNear;
  if (name == "different") return Label::kDifferent;
  return Label::kOther;
}

}  // namespace

Result<std::vector<LabelledPair>> ParsePairs(std::string_view text, std::string_view name) {
  std::vector<LabelledPair> pairs;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.starts_with('#')) continue;
    const auto fields = Split(line);
    if (fields.size() < 4 || fields[0].empty() || fields[1].empty() || fields[2].empty()) {
      return MakeError(ErrorCode::kInvalidInput,
                       fmt::format("{}:{}: not a line of page, page, label and kind with tabs "
                                   "between them",
                                   name, number));
    }
    pairs.push_back({std::string(fields[0]), std::string(fields[1]), LabelOf(fields[2]),
                     std::string(fields[3])});
  }
  return pairs;
}

Result<std::vector<LabelledPair>> ReadPairs(const std::filesystem::path& path) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto text, ReadWholeFile(path));
  return ParsePairs(text, path.string());
}

}  // namespace crawlsieve::consumer
