// A score with any texts in it, in each frontier's format: what comes out is the same each time, is
// one value of its format, and names no URL that can't be handed to a frontier.
// Input: nine bytes for numbers and flags, then texts, each behind a zero byte.

#include "consumer/output/scores/score_format.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

constexpr std::size_t kNumbers = 9;

void Require(bool condition, int line = __builtin_LINE()) {
  if (condition) return;
  std::fprintf(stderr, "line %d doesn't hold\n", line);
  std::abort();
}

UrlScore Make(const std::uint8_t* data, std::string_view texts) {
  const auto take_text = [&texts] {
    const std::size_t end = texts.find('\0');
    std::string text(texts.substr(0, end));
    texts.remove_prefix(end == std::string_view::npos ? texts.size() : end + 1);
    return text;
  };
  UrlScore record;
  record.url = take_text();
  record.host = take_text();
  record.registered_domain = take_text();
  record.rewrite_to = take_text();
  record.reason = take_text();
  record.parent_url = take_text();
  record.crawl_id = take_text();
  record.action = static_cast<ScoreAction>(data[0] % kScoreActions);
  record.fetched = (data[1] & 1) != 0;
  record.score.ten_thousandths = static_cast<std::uint16_t>((data[2] << 8 | data[3]) % 10'001);
  record.as_of = Timestamp(std::chrono::milliseconds(static_cast<std::int64_t>(data[4]) << 34));
  if ((data[1] & 2) != 0) {
    record.next_fetch =
        Timestamp(std::chrono::milliseconds(static_cast<std::int64_t>(data[5]) << 40));
  }
  if ((data[1] & 4) != 0) record.last_status = data[6] << 8 | data[7];
  if ((data[1] & 8) != 0) record.depth = data[8];
  record.components.push_back({take_text(), record.score});
  record.sequence = data[8];
  return record;
}

/// Those that JSON must escape, but for what separates lines and their fields.
bool HasControls(std::string_view value) {
  return std::any_of(value.begin(), value.end(),
                     [](char c) { return c >= 0 && c < 0x20 && c != '\t' && c != '\n'; });
}

void Check(const ScoreFormat& format, const UrlScore& record) {
  const RenderedScores rendered = format.render(record);
  Require(rendered == format.render(record));
  Require(rendered.size() <= 2);
  if (format.name == "json") {
    for (const RenderedScore& score : rendered) {
      Require(nlohmann::json::parse(score.value, nullptr, false).is_object());
    }
    return;
  }
  if (!IsRenderable(record.url) && !IsRenderable(record.rewrite_to)) Require(rendered.empty());
  if (format.framing != Framing::kLines) return;
  const std::ptrdiff_t most_line_ends = format.name == "stormcrawler" ? 1 : 0;
  for (const RenderedScore& score : rendered) {
    Require(!HasControls(score.value));
    Require(std::count(score.value.begin(), score.value.end(), '\n') <= most_line_ends);
  }
}

}  // namespace
}  // namespace crawlsieve::consumer

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace crawlsieve;
  using namespace crawlsieve::consumer;
  if (size < kNumbers) return 0;
  const UrlScore record =
      Make(data, {reinterpret_cast<const char*>(data + kNumbers), size - kNumbers});
  const bool is_sound = CheckUrlScore(record).has_value();
  for (const ScoreFormat& format : ScoreFormats()) {
    if (is_sound) Check(format, record);
  }
  (void)IsRenderable(record.parent_url);
  Require(nlohmann::json(ValidUtf8(record.crawl_id)).dump().size() >= 2);
  return 0;
}
