#include "bench/mirrors/evaluation.h"

#include "bench/harvest/page_judge.h"
#include "plugin/site/url_parts.h"

#include <set>

#include <fmt/format.h>

namespace crawlsieve::bench {
namespace {

double ShareOf(std::size_t part, std::size_t whole) {
  return whole == 0 ? 1 : static_cast<double>(part) / static_cast<double>(whole);
}

double Decimal(site::Share share) { return static_cast<double>(share) / site::kWhole; }

}  // namespace

double PrecisionOf(const ToldOfPairKinds& kinds) {
  std::size_t told = 0;
  std::size_t right = 0;
  for (const auto& [name, kind] : kinds) {
    told += kind.told;
    if (kind.is_mirror) right += kind.told;
  }
  return ShareOf(right, told);
}

double RecallOf(const ToldOfPairKinds& kinds) {
  std::size_t pairs = 0;
  std::size_t told = 0;
  for (const auto& [name, kind] : kinds) {
    if (!kind.is_mirror) continue;
    pairs += kind.pairs;
    told += kind.told;
  }
  return ShareOf(told, pairs);
}

Result<ToldOfSites> TellMirrors(const PairOfSites& pair, const std::string& scheme) {
  const auto judge = PageJudge::Create(scheme);
  if (!judge) return tl::unexpected(judge.error());
  std::set<std::string> sites;
  for (const log::Entry& entry : pair.entries) {
    sites.emplace(site::SiteOf(entry.page().canonical_url()));
    (*judge)->Judge(entry);
  }
  if (sites.size() != 2) {
    return MakeError(ErrorCode::kInvalidInput,
                     fmt::format("{}: pages of {} sites, not of two", pair.name, sites.size()));
  }
  ToldOfSites told;
  for (const std::string& name : sites) {
    const std::string& other = name == *sites.begin() ? *sites.rbegin() : *sites.begin();
    const auto report = (*judge)->ReportOn(name);
    if (!report.has_value()) continue;
    for (const HostReport& host : report->hosts) {
      for (const MirrorReport& mirror : host.mirrors) {
        if (site::SiteOf(mirror.origin + "/") != other) continue;
        const site::MirrorEvidence& evidence = mirror.evidence;
        told.is_mirror = told.is_mirror || mirror.in_use;
        told.evidence += fmt::format(
            "{}{}: {} of {} pairs have the same bytes (from {:.3f}), {:.3f} of its pages the "
            "content; ",
            host.host, mirror.in_use ? " is a mirror" : "", evidence.pairs.same,
            evidence.pairs.pairs(), Decimal(evidence.lower_bound()), Decimal(evidence.coverage()));
      }
    }
  }
  return told;
}

}  // namespace crawlsieve::bench
