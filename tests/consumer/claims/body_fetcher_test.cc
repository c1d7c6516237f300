#include "consumer/claims/body_fetcher.h"

#include "tests/support/memory_store.h"
#include "tests/support/warc_builder.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

using crawlsieve::testing::MemoryStore;
using crawlsieve::testing::PageRecord;
using Clock = std::chrono::steady_clock;

class BodyFetcherTest : public ::testing::Test {
 protected:
  BodyFetcherTest() {
    auto store = std::make_unique<MemoryStore>();
    store_ = store.get();
    store_->Put("f", PageRecord("http://a.example/", "<p>"));
    store_->Put("grows", "WARC/1.0\r\n", /*may_grow=*/true);
    options_.attempts = 3;
    fetcher_ =
        std::make_unique<BodyFetcher>(std::move(store), nullptr, options_, DecodeLimits(), 1 << 20);
  }

  tl::expected<StoredBody, StoreOutage> Fetch(const std::string& file) {
    return fetcher_->Fetch({file, 0, {}, "", BodyRef::Holds::kWarcRecord}, stop_.get_token());
  }

  ClaimOptions options_;
  std::stop_source stop_;
  MemoryStore* store_ = nullptr;
  std::unique_ptr<BodyFetcher> fetcher_;
};

TEST_F(BodyFetcherTest, AsksAgainBeforeAStoreIsDown) {
  std::atomic<int> failures = 2;
  store_->SetTrouble([&](const std::string&) -> std::optional<StoreFailure> {
    if (failures-- <= 0) return std::nullopt;
    return StoreFailure{StoreFailure::Kind::kUnavailable, "503"};
  });
  EXPECT_TRUE(Fetch("f").has_value());
  EXPECT_EQ(store_->reads(), 3);
}

TEST_F(BodyFetcherTest, AStoreThatIsDownIsLeftAloneForAWhile) {
  store_->SetDown(true);
  auto fetched = Fetch("f");
  ASSERT_FALSE(fetched.has_value());
  EXPECT_EQ(fetched.error().kind, StoreOutage::Kind::kStoreDown);
  EXPECT_EQ(fetched.error().message, "no answer");
  EXPECT_EQ(store_->reads(), 3);
  for (int i = 0; i < 100; ++i) {
    fetched = Fetch("f");
    ASSERT_FALSE(fetched.has_value());
    EXPECT_EQ(fetched.error().message, "no answer");
  }
  EXPECT_LT(store_->reads(), 100) << "each fetch asked the store";
}

TEST_F(BodyFetcherTest, AStoreThatCameBackIsFoundAgain) {
  store_->SetDown(true);
  ASSERT_FALSE(Fetch("f").has_value());
  store_->SetDown(false);
  const auto deadline = Clock::now() + std::chrono::seconds(30);
  while (!Fetch("f").has_value() && Clock::now() < deadline) std::this_thread::yield();
  EXPECT_TRUE(Fetch("f").has_value());
}

TEST_F(BodyFetcherTest, AFileThatGrowsIsNoOutageOfTheStore) {
  const auto growing = Fetch("grows");
  ASSERT_FALSE(growing.has_value());
  EXPECT_EQ(growing.error().kind, StoreOutage::Kind::kFileGrowing);
  EXPECT_EQ(store_->reads(), 1);
  EXPECT_TRUE(Fetch("f").has_value());
}

TEST_F(BodyFetcherTest, WhatIsMissingIsSaidAtOnce) {
  const auto fetched = Fetch("no");
  ASSERT_TRUE(fetched.has_value());
  EXPECT_EQ(fetched->problem, "body_not_found");
  EXPECT_EQ(store_->reads(), 1);
}

TEST_F(BodyFetcherTest, AStopEndsTheWaitBetweenAttempts) {
  options_.attempts = 100;
  auto store = std::make_unique<MemoryStore>();
  store->SetTrouble([&](const std::string&) {
    stop_.request_stop();
    return StoreFailure{StoreFailure::Kind::kUnavailable, "503"};
  });
  BodyFetcher patient(std::move(store), nullptr, options_, DecodeLimits(), 1 << 20);
  const auto begin = Clock::now();
  const auto fetched =
      patient.Fetch({"f", 0, {}, "", BodyRef::Holds::kWarcRecord}, stop_.get_token());
  ASSERT_FALSE(fetched.has_value());
  EXPECT_EQ(fetched.error().kind, StoreOutage::Kind::kStopped);
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(30));
}

TEST(MakeBodyFetcher, MakesNoneUnlessAStoreIsConfigured) {
  EXPECT_EQ(MakeBodyFetcher({}, {}, 0).value(), nullptr);
  ClaimOptions options;
  options.directory = "/nowhere";
  EXPECT_NE(MakeBodyFetcher(options, {}, 0).value(), nullptr);
  options.url = "ftp://s.example/";
  EXPECT_FALSE(MakeBodyFetcher(options, {}, 0).has_value());
}

}  // namespace
}  // namespace crawlsieve::consumer
