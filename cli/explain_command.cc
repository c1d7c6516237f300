#include "consumer/observability/printable.h"
#include "consumer/output/advice/explanation_record.h"
#include "extract/url/page_url.h"
#include "plugin/judge/state_reader.h"
#include "plugin/judge/url_explanation.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/common.h"
#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

Error Wrong(std::string message) { return {ErrorCode::kInvalidInput, std::move(message)}; }

/// The crawl whose URL is meant, where crawls have URLs of their own: the one that was named, or
/// the only one that knows the URL.
Result<std::string> CrawlOf(const StateReader& state, const std::string& url,
                            const ExplainArguments& arguments) {
  const bool by_crawl = state.progress().parameters->scope == Scope::kCrawl;
  if (!by_crawl && arguments.has_crawl) {
    return tl::unexpected(
        Wrong("the crawls of this state share their URLs (judge.scope): leave --crawl out"));
  }
  if (!by_crawl || arguments.has_crawl) return arguments.crawl;
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto crawls, CrawlsThatKnow(url, state));
  if (crawls.size() < 2) return crawls.empty() ? std::string() : crawls.front();
  constexpr std::size_t kMostNames = 20;
  std::string names;
  for (std::size_t i = 0; i < std::min(crawls.size(), kMostNames); ++i) {
    names += fmt::format("{}'{}'", i == 0 ? "" : ", ", Printable(crawls[i]));
  }
  return tl::unexpected(
      Wrong(fmt::format("{} crawls know this URL: name one with --crawl, of {}{}", crawls.size(),
                        names, crawls.size() > kMostNames ? ", ..." : "")));
}

}  // namespace

int ExplainCommand(const ExplainArguments& arguments) {
  const auto config = LoadOrReport(arguments.config);
  if (!config.has_value()) return kExitWrongInput;
  const auto now = TimeNamed(arguments.at);
  if (!now.has_value()) return PrintError(NoTime(arguments.at));
  extract::CanonicalUrl url = extract::IdentityOf(arguments.url, config->extract.url);
  if (url.url.empty()) return PrintError(Wrong("the URL is empty"));
  const auto state = StateReader::Open(arguments.state);
  if (!state) return PrintError(state.error());
  auto crawl = CrawlOf(**state, url.url, arguments);
  if (!crawl) return PrintError(crawl.error());

  auto explanation = Explain({std::move(url.url), url.path_depth, std::move(*crawl), *now},
                             (*state)->progress(), **state);
  if (!explanation) return PrintError(explanation.error(), kExitFailed);
  if (explanation->score.has_value()) {
    explanation->score->registered_domain = extract::RegisteredDomain(explanation->score->host);
  }
  const std::string text = arguments.json ? PrintableJson(ExplanationRecord(*explanation)) + "\n"
                                          : ExplanationText(*explanation);
  std::fputs(text.c_str(), stdout);
  return kExitDone;
}

}  // namespace crawlsieve::consumer
