#pragma once

#include "extract/html/segment.h"

#include <cstdint>
#include <vector>

namespace crawlsieve::extract {

/// Decides which blocks of a page are its main text.
///
/// Three steps, each linear in blocks and elements:
///  1. Each block is content or not by its number of words and its link density and those of the
///     blocks before and behind it: the decision tree of Kohlschütter, Fankhauser and Nejdl,
///     "Boilerplate Detection using Shallow Text Features", WSDM 2010, algorithm 2. Names and tags
///     of elements around it can take it out, unless the element holds most of the page's text.
///  2. The main text is in one element: the deepest one that has most of the content.
///  3. Within that element short blocks count too (list items, captions, headings), which the
///     tree takes for boilerplate, unless they are mostly links or taken out by names.
///
/// Thread-compatible; buffers are reused.
class RoleFinder {
 public:
  /// Sets the role of each segment, and whether it is in a form. `containers` holds every container
  /// of `segments`.
  void Assign(const std::vector<Container>& containers, std::vector<Segment>& segments);

 private:
  struct Mass {
    std::uint64_t words = 0;    ///< in the subtree
    std::uint64_t content = 0;  ///< of them, in content blocks
    std::uint32_t best_child = 0;
    Hints hints = kNoHints;  ///< of the element and those around it
  };

  void InheritHints(const std::vector<Container>& containers, const std::vector<Segment>& segments);
  void FindContent(const std::vector<Segment>& segments);
  [[nodiscard]] std::uint32_t FindMainContainer(const std::vector<Container>& containers,
                                                const std::vector<Segment>& segments);

  std::vector<Mass> masses_;      ///< one for each container
  std::vector<bool> is_content_;  ///< one for each segment
  std::vector<bool> is_inside_;   ///< one for each container: the main one or within it
};

}  // namespace crawlsieve::extract
