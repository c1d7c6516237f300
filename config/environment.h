#pragma once

#include "config/values.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace crawlsieve::config {

/// Looks a variable up; nullopt where it isn't set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

/// The variables of this process, as they are when looked up.
[[nodiscard]] Environment ProcessEnvironment();

struct Expansion {
  std::string text;
  bool used_variable = false;  ///< there was a `${...}`, whether its default was taken or not
};

/// Replaces `${NAME}` and `${NAME:-default}` (taken where NAME is unset or empty) and turns `$$`
/// into `$`; any other `$` stands for itself. What a variable holds is not expanded again.
/// Fails where a variable without default isn't set or a `${` doesn't follow the form.
[[nodiscard]] Parsed<Expansion> Expand(std::string_view text, const Environment& environment);

}  // namespace crawlsieve::config
