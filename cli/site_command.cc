#include "consumer/advice/answers.h"
#include "plugin/judge/state_reader.h"

#include "cli/commands.h"
#include "cli/common.h"
#include "cli/state_questions.h"
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {

int SiteCommand(const SiteArguments& arguments) {
  if (!arguments.service.url.empty()) {
    return PrintAnswer(
        AskService(arguments.service, "/site",
                   {{"host", arguments.host}, {"format", arguments.json ? "json" : "text"}}),
        arguments.json);
  }
  const auto state = StateReader::Open(arguments.state);
  if (!state) return PrintError(state.error());
  return PrintAnswer(
      AnswerSite(arguments.host, arguments.json ? AnswerForm::kJson : AnswerForm::kText, **state),
      arguments.json);
}

}  // namespace crawlsieve::consumer
