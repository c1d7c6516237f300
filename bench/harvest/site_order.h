#pragma once

#include "bench/harvest/crawl_order.h"
#include "bench/harvest/page_judge.h"
#include "plugin/log/entry.pb.h"
#include "plugin/site/site.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

namespace crawlsieve::bench {

/// The order of the product's scores: each page is judged when it is fetched, and what is learned
/// of its site orders the rest. Of equal worth, what was found first. Thread-compatible.
class SiteOrder final : public CrawlOrder {
 public:
  /// `suppresses`: whether advice against a fetch is followed. Errors: those of PageJudge.
  [[nodiscard]] static Result<std::unique_ptr<SiteOrder>> Create(const CrawlSet& set,
                                                                 bool suppresses);

  void Discovered(std::size_t page, std::uint32_t depth) override;
  [[nodiscard]] std::optional<Step> Next() override;
  std::string Fetched(std::size_t page) override;
  [[nodiscard]] std::map<std::size_t, std::string> Suppressed() const override;
  [[nodiscard]] std::vector<std::string> Describe() const override;

 private:
  struct Waiting {
    std::size_t page = 0;
    std::uint32_t depth = 0;
    site::Site* of = nullptr;
    site::UrlPatterns patterns{};
    bool explore = false;
    site::Share left = site::kWhole;  ///< of its worth, by the rules, when it was looked at last
    std::string ground{};             ///< why it isn't fetched
  };

  SiteOrder(const CrawlSet& set, bool suppresses, std::unique_ptr<PageJudge> judge)
      : set_(set), suppresses_(suppresses), judge_(std::move(judge)) {}

  /// What a URL's patterns and depth make it worth.
  [[nodiscard]] site::Share WorthBeforeRules(const Waiting& waiting) const;
  /// The place of the URL with the highest worth. Rules count as they were when the URL was looked
  /// at last: whoever takes it looks again.
  [[nodiscard]] std::vector<Waiting>::iterator Best();
  /// Advice on the URL by what is known now; it is looked at.
  [[nodiscard]] site::Advice LookAt(Waiting& waiting) const;
  /// Lets the patterns of the URLs of a site be those that it makes now.
  void SetPatterns(const site::Site& of);
  /// The page as the judge gets it: with the links that lead to pages of the set.
  [[nodiscard]] log::Entry EntryOf(std::size_t page) const;
  /// Takes what the records of the latest page say of its links, and of the page alone can be said.
  void TakeScores();
  /// Takes back into the frontier what nothing speaks against any more.
  void Reconsider();

  const CrawlSet& set_;
  const bool suppresses_;
  const std::unique_ptr<PageJudge> judge_;
  std::map<std::string, site::Site, std::less<>> sites_;  // as the judge knows them by now
  std::vector<Waiting> frontier_;                         // in the order in which they were found
  std::vector<Waiting> suppressed_;
  std::unordered_set<std::string> copies_;  // URLs whose latest record suppresses them as such
  std::size_t fetches_ = 0;
};

}  // namespace crawlsieve::bench
