#include "config/print.h"

#include "config/load.h"
#include "config/options.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <variant>
#include <vector>

#include <fmt/format.h>

namespace crawlsieve::config {
namespace {

constexpr std::size_t kCommentColumns = 100;

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

/// Whether every reader of YAML takes the bare word for this very text.
bool IsPlain(std::string_view text) {
  constexpr std::array<std::string_view, 10> kOtherMeanings{"null", "true", "false", "yes", "no",
                                                            "on",   "off",  "y",     "n",   ""};
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  if (std::find(kOtherMeanings.begin(), kOtherMeanings.end(), lower) != kOtherMeanings.end()) {
    return false;
  }
  return (IsLetter(text.front()) || text.front() == '/') &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return IsLetter(c) || IsDigit(c) || c == '.' || c == '_' || c == '-' || c == '/';
         });
}

/// `text` in double quotes; `$` doubled, so that loading takes it for itself.
std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (c == '$') {
      quoted += "$$";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      quoted += fmt::format("\\x{:02x}", c);
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string Written(const Option& option, std::string_view text) {
  return option.is_text && !IsPlain(text) ? Quoted(text) : std::string(text);
}

/// "a.b.c" -> 2: how deep a key is nested.
std::size_t Depth(std::string_view path) {
  return static_cast<std::size_t>(std::count(path.begin(), path.end(), '.'));
}

std::string Indent(std::string_view path) { return std::string(2 * Depth(path), ' '); }

std::string_view LastName(std::string_view path) { return path.substr(path.rfind('.') + 1); }

/// Breaks a text into comment lines.
std::string Comment(std::string_view indent, std::string_view text) {
  std::string comment;
  std::string line;
  const auto flush = [&] {
    comment += fmt::format("{}#{}\n", indent, line);
    line.clear();
  };
  while (!text.empty()) {
    const std::size_t space = text.find(' ');
    const std::string_view word = text.substr(0, space);
    if (indent.size() + 1 + line.size() + 1 + word.size() > kCommentColumns) flush();
    line += ' ';
    line += word;
    text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
  }
  flush();
  return comment;
}

std::string TypeAndBounds(const Option& option) {
  return option.bounds.empty() ? option.type : fmt::format("{}, {}", option.type, option.bounds);
}

/// Writes a Config as YAML from the option table.
class YamlWriter {
 public:
  explicit YamlWriter(bool with_comments) : with_comments_(with_comments) {}

  std::string Write(const Config& config) {
    for (const Option& option : Options()) {
      OpenSections(option.key);
      if (with_comments_) {
        out_ += Comment(Indent(option.key),
                        fmt::format("{} ({})", option.meaning, TypeAndBounds(option)));
      }
      WriteOption(config, option);
    }
    return std::move(out_);
  }

 private:
  void OpenSections(std::string_view key) {
    for (const Section& section : Sections()) {
      if (!key.starts_with(section.path) || key[section.path.size()] != '.') continue;
      if (std::find(opened_.begin(), opened_.end(), section.path) != opened_.end()) continue;
      opened_.push_back(section.path);
      if (with_comments_) {
        if (Depth(section.path) == 0) out_ += '\n';
        out_ += Comment(Indent(section.path), section.meaning);
      }
      out_ += fmt::format("{}{}:\n", Indent(section.path), LastName(section.path));
    }
  }

  void WriteOption(const Config& config, const Option& option) {
    const bool masked = config.from_environment.contains(std::string(option.key));
    const auto shown = [&](const std::string& text) {
      if (masked || (option.secret && !text.empty())) return Quoted(kMask);
      return Written(option, text);
    };
    const Value value = option.read(config);
    const std::string start = Indent(option.key) + std::string(LastName(option.key)) + ":";
    if (const auto* text = std::get_if<std::string>(&value)) {
      out_ += fmt::format("{} {}\n", start, shown(*text));
    } else if (const auto* list = std::get_if<std::vector<std::string>>(&value)) {
      std::string items;
      for (const std::string& item : *list) {
        items += fmt::format("{}{}", items.empty() ? "" : ", ", shown(item));
      }
      out_ += fmt::format("{} [{}]\n", start, items);
    } else {
      WriteProperties(config, option, start, std::get<consumer::ClientProperties>(value));
    }
  }

  void WriteProperties(const Config& config, const Option& option, std::string_view start,
                       const consumer::ClientProperties& properties) {
    if (properties.empty()) {
      out_ += fmt::format("{} {{}}\n", start);
      return;
    }
    out_ += fmt::format("{}\n", start);
    for (const auto& [name, text] : properties) {
      const std::string key = fmt::format("{}.{}", option.key, name);
      const bool masked = IsSecretProperty(name) || config.from_environment.contains(key);
      out_ += fmt::format("{}  {}: {}\n", Indent(option.key), PropertyName(name),
                          masked ? Quoted(kMask) : Written(option, text));
    }
  }

  /// Keys are not expanded, so a `$` in one stays alone.
  static std::string PropertyName(const std::string& name) {
    if (IsPlain(name)) return name;
    std::string quoted = Quoted(name);
    for (std::size_t at = quoted.find("$$"); at != std::string::npos;
         at = quoted.find("$$", at + 1)) {
      quoted.erase(at, 1);
    }
    return quoted;
  }

  const bool with_comments_;
  std::string out_;
  std::vector<std::string_view> opened_;
};

/// A default, as the document's table shows it.
std::string DefaultText(const Option& option) {
  const Value value = option.read(Config{});
  if (const auto* text = std::get_if<std::string>(&value)) {
    return fmt::format("`{}`", Written(option, *text));
  }
  if (const auto* list = std::get_if<std::vector<std::string>>(&value)) {
    std::string items;
    for (const std::string& item : *list) {
      items += fmt::format("{}{}", items.empty() ? "" : ", ", Written(option, item));
    }
    return fmt::format("`[{}]`", items);
  }
  return "`{}`";
}

std::string_view TopSection(std::string_view key) { return key.substr(0, key.find('.')); }

}  // namespace

std::string EffectiveConfig(const Config& config) {
  return YamlWriter(/*with_comments=*/false).Write(config);
}

std::string ReferenceConfig() {
  return Comment("",
                 "Every key of crawlsieve's configuration with its default, made from the option "
                 "table: see docs/configuration.md. A configuration needs only the keys that it "
                 "changes.") +
         YamlWriter(/*with_comments=*/true).Write(Config{});
}

std::string ConfigDocument() {
  std::string out = R"(# Configuration

One YAML file, given with `--config`. Every key has a default; an unknown key, a repeated one or a
value out of bounds is a mistake, and `crawlsieve check --config FILE` lists all of them with line
and column. [config/crawlsieve.yaml](../config/crawlsieve.yaml) is the reference: every key with its
default. This page and that file are made from the option table in `config/options.cc`.

## How values are written

| type | written as |
|---|---|
| duration | a whole number and `ms`, `s`, `m`, `h` or `d`: `200ms`, `10s`, `7d`; never without the unit |
| size | a whole number and `B`, `KiB`, `MiB` or `GiB`: `64MiB`; never without the unit |
| number | decimal digits |
| boolean | `true` or `false` |
| text | any scalar, taken as written; `""` is the empty text |
| list | `[a, b]`, or one item a line behind `-` |
| properties | names with values, handed to librdkafka as they are: `{security.protocol: SSL}` |

Anchors, aliases and merge keys (`<<`) work; tags don't. The file is UTF-8 and at most 1 MiB.

## Environment and secrets

`${NAME}` in a value stands for the environment variable, `${NAME:-default}` has a default for one
that is not set or empty, `$$` is a `$`. A variable that is not set and has no default is a mistake.
What a variable holds is taken as text: it can't bring keys or lists of its own.

Where the configuration is shown, `********` takes the place of every value that came from a
variable, of the keys marked *secret* below, and of librdkafka properties with `password`, `secret`,
`key`, `jaas`, `oauth` or `token` in their name. Error messages don't repeat such values.

## Properties of librdkafka

`kafka.client` holds for every client; `kafka.consumer` and `kafka.producer` add to it and override
it. Some properties are set by crawlsieve itself and refused here: brokers, group and transactional
ids, offset handling, isolation level and assignment strategy. So is what contradicts an idempotent
producer.
)";
  std::string_view section;
  for (const Option& option : Options()) {
    if (TopSection(option.key) != section) {
      section = TopSection(option.key);
      const auto sections = Sections();
      const auto found =
          std::find_if(sections.begin(), sections.end(),
                       [&](const Section& candidate) { return candidate.path == section; });
      out +=
          fmt::format("\n## `{}`\n\n{}\n\n| key | type | default | meaning |\n|---|---|---|---|\n",
                      section, found->meaning);
    }
    out += fmt::format("| `{}` | {}{} | {} | {} |\n", option.key, TypeAndBounds(option),
                       option.secret ? ", *secret*" : "", DefaultText(option), option.meaning);
  }
  return out;
}

}  // namespace crawlsieve::config
