#include "cli/state_questions.h"

#include "consumer/observability/access_token.h"
#include "consumer/observability/http_client.h"
#include "consumer/observability/printable.h"

#include <chrono>
#include <cstdio>
#include <thread>

#include "cli/commands.h"
#include "cli/common.h"
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {

Result<std::string> AskService(const ServiceAddress& service, const std::string& path,
                               const nlohmann::ordered_json& parameters) {
  constexpr std::chrono::milliseconds kTimeout{10'000};
  constexpr std::chrono::milliseconds kPause{500};
  constexpr int kAttempts = 10;
  HttpAccess access{.token = {}, .ca_file = service.ca_file};
  if (!service.token_file.empty()) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(access.token, ReadTokenFile(service.token_file));
  }
  std::string base = service.url;
  if (base.ends_with('/')) base.pop_back();
  // Arguments may hold any bytes: those that are not UTF-8 come out as U+FFFD.
  const std::string body =
      parameters.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  for (int attempt = 1;; ++attempt) {
    auto answer = HttpPostJson(base + path, body, kTimeout, access);
    const bool is_busy = !answer && answer.error().code == ErrorCode::kBusy;
    if (!is_busy || attempt == kAttempts) return answer;
    std::this_thread::sleep_for(kPause);
  }
}

int PrintAnswer(const Result<std::string>& answer, bool is_json) {
  if (!answer) {
    Error error = answer.error();
    error.message = PrintableLines(error.message);
    return PrintError(error,
                      error.code == ErrorCode::kInvalidInput ? kExitWrongInput : kExitFailed);
  }
  std::string text = is_json ? PrintableJson(*answer) : PrintableLines(*answer);
  if (!text.ends_with('\n')) text += '\n';
  std::fputs(text.c_str(), stdout);
  return kExitDone;
}

}  // namespace crawlsieve::consumer
