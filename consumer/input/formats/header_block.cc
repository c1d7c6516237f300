#include "consumer/input/formats/header_block.h"

#include <algorithm>
#include <charconv>

namespace crawlsieve::consumer {
namespace {

char ToLower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

void AddLine(std::string_view line, HeaderBlock& block) {
  if (line.front() == ' ' || line.front() == '\t') {
    if (!block.fields.empty()) {
      block.fields.back().value += ' ';
      block.fields.back().value += TrimSpaces(line);
    }
    return;
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  block.fields.push_back({std::string(TrimSpaces(line.substr(0, colon))),
                          std::string(TrimSpaces(line.substr(colon + 1)))});
}

}  // namespace

HeaderBlock ParseHeaderBlock(std::string_view text, std::size_t max_bytes) {
  HeaderBlock block;
  const bool all = text.size() <= max_bytes;
  text = text.substr(0, max_bytes);
  for (std::size_t start = 0;;) {
    const std::size_t newline = text.find('\n', start);
    if (newline == std::string_view::npos) {
      block.end = all ? HeaderBlock::End::kCut : HeaderBlock::End::kTooLarge;
      return block;
    }
    std::string_view line = text.substr(start, newline - start);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (start == 0) {
      block.start_line = line;
    } else if (line.empty()) {
      block.size = newline + 1;
      block.end = HeaderBlock::End::kComplete;
      return block;
    } else {
      AddLine(line, block);
    }
    start = newline + 1;
  }
}

const std::string* FindField(const std::vector<Header>& fields, std::string_view name) {
  const auto found = std::find_if(fields.rbegin(), fields.rend(), [name](const Header& field) {
    return EqualsIgnoringCase(field.name, name);
  });
  return found == fields.rend() ? nullptr : &found->value;
}

std::string JoinFields(const std::vector<Header>& fields, std::string_view name) {
  std::string joined;
  for (const Header& field : fields) {
    if (!EqualsIgnoringCase(field.name, name)) continue;
    if (!joined.empty()) joined += ',';
    joined += field.value;
  }
  return joined;
}

std::optional<std::uint64_t> ParseNumber(std::string_view digits) {
  std::uint64_t number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [position, error] = std::from_chars(digits.data(), end, number);
  if (error != std::errc() || position != end) return std::nullopt;
  return number;
}

std::optional<std::uint64_t> FindNumber(const std::vector<Header>& fields, std::string_view name) {
  const std::string* value = FindField(fields, name);
  return value ? ParseNumber(*value) : std::nullopt;
}

std::optional<int> ParseStatusCode(std::string_view digits) {
  int status = 0;
  const char* const end = digits.data() + digits.size();
  const auto [position, error] = std::from_chars(digits.data(), end, status);
  if (error != std::errc() || position != end || status < -999 || status > 999) return std::nullopt;
  return status;
}

bool EqualsIgnoringCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return ToLower(x) == ToLower(y); });
}

bool StartsWithIgnoringCase(std::string_view text, std::string_view prefix) {
  return EqualsIgnoringCase(text.substr(0, prefix.size()), prefix);
}

std::string_view TrimSpaces(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace crawlsieve::consumer
