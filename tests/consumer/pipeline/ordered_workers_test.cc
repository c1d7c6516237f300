#include "consumer/pipeline/ordered_workers.h"

#include <atomic>
#include <chrono>
#include <latch>
#include <memory>
#include <set>
#include <thread>

#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

using std::chrono::milliseconds;
using Workers = OrderedWorkers<int, int>;

TEST(OrderedWorkers, HandsOutInTheOrderOfTheInputs) {
  Workers workers(4, [] {
    return [](int&& input) {
      // Even inputs take longer than odd ones, so that results come out of order.
      std::atomic<int> spin = input % 2 == 0 ? 5000 : 1;
      while (spin.fetch_sub(1) > 0) {
      }
      return input * 2;
    };
  });
  for (int i = 0; i < 2000; ++i) workers.Submit(i);
  for (int i = 0; i < 2000; ++i) {
    const auto output = workers.TakeNext(milliseconds(10'000));
    ASSERT_TRUE(output.has_value());
    EXPECT_EQ(*output, i * 2);
  }
  EXPECT_EQ(workers.in_flight(), 0U);
}

TEST(OrderedWorkers, TakesNothingBeforeTheOldestIsDone) {
  std::latch gate(1);
  std::latch second_done(1);
  Workers workers(2, [&] {
    return [&](int&& input) {
      if (input == 0) gate.wait();
      if (input == 1) second_done.count_down();
      return input;
    };
  });
  workers.Submit(0);
  workers.Submit(1);
  second_done.wait();
  EXPECT_EQ(workers.TakeNext(milliseconds(0)), std::nullopt);
  EXPECT_EQ(workers.in_flight(), 2U);
  gate.count_down();
  EXPECT_EQ(workers.TakeNext(milliseconds(10'000)), 0);
  EXPECT_EQ(workers.TakeNext(milliseconds(10'000)), 1);
}

TEST(OrderedWorkers, TakesNothingAtOnceWhenNothingIsInFlight) {
  Workers workers(1, [] { return [](int&& input) { return input; }; });
  EXPECT_EQ(workers.TakeNext(std::chrono::hours(1)), std::nullopt);
}

TEST(OrderedWorkers, EndsWithWorkStillQueued) {
  std::atomic<int> begun = 0;
  {
    Workers workers(2, [&] {
      return [&](int&& input) {
        ++begun;
        return input;
      };
    });
    for (int i = 0; i < 100; ++i) workers.Submit(i);
  }
  EXPECT_LE(begun.load(), 100);
}

TEST(OrderedWorkers, EachThreadHasAWorkerOfItsOwn) {
  std::atomic<int> made = 0;
  {
    Workers workers(3, [&] {
      ++made;
      return [](int&& input) { return input; };
    });
  }
  EXPECT_EQ(made.load(), 3);
}

}  // namespace
}  // namespace crawlsieve::consumer
