#include "consumer/advice/purge_request.h"
#include "consumer/observability/logging.h"
#include "consumer/observability/printable.h"
#include "consumer/service/brokers/send_purge.h"
#include "plugin/base/result.h"
#include "plugin/judge/purge_count.h"
#include "plugin/judge/selection.h"
#include "plugin/judge/state_reader.h"

#include <cstdint>
#include <random>
#include <string>

#include "cli/commands.h"
#include "cli/common.h"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

std::string RandomId() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

int DryRun(const PurgeArguments& arguments, const Selection& selection) {
  const auto state = StateReader::Open(arguments.state);
  if (!state) return PrintError(state.error());
  const auto counts = CountCovered(**state, selection);
  if (!counts) return PrintError(counts.error(), kExitFailed);
  if (arguments.json) {
    const nlohmann::ordered_json line = {
        {"what", DescribePurge(selection)}, {"urls", counts->urls},
        {"kept_pages", counts->pages},      {"looked_at", counts->of_state},
        {"sequence", counts->sequence},     {"sent", false}};
    fmt::print("{}\n", line.dump());
    return kExitDone;
  }
  fmt::print(
      "{}: would forget {} URLs, {} of them with a kept page, of {} that were looked at; "
      "up to sequence {} of the log\n",
      DescribePurge(selection), counts->urls, counts->pages, counts->of_state, counts->sequence);
  if (counts->unnamed > 0) {
    fmt::print(
        "{} URLs stay because no crawl is known of them: they had none, or were fetched "
        "last under fold version 7 or before\n",
        counts->unnamed);
  }
  return kExitDone;
}

}  // namespace

int PurgeCommand(const PurgeArguments& arguments) {
  // Without one: the defaults, by which a URL is spelled for a dry run.
  const auto config = LoadOrReport(arguments.config);
  if (!config.has_value()) return kExitWrongInput;
  auto purge =
      PurgeOf({arguments.kind, arguments.name, arguments.several_hosts}, config->extract.url);
  if (!purge) return PrintError(purge.error());
  purge->set_id(arguments.id);
  const Selection selection = Selection::Of(*purge).value();
  if (arguments.dry_run) return DryRun(arguments, selection);
  ConfigureLogging(config->log);
  if (purge->id().empty()) purge->set_id(RandomId());
  if (const Status sent = SendPurge(config->kafka, *purge); !sent) {
    fmt::print(stderr, "to try again without purging twice: --id {}\n", Printable(purge->id()));
    return PrintError(sent.error(),
                      sent.error().code == ErrorCode::kIo ? kExitFailed : kExitWrongInput);
  }
  if (arguments.json) {
    const nlohmann::ordered_json line = {{"what", DescribePurge(selection)},
                                         {"id", purge->id()},
                                         {"log", config->kafka.log_topic},
                                         {"sent", true}};
    fmt::print("{}\n", line.dump());
  } else {
    fmt::print(
        "{}: purge {} is in log {}. Judges forget these pages when they come to it; what "
        "is fetched of them later is judged as new. Entries of the log keep the URLs until "
        "`crawlsieve log trim`\n",
        DescribePurge(selection), Printable(purge->id()), config->kafka.log_topic);
  }
  return kExitDone;
}

}  // namespace crawlsieve::consumer
