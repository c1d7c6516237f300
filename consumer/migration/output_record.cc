#include "consumer/migration/output_record.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>

#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

constexpr std::string_view kSequenceHeader = "crawlsieve-sequence";
constexpr std::string_view kSourceHeader = "crawlsieve-source-offset";

/// The last header of this name: what a page record brings under it stands in front.
std::optional<std::string_view> HeaderOf(const RecordView& record, std::string_view name) {
  const auto found = std::find_if(record.headers.rbegin(), record.headers.rend(),
                                  [name](const HeaderView& header) { return header.name == name; });
  return found == record.headers.rend() ? std::nullopt : found->value;
}

std::optional<std::uint64_t> NumberIn(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<std::uint64_t> SequenceOfScore(std::string_view value) {
  const auto json = nlohmann::json::parse(value, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  const auto sequence = json.find("sequence");
  if (sequence == json.end() || !sequence->is_number_unsigned()) return std::nullopt;
  return sequence->get<std::uint64_t>();
}

}  // namespace

std::optional<OutputFacts> FactsOf(OutputKind kind, const RecordView& record) {
  std::optional<std::uint64_t> sequence;
  switch (kind) {
    case OutputKind::kVerdict: {
      if (!record.value.has_value()) return std::nullopt;
      auto verdict = ReadVerdict(*record.value);
      if (!verdict || verdict->sequence == 0) return std::nullopt;
      return OutputFacts{verdict->sequence, std::move(verdict->source)};
    }
    case OutputKind::kKept:
      if (const auto text = HeaderOf(record, kSequenceHeader)) sequence = NumberIn(*text);
      break;
    case OutputKind::kScores:
      if (HeaderOf(record, kSourceHeader).has_value()) return std::nullopt;
      sequence = SequenceOfScore(record.value.value_or(""));
      break;
  }
  if (!sequence.has_value() || *sequence == 0) return std::nullopt;
  return OutputFacts{*sequence, std::nullopt};
}

}  // namespace crawlsieve::consumer
