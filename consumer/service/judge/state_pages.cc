#include "consumer/service/judge/state_pages.h"

#include "consumer/advice/answers.h"
#include "consumer/observability/printable.h"
#include "plugin/judge/live_state.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

using Json = nlohmann::json;
using SteadyClock = std::chrono::steady_clock;

constexpr const char* kJsonType = "application/json";
constexpr const char* kTextType = "text/plain; charset=utf-8";

/// Of JSON: an object, an array of URLs, objects, and what they hold. What is nested deeper is left
/// out, because copying and writing JSON take a stack as deep as it is.
constexpr int kMostDepth = 4;

tl::unexpected<Error> Wrong(std::string message) {
  return MakeError(ErrorCode::kInvalidInput, std::move(message));
}

/// The parameters of a question: those behind the `?`, or the members of a JSON object.
class Parameters {
 public:
  static Result<Parameters> Of(const HttpQuestion& question) {
    Json object = Json::object();
    for (const auto& [name, value] : question.parameters) {
      if (object.contains(name)) return Wrong(Printable(name) + " is there twice");
      object[name] = value;
    }
    if (question.is_post) {
      if (!object.empty()) return Wrong("POST takes its parameters as a JSON object in the body");
      const auto is_shallow = [](int depth, Json::parse_event_t, const Json&) {
        return depth < kMostDepth;
      };
      object = Json::parse(question.body, is_shallow, /*allow_exceptions=*/false);
      if (!object.is_object()) return Wrong("the body is not a JSON object");
    }
    return Parameters(std::move(object));
  }

  /// nullopt: it isn't there, or null.
  Result<std::optional<std::string>> Text(const char* name) {
    const Json* const value = Find(name);
    if (value == nullptr) return std::optional<std::string>();
    if (!value->is_string()) return Wrong(fmt::format("{} is not a string", name));
    return std::optional(value->get<std::string>());
  }

  Result<std::string> NeededText(const char* name) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(auto text, Text(name));
    if (!text.has_value() || text->empty()) return Wrong(fmt::format("{} is missing", name));
    return std::move(*text);
  }

  Result<std::size_t> Number(const char* name, std::size_t otherwise) {
    const Json* const value = Find(name);
    if (value == nullptr) return otherwise;
    if (value->is_number_unsigned()) return value->get<std::size_t>();
    std::size_t number = 0;
    const std::string text = value->is_string() ? value->get<std::string>() : "";
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.empty() || error != std::errc() || end != text.data() + text.size()) {
      return Wrong(fmt::format("{} is not a whole number", name));
    }
    return number;
  }

  Result<Timestamp> Time(const char* name, Timestamp now) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto text, Text(name));
    auto time = TimeAsked(text.value_or("now"), now);
    if (!time) return Wrong(fmt::format("{}: {}", name, time.error().message));
    return time;
  }

  /// The elements of an array, each as JSON; a string as an object with that URL.
  Result<std::vector<std::string>> Urls(const char* name) {
    const Json* const value = Find(name);
    if (value == nullptr || !value->is_array()) {
      return Wrong(fmt::format("{} is missing, or not an array", name));
    }
    std::vector<std::string> urls;
    urls.reserve(std::min(value->size(), ScoresQuestion::kMostUrls + 1));
    for (const Json& element : *value) {
      if (urls.size() > ScoresQuestion::kMostUrls) break;
      urls.push_back(element.is_string() ? Json{{"url", element}}.dump() : element.dump());
    }
    return urls;
  }

  /// Nobody is to believe that a parameter counts which nobody reads.
  [[nodiscard]] Status CheckNames() const {
    for (const auto& [name, value] : object_.items()) {
      if (!read_.contains(name)) return Wrong(Printable(name) + " is an unknown parameter");
    }
    return {};
  }

 private:
  explicit Parameters(Json object) : object_(std::move(object)) {}

  const Json* Find(const char* name) {
    read_.insert(name);
    const auto found = object_.find(name);
    return found == object_.end() || found->is_null() ? nullptr : &*found;
  }

  Json object_;
  std::set<std::string, std::less<>> read_;
};

Result<AnswerForm> FormOf(Parameters& parameters, std::string& type) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto format, parameters.Text("format"));
  if (format == "text") {
    type = kTextType;
    return AnswerForm::kText;
  }
  if (format.has_value() && format != "json") return Wrong("format must be json or text");
  return AnswerForm::kJson;
}

Result<std::string> Site(Parameters& parameters, std::string& type, StateView& state) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto host, parameters.NeededText("host"));
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto form, FormOf(parameters, type));
  CRAWLSIEVE_RETURN_IF_ERROR(parameters.CheckNames());
  return AnswerSite(host, form, state);
}

Result<std::string> Explain(Parameters& parameters, const extract::UrlOptions& urls, Timestamp now,
                            std::string& type, StateView& state) {
  ExplainQuestion question;
  CRAWLSIEVE_ASSIGN_OR_RETURN(question.url, parameters.NeededText("url"));
  CRAWLSIEVE_ASSIGN_OR_RETURN(question.crawl, parameters.Text("crawl"));
  CRAWLSIEVE_ASSIGN_OR_RETURN(question.at, parameters.Time("at", now));
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto form, FormOf(parameters, type));
  CRAWLSIEVE_RETURN_IF_ERROR(parameters.CheckNames());
  return AnswerExplain(question, urls, form, state);
}

Result<std::string> Due(Parameters& parameters, Timestamp now, std::function<bool()> is_late,
                        StateView& state) {
  DueQuestion question;
  CRAWLSIEVE_ASSIGN_OR_RETURN(question.before, parameters.Time("before", now));
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto host, parameters.Text("host"));
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto after, parameters.Text("after"));
  CRAWLSIEVE_ASSIGN_OR_RETURN(question.limit, parameters.Number("limit", DueQuestion::kMostDue));
  CRAWLSIEVE_RETURN_IF_ERROR(parameters.CheckNames());
  question.host = std::move(host).value_or("");
  question.after = std::move(after).value_or("");
  question.is_late = std::move(is_late);
  return AnswerDue(question, state);
}

Result<std::string> Scores(Parameters& parameters, const extract::UrlOptions& urls, Timestamp now,
                           std::function<bool()> is_late, StateView& state) {
  ScoresQuestion question;
  CRAWLSIEVE_ASSIGN_OR_RETURN(question.urls, parameters.Urls("urls"));
  CRAWLSIEVE_ASSIGN_OR_RETURN(question.as_of, parameters.Time("as_of", now));
  CRAWLSIEVE_RETURN_IF_ERROR(parameters.CheckNames());
  question.is_late = std::move(is_late);
  return AnswerScores(question, urls, state);
}

int StatusOf(ErrorCode code) {
  if (code == ErrorCode::kInvalidInput) return 400;
  return code == ErrorCode::kBusy ? 503 : 500;
}

}  // namespace

StatePages::StatePages(extract::UrlOptions urls, std::function<Timestamp()> now)
    : urls_(std::move(urls)), now_(std::move(now)) {}

std::vector<std::string> StatePages::Paths() { return {"/site", "/explain", "/due", "/scores"}; }

void StatePages::SetStore(const Store* store) {
  const std::unique_lock lock(mutex_);
  store_ = store;
}

HttpAnswer StatePages::Answer(const HttpQuestion& question) {
  std::string type = kJsonType;
  auto answer = Ask(question, type);
  if (answer) return {200, std::move(type), std::move(*answer)};
  return {StatusOf(answer.error().code), kTextType, answer.error().message + "\n"};
}

Result<std::string> StatePages::Ask(const HttpQuestion& question, std::string& type) {
  const auto end = SteadyClock::now() + kMostTime;
  const auto is_late = [end] { return SteadyClock::now() >= end; };
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto parameters, Parameters::Of(question));
  const std::shared_lock lock(mutex_);
  if (store_ == nullptr) {
    return MakeError(ErrorCode::kBusy,
                     "no state is open: the process starts or stops, or has no "
                     "judge (service.roles)");
  }
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto state, LiveState::Of(*store_));
  if (question.path == "/site") return Site(parameters, type, *state);
  if (question.path == "/explain") return Explain(parameters, urls_, now_(), type, *state);
  if (question.path == "/due") return Due(parameters, now_(), is_late, *state);
  if (!question.is_post) return Wrong("scores are asked for by POST");
  return Scores(parameters, urls_, now_(), is_late, *state);
}

}  // namespace crawlsieve::consumer
