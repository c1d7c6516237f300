#include "plugin/judge/page_fetch.h"

#include <string>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

using schedule::FetchClass;

log::Page Failed(const std::string& detail) {
  log::Page page;
  page.set_outcome(log::OUTCOME_ERROR_STATUS);
  page.set_detail(detail);
  return page;
}

TEST(PageFetch, OfAnEntryWithoutAStatusTheOutcomeSaysIt) {
  log::Page page;
  page.set_outcome(log::OUTCOME_TEXT);
  EXPECT_EQ(StatusOf(page), 200);
  EXPECT_EQ(StatusOf(Failed("404")), 404);
  EXPECT_EQ(StatusOf(Failed("-3")), -3);
  for (const char* none : {"", "gone", "404x", "99999999999999"}) {
    EXPECT_EQ(StatusOf(Failed(none)), 0) << none;
  }
  log::Page both = Failed("404");
  both.set_status(410);
  EXPECT_EQ(StatusOf(both), 410);
}

TEST(PageFetch, ClassesFollowOutcomeAndStatus) {
  log::Page page;
  for (const auto& [outcome, expected] :
       {std::pair(log::OUTCOME_TEXT, FetchClass::kContent),
        std::pair(log::OUTCOME_NOT_HTML, FetchClass::kContent),
        std::pair(log::OUTCOME_NOT_EVALUATED, FetchClass::kUnreadable)}) {
    page.set_outcome(outcome);
    EXPECT_EQ(FetchOf(page).result, expected) << outcome;
  }
  EXPECT_EQ(FetchOf(Failed("304")).result, FetchClass::kNotModified);
  EXPECT_EQ(FetchOf(Failed("404")).result, FetchClass::kNotFound);
  EXPECT_EQ(FetchOf(Failed("500")).result, FetchClass::kTemporaryFailure);
  EXPECT_EQ(FetchOf(Failed("300")).result, FetchClass::kUnreadable) << "its body is not looked at";
}

TEST(PageFetch, ARedirectToItselfIsATemporaryFailure) {
  for (const char* status : {"301", "302"}) {
    log::Page page = Failed(status);
    page.set_canonical_url("http://a/");
    page.set_redirect_target("http://b/");
    EXPECT_NE(FetchOf(page).result, FetchClass::kTemporaryFailure);
    page.set_redirect_target("http://a/");
    EXPECT_EQ(FetchOf(page).result, FetchClass::kTemporaryFailure);
  }
}

TEST(PageFetch, OnlyTargetsOfTheSameHostOrDomainAreTheirOwners) {
  log::Page page;
  page.set_host("www.e.co.uk");
  page.set_registered_domain_bytes(7);
  const auto is_own = [&page](const char* host) {
    page.set_redirect_target("http://x/");
    page.set_redirect_host(host);
    return IsOwnTarget(page);
  };
  EXPECT_TRUE(is_own("www.e.co.uk"));
  EXPECT_TRUE(is_own("e.co.uk"));
  EXPECT_TRUE(is_own("m.e.co.uk"));
  EXPECT_FALSE(is_own("me.co.uk"));
  EXPECT_FALSE(is_own("other.co.uk"));
  EXPECT_FALSE(is_own("co.uk"));
  EXPECT_FALSE(is_own(""));
  page.set_registered_domain_bytes(0);
  EXPECT_TRUE(is_own("www.e.co.uk"));
  EXPECT_FALSE(is_own("e.co.uk"));
  page.set_registered_domain_bytes(500);
  EXPECT_FALSE(is_own("e.co.uk")) << "longer than the host";
  page.clear_redirect_target();
  EXPECT_FALSE(IsOwnTarget(page));
}

TEST(PageFetch, BoundsOfAnyLogCanBeAddedToAnyTime) {
  JudgeParameters parameters;
  parameters.schedule.min_seconds = parameters.schedule.max_seconds = ~std::uint64_t{0};
  EXPECT_LT(ScheduleOptionsOf(parameters).bounds.max_seconds, std::uint64_t{1} << 32);
  EXPECT_LT(ScheduleOptionsOf(parameters).bounds.min_seconds, std::uint64_t{1} << 32);
}

}  // namespace
}  // namespace crawlsieve
