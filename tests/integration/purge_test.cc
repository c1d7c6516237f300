// Pages that are purged through the brokers, with the command that operators use.
#include "consumer/service/brokers/send_purge.h"
#include "plugin/judge/state_hash.h"
#include "tests/integration/service_fixture.h"

#include <array>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>

namespace crawlsieve::testing {
namespace {

class PurgeTest : public ServiceTest {
 protected:
  /// Runs `crawlsieve purge`; its exit code.
  static int Purge(const std::string& arguments) {
    std::FILE* const pipe =
        popen(fmt::format("{} purge {} 2>/dev/null", CRAWLSIEVE_PROGRAM, arguments).c_str(), "r");
    if (pipe == nullptr) return -1;
    std::array<char, 4096> buffer{};
    while (std::fread(buffer.data(), 1, buffer.size(), pipe) > 0) {
    }
    const int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  /// How many of the verdicts from the one at `begin` on have which reason.
  std::map<std::string, int> ReasonsFrom(std::size_t begin) {
    std::map<std::string, int> reasons;
    const auto verdicts = Verdicts();
    for (std::size_t i = begin; i < verdicts.size(); ++i) {
      ++reasons[nlohmann::json::parse(verdicts[i])["reason"].get<std::string>()];
    }
    return reasons;
  }
};

TEST_F(PurgeTest, ALogWithoutEntriesIsSentNothing) {
  MakeTopic(setup_.kafka, setup_.kafka.log_topic);
  log::Purge purge;
  purge.set_url("http://host0.example/");
  const Status sent = consumer::SendPurge(setup_.kafka, purge);
  ASSERT_FALSE(sent.has_value());
  EXPECT_EQ(sent.error().code, ErrorCode::kMismatch);
  EXPECT_TRUE(ReadCommitted(setup_.kafka, setup_.kafka.log_topic).empty());
}

TEST_F(PurgeTest, AHostIsForgottenOnceThroughAKillAndARefoldAgrees) {
  // Each URL has a text of its own.
  std::vector<FileRecord> records;
  for (int i = 0; i < 40; ++i) {
    records.push_back(Record(
        std::nullopt, nlohmann::json{{"url", fmt::format("http://host{}.example/{}", i % 2, i)},
                                     {"content_type", "text/html"},
                                     {"body", "<p>" + Words(120, "w" + std::to_string(i) + "x")}}
                          .dump()));
  }
  const std::string config = WriteConfig(
      "config", {{"judge", {{"retention", {{"sweep_entries", 7}, {"sweep_rows", 3}}}}}});
  {
    ServiceProcess service(config);
    Feed(records);
    WaitUntilDone();
    EXPECT_EQ(ReasonsFrom(0), (std::map<std::string, int>{{"unique", 40}}));
    ASSERT_EQ(Purge("host HOST1.example --id once --config " + config), 0);
    WaitUntilDone();
    service.End(SIGKILL);
  }
  // Sent again it does nothing.
  ASSERT_EQ(Purge("host host1.example --id once --config " + config), 0);
  ServiceProcess service(config);
  Feed(records);
  WaitUntilDone();
  EXPECT_EQ(ReasonsFrom(40), (std::map<std::string, int>{{"unique", 20}, {"unchanged", 20}}));
  ASSERT_EQ(Purge("host host1.example --id once --config " + config), 0);
  Feed(records);
  WaitUntilDone();
  EXPECT_EQ(ReasonsFrom(80), (std::map<std::string, int>{{"unchanged", 40}}));
  EXPECT_EQ(service.End(SIGTERM), 0);

  // The state that was killed and the one of a fold of the whole log.
  TemporaryDirectory directory;
  const auto scratch = std::move(*Store::Open({.directory = directory.path()}));
  const auto fold =
      std::move(*Detector::Open(*scratch, MakeIndex, consumer::SchemeOf(setup_.processor)));
  std::int64_t offset = -1;
  int purges = 0;
  const auto kept = std::move(*Store::Open({.directory = setup_.service.state_directory}));
  const auto judge =
      std::move(*Detector::Open(*kept, MakeIndex, consumer::SchemeOf(setup_.processor)));
  for (const std::string& bytes : ReadCommitted(setup_.kafka, setup_.kafka.log_topic)) {
    log::Entry entry;
    ASSERT_TRUE(entry.ParseFromString(bytes));
    const auto folded = fold->Fold(entry);
    ASSERT_TRUE(folded.has_value());
    purges += folded->outcome == FoldOutcome::kPurge ? 1 : 0;
    ++offset;
  }
  EXPECT_EQ(purges, 1);
  ASSERT_EQ(judge->position().offset, offset);
  ASSERT_TRUE(fold->Commit(judge->position()).has_value());
  EXPECT_EQ(Hex(StateHash(*kept).value()), Hex(StateHash(*scratch).value()));
}

}  // namespace
}  // namespace crawlsieve::testing
