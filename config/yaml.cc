#include "config/yaml.h"

#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

namespace crawlsieve::config {
namespace {

constexpr std::size_t kMaxDepth = 32;
constexpr std::size_t kMaxNodes = 10'000;

Position ToPosition(const YAML::Mark& mark) {
  if (mark.is_null()) return {};
  return {mark.line + 1, mark.column + 1};
}

/// Length of the UTF-8 sequence at the front of `text`; 0 where there is none.
std::size_t SequenceLength(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  // Overlong forms, surrogates and what lies past U+10FFFF show in the second byte.
  const unsigned char second = byte(1);
  if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
      (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F)) {
    return 0;
  }
  return length;
}

/// The first byte that has no place in a text file. yaml-cpp takes 0x04 for the end of the file and
/// would quietly leave out all that follows.
std::optional<YamlProblem> FindBadByte(std::string_view text) {
  Position position{1, 1};
  while (!text.empty()) {
    const std::size_t length = SequenceLength(text);
    if (length == 0) return YamlProblem{position, "the file is not UTF-8 here"};
    const auto c = static_cast<unsigned char>(text.front());
    if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F) {
      return YamlProblem{position, fmt::format("control character 0x{:02x}", c)};
    }
    position =
        c == '\n' ? Position{position.line + 1, 1} : Position{position.line, position.column + 1};
    text.remove_prefix(length);
  }
  return std::nullopt;
}

/// Builds the tree from the parser's events. Leaves the parser by throwing a YamlProblem, so that
/// what is refused for its size or depth costs no more than was read of it.
class TreeBuilder final : public YAML::EventHandler {
 public:
  [[nodiscard]] std::shared_ptr<const YamlNode> root() const { return root_; }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Add(Make(YamlNode::Kind::kNull, mark, {}, anchor));
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    auto node = Make(YamlNode::Kind::kScalar, mark, tag, anchor);
    node->text = value;
    Add(std::move(node));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) throw YamlProblem{ToPosition(mark), "an alias of nothing"};
    for (const Open& open : open_) {
      if (open.node == found->second) {
        throw YamlProblem{ToPosition(mark), "an alias inside of what it stands for"};
      }
    }
    CountNode(mark);
    Add(found->second);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    Start(Make(YamlNode::Kind::kList, mark, tag, anchor));
  }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    Start(Make(YamlNode::Kind::kMap, mark, tag, anchor));
  }

  void OnSequenceEnd() override { End(); }

  void OnMapEnd() override {
    Merge(*open_.back().node);
    End();
  }

 private:
  struct Open {
    std::shared_ptr<YamlNode> node;
    std::shared_ptr<const YamlNode> key;  ///< of a map whose value is still to come
  };

  void CountNode(const YAML::Mark& mark) {
    if (++nodes_ > kMaxNodes) {
      throw YamlProblem{ToPosition(mark), fmt::format("more than {} values", kMaxNodes)};
    }
  }

  std::shared_ptr<YamlNode> Make(YamlNode::Kind kind, const YAML::Mark& mark,
                                 const std::string& tag, YAML::anchor_t anchor) {
    CountNode(mark);
    // yaml-cpp's own marks for "plain" and "quoted"; everything else was written in the file.
    if (!tag.empty() && tag != "?" && tag != "!") {
      throw YamlProblem{ToPosition(mark), "tags are not used here"};
    }
    auto node = std::make_shared<YamlNode>();
    node->kind = kind;
    node->position = ToPosition(mark);
    if (anchor != YAML::NullAnchor) anchors_[anchor] = node;
    return node;
  }

  void Start(std::shared_ptr<YamlNode> node) {
    if (open_.size() == kMaxDepth) {
      throw YamlProblem{node->position, fmt::format("nested deeper than {} levels", kMaxDepth)};
    }
    open_.push_back({std::move(node), nullptr});
  }

  void End() {
    auto node = std::move(open_.back().node);
    open_.pop_back();
    Add(std::move(node));
  }

  void Add(std::shared_ptr<const YamlNode> node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = open_.back();
    if (parent.node->kind == YamlNode::Kind::kList) {
      parent.node->items.push_back(std::move(node));
    } else if (parent.key == nullptr) {
      if (node->kind != YamlNode::Kind::kScalar) {
        throw YamlProblem{node->position, "a key must be a single word"};
      }
      parent.key = std::move(node);
    } else {
      parent.node->entries.push_back({parent.key->text, parent.key->position, std::move(node)});
      parent.key = nullptr;
    }
  }

  /// Replaces the merge keys of a finished map by what they bring. What the map gives itself
  /// wins; of several merged maps the earlier one does.
  void Merge(YamlNode& map) {
    std::vector<YamlNode::Entry> merges;
    std::vector<YamlNode::Entry> entries;
    std::set<std::string> known;
    for (YamlNode::Entry& entry : map.entries) {
      if (entry.key == "<<") {
        merges.push_back(std::move(entry));
      } else {
        known.insert(entry.key);
        entries.push_back(std::move(entry));
      }
    }
    const auto merge_one = [&](const YamlNode& source, Position position) {
      if (source.kind != YamlNode::Kind::kMap) {
        throw YamlProblem{position, "\"<<\" takes a section, or a list of them"};
      }
      for (const YamlNode::Entry& entry : source.entries) {
        // Counted whether new or not: this loop is what a file of merges would make us run.
        if (++nodes_ > kMaxNodes) {
          throw YamlProblem{position, fmt::format("more than {} values", kMaxNodes)};
        }
        if (known.insert(entry.key).second) entries.push_back(entry);
      }
    };
    for (const YamlNode::Entry& merge : merges) {
      if (merge.value->kind == YamlNode::Kind::kList) {
        for (const auto& item : merge.value->items) merge_one(*item, merge.position);
      } else {
        merge_one(*merge.value, merge.position);
      }
    }
    map.entries = std::move(entries);
  }

  std::shared_ptr<const YamlNode> root_ = std::make_shared<YamlNode>();
  std::vector<Open> open_;
  std::map<YAML::anchor_t, std::shared_ptr<YamlNode>> anchors_;
  std::size_t nodes_ = 0;
};

/// Whether a second document begins; any event of it will do.
class SecondDocument final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override {
    throw YamlProblem{ToPosition(mark), "a second document begins; there can be only one"};
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}
};

}  // namespace

tl::expected<std::shared_ptr<const YamlNode>, YamlProblem> ParseYaml(std::string_view text) {
  if (text.size() > kMaxYamlBytes) {
    return tl::unexpected(
        YamlProblem{{}, fmt::format("the file is larger than {} bytes", kMaxYamlBytes)});
  }
  if (auto problem = FindBadByte(text)) return tl::unexpected(*std::move(problem));
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    TreeBuilder builder;
    parser.HandleNextDocument(builder);
    SecondDocument second;
    parser.HandleNextDocument(second);
    return builder.root();
  } catch (const YamlProblem& problem) {
    return tl::unexpected(problem);
  } catch (const YAML::Exception& e) {
    return tl::unexpected(YamlProblem{ToPosition(e.mark), "not YAML: " + e.msg});
  } catch (const std::exception& e) {
    return tl::unexpected(YamlProblem{{}, fmt::format("not YAML: {}", e.what())});
  }
}

}  // namespace crawlsieve::config
