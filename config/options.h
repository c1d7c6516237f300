#pragma once

#include "config/config.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace crawlsieve::config {

/// The texts an option is written with: one, a list of them, or names with texts.
using Value = std::variant<std::string, std::vector<std::string>, consumer::ClientProperties>;

/// What is wrong with a value: a sentence that continues after the value and doesn't repeat it.
struct Complaint {
  std::string message;
  std::size_t item = 0;  ///< of a list: which one
};

/// One key of the configuration: all that is known about it, in one place. Loading, checking,
/// showing and the documents come from here.
struct Option {
  std::string_view key;  ///< dotted path, such as "kafka.commit.interval"
  std::string type;      ///< "duration", "size", "one of text, json", ...
  std::string bounds;    ///< "10ms to 5s"; empty: none beyond the type
  std::string_view meaning;
  bool secret = false;   ///< never shown, neither by print.h nor in a mistake
  bool is_text = false;  ///< free text, to be quoted where it looks like something else

  /// Puts `value`, which has the alternative that `read` returns, into its field; or leaves the
  /// field and says what is wrong.
  std::function<std::optional<Complaint>(Config&, const Value&)> assign;
  /// The field's value, as it would be written.
  std::function<Value(const Config&)> read;
};

/// All options, in the order in which they are documented; those of a section are neighbours.
[[nodiscard]] std::span<const Option> Options();

/// nullptr where `key` is none.
[[nodiscard]] const Option* FindOption(std::string_view key);

/// A section is what options are in: "kafka", "kafka.commit".
struct Section {
  std::string_view path;
  std::string_view meaning;
};

[[nodiscard]] std::span<const Section> Sections();

/// Whether the value of this librdkafka property may be a secret: by its name. Errs on the side of
/// secrecy.
[[nodiscard]] bool IsSecretProperty(std::string_view name);

}  // namespace crawlsieve::config
