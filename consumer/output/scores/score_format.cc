#include "consumer/output/scores/score_format.h"

#include "consumer/output/scores/browsertrix.h"
#include "consumer/output/scores/bubing.h"
#include "consumer/output/scores/frontera.h"
#include "consumer/output/scores/heritrix.h"
#include "consumer/output/scores/nutch.h"
#include "consumer/output/scores/scrapy_cluster.h"
#include "consumer/output/scores/stormcrawler.h"
#include "consumer/output/scores/urlfrontier.h"

#include <algorithm>

namespace crawlsieve::consumer {
namespace {

constexpr ScoreFormat kFormats[] = {
    {"browsertrix", RenderForBrowsertrix, Framing::kAppended},
    {"bubing", RenderForBubing, Framing::kLines, true},
    {"frontera", RenderForFrontera, Framing::kAppended},
    {"heritrix", RenderForHeritrix},
    {"nutch", RenderForNutch},
    {"scrapy_cluster", RenderForScrapyCluster},
    {"stormcrawler", RenderForStormCrawler},
    {"urlfrontier", RenderForUrlFrontier, Framing::kDelimited},
    {"urlfrontier_json", RenderForUrlFrontierJson},
};

}  // namespace

std::span<const ScoreFormat> ScoreFormats() { return kFormats; }

const ScoreFormat* FindScoreFormat(std::string_view name) {
  const auto* const found = std::ranges::find(kFormats, name, &ScoreFormat::name);
  return found == std::end(kFormats) ? nullptr : found;
}

void AppendFramed(Framing framing, std::string_view value, std::string& file) {
  if (framing == Framing::kDelimited) {
    std::size_t size = value.size();
    for (; size >= 0x80; size >>= 7) file += static_cast<char>((size & 0x7f) | 0x80);
    file += static_cast<char>(size);
  }
  file += value;
  if (framing == Framing::kLines) file += '\n';
}

}  // namespace crawlsieve::consumer
