#pragma once

#include "consumer/kafka/admin.h"
#include "consumer/kafka/consumer.h"
#include "consumer/kafka/producer.h"
#include "consumer/service/options.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve::testing {

/// No wait of a test is longer; none that succeeds is nearly as long.
inline constexpr std::chrono::milliseconds kPatience{90'000};

/// Calls `step` until `done` is true or the patience ends; whether it came true.
template <typename Done, typename Step>
[[nodiscard]] bool Until(Done done, Step step) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!done()) {
    if (std::chrono::steady_clock::now() >= deadline) {
      return false;
    }
    step();
  }
  return true;
}

inline void MakeTopic(const consumer::KafkaOptions& options, const std::string& topic,
                      int partitions = 1) {
  const auto admin = consumer::Admin::Make(options, {});
  ASSERT_TRUE(admin.has_value()) << admin.error().message;
  const auto created = (*admin)->CreateTopic({topic, partitions, 1, {}}, kPatience);
  ASSERT_TRUE(created.has_value()) << created.error().message;
}

/// A producer of any recipe that remembers its reports.
class TestProducer {
 public:
  TestProducer(const consumer::ClientRecipe& recipe, const consumer::KafkaOptions& options) {
    auto made = consumer::Producer::Make(
        recipe, options, {}, [this](const consumer::DeliveryReport& report) {
          reports.push_back({report.token, report.partition, report.offset, report.error});
        });
    EXPECT_TRUE(made.has_value()) << made.error().message;
    producer_ = *std::move(made);
  }

  consumer::Producer* operator->() { return producer_.get(); }

  struct Report {
    std::uint64_t token;
    std::int32_t partition;
    std::int64_t offset;
    std::optional<BrokerError> error;
  };
  std::vector<Report> reports;

 private:
  std::unique_ptr<consumer::Producer> producer_;
};

/// Everything in a partition that a read_committed reader sees, up to its end.
inline std::vector<std::string> ReadCommitted(const consumer::KafkaOptions& options,
                                              const std::string& topic,
                                              std::int32_t partition = 0) {
  std::vector<std::string> values;
  const auto reader = consumer::Consumer::Make(consumer::JudgeConsumer(options), options, {});
  EXPECT_TRUE(reader.has_value());
  const consumer::TopicPartition source{topic, partition};
  const auto ends = (*reader)->QueryWatermarks(source, kPatience);
  EXPECT_TRUE(ends.has_value()) << ends.error().message;
  EXPECT_TRUE((*reader)->Assign({{source, consumer::kOffsetBeginning}}).has_value());
  // A marker of a transaction is the last thing in the partition and never delivered: what ends
  // the reading is a record of our own behind it.
  const auto end_record = consumer::Producer::Make(consumer::IdempotentProducer(options), options,
                                                   {}, [](const consumer::DeliveryReport& report) {
                                                     EXPECT_FALSE(report.error.has_value())
                                                         << report.error->message;
                                                   });
  EXPECT_TRUE(end_record.has_value());
  consumer::RecordView end;
  end.topic = topic;
  end.partition = partition;
  end.key = "end of test";
  EXPECT_TRUE((*end_record)->Produce(end, 0).has_value());
  EXPECT_TRUE((*end_record)->Flush(kPatience).has_value());
  bool at_end = false;
  EXPECT_TRUE(Until([&] { return at_end; },
                    [&] {
                      auto record = (*reader)->Poll(std::chrono::milliseconds(100));
                      ASSERT_TRUE(record.has_value()) << record.error().message;
                      if (!record->has_value()) {
                        return;
                      }
                      if ((*record)->key() == "end of test") {
                        at_end = (*record)->offset() >= ends->high;
                      } else {
                        values.emplace_back((*record)->value().value_or("(null)"));
                      }
                    }));
  return values;
}

}  // namespace crawlsieve::testing
