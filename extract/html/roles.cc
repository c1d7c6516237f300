#include "extract/html/roles.h"

#include <algorithm>
#include <cstddef>

namespace crawlsieve::extract {
namespace {

constexpr double kLinkDensityOfContent = 1.0 / 3;
constexpr double kLinkDensityOfLinkText = 0.8;
constexpr double kShareOfMainElement = 0.9;

double LinkDensity(const Segment& segment) {
  return segment.words == 0 ? 0 : static_cast<double>(segment.link_words) / segment.words;
}

/// Algorithm 2 of the paper, as it stands there.
bool IsContent(const Segment& before, const Segment& block, const Segment& behind) {
  if (LinkDensity(block) > kLinkDensityOfContent) return false;
  if (LinkDensity(before) <= 5.0 / 9) {
    if (block.words > 16) return true;
    return behind.words > 15 || before.words > 4;
  }
  return block.words > 40 || behind.words > 17;
}

bool Excluded(Hints hints) { return (hints & (kNavigationHint | kBoilerplateHint)) != 0; }

}  // namespace

void RoleFinder::Assign(const std::vector<Container>& containers, std::vector<Segment>& segments) {
  if (segments.empty()) return;
  masses_.assign(containers.size(), {});
  InheritHints(containers, segments);
  FindContent(segments);
  const std::uint32_t main = FindMainContainer(containers, segments);

  is_inside_.assign(containers.size(), false);
  is_inside_[main] = true;
  for (std::size_t c = main + 1; c < containers.size(); ++c) {
    is_inside_[c] = is_inside_[containers[c].parent];
  }
  for (std::size_t s = 0; s < segments.size(); ++s) {
    Segment& segment = segments[s];
    const Hints hints = masses_[segment.container].hints;
    segment.in_form = (hints & kFormHint) != 0;
    // NOLINTNEXTLINE(bugprone-branch-clone): which rule comes first decides
    if ((hints & kHeadlineHint) != 0) {
      segment.role = Role::kHeading;
    } else if (!is_inside_[segment.container] || Excluded(hints)) {
      const bool links = LinkDensity(segment) > kLinkDensityOfContent;
      segment.role =
          links || (hints & kNavigationHint) != 0 ? Role::kNavigation : Role::kBoilerplate;
    } else if ((hints & kHeadingHint) != 0) {
      segment.role = Role::kHeading;
    } else if (LinkDensity(segment) > kLinkDensityOfLinkText) {
      segment.role = Role::kLinkText;
    } else {
      segment.role = Role::kMain;
    }
  }
}

void RoleFinder::InheritHints(const std::vector<Container>& containers,
                              const std::vector<Segment>& segments) {
  for (const Segment& segment : segments) masses_[segment.container].words += segment.words;
  for (std::size_t c = containers.size(); c-- > 1;) {
    masses_[containers[c].parent].words += masses_[c].words;
  }
  const std::uint64_t all = masses_[0].words;
  for (std::size_t c = 0; c < containers.size(); ++c) {
    // A name that would take most of the page away means something else there: <body
    // class="no-sidebar">, or a form around the whole page.
    const bool believed = masses_[c].words * 2 < all;
    masses_[c].hints = believed ? containers[c].hints
                                : containers[c].hints & ~(kNavigationHint | kBoilerplateHint);
    masses_[c].hints |= masses_[containers[c].parent].hints;
  }
}

void RoleFinder::FindContent(const std::vector<Segment>& segments) {
  is_content_.assign(segments.size(), false);
  const Segment none;
  for (std::size_t s = 0; s < segments.size(); ++s) {
    const Segment& before = s == 0 ? none : segments[s - 1];
    const Segment& behind = s + 1 == segments.size() ? none : segments[s + 1];
    is_content_[s] =
        !Excluded(masses_[segments[s].container].hints) && IsContent(before, segments[s], behind);
  }
}

std::uint32_t RoleFinder::FindMainContainer(const std::vector<Container>& containers,
                                            const std::vector<Segment>& segments) {
  for (std::size_t s = 0; s < segments.size(); ++s) {
    if (is_content_[s]) masses_[segments[s].container].content += segments[s].words;
  }
  // Children come behind their parents, so each is complete when it is added to its own.
  for (std::size_t c = containers.size(); c-- > 1;) {
    Mass& parent = masses_[containers[c].parent];
    parent.content += masses_[c].content;
    if (parent.best_child == 0 || masses_[c].content >= masses_[parent.best_child].content) {
      parent.best_child = static_cast<std::uint32_t>(c);
    }
  }
  std::uint32_t main = 0;
  for (;;) {
    const std::uint32_t child = masses_[main].best_child;
    if (child == 0 || static_cast<double>(masses_[child].content) <
                          kShareOfMainElement * static_cast<double>(masses_[main].content)) {
      return main;
    }
    main = child;
  }
}

}  // namespace crawlsieve::extract
