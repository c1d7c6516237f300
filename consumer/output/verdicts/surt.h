#pragma once

#include <string>
#include <string_view>

namespace crawlsieve::consumer {

/// The key by which archives sort captures (Sort-friendly URI Reordering Transform): the labels of
/// the host from its end, then path and query, all in lower case. Spellings that web archives take
/// for one page share it: `www.`, session ids of known shapes, the order of parameters, scheme and
/// user don't count. "https://www.Example.org/A/?b=2&a=1" is "org,example)/a?a=1&b=2".
///
/// As the Internet Archive's `surt` makes it of URLs of http and https; others as they are. Visible
/// ASCII. Takes any bytes, in linear time but for sorting parameters.
[[nodiscard]] std::string Surt(std::string_view url);

}  // namespace crawlsieve::consumer
