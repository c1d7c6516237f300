#include "consumer/output/kept_record.h"
#include "tests/integration/service_fixture.h"

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

using testing::kMixedVerdicts;
using testing::kPatience;
using testing::MakeTopic;
using testing::MixedRecords;
using testing::Page;
using testing::ReadCommitted;
using testing::Record;
using testing::RunningService;
using testing::ServiceProcess;
using testing::UniqueName;
using testing::Until;
using testing::Words;

/// A record of the topic of kept pages, without what is added to it.
struct Kept {
  std::optional<std::string> key;
  std::optional<std::string> value;
  std::vector<std::pair<std::string, std::optional<std::string>>> headers;

  friend bool operator==(const Kept&, const Kept&) = default;
};

struct KeptWithPlace {
  Kept record;
  std::map<std::string, std::string> added;
};

/// Where a verdict, or a record of the topic of kept pages, says that its page was.
using Place = std::pair<int, std::int64_t>;

class KeptPagesTest : public testing::ServiceTest {
 protected:
  void SetUp() override {
    ServiceTest::SetUp();
    setup_.kafka.kept_topic = UniqueName("kept");
  }

  void UseInputOf(int partitions) {
    input_ = UniqueName("pages");
    setup_.kafka.input_topics = {input_};
    MakeTopic(setup_.kafka, input_, partitions);
  }

  /// Runs until all partitions of the input are judged.
  void RunUntilJudged(int partitions) {
    RunningService service(setup_);
    WaitForGroup("extract", input_, partitions);
    WaitForGroup("judge", setup_.kafka.log_topic);
    const Status ended = service.Stop();
    EXPECT_TRUE(ended.has_value()) << ended.error().message;
  }

  [[nodiscard]] ServiceSetup With(Role role) const {
    ServiceSetup setup = setup_;
    setup.service.roles = {role};
    return setup;
  }

  /// Everything fed so far goes into the log, and nothing is judged.
  void ExtractAll() {
    {
      // Makes the log and writes its first entry.
      RunningService judging(With(Role::kJudge));
      WaitForParameters(1);
      EXPECT_TRUE(judging.Stop().has_value());
    }
    RunningService extracting(With(Role::kExtract));
    WaitForGroup("extract", input_);
    EXPECT_TRUE(extracting.Stop().has_value());
  }

  std::vector<KeptWithPlace> ReadKept() {
    constexpr std::size_t kAdded = 7;
    std::vector<KeptWithPlace> all;
    // For the end of the topic, which has one partition.
    const std::size_t count = ReadCommitted(setup_.kafka, setup_.kafka.kept_topic).size();
    auto consumer = Consumer::Make(JudgeConsumer(setup_.kafka), setup_.kafka, {});
    const TopicPartition kept{setup_.kafka.kept_topic, 0};
    EXPECT_TRUE((*consumer)->Assign({{kept, kOffsetBeginning}}).has_value());
    EXPECT_TRUE(Until([&] { return all.size() == count; },
                      [&] {
                        auto polled = (*consumer)->Poll(std::chrono::milliseconds(100));
                        ASSERT_TRUE(polled.has_value()) << polled.error().message;
                        if (!polled->has_value() || (*polled)->key() == "end of test") return;
                        KeptWithPlace got;
                        got.record.key = (*polled)->key();
                        got.record.value = (*polled)->value();
                        const auto headers = (*polled)->headers();
                        ASSERT_GE(headers.size(), kAdded);
                        for (std::size_t i = 0; i < headers.size(); ++i) {
                          std::string name(headers[i].name);
                          if (i < headers.size() - kAdded) {
                            got.record.headers.emplace_back(std::move(name), headers[i].value);
                          } else {
                            got.added[std::move(name)] = headers[i].value.value_or("");
                          }
                        }
                        EXPECT_EQ(headers.back().name, kKeptHeader);
                        all.push_back(std::move(got));
                      }));
    return all;
  }

  static Place PlaceOf(const KeptWithPlace& kept) {
    return {std::stoi(kept.added.at("crawlsieve-source-partition")),
            std::stoll(kept.added.at("crawlsieve-source-offset"))};
  }

  /// The places of verdicts that say keep, in their order.
  std::vector<Place> KeptPlaces() {
    std::vector<Place> places;
    for (const std::string& text : Verdicts()) {
      const auto verdict = nlohmann::json::parse(text);
      if (verdict["verdict"] != "keep") continue;
      places.emplace_back(verdict["source"]["partition"].get<int>(),
                          verdict["source"]["offset"].get<std::int64_t>());
    }
    return places;
  }

  /// What Feed put at each place of `partitions`.
  static std::map<Place, Kept> Fed(const std::vector<FileRecord>& records, int partitions) {
    std::map<Place, Kept> fed;
    for (std::size_t i = 0; i < records.size(); ++i) {
      const InputRecord& input = records[i].record;
      Kept kept{input.key, input.value, {}};
      for (const Header& header : input.headers) {
        kept.headers.emplace_back(header.name, header.value);
      }
      const auto count = static_cast<std::size_t>(partitions);
      fed[{static_cast<int>(i % count), static_cast<std::int64_t>(i / count)}] = std::move(kept);
    }
    return fed;
  }

  /// Exactly the records of the verdicts that say keep, in their order, unchanged.
  void ExpectExactlyTheKept(const std::vector<FileRecord>& records, int partitions) {
    const auto places = KeptPlaces();
    const auto kept = ReadKept();
    const auto fed = Fed(records, partitions);
    std::vector<Place> got;
    for (const KeptWithPlace& one : kept) {
      got.push_back(PlaceOf(one));
      EXPECT_EQ(one.added.at(std::string(kKeptHeader)), kKeptRecord);
      EXPECT_EQ(one.added.at("crawlsieve-source-topic"), input_);
      EXPECT_EQ(one.record, fed.at(got.back()))
          << "partition " << got.back().first << ", offset " << got.back().second;
    }
    EXPECT_EQ(got, places);
  }
};

/// Mixed pages, some with keys and headers that a copy might change.
std::vector<FileRecord> OddRecords() {
  auto records = MixedRecords();
  for (std::size_t i = 0; i < records.size(); ++i) {
    InputRecord& record = records[i].record;
    if (i % 3 == 0 && record.value.has_value()) record.key = std::string("k\0\xff", 3);
    if (i % 4 == 0) record.headers.push_back({"binary", std::string("\0\xfe\n", 3)});
    if (i % 4 == 1) record.headers.push_back({"", ""});
    // As if a crawler wanted its page to be taken for a marker.
    if (i % 5 == 0) record.headers.push_back({std::string(kKeptHeader), "expired"});
    if (i % 7 == 0) record.headers.push_back({"twice", "1"});
    if (i % 7 == 0) record.headers.push_back({"twice", "2"});
  }
  return records;
}

TEST_F(KeptPagesTest, AreTheRecordsOfVerdictsThatSayKeepByteForByte) {
  const auto records = OddRecords();
  Feed(records);
  RunUntilDone();
  EXPECT_GT(KeptPlaces().size(), 20U);
  EXPECT_LT(KeptPlaces().size(), kMixedVerdicts);
  ExpectExactlyTheKept(records, 1);
}

TEST_F(KeptPagesTest, OfManyPartitionsComeInTheOrderOfTheirVerdicts) {
  constexpr int kPartitions = 7;
  UseInputOf(kPartitions);
  const auto records = OddRecords();
  Feed(records, kPartitions);
  RunUntilJudged(kPartitions);
  ExpectExactlyTheKept(records, kPartitions);
}

TEST_F(KeptPagesTest, AreWrittenWithAtLeastOnceToo) {
  setup_.kafka.delivery = Delivery::kAtLeastOnce;
  const auto records = OddRecords();
  Feed(records);
  RunUntilDone();
  ExpectExactlyTheKept(records, 1);
}

TEST_F(KeptPagesTest, ARefoldPublishesNone) {
  const auto records = OddRecords();
  Feed(records);
  RunUntilDone();
  std::filesystem::remove_all(setup_.service.state_directory);
  RunUntilDone();
  ExpectExactlyTheKept(records, 1);
}

TEST_F(KeptPagesTest, ThatRetentionTookAreMarkersAndNoVerdictWaits) {
  const auto records = OddRecords();
  Feed(records);
  ExtractAll();
  const auto admin = Admin::Make(setup_.kafka, {});
  ASSERT_TRUE(admin.has_value());
  constexpr std::int64_t kDeletedBefore = 60;
  ASSERT_TRUE((*admin)->DeleteRecords(input_, 0, kDeletedBefore, kPatience).has_value());
  RunUntilDone();

  EXPECT_EQ(Verdicts().size(), kMixedVerdicts);
  const auto places = KeptPlaces();
  const auto kept = ReadKept();
  const auto fed = Fed(records, 1);
  ASSERT_EQ(kept.size(), places.size());
  int markers = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    EXPECT_EQ(PlaceOf(kept[i]), places[i]);
    const bool is_marker = places[i].second < kDeletedBefore;
    const std::string& kind = kept[i].added.at(std::string(kKeptHeader));
    if (is_marker) {
      ++markers;
      EXPECT_EQ(kind, kKeptExpired);
      EXPECT_EQ(kept[i].record.value, "") << "not null, which would delete a page";
      EXPECT_TRUE(kept[i].record.headers.empty());
      EXPECT_TRUE(kept[i].record.key.has_value());
    } else {
      EXPECT_EQ(kind, kKeptRecord);
      EXPECT_EQ(kept[i].record, fed.at(places[i]));
    }
  }
  EXPECT_GT(markers, 0);
}

TEST_F(KeptPagesTest, OfAnInputTopicThatWasMadeAnewAreMarkers) {
  std::vector<FileRecord> records;
  for (int i = 0; i < 8; ++i) records.push_back(Page(i));
  Feed(records);
  ExtractAll();
  const auto admin = Admin::Make(setup_.kafka, {});
  ASSERT_TRUE(admin.has_value());
  ASSERT_TRUE((*admin)->DeleteTopic(input_, kPatience).has_value());
  MakeTopic(setup_.kafka, input_);
  std::vector<FileRecord> others;
  for (int i = 100; i < 104; ++i) others.push_back(Page(i));
  Feed(others);
  {
    RunningService judging(With(Role::kJudge));
    WaitForGroup("judge", setup_.kafka.log_topic);
    EXPECT_TRUE(judging.Stop().has_value());
  }
  const auto kept = ReadKept();
  EXPECT_EQ(kept.size(), records.size()) << "all of them are kept";
  for (const KeptWithPlace& one : kept) {
    const auto offset = static_cast<std::size_t>(PlaceOf(one).second);
    EXPECT_EQ(one.added.at(std::string(kKeptHeader)),
              offset < others.size() ? kKeptOther : kKeptLost);
  }
}

TEST_F(KeptPagesTest, ThatTheTopicDoesNotTakeAreMarkers) {
  const auto admin = Admin::Make(setup_.kafka, {});
  ASSERT_TRUE(admin.has_value());
  constexpr int kTopicBytes = 1 << 20;
  ASSERT_TRUE(
      (*admin)
          ->CreateTopic(
              {setup_.kafka.kept_topic, 1, 1, {{"max.message.bytes", std::to_string(kTopicBytes)}}},
              kPatience)
          .has_value());
  constexpr std::size_t kLargeBytes = 2'000'000;
  std::mt19937 random(1);
  std::string noise(kLargeBytes, ' ');
  for (char& byte : noise) byte = static_cast<char>('a' + random() % 26);
  const auto large = nlohmann::json{{"url", "http://large.example/"},
                                    {"content_type", "text/html"},
                                    {"body", "<p>" + Words(200, "big") + "<!--" + noise + "-->"}};
  input_ = UniqueName("pages");
  setup_.kafka.input_topics = {input_};
  ASSERT_TRUE(
      (*admin)
          ->CreateTopic({input_, 1, 1, {{"max.message.bytes", std::to_string(4 << 20)}}}, kPatience)
          .has_value());
  const std::vector<FileRecord> records = {Page(0), Record("large", large.dump()), Page(1)};
  Feed(records);
  RunUntilDone();
  const auto kept = ReadKept();
  ASSERT_EQ(kept.size(), 3U);
  EXPECT_EQ(kept[0].added.at(std::string(kKeptHeader)), kKeptRecord);
  EXPECT_EQ(kept[1].added.at(std::string(kKeptHeader)), kKeptTooLarge);
  EXPECT_EQ(kept[1].record.key, "large");
  EXPECT_EQ(kept[2].added.at(std::string(kKeptHeader)), kKeptRecord);
}

TEST_F(KeptPagesTest, AfterTwentyKillsAreExactlyThoseThatAreKept) {
  constexpr int kPages = 1'260;
  std::vector<FileRecord> records;
  for (int i = 0; i < kPages; ++i) {
    // Every second one repeats the one before it on another host.
    records.push_back(
        Record("key" + std::to_string(i),
               nlohmann::json{
                   {"url", "http://host" + std::to_string(i % 7) + ".example/" + std::to_string(i)},
                   {"content_type", "text/html"},
                   {"body", "<p>" + Words(60, "w" + std::to_string(i - i % 2) + "x")}}
                   .dump()));
  }
  const std::string config =
      WriteConfig("config", {{"kafka", {{"kept", {{"topic", setup_.kafka.kept_topic}}}}}});
  auto reader = Consumer::Make(JudgeConsumer(setup_.kafka), setup_.kafka, {});
  ASSERT_TRUE(reader.has_value());
  const TopicPartition verdicts{setup_.kafka.verdict_topic, 0};
  const auto end_of_verdicts = [&]() -> std::int64_t {
    const auto ends = (*reader)->QueryWatermarks(verdicts, kPatience);
    return ends.has_value() ? ends->high : 0;
  };
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  constexpr int kKills = 20;
  constexpr int kPiece = kPages / (kKills + 1);
  for (int kill = 0; kill <= kKills; ++kill) {
    const auto begin = records.begin() + kill * kPiece;
    Feed({begin, begin + kPiece});
    ServiceProcess service(config);
    if (kill == kKills) {
      WaitUntilDone();
      const int status = service.End(SIGTERM);
      EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
      break;
    }
    // Somewhere among the verdicts of this piece: transactions have ten entries.
    const std::int64_t kill_at =
        kill == 0 ? 1 : end_of_verdicts() + 1 + static_cast<std::int64_t>(random() % (kPiece / 2));
    EXPECT_TRUE(
        Until([&] { return end_of_verdicts() >= kill_at; }, [] { std::this_thread::yield(); }));
    (void)service.End(SIGKILL);
  }
  EXPECT_GT(KeptPlaces().size(), static_cast<std::size_t>(kPages / 10));
  ExpectExactlyTheKept(records, 1);
}

}  // namespace
}  // namespace crawlsieve::consumer
