#include "consumer/observability/logging.h"
#include "consumer/observability/printable.h"
#include "consumer/service/brokers/send_purge.h"
#include "extract/url/page_url.h"
#include "extract/url/url.h"
#include "plugin/base/result.h"
#include "plugin/judge/purge_count.h"
#include "plugin/judge/selection.h"
#include "plugin/judge/state_reader.h"

#include <cstdint>
#include <random>
#include <string>
#include <utility>

#include "cli/commands.h"
#include "cli/common.h"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

/// What was said of it, in the spelling of the state.
Result<log::Purge> PurgeOf(const PurgeArguments& arguments, const extract::UrlOptions& options) {
  log::Purge purge;
  const auto wrong = [](std::string message) {
    return MakeError(ErrorCode::kInvalidInput, std::move(message));
  };
  if (!arguments.url.empty()) {
    const extract::CanonicalUrl url = extract::IdentityOf(arguments.url, options);
    if (url.url.empty()) return wrong(fmt::format("{} is no URL", Printable(arguments.url)));
    purge.set_url(url.url);
  } else if (!arguments.url_prefix.empty()) {
    // What follows the host is compared as it stands: part of a URL has no canonical spelling.
    const std::string& prefix = arguments.url_prefix;
    const std::size_t scheme = prefix.find("://");
    const std::size_t path = scheme == std::string::npos ? scheme : prefix.find('/', scheme + 3);
    if (path == std::string::npos) {
      return wrong(fmt::format(
          "{} would take more than one host: a prefix goes on to the first / behind its host, as "
          "https://www.example.org/ does",
          Printable(prefix)));
    }
    const extract::CanonicalUrl root = extract::CanonicalizeUrl(prefix.substr(0, path + 1));
    if (root.host.empty()) return wrong(fmt::format("{} names no host", Printable(prefix)));
    purge.set_url_prefix(root.url + prefix.substr(path + 1));
  } else if (!arguments.host.empty()) {
    purge.set_host(extract::CanonicalizeUrl("http://" + arguments.host + "/").host);
    if (purge.host().empty()) {
      return wrong(fmt::format("{} is no host", Printable(arguments.host)));
    }
  } else {
    purge.set_crawl_id(arguments.crawl);
  }
  if (!Selection::Of(purge).has_value()) {
    return wrong("name what is to be forgotten: --url, --url-prefix, --host or --crawl");
  }
  purge.set_id(arguments.id);
  return purge;
}

std::string RandomId() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

std::string Describe(const Selection& selection) {
  const char* const kind = selection.kind() == Selection::Kind::kUrl ? "URL"
                           : selection.kind() == Selection::Kind::kUrlPrefix
                               ? "URLs that begin with"
                           : selection.kind() == Selection::Kind::kHost ? "host"
                                                                        : "crawl";
  return fmt::format("{} {}", kind, Printable(selection.text()));
}

int DryRun(const PurgeArguments& arguments, const Selection& selection) {
  const auto state = StateReader::Open(arguments.state);
  if (!state) return PrintError(state.error());
  const auto counts = CountCovered(**state, selection);
  if (!counts) return PrintError(counts.error(), kExitFailed);
  if (arguments.json) {
    const nlohmann::ordered_json line = {
        {"what", Describe(selection)},  {"urls", counts->urls},
        {"kept_pages", counts->pages},  {"looked_at", counts->of_state},
        {"sequence", counts->sequence}, {"sent", false}};
    fmt::print("{}\n", line.dump());
    return kExitDone;
  }
  fmt::print(
      "{}: would forget {} URLs, {} of them with a kept page, of {} that were looked at; "
      "up to sequence {} of the log\n",
      Describe(selection), counts->urls, counts->pages, counts->of_state, counts->sequence);
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
  auto purge = PurgeOf(arguments, config->extract.url);
  if (!purge) return PrintError(purge.error());
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
    const nlohmann::ordered_json line = {{"what", Describe(selection)},
                                         {"id", purge->id()},
                                         {"log", config->kafka.log_topic},
                                         {"sent", true}};
    fmt::print("{}\n", line.dump());
  } else {
    fmt::print(
        "{}: purge {} is in log {}. Judges forget these pages when they come to it; what "
        "is fetched of them later is judged as new. Entries of the log keep the URLs until "
        "`crawlsieve log trim`\n",
        Describe(selection), Printable(purge->id()), config->kafka.log_topic);
  }
  return kExitDone;
}

}  // namespace crawlsieve::consumer
