#pragma once

#include "extract/url/options.h"
#include "plugin/base/result.h"
#include "plugin/judge/selection.h"
#include "plugin/log/entry.pb.h"

#include <string>

namespace crawlsieve::consumer {

/// What somebody wants forgotten, in their own spelling.
struct PurgeRequest {
  std::string kind;  ///< url, prefix, host or crawl
  std::string name;
  bool several_hosts = false;  ///< a prefix may cover more than one host
};

/// The purge in the spelling of the state, without an id. Pure. Whatever could cover more than was
/// meant is refused, with what to say instead: a prefix that ends within a host, unless
/// `several_hosts`; a prefix whose path the state spells otherwise; a host with anything beside it.
/// Errors: kInvalidInput.
[[nodiscard]] Result<log::Purge> PurgeOf(const PurgeRequest& request,
                                         const extract::UrlOptions& urls);

/// "URLs that begin with https://www.example.org/a", to show to people.
[[nodiscard]] std::string DescribePurge(const Selection& selection);

}  // namespace crawlsieve::consumer
