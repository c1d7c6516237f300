#include "bench/soft404/evaluation.h"

#include "bench/harvest/page_judge.h"

namespace crawlsieve::bench {
namespace {

constexpr const char* kSoftError = "soft_error";

double ShareOf(std::size_t part, std::size_t whole) {
  return whole == 0 ? 1 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

void Add(const ToldOfKinds& from, ToldOfKinds& to) {
  for (const auto& [name, kind] : from) {
    ToldOfKind& sum = to[name];
    sum.is_soft_404 = kind.is_soft_404;
    sum.pages += kind.pages;
    sum.told += kind.told;
  }
}

double PrecisionOf(const ToldOfKinds& kinds) {
  std::size_t told = 0;
  std::size_t right = 0;
  for (const auto& [name, kind] : kinds) {
    told += kind.told;
    if (kind.is_soft_404) right += kind.told;
  }
  return ShareOf(right, told);
}

double RecallOf(const ToldOfKinds& kinds) {
  std::size_t pages = 0;
  std::size_t told = 0;
  for (const auto& [name, kind] : kinds) {
    if (!kind.is_soft_404) continue;
    pages += kind.pages;
    told += kind.told;
  }
  return ShareOf(told, pages);
}

Result<Soft404s> TellSoft404s(const std::vector<LabelledPage>& pages, const std::string& scheme) {
  const auto judge = PageJudge::Create(scheme);
  if (!judge) return tl::unexpected(judge.error());
  Soft404s soft_404s;
  for (std::size_t i = 0; i < pages.size(); ++i) {
    const LabelledPage& page = pages[i];
    static_cast<void>((*judge)->Judge(page.entry));
    const bool told = (*judge)->ReasonOfScore() == kSoftError;
    soft_404s.told.push_back(told);
    const ToldOfKinds one{{page.kind, {page.is_soft_404, 1, told ? 1U : 0U}}};
    Add(one, soft_404s.all);
    if (i >= pages.size() / 2) Add(one, soft_404s.later);
  }
  return soft_404s;
}

}  // namespace crawlsieve::bench
