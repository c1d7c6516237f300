#include "tests/integration/service_fixture.h"
#include "tests/support/compress.h"
#include "tests/support/http_server.h"
#include "tests/support/warc_builder.h"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

namespace fs = std::filesystem;
using testing::AllComparable;
using testing::FetchedAt;
using testing::FreePort;
using testing::Gzip;
using ::testing::HasSubstr;
using testing::HttpPeer;
using testing::HttpRequest;
using testing::HttpServer;
using testing::kPatience;
using testing::Page;
using testing::RangeAnswer;
using testing::ReadCommitted;
using testing::Record;
using testing::RunningService;
using testing::ServiceTest;
using testing::Until;
using testing::Words;

/// Pages by reference, through a broker.
class ClaimsTest : public ServiceTest {
 protected:
  void SetUp() override {
    ServiceTest::SetUp();
    setup_.claims.directory = (directory_.path() / "warcs").string();
    setup_.processor.takes_claims = true;
    setup_.extract_stage.threads = 4;
    setup_.http.enabled = true;
    setup_.http.port = FreePort();
  }

  /// Adds a page to the file in memory and remembers its reference and its record.
  void AddPage(int number) {
    testing::WarcRecord record;
    record.uri = "http://stored.example/" + std::to_string(number);
    record.date = FetchedAt();
    record.block = testing::HttpMessage(
        "Content-Type: text/html\r\n",
        "<p>" + Words(120 + number % 3, "w" + std::to_string(number % 23) + "x"));
    const std::string warc = testing::WriteWarc(record);
    const nlohmann::json reference = {
        {"url", record.uri}, {"body_ref", {{"uri", "x.warc.gz"}, {"offset", file_.size()}}}};
    references_.push_back(Record(std::nullopt, reference.dump()));
    scanned_.push_back(Record(std::nullopt, warc));
    scanned_.back().format = FormatKind::kWarc;
    file_ += Gzip(warc);
    ends_.push_back(file_.size());
  }

  void WriteFile(const std::string& name, std::size_t size) const {
    fs::create_directory(setup_.claims.directory);
    const fs::path path = fs::path(setup_.claims.directory) / name;
    std::ofstream(path.string() + ".new", std::ios::binary) << file_.substr(0, size);
    fs::rename(path.string() + ".new", path);
  }

  /// Status and body of /readyz.
  [[nodiscard]] std::string Ready() const {
    httplib::Client client("127.0.0.1", setup_.http.port);
    const auto answer = client.Get("/readyz");
    return answer ? std::to_string(answer->status) + " " + answer->body : "no answer";
  }

  [[nodiscard]] bool IsReady() const { return Ready().substr(0, 3) == "200"; }

  std::string file_;
  std::vector<std::size_t> ends_;
  std::vector<FileRecord> references_;
  std::vector<FileRecord> scanned_;
};

TEST_F(ClaimsTest, APartitionWaitsForItsStoreWhileTheOthersGoOn) {
  const std::string referring = input_;
  const std::string complete = input_ + ".complete";
  setup_.kafka.input_topics = {referring, complete};
  testing::MakeTopic(setup_.kafka, complete);
  for (int i = 0; i < 50; ++i) AddPage(i);
  std::vector<FileRecord> inside;
  for (int i = 0; i < 50; ++i) inside.push_back(Page(i));
  Feed(references_);
  RunningService service(setup_);
  EXPECT_TRUE(Until([&] { return Ready().find("wait for a store") != std::string::npos; },
                    [] { std::this_thread::yield(); }))
      << Ready();
  EXPECT_THAT(Ready(), ::testing::StartsWith("503"));

  input_ = complete;
  Feed(inside);
  WaitUntilDone();
  EXPECT_THAT(Ready(), ::testing::StartsWith("503"));
  input_ = referring;
  WriteFile("x.warc.gz", file_.size());
  WaitUntilDone();
  EXPECT_TRUE(Until([&] { return IsReady(); }, [] { std::this_thread::yield(); })) << Ready();
  const Status ended = service.Stop();
  EXPECT_TRUE(ended.has_value()) << ended.error().message;

  std::vector<FileRecord> all = inside;
  all.insert(all.end(), scanned_.begin(), scanned_.end());
  EXPECT_EQ(AllComparable(Verdicts()), Scanned(all));
  const auto metrics = ReadCommitted(setup_.kafka, setup_.metrics.topic);
  const auto total = nlohmann::json::parse(metrics.back())["counters"]["total"];
  EXPECT_EQ(total["body_waits"], 1);
  EXPECT_EQ(total["bodies_not_had"], 0);
  EXPECT_EQ(total["consumed"], 100);
  EXPECT_EQ(total["lost"], 0);
}

TEST_F(ClaimsTest, APartitionWaitsForAServerThatRefusesAndLosesNothing) {
  for (int i = 0; i < 50; ++i) AddPage(i);
  HttpServer server([](const HttpRequest&, HttpPeer& peer) {
    return peer.Send("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n");
  });
  setup_.claims.directory.clear();
  setup_.claims.url = server.url();
  setup_.claims.allow_private_addresses = true;
  for (FileRecord& record : references_) {
    auto page = nlohmann::json::parse(*record.record.value);
    page["body_ref"]["uri"] = server.url() + "x.warc.gz?X-Amz-Signature=secret";
    record.record.value = page.dump();
  }
  Feed(references_);
  RunningService service(setup_);
  const auto waits = [&] { return Ready().find("wait for a store") != std::string::npos; };
  EXPECT_TRUE(Until(waits, [] { std::this_thread::yield(); })) << Ready();
  const std::string ready = Ready();
  EXPECT_THAT(ready, ::testing::StartsWith("503"));
  EXPECT_THAT(ready, ::testing::Not(HasSubstr("secret")));

  // Every third answer is right.
  std::atomic<int> number = 0;
  server.SetAnswer([&](const HttpRequest& request, HttpPeer& peer) {
    const std::string right = RangeAnswer(request, file_);
    switch (number++ % 3) {
      case 0:
        peer.Send(std::string_view(right).substr(0, right.size() - 20));
        return false;
      case 1:
        return false;
      default:
        return peer.Send(right);
    }
  });
  WaitUntilDone();
  EXPECT_TRUE(Until([&] { return IsReady(); }, [] { std::this_thread::yield(); })) << Ready();
  const Status ended = service.Stop();
  EXPECT_TRUE(ended.has_value()) << ended.error().message;
  EXPECT_EQ(AllComparable(Verdicts()), Scanned(scanned_));
  for (const std::string& topic :
       {setup_.kafka.verdict_topic, setup_.kafka.log_topic, setup_.metrics.topic}) {
    for (const std::string& record : ReadCommitted(setup_.kafka, topic)) {
      EXPECT_EQ(record.find("secret"), std::string::npos) << topic;
    }
  }
}

TEST_F(ClaimsTest, PagesOfAFileThatGrowsAreJudgedAsTheyCome) {
  for (int i = 0; i < 60; ++i) AddPage(i);
  Feed(references_);
  WriteFile("x.warc.gz.open", ends_[9] + 20);
  RunningService service(setup_);
  for (const std::size_t pages : {25U, 40U}) {
    WriteFile("x.warc.gz.open", ends_[pages] + 20);
  }
  WriteFile("x.warc.gz", file_.size());
  WaitUntilDone();
  EXPECT_TRUE(IsReady()) << Ready();
  const Status ended = service.Stop();
  EXPECT_TRUE(ended.has_value()) << ended.error().message;
  EXPECT_EQ(AllComparable(Verdicts()), Scanned(scanned_));
}

TEST_F(ClaimsTest, ARestartWhileAPartitionWaitsLosesNothing) {
  for (int i = 0; i < 60; ++i) AddPage(i);
  Feed(references_);
  WriteFile("x.warc.gz", ends_[29] + 20);
  for (int i = 0; i < 3; ++i) {
    RunningService service(setup_);
    EXPECT_TRUE(
        Until([&] { return Ready().substr(0, 3) == "200"; }, [] { std::this_thread::yield(); }));
    const Status ended = service.Stop();
    EXPECT_TRUE(ended.has_value()) << ended.error().message;
  }
  WriteFile("x.warc.gz", file_.size());
  RunUntilDone();
  EXPECT_EQ(AllComparable(Verdicts()), Scanned(scanned_));
}

TEST_F(ClaimsTest, WhatIsMissingOrDamagedIsNotEvaluatedAndHoldsUpNothing) {
  for (int i = 0; i < 20; ++i) AddPage(i);
  file_[ends_[4] + 40] = static_cast<char>(file_[ends_[4] + 40] ^ 0x20);
  setup_.claims.growing = std::chrono::milliseconds(0);
  WriteFile("x.warc.gz", ends_[17]);
  Feed(references_);
  RunUntilDone();
  const auto verdicts = AllComparable(Verdicts());
  ASSERT_EQ(verdicts.size(), 20U);
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    const std::string expected = i == 5 ? "body_damaged" : i > 17 ? "body_not_found" : "";
    const auto& detail = verdicts[i].at("detail");
    EXPECT_EQ(detail.is_string() ? detail.get<std::string>() : "", expected) << i;
    EXPECT_EQ(verdicts[i].at("verdict") == "keep" || expected.empty(), true) << i;
  }
}

}  // namespace
}  // namespace crawlsieve::consumer
