#include "tests/integration/service_fixture.h"

#include <map>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

using testing::Page;
using testing::Record;
using testing::ServiceProcess;
using testing::Until;

using CrashTest = testing::ServiceTest;

TEST_F(CrashTest, APageThatKillsTheProcessIsJudgedAfterOneRestartAndTheOthersGoOn) {
  std::vector<FileRecord> records;
  for (int i = 0; i < 40; ++i) records.push_back(Page(i));
  const std::string deadly =
      R"({"url":"http://deadly.example/","body":"<p>crawlsieve-planted-crash"})";
  records.insert(records.begin() + 20, Record(std::nullopt, deadly));
  Feed(records);
  const std::string config = WriteConfig("config", {{"extract", {{"threads", "2"}}}});

  // As a supervisor would: started again whenever it dies, until everything is judged.
  int deaths = 0;
  for (bool is_done = false; !is_done;) {
    ServiceProcess service(config, CRAWLSIEVE_PLANTED_PROGRAM);
    int status = 0;
    ASSERT_TRUE(Until([&] { return !service.IsRunning(status) || (is_done = IsDone()); },
                      [] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }));
    if (is_done) {
      EXPECT_EQ(service.End(SIGTERM), 0);
    } else {
      ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT) << status;
      ASSERT_LE(++deaths, 2);
    }
  }
  EXPECT_EQ(deaths, 1);

  std::map<std::int64_t, nlohmann::json> by_offset;
  for (const std::string& text : Verdicts()) {
    auto verdict = nlohmann::json::parse(text);
    const auto offset = verdict["source"]["offset"].get<std::int64_t>();
    EXPECT_TRUE(by_offset.emplace(offset, std::move(verdict)).second) << offset << " twice";
  }
  ASSERT_EQ(by_offset.size(), records.size());
  const nlohmann::json& verdict = by_offset.at(20);
  EXPECT_EQ(verdict["url"], "http://deadly.example/");
  EXPECT_EQ(verdict["verdict"], "keep");
  EXPECT_EQ(verdict["reason"], "not_evaluated");
  EXPECT_EQ(verdict["detail"], "crashed");
  for (const auto& [offset, other] : by_offset) {
    if (offset != 20) {
      EXPECT_NE(other["reason"], "not_evaluated") << other;
    }
  }
}

}  // namespace
}  // namespace crawlsieve::consumer
