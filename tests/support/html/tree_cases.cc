#include "tests/support/html/tree_cases.h"

#include "extract/html/segment.h"
#include "extract/text/ascii.h"
#include "tests/support/html/element_rules.h"

#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve::html_check {
namespace {

/// The lines of a node, without the bar: its first line and, in texts, those that follow.
struct NodeLines {
  std::size_t depth;
  std::string content;
};

std::vector<NodeLines> NodesOf(const std::vector<std::string>& lines) {
  std::vector<NodeLines> nodes;
  for (const std::string& line : lines) {
    if (!line.starts_with("| ")) {
      if (!nodes.empty()) nodes.back().content += "\n" + line;
      continue;
    }
    const std::size_t content = line.find_first_not_of(' ', 1);
    if (content == std::string::npos) continue;
    nodes.push_back({(content - 2) / 2, line.substr(content)});
  }
  return nodes;
}

std::unique_ptr<TreeNode> ElementOf(std::string_view tag) {
  auto node = std::make_unique<TreeNode>();
  node->kind = TreeNode::Kind::kElement;
  tag.remove_prefix(1);
  tag.remove_suffix(1);
  if (tag.starts_with("svg ")) node->space = "svg";
  if (tag.starts_with("math ")) node->space = "math";
  if (!node->space.empty()) tag.remove_prefix(node->space.size() + 1);
  node->name = tag;
  return node;
}

/// Builds the tree of a `#document` section.
TreeNode TreeOf(const std::vector<std::string>& lines) {
  TreeNode document;
  std::vector<TreeNode*> open = {&document};
  for (const auto& [depth, content] : NodesOf(lines)) {
    if (depth + 1 < open.size()) open.resize(depth + 1);
    TreeNode& parent = *open.back();
    const std::size_t equals = content.find("=\"");
    if (content.starts_with('"')) {
      auto node = std::make_unique<TreeNode>();
      node->kind = TreeNode::Kind::kText;
      node->text = content.substr(1, content.size() - 2);
      parent.children.push_back(std::move(node));
    } else if (content.starts_with("<!") || content.starts_with("<?")) {
      parent.children.push_back(std::make_unique<TreeNode>());
    } else if (content.starts_with('<') && content.ends_with('>')) {
      parent.children.push_back(ElementOf(content));
      open.push_back(parent.children.back().get());
    } else if (content == "content") {
      auto node = std::make_unique<TreeNode>();
      node->kind = TreeNode::Kind::kTemplateContent;
      parent.children.push_back(std::move(node));
      open.push_back(parent.children.back().get());
    } else if (equals != std::string::npos) {
      parent.attributes.emplace_back(content.substr(0, equals),
                                     content.substr(equals + 2, content.size() - equals - 3));
    }
  }
  return document;
}

bool IsSection(const std::string& line) {
  return line == "#data" || line == "#errors" || line == "#new-errors" ||
         line == "#document-fragment" || line == "#script-off" || line == "#script-on" ||
         line == "#document";
}

}  // namespace

const std::string* TreeNode::Attribute(std::string_view attribute) const {
  for (const auto& [name_of_it, value] : attributes) {
    if (name_of_it == attribute) return &value;
  }
  return nullptr;
}

Result<std::vector<TreeCase>> ReadTreeCases(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file) return MakeError(ErrorCode::kIo, fmt::format("{}: can't be read", path.string()));

  std::vector<TreeCase> cases;
  std::string section;
  std::vector<std::string> lines;
  const auto end_section = [&] {
    if (section == "#data") {
      std::string& data = cases.back().data;
      for (std::size_t i = 0; i < lines.size(); ++i) data += (i == 0 ? "" : "\n") + lines[i];
    }
    if (section == "#document") {
      // An empty line ends a case.
      if (!lines.empty() && lines.back().empty()) lines.pop_back();
      cases.back().document = TreeOf(lines);
    }
    lines.clear();
  };
  int number = 0;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t end = std::min(bytes.find('\n', at), bytes.size());
    std::string line = bytes.substr(at, end - at);
    at = end + 1;
    ++number;
    if (!IsSection(line)) {
      lines.push_back(std::move(line));
      continue;
    }
    if (line == "#data") {
      if (!cases.empty()) end_section();
      cases.push_back({.file = path.filename().string(), .line = number});
    } else if (!cases.empty()) {
      end_section();
      if (line == "#document-fragment") cases.back().fragment = true;
      if (line == "#script-on") cases.back().scripting_on = true;
    }
    section = std::move(line);
  }
  if (cases.empty()) {
    return MakeError(ErrorCode::kInvalidInput, fmt::format("{}: no case", path.string()));
  }
  end_section();
  return cases;
}

namespace {

using Nodes = std::vector<std::unique_ptr<TreeNode>>;

void ReportTitle(const TreeNode& title, extract::HtmlEvents& events) {
  if (title.children.empty() || title.children.front()->kind != TreeNode::Kind::kText) return;
  const std::string& text = title.children.front()->text;
  if (!extract::TrimAscii(text).empty()) events.OnTitle(text);
}

std::string ValueOf(const TreeNode& element, std::string_view attribute) {
  const std::string* value = element.Attribute(attribute);
  return value == nullptr ? std::string() : *value;
}

bool IsNamed(const TreeNode& element, std::string_view attribute, std::string_view name) {
  return extract::AsciiLower(extract::TrimAscii(ValueOf(element, attribute))) == name;
}

void ReportHead(const TreeNode& head, extract::HtmlEvents& events) {
  for (const auto& child : head.children) {
    if (child->kind != TreeNode::Kind::kElement) continue;
    if (child->name == "title") ReportTitle(*child, events);
    if (child->name == "base") events.OnBase(ValueOf(*child, "href"));
    if (child->name == "link" && IsNamed(*child, "rel", "canonical")) {
      events.OnCanonical(ValueOf(*child, "href"));
    }
    if (child->name == "meta" && IsNamed(*child, "http-equiv", "refresh")) {
      events.OnRefresh(ValueOf(*child, "content"));
    }
    if (child->name == "meta" && IsNamed(*child, "name", "robots")) {
      events.OnRobots(ValueOf(*child, "content"));
    }
  }
}

/// What holds for the text in an element.
struct Around {
  bool visible = true;     ///< `visibility`
  bool draws_text = true;  ///< not so in shapes and groups of SVG
};

/// Whether the element has a box: by its attributes and the standard's style sheet for browsers.
bool HasBox(const TreeNode& element) {
  const std::string style = ValueOf(element, "style");
  const std::string display =
      DeclaredValue(style, "display", {"none", "block", "inline", "flex", "inline-block"});
  const std::string* const hidden = element.Attribute("hidden");
  if (hidden != nullptr && extract::EqualsNoCase(*hidden, "until-found")) return false;
  if (!display.empty()) return display != "none";
  if (hidden != nullptr) return false;
  if (!element.space.empty()) return true;
  if (element.name == "dialog") return element.Attribute("open") != nullptr;
  return element.Attribute("popover") == nullptr;
}

Around AroundIn(const TreeNode& element, const Around& around) {
  Around in = around;
  const std::string visibility = DeclaredValue(ValueOf(element, "style"), "visibility",
                                               {"visible", "hidden", "collapse", "inherit"});
  if (visibility == "visible") in.visible = true;
  if (visibility == "hidden" || visibility == "collapse") in.visible = false;
  const std::string name = extract::AsciiLower(element.name);
  if (element.space != "svg" || name == "text" || name == "foreignobject") {
    in.draws_text = true;
  } else if (name != "tspan" && name != "textpath" && name != "a") {
    in.draws_text = false;
  }
  return in;
}

void ReportNodes(const Nodes& nodes, const Around& around, extract::HtmlEvents& events);

void ReportElement(const TreeNode& element, const Around& around, extract::HtmlEvents& events) {
  const bool html = element.space.empty();
  if (html && element.name == "head") ReportHead(element, events);
  if (html && element.name == "title") ReportTitle(element, events);
  Shown shown = html ? ShownOfHtml(element.name) : ShownOfForeign(element.name);
  if (html && element.name == "object" && ValueOf(element, "data").empty()) shown = Shown::kInline;
  if (shown == Shown::kNot || !HasBox(element)) return;
  const Around in = AroundIn(element, around);
  switch (shown) {
    case Shown::kNot:
      return;
    case Shown::kInstead:
      events.OnBreak();
      return;
    case Shown::kAsLine:
      events.OnBreak();
      if (in.visible && element.name == "img") events.OnAltText(ValueOf(element, "alt"));
      return;
    case Shown::kAsBlock:
      events.OnBlockBegin((html ? HintsOfElement(element.name) : extract::kNoHints) |
                          extract::HintsOfNames(ValueOf(element, "class")) |
                          extract::HintsOfNames(ValueOf(element, "id")) |
                          extract::HintsOfAriaRole(ValueOf(element, "role")));
      ReportNodes(element.children, in, events);
      events.OnBlockEnd();
      return;
    case Shown::kAsLink: {
      const std::string href = ValueOf(element, "href");
      const std::string rel = ValueOf(element, "rel");
      if (in.visible) events.OnLinkBegin({href, rel});
      ReportNodes(element.children, in, events);
      if (in.visible) events.OnLinkEnd();
      return;
    }
    case Shown::kInline:
      ReportNodes(element.children, in, events);
      return;
  }
}

/// Recursive: trees of test files are written by hand.
void ReportNodes(const Nodes& nodes, const Around& around, extract::HtmlEvents& events) {
  for (const auto& node : nodes) {
    if (node->kind == TreeNode::Kind::kText && around.visible && around.draws_text) {
      events.OnText(node->text);
    }
    if (node->kind == TreeNode::Kind::kElement) ReportElement(*node, around, events);
  }
}

}  // namespace

void ReportVisible(const TreeNode& document, extract::HtmlEvents& events) {
  for (const auto& root : document.children) {
    if (root->kind != TreeNode::Kind::kElement) continue;
    const std::string* language = root->Attribute("lang");
    if (language == nullptr) language = root->Attribute("xml:lang");
    if (language != nullptr) events.OnLanguage(*language);
    events.OnBlockBegin(extract::kNoHints);
    const Around in = AroundIn(*root, {});
    if (HasBox(*root)) {
      ReportNodes(root->children, in, events);
    } else {
      for (const auto& child : root->children) {
        if (child->name == "head") ReportElement(*child, in, events);
      }
    }
    events.OnBlockEnd();
    return;
  }
}

}  // namespace crawlsieve::html_check
