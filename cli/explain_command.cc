#include "consumer/advice/answers.h"
#include "plugin/judge/state_reader.h"

#include <optional>

#include "cli/commands.h"
#include "cli/common.h"
#include "cli/state_questions.h"
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {

int ExplainCommand(const ExplainArguments& arguments) {
  if (!arguments.service.url.empty()) {
    nlohmann::ordered_json question = {
        {"url", arguments.url}, {"at", arguments.at}, {"format", arguments.json ? "json" : "text"}};
    if (arguments.has_crawl) question["crawl"] = arguments.crawl;
    return PrintAnswer(AskService(arguments.service, "/explain", question), arguments.json);
  }
  const auto config = LoadOrReport(arguments.config);
  if (!config.has_value()) return kExitWrongInput;
  const auto now = TimeNamed(arguments.at);
  if (!now) return PrintError(now.error());
  const auto state = StateReader::Open(arguments.state);
  if (!state) return PrintError(state.error());
  const std::optional<std::string> crawl =
      arguments.has_crawl ? std::optional(arguments.crawl) : std::nullopt;
  return PrintAnswer(AnswerExplain({arguments.url, crawl, *now}, config->extract.url,
                                   arguments.json ? AnswerForm::kJson : AnswerForm::kText, **state),
                     arguments.json);
}

}  // namespace crawlsieve::consumer
