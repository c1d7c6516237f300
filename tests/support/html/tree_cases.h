#pragma once

#include "extract/html/html_text.h"
#include "plugin/base/result.h"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace crawlsieve::html_check {

/// A node of the tree that a case expects.
struct TreeNode {
  enum class Kind { kElement, kText, kTemplateContent, kOther };

  Kind kind = Kind::kOther;
  std::string name = {};   ///< of an element, without namespace
  std::string space = {};  ///< `svg`, `math`; empty: HTML
  std::string text = {};
  std::vector<std::pair<std::string, std::string>> attributes = {};
  std::vector<std::unique_ptr<TreeNode>> children = {};

  /// nullptr: no such attribute.
  [[nodiscard]] const std::string* Attribute(std::string_view attribute) const;
};

/// A case of tree construction, as html5lib's tests have them.
struct TreeCase {
  std::string file;  ///< name without folder
  int line = 0;      ///< of `#data`
  std::string data = {};
  bool fragment = false;      ///< of another element than the document
  bool scripting_on = false;  ///< the expected tree is for a browser with scripts
  TreeNode document = {};
};

/// Reads a .dat file: cases of `#data`, `#errors`, `#document-fragment`, `#script-off`,
/// `#script-on` and `#document`. Errors: kIo; kInvalidInput for a file without a case.
[[nodiscard]] Result<std::vector<TreeCase>> ReadTreeCases(const std::filesystem::path& path);

/// Reports what is visible of a tree, by the rules of html_text.h.
void ReportVisible(const TreeNode& document, extract::HtmlEvents& events);

}  // namespace crawlsieve::html_check
