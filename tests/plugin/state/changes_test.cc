#include "plugin/state/changes.h"

#include "plugin/state/latest_page_key.h"
#include "tests/plugin/state/keys_of_hosts.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

using testing::HostOfLatestPages;
using testing::KeyOfHosts;

/// What is known of rows: nullopt is a deletion.
using Model = std::map<std::string, std::optional<std::string>>;

RowMap::Value ValueOf(const std::optional<std::string>& row) {
  return row.has_value() ? RowMap::Value(*row) : RowMap::Value();
}

/// Keeps what it is told.
class Listener final : public ChangeListener {
 public:
  void BeforeChange(Table table, std::string_view key,
                    const std::optional<RowMap::Value>& before) override {
    EXPECT_EQ(table, Table::kHosts);
    std::optional<std::optional<std::string>> copy;
    if (before.has_value()) {
      copy.emplace();
      if (before->has_value()) copy->emplace(**before);
    }
    told_.emplace_back(key, std::move(copy));
  }

  [[nodiscard]] auto Take() { return std::exchange(told_, {}); }

 private:
  std::vector<std::pair<std::string, std::optional<std::optional<std::string>>>> told_;
};

TEST(Changes, FindTellsUnchangedDeletedAndPutApart) {
  Changes changes;
  EXPECT_TRUE(changes.empty());
  EXPECT_FALSE(changes.Find(Table::kUrls, "key").has_value());
  changes.Put(Table::kUrls, "key", "value");
  EXPECT_EQ(changes.Find(Table::kUrls, "key"), std::optional<std::string_view>("value"));
  EXPECT_FALSE(changes.Find(Table::kHosts, "key").has_value());
  changes.Delete(Table::kUrls, "key");
  ASSERT_TRUE(changes.Find(Table::kUrls, "key").has_value());
  EXPECT_FALSE(changes.Find(Table::kUrls, "key")->has_value());
  changes.Clear();
  EXPECT_TRUE(changes.empty());
}

TEST(Changes, AreThoseOfRowsOneByOne) {
  constexpr std::uint64_t kSeed = 20;
  std::mt19937_64 random(kSeed);
  Changes all;
  Changes later;
  Model model;
  Model model_of_later;
  Listener listener;
  later.SetListener(&listener);
  for (int round = 0; round < 600; ++round) {
    SCOPED_TRACE("seed " + std::to_string(kSeed) + ", round " + std::to_string(round));
    if (random() % 40 == 0) {
      all.Clear();
      model.clear();
    }
    for (auto i = random() % 12; i > 0; --i) {
      std::vector<std::string> changed{KeyOfHosts(random())};
      std::optional<std::string> value;
      switch (random() % 4) {
        case 0: {
          const std::string host = HostOfLatestPages(random());
          const KeysOfGroup keys(GroupOfHost(host));
          changed.assign(keys.all().begin(), keys.all().end());
          later.DeleteLatestPages(host);
          break;
        }
        case 1:
          later.Delete(Table::kHosts, changed[0]);
          break;
        default:
          value = std::string(random() % 30, 'x');
          later.Put(Table::kHosts, changed[0], *value);
      }
      const auto told = listener.Take();
      ASSERT_EQ(told.size(), changed.size());
      for (std::size_t k = 0; k < changed.size(); ++k) {
        EXPECT_EQ(told[k].first, changed[k]);
        const auto before = model_of_later.find(changed[k]);
        ASSERT_EQ(told[k].second.has_value(), before != model_of_later.end());
        if (told[k].second.has_value()) {
          EXPECT_EQ(*told[k].second, before->second);
        }
        model_of_later[changed[k]] = value;
      }
    }
    if (random() % 2 == 0) {
      all.PutAll(later);
      later.Clear();
      for (const auto& [key, value] : std::exchange(model_of_later, {})) model[key] = value;
    }
    for (const auto& [changes, rows] : {std::pair(&all, &model), {&later, &model_of_later}}) {
      ASSERT_EQ(changes->empty(), rows->empty());
      ASSERT_EQ(changes->bytes() > 0, !rows->empty());
      Model visited;
      changes->ForEach(Table::kHosts, [&](std::string_view key, const RowMap::Value& value) {
        EXPECT_TRUE(
            visited
                .emplace(key, value.has_value() ? std::optional(std::string(*value)) : std::nullopt)
                .second)
            << "twice";
      });
      ASSERT_EQ(visited, *rows);
      changes->ForEach(Table::kUrls, [](std::string_view, const RowMap::Value&) { FAIL(); });
      std::vector<std::string> keys;
      for (std::uint64_t number = 0; number < 120; ++number) keys.push_back(KeyOfHosts(number));
      const std::vector<std::string_view> views(keys.begin(), keys.end());
      const auto found = changes->FindAll(Table::kHosts, RowMap::Keys(views));
      for (std::size_t k = 0; k < keys.size(); ++k) {
        const auto row = rows->find(keys[k]);
        std::optional<RowMap::Value> expected;
        if (row != rows->end()) expected.emplace(ValueOf(row->second));
        ASSERT_EQ(found[k], expected);
        ASSERT_EQ(changes->Find(Table::kHosts, keys[k]), expected);
        ASSERT_EQ(changes->Find(Table::kUrls, keys[k]), std::nullopt);
      }
    }
  }
}

// No host has such a name, but an entry that somebody made up may say so. Its rows are no group.
TEST(Changes, DeleteLatestPagesOfANameWithAZeroByteOneByOne) {
  const std::string host("a\0b", 3);
  Changes changes;
  changes.Put(Table::kHosts, LatestPageKey(host, 1), "page");
  changes.DeleteLatestPages(host);
  EXPECT_TRUE(changes.latest_pages().empty());
  for (const std::uint32_t number : {1U, kMostLatestPages - 1}) {
    const auto page = changes.Find(Table::kHosts, LatestPageKey(host, number));
    ASSERT_TRUE(page.has_value());
    EXPECT_FALSE(page->has_value());
  }
}

}  // namespace
}  // namespace crawlsieve
