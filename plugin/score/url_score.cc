#include "plugin/score/url_score.h"

#include <algorithm>
#include <array>
#include <set>

namespace crawlsieve {
namespace {

constexpr std::array<std::string_view, kScoreActions> kNames = {"schedule", "probe", "suppress",
                                                                "rewrite"};
constexpr Score kDue{Score::kOne / 2};

bool IsCode(std::string_view text) {
  const auto is_letter = [](char c) { return 'a' <= c && c <= 'z'; };
  return !text.empty() && is_letter(text.front()) && std::ranges::all_of(text, [&](char c) {
    return is_letter(c) || ('0' <= c && c <= '9') || c == '_';
  });
}

Status Bad(std::string message) { return MakeError(ErrorCode::kInvalidInput, std::move(message)); }

Status CheckComponents(const std::vector<ScoreComponent>& components) {
  std::set<std::string_view> names;
  for (const ScoreComponent& component : components) {
    if (!IsCode(component.name)) return Bad("components: a name is not a code");
    if (component.value.ten_thousandths > Score::kOne) {
      return Bad("components: " + component.name + " is over 1");
    }
    if (!names.insert(component.name).second) {
      return Bad("components: " + component.name + " is there twice");
    }
  }
  return {};
}

}  // namespace

std::string_view NameOf(ScoreAction action) { return kNames.at(static_cast<std::size_t>(action)); }

std::optional<ScoreAction> ScoreActionOf(std::string_view name) {
  const auto* const found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<ScoreAction>(found - kNames.begin());
}

bool IsDue(const UrlScore& record) {
  return !record.next_fetch.has_value() || *record.next_fetch <= record.as_of;
}

Status CheckUrlScore(const UrlScore& record) {
  if (record.url.empty()) return Bad("url: is empty");
  if (record.score.ten_thousandths > Score::kOne) return Bad("score: is over 1");
  CRAWLSIEVE_RETURN_IF_ERROR(CheckComponents(record.components));
  const bool rewrites = record.action == ScoreAction::kRewrite;
  if (rewrites == record.rewrite_to.empty()) {
    return Bad("rewrite_to: belongs to the action rewrite, and to it alone");
  }
  if (rewrites && record.rewrite_to == record.url) return Bad("rewrite_to: is the URL itself");
  if (!IsCode(record.reason)) return Bad("reason: is not a code");
  if (record.fetched && !record.next_fetch.has_value()) {
    return Bad("next_fetch: is missing for a fetched URL");
  }
  if (record.last_status.has_value()) {
    if (!record.fetched) return Bad("last_status: of a URL that was not fetched");
    if (*record.last_status < 100 || *record.last_status > 599) {
      return Bad("last_status: " + std::to_string(*record.last_status) + " is no HTTP status");
    }
  }
  const bool is_scheduled =
      record.action == ScoreAction::kSchedule || record.action == ScoreAction::kProbe;
  if (record.fetched && is_scheduled && (record.score >= kDue) != IsDue(record)) {
    return Bad("score: a fetched URL has at least 0.5 from next_fetch on, and less before");
  }
  return {};
}

}  // namespace crawlsieve
