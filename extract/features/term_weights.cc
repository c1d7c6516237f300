#include "extract/features/term_weights.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>
#include <system_error>

#include <fmt/format.h>

namespace crawlsieve::extract {
namespace {

constexpr std::string_view kMagic = "crawlsieve terms 1 ";
constexpr std::string_view kEnd = "checksum ";

/// Below 2^32, so that the weights of a page's million words can be added up.
std::optional<std::uint32_t> ParseCount(std::string_view text) {
  std::uint32_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && count > 0 ? std::optional(count) : std::nullopt;
}

/// Takes the first line out of `text`, without its end; nullopt when it has none.
std::optional<std::string_view> TakeLine(std::string_view& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}

auto Damaged(std::size_t line, std::string_view what) {
  return MakeError(ErrorCode::kCorruption, fmt::format("line {}: {}", line, what));
}

}  // namespace

Result<TermWeights> TermWeights::Parse(std::string_view table) {
  TermWeights weights;
  weights.checksum_ = RawChecksum(table);
  std::string_view rest = table;
  const auto head = TakeLine(rest);
  if (!head.has_value() || !head->starts_with(kMagic)) {
    return Damaged(1, "this isn't a table of terms");
  }
  const auto documents = ParseCount(head->substr(kMagic.size()));
  if (!documents.has_value()) return Damaged(1, "the number of documents is not one");
  std::uint32_t fewest = *documents;
  std::string_view before;
  for (std::size_t number = 2;; ++number) {
    const auto covered = static_cast<std::size_t>(rest.data() - table.data());
    const auto line = TakeLine(rest);
    if (!line.has_value()) return Damaged(number, "the table is cut off");
    if (line->starts_with(kEnd)) {
      if (line->substr(kEnd.size()) != Hex(RawChecksum(table.substr(0, covered))) ||
          !rest.empty()) {
        return Damaged(number, "the checksum is that of another table");
      }
      break;
    }
    const std::size_t tab = line->find('\t');
    const auto count =
        tab == std::string_view::npos ? std::nullopt : ParseCount(line->substr(tab + 1));
    if (!count.has_value() || *count > *documents) return Damaged(number, "no term and its count");
    const std::string_view term = line->substr(0, tab);
    if (number > 2 && term <= before) return Damaged(number, "terms are out of order");
    before = term;
    fewest = std::min(fewest, *count);
    weights.weights_.emplace(term, static_cast<std::uint32_t>(std::bit_width(*documents / *count)));
  }
  weights.unknown_ = static_cast<std::uint32_t>(std::bit_width(*documents / fewest));
  return weights;
}

std::uint32_t TermWeights::WeightOf(std::string_view term) const {
  const auto found = weights_.find(std::string(term));
  return found == weights_.end() ? unknown_ : found->second;
}

void TermCounter::Add(std::vector<std::string> terms) {
  ++documents_;
  std::sort(terms.begin(), terms.end());
  terms.erase(std::unique(terms.begin(), terms.end()), terms.end());
  for (std::string& term : terms) ++counts_[std::move(term)];
}

std::string TermCounter::Table(std::uint64_t min_documents) const {
  std::string table = fmt::format("{}{}\n", kMagic, documents_);
  for (const auto& [term, count] : counts_) {
    if (count >= min_documents) table += fmt::format("{}\t{}\n", term, count);
  }
  return fmt::format("{}{}{}\n", table, kEnd, Hex(RawChecksum(table)));
}

}  // namespace crawlsieve::extract
