#include "consumer/output/scores/rendering.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {

bool IsRenderable(std::string_view url) {
  if (url.size() > kMaxRenderedUrlBytes) return false;
  if (!url.starts_with("https://") && !url.starts_with("http://")) return false;
  if (!std::ranges::all_of(url, [](char c) { return '!' <= c && c <= '~'; })) return false;
  const std::string_view host = HostOf(url);
  return !host.empty() && host.starts_with('[') == host.ends_with(']');
}

std::string_view AuthorityOf(std::string_view url) {
  url.remove_prefix(url.find("://") + 3);
  return url.substr(0, url.find_first_of("/?#"));
}

std::string_view HostOf(std::string_view url) {
  std::string_view host = AuthorityOf(url);
  if (const std::size_t at = host.rfind('@'); at != std::string_view::npos) {
    host.remove_prefix(at + 1);
  }
  // An IPv6 address has colons of its own.
  const std::size_t address_end = host.find(']');
  return host.substr(0, host.find(':', address_end == std::string_view::npos ? 0 : address_end));
}

std::string ValidUtf8(const std::string& text) {
  using nlohmann::json;
  return json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace))
      .get<std::string>();
}

std::string Decimal(Score score) {
  std::string text = fmt::format("{}.{:04}", score.ten_thousandths / Score::kOne,
                                 score.ten_thousandths % Score::kOne);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string_view UrlToFetch(const UrlScore& record) {
  if (record.action == ScoreAction::kSuppress) return {};
  const std::string_view url =
      record.action == ScoreAction::kRewrite ? record.rewrite_to : record.url;
  return IsRenderable(url) ? url : std::string_view();
}

std::int64_t FetchDate(const UrlScore& record) {
  using std::chrono::seconds;
  const std::int64_t date =
      IsDue(record) ? std::chrono::floor<seconds>(record.as_of).time_since_epoch().count() -
                          kSecondsPerStep * record.score.ten_thousandths
                    : std::chrono::ceil<seconds>(*record.next_fetch).time_since_epoch().count();
  return std::clamp<std::int64_t>(date, 1, kLatestFetchDate);
}

}  // namespace crawlsieve::consumer
