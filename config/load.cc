#include "config/load.h"

#include "config/check.h"
#include "config/options.h"
#include "extract/features/term_weights.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve::config {
namespace {

constexpr std::size_t kMaxShownBytes = 80;

/// Text from the file, fit for a line of a message: short, and with line ends and quotes escaped.
/// The file has no other control characters, and is UTF-8.
std::string Shown(std::string_view text) {
  std::string shown;
  for (const char c : text) {
    // Cut at the start of a code point.
    if (shown.size() >= kMaxShownBytes && (static_cast<unsigned char>(c) & 0xC0) != 0x80) {
      return shown + "...";
    }
    if (c == '\n') {
      shown += "\\n";
    } else if (c == '\r') {
      shown += "\\r";
    } else if (c == '\t') {
      shown += "\\t";
    } else {
      shown += c;
    }
  }
  return shown;
}

/// Levenshtein's distance: how many letters to add, take out or change.
std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t change = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, change});
    }
  }
  return row[b.size()];
}

std::string_view LastName(std::string_view path) { return path.substr(path.rfind('.') + 1); }

bool IsSection(std::string_view path) {
  const auto sections = Sections();
  return std::any_of(sections.begin(), sections.end(),
                     [&](const Section& section) { return section.path == path; });
}

/// The key or section that `unknown` was probably meant to be; empty where nothing is near.
std::string Suggestion(std::string_view unknown) {
  if (unknown.size() > kMaxShownBytes) return {};
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, unknown.size() / 5) + 1;
  const auto consider = [&](std::string_view known) {
    const std::size_t distance = EditDistance(unknown, known);
    if (distance < best_distance) {
      best = known;
      best_distance = distance;
    }
  };
  for (const Section& section : Sections()) consider(section.path);
  for (const Option& option : Options()) consider(option.key);
  if (!best.empty()) return best;
  // The right name in the wrong section.
  for (const Option& option : Options()) {
    if (LastName(option.key) == LastName(unknown)) return std::string(option.key);
  }
  return {};
}

/// Walks one file's tree and fills a Config; collects mistakes on its way.
class Loader {
 public:
  Loader(std::string_view file, const Environment& environment)
      : file_(file), environment_(environment) {}

  Loaded Load(const YamlNode& root) {
    if (root.kind == YamlNode::Kind::kMap) {
      LoadSection(root, "");
    } else if (root.kind != YamlNode::Kind::kNull) {
      AddMistake(root.position, "", "the file must hold sections, such as \"kafka:\"");
    }
    config_.decode.max_body_bytes = config_.extract.limits.max_body_bytes;
    for (const Conflict& conflict : FindConflicts(config_)) AddConflict(conflict);
    if (mistakes_.empty()) return std::move(config_);
    std::stable_sort(mistakes_.begin(), mistakes_.end(),
                     [](const Mistake& a, const Mistake& b) { return a.position < b.position; });
    return tl::unexpected(std::move(mistakes_));
  }

 private:
  /// A scalar's text after expansion.
  struct Text {
    std::string text;
    bool from_environment = false;
  };

  void AddMistake(Position position, std::string_view key, std::string message) {
    wrong_keys_.insert(std::string(key));
    mistakes_.push_back({file_, position, Shown(key), std::move(message)});
  }

  void AddConflict(const Conflict& conflict) {
    Position position;
    for (const std::string& key : conflict.keys) {
      // A value that couldn't be read left its default behind, which proves nothing.
      if (wrong_keys_.contains(key)) return;
      const auto inside = wrong_keys_.lower_bound(key + ".");
      if (inside != wrong_keys_.end() && inside->starts_with(key + ".")) return;
      const auto found = positions_.find(key);
      if (position == Position{} && found != positions_.end()) position = found->second;
    }
    mistakes_.push_back({file_, position, conflict.keys.front(), conflict.message});
  }

  void LoadSection(const YamlNode& map, const std::string& prefix) {
    std::map<std::string_view, Position> seen;
    for (const YamlNode::Entry& entry : map.entries) {
      const std::string key = prefix + entry.key;
      if (!CheckFirst(seen, entry, key)) continue;
      positions_[key] = entry.position;
      if (entry.key.find('.') != std::string::npos) {
        AddMistake(entry.position, key,
                   "unknown key; instead of a dot, nest one section in another");
      } else if (const Option* option = FindOption(key)) {
        LoadOption(*option, entry);
      } else if (IsSection(key)) {
        if (entry.value->kind == YamlNode::Kind::kMap) {
          LoadSection(*entry.value, key + ".");
        } else if (entry.value->kind != YamlNode::Kind::kNull) {
          AddMistake(entry.value->position, key, "must be a section: keys with values");
        }
      } else {
        AddUnknown(entry, key);
      }
    }
  }

  bool CheckFirst(std::map<std::string_view, Position>& seen, const YamlNode::Entry& entry,
                  const std::string& key) {
    const auto [first, is_new] = seen.emplace(entry.key, entry.position);
    if (!is_new) {
      AddMistake(entry.position, key,
                 fmt::format("is there twice, first in line {}", first->second.line));
    }
    return is_new;
  }

  void AddUnknown(const YamlNode::Entry& entry, const std::string& key) {
    std::string message = "unknown key";
    if (const std::string suggestion = Suggestion(key); !suggestion.empty()) {
      message += fmt::format("; did you mean {}?", suggestion);
    }
    AddMistake(entry.position, key, std::move(message));
  }

  void LoadOption(const Option& option, const YamlNode::Entry& entry) {
    const Value shape = option.read(config_);
    if (std::holds_alternative<std::string>(shape)) {
      LoadScalar(option, entry);
    } else if (std::holds_alternative<std::vector<std::string>>(shape)) {
      LoadList(option, entry);
    } else {
      LoadProperties(option, entry);
    }
  }

  void LoadScalar(const Option& option, const YamlNode::Entry& entry) {
    const auto text = ReadText(*entry.value, entry.position, option.key, option.type);
    if (!text) return;
    if (text->from_environment) config_.from_environment.insert(std::string(option.key));
    if (const auto complaint = option.assign(config_, text->text)) {
      AddComplaint(option, entry.value->position, *text, complaint->message);
    }
  }

  void LoadList(const Option& option, const YamlNode::Entry& entry) {
    const YamlNode& list = *entry.value;
    if (list.kind != YamlNode::Kind::kList) {
      return AddMistake(PositionOfValue(list, entry.position), option.key,
                        "must be a list, such as [a, b]");
    }
    std::vector<Text> texts;
    for (const auto& item : list.items) {
      auto text = ReadText(*item, list.position, option.key, option.type);
      if (!text) continue;
      if (text->from_environment) config_.from_environment.insert(std::string(option.key));
      texts.push_back(*std::move(text));
    }
    if (texts.size() != list.items.size()) return;  // the mistakes are known
    std::vector<std::string> values;
    values.reserve(texts.size());
    for (const Text& text : texts) values.push_back(text.text);
    const auto complaint = option.assign(config_, std::move(values));
    if (!complaint) return;
    if (texts.empty()) return AddMistake(list.position, option.key, complaint->message);
    AddComplaint(option, list.items[complaint->item]->position, texts[complaint->item],
                 complaint->message);
  }

  void LoadProperties(const Option& option, const YamlNode::Entry& entry) {
    const YamlNode& map = *entry.value;
    if (map.kind == YamlNode::Kind::kNull) return;
    if (map.kind != YamlNode::Kind::kMap) {
      return AddMistake(map.position, option.key,
                        "must be properties: names with values, such as {linger.ms: 5}");
    }
    std::map<std::string_view, Position> seen;
    consumer::ClientProperties properties;
    for (const YamlNode::Entry& property : map.entries) {
      const std::string key = fmt::format("{}.{}", option.key, property.key);
      if (!CheckFirst(seen, property, key)) continue;
      positions_[key] = property.position;
      auto text = ReadText(*property.value, property.position, key, "text");
      if (!text) continue;
      if (text->from_environment) config_.from_environment.insert(key);
      properties[property.key] = std::move(text->text);
    }
    // The table's properties take any names and texts; librdkafka knows which it wants.
    (void)option.assign(config_, std::move(properties));
  }

  /// The text of a scalar with its variables expanded; or a mistake is added.
  std::optional<Text> ReadText(const YamlNode& node, Position parent, std::string_view key,
                               std::string_view type) {
    if (node.kind == YamlNode::Kind::kNull) {
      AddMistake(PositionOfValue(node, parent), key,
                 "has no value; leave it out for its default, or write \"\" for an empty text");
      return std::nullopt;
    }
    if (node.kind != YamlNode::Kind::kScalar) {
      AddMistake(node.position, key,
                 fmt::format("must be a single value ({}), not a {}", type,
                             node.kind == YamlNode::Kind::kList ? "list" : "section"));
      return std::nullopt;
    }
    Parsed<Expansion> expansion = Expand(node.text, environment_);
    if (!expansion) {
      AddMistake(node.position, key, expansion.error());
      return std::nullopt;
    }
    if (expansion->text == kMask) {
      AddMistake(node.position, key, "is masked; give the value itself");
      return std::nullopt;
    }
    return Text{std::move(expansion->text), expansion->used_variable};
  }

  /// An empty value has no place of its own in the file.
  static Position PositionOfValue(const YamlNode& node, Position parent) {
    return node.kind == YamlNode::Kind::kNull ? parent : node.position;
  }

  void AddComplaint(const Option& option, Position position, const Text& text,
                    const std::string& message) {
    const bool hidden = option.secret || text.from_environment;
    AddMistake(
        position, option.key,
        hidden ? "its value " + message : fmt::format("\"{}\" {}", Shown(text.text), message));
  }

  std::string file_;
  const Environment& environment_;
  Config config_;
  std::map<std::string, Position> positions_;  ///< of the keys that are in the file
  std::set<std::string> wrong_keys_;
  std::vector<Mistake> mistakes_;
};

Loaded OnlyMistake(std::string_view file, Position position, std::string message) {
  return tl::unexpected(
      std::vector<Mistake>{{std::string(file), position, "", std::move(message)}});
}

}  // namespace

std::string Describe(const Mistake& mistake) {
  std::string line = mistake.file;
  if (mistake.position != Position{}) {
    line += fmt::format(":{}:{}", mistake.position.line, mistake.position.column);
  }
  line += ": ";
  if (!mistake.key.empty()) line += mistake.key + ": ";
  return line + mistake.message;
}

std::string Describe(std::span<const Mistake> mistakes) {
  std::string lines;
  for (const Mistake& mistake : mistakes) lines += Describe(mistake) + "\n";
  return lines;
}

Loaded ParseConfig(std::string_view text, std::string_view name, const Environment& environment) {
  const auto tree = ParseYaml(text);
  if (!tree) return OnlyMistake(name, tree.error().position, tree.error().message);
  return Loader(name, environment).Load(**tree);
}

namespace {

/// All of a file of at most `max_bytes`, or its first `max_bytes`. Errors: what is wrong with it.
tl::expected<std::string, std::string> ReadFile(const std::filesystem::path& path,
                                                std::size_t max_bytes) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text;
  std::array<char, 64 << 10> piece{};
  while (file && text.size() < max_bytes) {
    file.read(piece.data(),
              static_cast<std::streamsize>(std::min(piece.size(), max_bytes - text.size())));
    text.append(piece.data(), static_cast<std::size_t>(file.gcount()));
  }
  if (!file.is_open() || file.bad()) {
    return tl::unexpected(fmt::format("can't be read: {}", std::strerror(errno)));
  }
  return text;
}

/// Reads the files that the configuration names.
std::optional<std::string> ReadTermWeights(extract::TermOptions& options) {
  if (options.weights_file.empty()) return std::nullopt;
  constexpr std::size_t kMaxTableBytes = std::size_t{1} << 30;
  constexpr std::string_view kAdvice = "; `crawlsieve terms` makes such a table";
  const auto table = ReadFile(options.weights_file, kMaxTableBytes);
  if (!table) return fmt::format("{} {}{}", options.weights_file, table.error(), kAdvice);
  auto weights = extract::TermWeights::Parse(*table);
  if (!weights) {
    return fmt::format("{}: {}{}", options.weights_file, weights.error().message, kAdvice);
  }
  options.weights = std::make_shared<const extract::TermWeights>(std::move(*weights));
  return std::nullopt;
}

}  // namespace

Loaded LoadConfig(const std::filesystem::path& path, const Environment& environment) {
  // One byte more than is allowed, so that ParseConfig sees what is too much.
  const auto text = ReadFile(path, kMaxYamlBytes + 1);
  if (!text) return OnlyMistake(path.string(), {}, text.error());
  Loaded config = ParseConfig(*text, path.string(), environment);
  if (!config) return config;
  if (auto problem = ReadTermWeights(config->extract.features.terms)) {
    return tl::unexpected(std::vector<Mistake>{
        {path.string(), {}, "extract.features.terms.weights", std::move(*problem)}});
  }
  return config;
}

}  // namespace crawlsieve::config
