#pragma once

#include "config/config.h"
#include "config/environment.h"
#include "config/yaml.h"

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace crawlsieve::config {

/// One thing that is wrong with a configuration. Never holds a value that may be secret.
struct Mistake {
  std::string file;
  Position position;    ///< 0:0: of the file as a whole
  std::string key;      ///< dotted path; empty where no key is concerned
  std::string message;  ///< continues after the key

  friend bool operator==(const Mistake&, const Mistake&) = default;
};

/// "file:line:column: key: message".
[[nodiscard]] std::string Describe(const Mistake& mistake);

/// One line each.
[[nodiscard]] std::string Describe(std::span<const Mistake> mistakes);

using Loaded = tl::expected<Config, std::vector<Mistake>>;

/// Reads a configuration in YAML; keys that aren't there keep their defaults. Or finds every
/// mistake in it, in the order of the file; a syntax error hides those behind it. Never throws,
/// whatever the bytes. `name` is the file's name in mistakes.
[[nodiscard]] Loaded ParseConfig(std::string_view text, std::string_view name,
                                 const Environment& environment = ProcessEnvironment());

/// ParseConfig of a file; that it can't be read is a mistake as well. Blocks as reading does.
[[nodiscard]] Loaded LoadConfig(const std::filesystem::path& path,
                                const Environment& environment = ProcessEnvironment());

/// What takes the place of a value that isn't shown. Refused as a value.
inline constexpr std::string_view kMask = "********";

}  // namespace crawlsieve::config
