#include "plugin/state/store_snapshot.h"

#include "plugin/state/noted_rows.h"
#include "plugin/state/store.h"
#include "tests/plugin/state/keys_of_hosts.h"
#include "tests/support/sanitized.h"
#include "tests/support/temporary_directory.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

using testing::EraseLatestPages;
using testing::HostOfLatestPages;
using testing::KeyOfHosts;
using testing::TemporaryDirectory;
using Rows = std::map<std::string, std::string>;

constexpr std::array kTables{Table::kDocuments, Table::kUrls, Table::kHosts};

/// All rows of a range, read a few at a time.
Rows ReadAll(const StoreSnapshot& snapshot, Table table, std::size_t at_a_time,
             std::string_view prefix = {}) {
  Rows rows;
  std::optional<std::string> last;
  for (int pages = 0; pages < 10'000; ++pages) {
    StoreSnapshot::Range range{prefix, std::nullopt, at_a_time};
    if (last.has_value()) range.after = *last;
    const auto read = snapshot.ForEach(
        table, range, [&](std::string_view key, std::string_view value) -> Result<bool> {
          EXPECT_TRUE(!last.has_value() || key > *last) << "not in order";
          EXPECT_TRUE(rows.emplace(key, value).second) << "twice: " << key;
          return true;
        });
    EXPECT_TRUE(read.has_value());
    if (!read.has_value() || !read->has_value()) return rows;
    last = **read;
  }
  ADD_FAILURE() << "without end";
  return rows;
}

Rows WithPrefix(const Rows& rows, std::string_view prefix) {
  Rows some;
  for (const auto& [key, value] : rows) {
    if (key.starts_with(prefix)) some.emplace(key, value);
  }
  return some;
}

TEST(StoreSnapshot, ShowsTheStoreAsItWasWhateverComesAfterIt) {
  for (const std::uint64_t seed : testing::SeedsToTry({1, 2, 3, 4})) {
    const TemporaryDirectory directory;
    const auto store =
        Store::Open({.directory = directory.path(), .write_buffer_bytes = 40'000}).value();
    std::mt19937_64 random(seed);
    std::array<Rows, kTables.size()> now;
    struct Taken {
      std::unique_ptr<StoreSnapshot> snapshot;
      std::array<Rows, kTables.size()> rows;
    };
    std::vector<Taken> taken;
    for (int step = 0; step < 400; ++step) {
      Changes changes;
      for (int i = 0; i < 20; ++i) {
        const std::size_t table = random() % kTables.size();
        const std::string key =
            random() % 3 == 0
                ? KeyOfHosts(random())
                : fmt::format("{}{:03}", random() % 2 == 0 ? "a" : "bc", random() % 400);
        if (random() % 20 == 0) {
          const std::string host = HostOfLatestPages(random());
          changes.DeleteLatestPages(host);
          EraseLatestPages(host, now.back());
        } else if (random() % 4 == 0) {
          changes.Delete(kTables[table], key);
          now[table].erase(key);
        } else {
          const std::string value = fmt::format("{} {}", step, std::string(random() % 60, 'x'));
          changes.Put(kTables[table], key, value);
          now[table][key] = value;
        }
      }
      ASSERT_TRUE(store->Apply(changes).has_value());
      if (random() % 40 == 0) {
        ASSERT_TRUE(store->Flush().has_value());
      }
      if (random() % 6 == 0) taken.push_back({store->MakeSnapshot(), now});
      if (taken.empty() || random() % 4 != 0) continue;
      const std::size_t which = random() % taken.size();
      const Taken& one = taken[which];
      for (std::size_t table = 0; table < kTables.size(); ++table) {
        ASSERT_EQ(ReadAll(*one.snapshot, kTables[table], 1 + random() % 100), one.rows[table])
            << "seed " << seed << ", step " << step;
        ASSERT_EQ(ReadAll(*one.snapshot, kTables[table], 1 + random() % 100, "bc"),
                  WithPrefix(one.rows[table], "bc"));
        for (int i = 0; i < 10; ++i) {
          const std::string key =
              random() % 3 == 0 ? KeyOfHosts(random()) : fmt::format("a{:03}", random() % 400);
          const auto expected = one.rows[table].find(key);
          const auto got = one.snapshot->Get(kTables[table], key);
          ASSERT_TRUE(got.has_value());
          ASSERT_EQ(*got, expected == one.rows[table].end() ? std::nullopt
                                                            : std::optional(expected->second));
        }
      }
      taken.erase(taken.begin() + static_cast<std::ptrdiff_t>(which));
    }
  }
}

TEST(StoreSnapshot, ShowsNoDocumentsThatCameLater) {
  const TemporaryDirectory directory;
  const auto store = Store::Open({.directory = directory.path()}).value();
  Rows now;
  const auto add = [&](int number) {
    Changes changes;
    changes.Put(Table::kDocuments, fmt::format("{:03}", number), std::to_string(number));
    now.emplace(fmt::format("{:03}", number), std::to_string(number));
    ASSERT_TRUE(store->Apply(changes).has_value());
  };
  std::vector<std::pair<std::unique_ptr<StoreSnapshot>, Rows>> taken;
  const auto take = [&] { taken.emplace_back(store->MakeSnapshot(), now); };
  // Before, amid and behind what comes to one file, and while it comes there.
  for (int number = 0; number < 60; number += 4) {
    take();
    for (int i = 0; i < 3; ++i) add(number + i);
    take();
    add(number + 3);
    ASSERT_TRUE(store->BeginFlush().has_value());
    take();
    ASSERT_TRUE(store->Flush().has_value());
    for (const auto& [snapshot, rows] : taken) {
      ASSERT_EQ(ReadAll(*snapshot, Table::kDocuments, 7), rows);
      for (const auto& [key, value] : now) {
        const auto expected = rows.find(key);
        ASSERT_EQ(snapshot->Get(Table::kDocuments, key).value(),
                  expected == rows.end() ? std::nullopt : std::optional(expected->second));
      }
    }
    if (number % 16 == 0) taken.clear();
  }
}

TEST(StoreSnapshot, StopsWhereItIsToldTo) {
  const TemporaryDirectory directory;
  const auto store = Store::Open({.directory = directory.path()}).value();
  Changes changes;
  for (const char* key : {"a", "b", "c", "d"}) changes.Put(Table::kUrls, key, key);
  ASSERT_TRUE(store->Apply(changes).has_value());
  const auto snapshot = store->MakeSnapshot();
  std::string seen;
  const auto visit = [&](std::string_view key, std::string_view) -> Result<bool> {
    seen += key;
    return key != "b";
  };
  EXPECT_EQ(snapshot->ForEach(Table::kUrls, {}, visit).value(), "b");
  EXPECT_EQ(snapshot->ForEach(Table::kUrls, {.after = "b"}, visit).value(), std::nullopt);
  EXPECT_EQ(seen, "abcd");
  EXPECT_EQ(snapshot->ForEach(Table::kUrls, {.after = "b", .most_rows = 0}, visit).value(), "b");
  const auto failed =
      snapshot->ForEach(Table::kUrls, {}, [](std::string_view, std::string_view) -> Result<bool> {
        return MakeError(ErrorCode::kInvalidInput, "enough");
      });
  ASSERT_FALSE(failed.has_value());
  EXPECT_EQ(failed.error().message, "enough");
}

TEST(StoreSnapshot, NeverSeesAPartOfAnApply) {
  const TemporaryDirectory directory;
  const auto store =
      Store::Open({.directory = directory.path(), .write_buffer_bytes = 200'000}).value();
  constexpr int kRows = 40;
  constexpr int kApplies = 1'500;
  const auto apply = [&](int round) {
    Changes changes;
    for (int i = 0; i < kRows; ++i) {
      for (const Table table : kTables) {
        changes.Put(table, fmt::format("{:02}", i), std::to_string(round));
      }
      // Others come and go, so that files are written.
      changes.Put(Table::kContent, fmt::format("{} {}", round % 500, i), "of others");
    }
    ASSERT_TRUE(store->Apply(changes).has_value());
  };
  apply(0);
  std::atomic<bool> is_done{false};
  std::atomic<int> looks{0};
  std::vector<std::jthread> readers;  // last: they end before what they use
  readers.reserve(3);
  for (int reader = 0; reader < 3; ++reader) {
    readers.emplace_back([&] {
      while (!is_done) {
        const auto snapshot = store->MakeSnapshot();
        const auto first = snapshot->Get(Table::kUrls, "00");
        ASSERT_TRUE(first.has_value() && first->has_value());
        for (const Table table : kTables) {
          const Rows rows = ReadAll(*snapshot, table, 7);
          ASSERT_EQ(rows.size(), static_cast<std::size_t>(kRows));
          for (const auto& [key, value] : rows) ASSERT_EQ(value, **first) << key;
        }
        ++looks;
      }
    });
  }
  for (int round = 1; round <= kApplies; ++round) apply(round);
  while (looks < 3 && !HasFailure()) std::this_thread::yield();
  is_done = true;
}

TEST(NotedRows, AreForgottenWhenTheyAreTooMany) {
  NotedRows noted(10'000);
  Changes coming;
  Changes later;
  coming.Put(Table::kUrls, "a", std::string(6'000, 'x'));
  coming.Put(Table::kUrls, "b", std::string(6'000, 'x'));
  later.Put(Table::kUrls, "a", "y");
  later.Delete(Table::kUrls, "new");
  noted.Note(coming, later);
  coming.PutAll(later);
  ASSERT_FALSE(noted.is_lost());
  EXPECT_EQ(noted.Find(Table::kUrls, "a")->value->size(), 6'000U);
  EXPECT_FALSE(noted.Find(Table::kUrls, "new")->is_among_changes);
  EXPECT_FALSE(noted.Find(Table::kUrls, "b").has_value());
  noted.Note(coming, later);
  EXPECT_EQ(noted.Find(Table::kUrls, "a")->value->size(), 6'000U) << "the first one counts";
  later.Put(Table::kUrls, "b", "y");
  noted.Note(coming, later);
  EXPECT_TRUE(noted.is_lost());
  EXPECT_FALSE(noted.Find(Table::kUrls, "a").has_value());
}

}  // namespace
}  // namespace crawlsieve
