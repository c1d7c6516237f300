#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve::consumer {

/// Whether the property's value is a password, a key or another secret.
[[nodiscard]] bool IsSecret(std::string_view property);

/// "sasl.password.file" is a property of ours: the file that holds the value of the secret property
/// "sasl.password".
inline constexpr std::string_view kSecretFileSuffix = ".file";

/// The properties that the librdkafka of this process knows, aliases included, in its order; behind
/// each secret one that of its file.
[[nodiscard]] std::vector<std::string> KnownProperties();

/// Of `names` the one that is the fewest insertions, deletions and replacements of a character away
/// from `name`, the first of several; empty where none is as near as a misspelling: over two of
/// these, and over a quarter of the name's length.
[[nodiscard]] std::string NearestName(std::string_view name, const std::vector<std::string>& names);

}  // namespace crawlsieve::consumer
