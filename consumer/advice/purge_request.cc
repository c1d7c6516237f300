#include "consumer/advice/purge_request.h"

#include "consumer/observability/printable.h"
#include "extract/url/page_url.h"
#include "extract/url/url.h"

#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

tl::unexpected<Error> Wrong(std::string message) {
  return MakeError(ErrorCode::kInvalidInput, std::move(message));
}

Status SetUrl(const std::string& name, const extract::UrlOptions& urls, log::Purge& purge) {
  extract::CanonicalUrl url = extract::IdentityOf(name, urls);
  if (url.url.empty() || url.url.find(':') == std::string::npos) {
    return Wrong(fmt::format("{} is no URL", Printable(name)));
  }
  purge.set_url(std::move(url.url));
  return {};
}

/// What follows the host is compared as it stands, so it must be spelt as in the state.
Status SetPrefix(const PurgeRequest& request, log::Purge& purge) {
  const std::string& prefix = request.name;
  const std::size_t scheme = prefix.find("://");
  const std::size_t path = scheme == std::string::npos ? scheme : prefix.find('/', scheme + 3);
  if (path == std::string::npos) {
    if (!request.several_hosts) {
      return Wrong(
          fmt::format("{} would take more than one host, or all of them: go on to the first / "
                      "behind the host, as https://www.example.org/ does, or say --several-hosts",
                      Printable(prefix)));
    }
    purge.set_url_prefix(prefix);
    return {};
  }
  const extract::CanonicalUrl root = extract::CanonicalizeUrl(prefix.substr(0, path + 1));
  if (root.host.empty()) return Wrong(fmt::format("{} names no host", Printable(prefix)));
  const std::string wanted = root.url + prefix.substr(path + 1);
  const std::string canonical = extract::CanonicalizeUrl(wanted).url;
  if (canonical != wanted) {
    return Wrong(fmt::format("no URL of the state begins with {}: they are spelt like {}",
                             Printable(wanted), Printable(canonical)));
  }
  purge.set_url_prefix(wanted);
  return {};
}

Status SetHost(const std::string& name, log::Purge& purge) {
  const bool is_ipv6 = name.starts_with('[') && name.ends_with(']');
  if (name.find_first_of(is_ipv6 ? "/\\@?#" : "/\\@?#:") != std::string::npos) {
    return Wrong(
        fmt::format("{} is more than a host, and a host goes with all its ports and pages: for "
                    "some of them purge a prefix, like https://www.example.org:8443/a/",
                    Printable(name)));
  }
  std::string host = extract::CanonicalizeUrl("http://" + name + "/").host;
  if (host.empty()) return Wrong(fmt::format("{} is no host", Printable(name)));
  purge.set_host(std::move(host));
  return {};
}

}  // namespace

Result<log::Purge> PurgeOf(const PurgeRequest& request, const extract::UrlOptions& urls) {
  log::Purge purge;
  if (request.kind == "url") {
    CRAWLSIEVE_RETURN_IF_ERROR(SetUrl(request.name, urls, purge));
  } else if (request.kind == "prefix") {
    CRAWLSIEVE_RETURN_IF_ERROR(SetPrefix(request, purge));
  } else if (request.kind == "host") {
    CRAWLSIEVE_RETURN_IF_ERROR(SetHost(request.name, purge));
  } else if (request.kind == "crawl") {
    purge.set_crawl_id(request.name);
  }
  if (!Selection::Of(purge).has_value()) {
    return Wrong(fmt::format("{} {} names nothing: say url, prefix, host or crawl, and which one",
                             Printable(request.kind), Printable(request.name)));
  }
  return purge;
}

std::string DescribePurge(const Selection& selection) {
  const auto kind = [&selection]() -> std::string_view {
    switch (selection.kind()) {
      case Selection::Kind::kUrl:
        return "URL";
      case Selection::Kind::kUrlPrefix:
        return "URLs that begin with";
      case Selection::Kind::kHost:
        return "host";
      case Selection::Kind::kCrawl:
        break;
    }
    return "crawl";
  };
  return fmt::format("{} {}", kind(), Printable(selection.text()));
}

}  // namespace crawlsieve::consumer
