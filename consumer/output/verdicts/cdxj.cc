#include "consumer/output/verdicts/cdxj.h"

#include "consumer/output/verdicts/surt.h"

#include <string>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {

RenderedVerdict RenderCdxj(const VerdictFacts& verdict) {
  if (!verdict.kept) return {};
  if (!verdict.payload.has_value() || verdict.payload->file.empty()) {
    return {{}, "a place in a WARC file"};
  }
  const PayloadFacts& payload = *verdict.payload;
  const auto day = std::chrono::floor<std::chrono::days>(payload.fetched);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(std::chrono::floor<std::chrono::seconds>(payload.fetched - day));
  nlohmann::ordered_json json;
  json["url"] = verdict.url;
  if (!payload.media_type.empty()) json["mime"] = payload.media_type;
  json["status"] = std::to_string(payload.status);
  if (!payload.sha1.empty() || !payload.sha256.empty()) {
    json["digest"] = payload.sha1.empty() ? payload.sha256 : payload.sha1;
  }
  if (payload.length.has_value()) json["length"] = std::to_string(*payload.length);
  json["offset"] = std::to_string(payload.offset);
  json["filename"] = payload.file;
  return {fmt::format(
              "{} {:04}{:02}{:02}{:02}{:02}{:02} {}\n", Surt(verdict.url),
              static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
              static_cast<unsigned>(date.day()), time.hours().count(), time.minutes().count(),
              time.seconds().count(),
              json.dump(-1, ' ', /*ensure_ascii=*/true, nlohmann::json::error_handler_t::replace)),
          {}};
}

}  // namespace crawlsieve::consumer
