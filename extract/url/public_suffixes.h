#pragma once

#include <string_view>

namespace crawlsieve::extract {

/// The part of a host that somebody registered, by the Public Suffix List of February 2023: one
/// label more than the longest public suffix that `host` ends with, as psl_registrable_domain of
/// libpsl says. Empty where all of it is a public suffix. A name without a dot is one. `host` is in
/// lower case and the ASCII of domain names, and doesn't end with a dot. Points into it.
/// Thread-safe.
[[nodiscard]] std::string_view RegistrableDomain(std::string_view host);

/// SHA-1 of the list, in hexadecimal digits.
[[nodiscard]] std::string_view PublicSuffixListSha1();

}  // namespace crawlsieve::extract
