#pragma once

#include "consumer/service/options.h"
#include "plugin/base/result.h"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace crawlsieve::testing {

/// A real Kafka broker in a temporary folder, run by script/broker. It ends with this object, or
/// with this process if that dies first.
class KafkaBroker {
 public:
  /// Takes a few seconds; the first time on a machine also as long as the download of Kafka.
  [[nodiscard]] static Result<std::unique_ptr<KafkaBroker>> Start();
  ~KafkaBroker();

  KafkaBroker(const KafkaBroker&) = delete;
  KafkaBroker& operator=(const KafkaBroker&) = delete;

  /// host:port; the same after StartAgain.
  [[nodiscard]] const std::string& bootstrap() const { return bootstrap_; }

  /// As an operator would, by SIGTERM.
  [[nodiscard]] Status Stop();
  /// As a crash would, by SIGKILL.
  [[nodiscard]] Status Kill();
  /// After Stop or Kill, with the data that it left.
  [[nodiscard]] Status StartAgain();

 private:
  explicit KafkaBroker(std::filesystem::path directory) : directory_(std::move(directory)) {}

  std::filesystem::path directory_;
  std::string bootstrap_;
};

/// A name that no other test of this machine has: "pages-1a2b3c4d-7".
[[nodiscard]] std::string UniqueName(std::string_view prefix);

/// Test with the one broker of this program, which starts with its first test. Without a broker
/// the test fails: what it promises can't be seen otherwise.
class BrokerTest : public ::testing::Test {
 protected:
  void SetUp() override;

  /// Topics and group of this test alone, at the shared broker.
  [[nodiscard]] static consumer::KafkaOptions Options();
  [[nodiscard]] static KafkaBroker& broker();
};

}  // namespace crawlsieve::testing
