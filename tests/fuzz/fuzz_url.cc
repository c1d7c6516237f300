#include "extract/url/page_url.h"
#include "extract/url/url.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

// The canonical form of a canonical URL is itself, and never empty while there is something to
// name. It has no control characters. The same goes for identities and for resolved references.
namespace {

bool HasControls(std::string_view text) {
  return std::ranges::any_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using crawlsieve::extract::CanonicalizeUrl;
  using crawlsieve::extract::CanonicalUrl;
  const std::string_view given(reinterpret_cast<const char*>(data), size);
  const CanonicalUrl once = CanonicalizeUrl(given);
  const CanonicalUrl twice = CanonicalizeUrl(once.url);
  if (twice.url != once.url || twice.host != once.host || twice.path_depth != once.path_depth) {
    std::abort();
  }
  if (HasControls(once.url)) std::abort();
  if (!once.host.empty() && once.url.find(once.host) == std::string::npos) std::abort();

  constexpr crawlsieve::extract::UrlOptions kAll{
      .sort_query = true, .drop_www = true, .unify_scheme = true};
  const CanonicalUrl identity = crawlsieve::extract::IdentityOf(given, kAll);
  if (crawlsieve::extract::IdentityOf(identity.url, kAll).url != identity.url) std::abort();
  if (HasControls(identity.url)) std::abort();
  const CanonicalUrl resolved = crawlsieve::extract::ResolveUrl("https://a.example/b/c?d", given);
  if (CanonicalizeUrl(resolved.url).url != resolved.url) std::abort();
  if (HasControls(resolved.url)) std::abort();
  (void)crawlsieve::extract::RegisteredDomain(resolved.host);
  return 0;
}
