#include "plugin/judge/page_fetch.h"

#include "plugin/judge/page.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <string_view>

namespace crawlsieve {
namespace {

using schedule::FetchClass;

FetchClass ClassOf(const log::Page& page) {
  switch (page.outcome()) {
    case log::OUTCOME_TEXT:
    case log::OUTCOME_NOT_HTML:
      return FetchClass::kContent;
    case log::OUTCOME_ERROR_STATUS:
      break;
    default:
      return FetchClass::kUnreadable;
  }
  const FetchClass by_status = schedule::ClassOfStatus(StatusOf(page));
  // A status like 300 whose body was not looked at.
  if (by_status == FetchClass::kContent) return FetchClass::kUnreadable;
  const bool is_redirect =
      by_status == FetchClass::kPermanentRedirect || by_status == FetchClass::kTemporaryRedirect;
  if (is_redirect && page.redirect_target() == page.canonical_url()) {
    return FetchClass::kTemporaryFailure;
  }
  return by_status;
}

}  // namespace

schedule::ScheduleOptions ScheduleOptionsOf(const JudgeParameters& parameters) {
  schedule::ScheduleOptions options;
  options.goal.fetches_a_day_thousandths = parameters.schedule.fetches_a_day * 1000;
  options.goal.freshness = parameters.schedule.freshness;
  using schedule::kLongestInterval;
  options.bounds = {std::min(parameters.schedule.min_seconds, kLongestInterval),
                    std::min(parameters.schedule.max_seconds, kLongestInterval)};
  options.url_bounds = parameters.schedule.bounds;
  for (ScheduleBounds& one : options.url_bounds) {
    one.min_seconds = std::min(one.min_seconds, kLongestInterval);
    one.max_seconds = std::min(one.max_seconds, kLongestInterval);
  }
  return options;
}

int StatusOf(const log::Page& page) {
  if (page.has_status()) return page.status();
  if (page.outcome() != log::OUTCOME_ERROR_STATUS) return 200;
  const std::string_view text = page.detail();
  int status = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), status);
  return error == std::errc() && end == text.data() + text.size() ? status : 0;
}

schedule::Fetch FetchOf(const log::Page& page) {
  schedule::Fetch fetch;
  fetch.time = schedule::ClampedFetchTime(
      FetchTime(page), Timestamp{std::chrono::milliseconds(page.source().timestamp_ms())});
  fetch.result = ClassOf(page);
  if (page.has_retry_after_seconds()) fetch.retry_after = page.retry_after_seconds();
  return fetch;
}

bool IsOwnTarget(const log::Page& page) {
  if (page.redirect_target().empty() || page.host().empty()) return false;
  const std::string_view host = page.host();
  const std::string_view target = page.redirect_host();
  if (host == target) return true;
  const std::size_t size = page.registered_domain_bytes();
  if (size == 0 || size > host.size()) return false;
  const std::string_view domain = host.substr(host.size() - size);
  return target == domain || (target.size() > size && target.ends_with(domain) &&
                              target[target.size() - size - 1] == '.');
}

}  // namespace crawlsieve
