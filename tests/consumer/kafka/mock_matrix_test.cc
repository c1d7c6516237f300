#include "consumer/kafka/producer.h"
#include "tests/support/mock_cluster.h"

#include <array>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <librdkafka/rdkafka.h>

namespace crawlsieve::consumer {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using testing::MockCluster;
using testing::Request;

constexpr char kTopic[] = "verdicts";
// transaction.timeout.ms of the recipe is 15 s; every call is bounded by it.
constexpr milliseconds kLongest{40'000};
constexpr int kDelayMs = 2'000;

struct Named {
  Request request;
  const char* name;
};
constexpr std::array<Named, 6> kRequests{{{Request::kInitProducerId, "InitProducerId"},
                                          {Request::kAddPartitionsToTxn, "AddPartitionsToTxn"},
                                          {Request::kProduce, "Produce"},
                                          {Request::kAddOffsetsToTxn, "AddOffsetsToTxn"},
                                          {Request::kTxnOffsetCommit, "TxnOffsetCommit"},
                                          {Request::kEndTxn, "EndTxn"}}};

enum class Trouble {
  kError,       ///< the broker answers with the code
  kDisconnect,  ///< it does, after it closed the connection on the request before
  kDelay,       ///< it does, two seconds later
};

/// Codes of every class, and whether they may ever end in a committed transaction.
struct Code {
  rd_kafka_resp_err_t code;
  bool is_fencing = false;
};
const std::vector<Code> kCodes = {
    {RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS},
    {RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE},
    {RD_KAFKA_RESP_ERR_NOT_COORDINATOR},
    {RD_KAFKA_RESP_ERR_CONCURRENT_TRANSACTIONS},
    {RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT},
    {RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART},
    {RD_KAFKA_RESP_ERR_UNKNOWN},
    {RD_KAFKA_RESP_ERR_UNKNOWN_PRODUCER_ID},
    {RD_KAFKA_RESP_ERR_INVALID_TXN_STATE},
    {RD_KAFKA_RESP_ERR_INVALID_PRODUCER_ID_MAPPING},
    {RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH, true},
    {RD_KAFKA_RESP_ERR_PRODUCER_FENCED, true},
    {RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED},
    {RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED},
};

std::unique_ptr<Producer> MakeProducer(const MockCluster& cluster) {
  const KafkaOptions options = cluster.Options();
  auto producer = Producer::Make(TransactionalProducer(options), options, {}, nullptr);
  return producer ? std::move(*producer) : nullptr;
}

/// As the judge does it: what is retriable is called again, for as long as a transaction may take.
template <typename Call>
BrokerStatus Repeat(const Call& call) {
  const auto deadline = steady_clock::now() + milliseconds(20'000);
  BrokerStatus status = call();
  while (!status && status.error().error_class == ErrorClass::kRetriable &&
         steady_clock::now() < deadline) {
    status = call();
  }
  return status;
}

BrokerStatus RunTransaction(Producer& producer) {
  RecordView record;
  record.topic = kTopic;
  record.value = "verdict";
  const GroupMetadata group(rd_kafka_consumer_group_metadata_new("judge"));
  return producer.BeginTransaction()
      .and_then([&] { return producer.Produce(record, 1); })
      .and_then([&] {
        return Repeat([&] { return producer.SendOffsets({{{"log", 0}, 5}}, group); });
      })
      .and_then([&] { return Repeat([&] { return producer.CommitTransaction(); }); });
}

BrokerStatus Initialise(Producer& producer) {
  return Repeat([&] { return producer.InitTransactions(milliseconds(10'000)); });
}

/// What is wrong about how one combination ended; empty if nothing is.
std::string RunCombination(Request request, const Code& code, Trouble trouble) {
  MockCluster cluster;
  cluster.CreateTopic(kTopic, 1);
  const auto begin = steady_clock::now();
  std::unique_ptr<Producer> producer = MakeProducer(cluster);
  if (producer == nullptr) return "no producer";
  const auto plant = [&] {
    switch (trouble) {
      case Trouble::kError:
        return cluster.FailNext(request, {code.code});
      case Trouble::kDisconnect:
        return cluster.FailNext(request, {RD_KAFKA_RESP_ERR__TRANSPORT, code.code});
      case Trouble::kDelay:
        return cluster.FailNextAfter(request, code.code, kDelayMs);
    }
  };
  if (request == Request::kInitProducerId) plant();
  BrokerStatus status = Initialise(*producer);
  if (request != Request::kInitProducerId) {
    if (!status) return "not initialised: " + status.error().message;
    plant();
  }
  if (status) status = RunTransaction(*producer);
  if (status && code.is_fencing) return "a fenced producer has committed";
  if (status && steady_clock::now() - begin > kLongest) return "took too long";
  if (!status) {
    if (status.error().error_class == ErrorClass::kRetriable ||
        status.error().error_class == ErrorClass::kBusy) {
      return "still retriable: " + status.error().message;
    }
    // As the judge does after every failure: its session ends, the next one has other clients.
    producer = MakeProducer(cluster);
    if (const BrokerStatus ready = Initialise(*producer); !ready) {
      return "the next producer: " + ready.error().message;
    }
  }
  const BrokerStatus next = RunTransaction(*producer);
  if (!next) return "the next transaction: " + next.error().message;
  if (steady_clock::now() - begin > kLongest) return "hung";
  return {};
}

class MockMatrix : public ::testing::TestWithParam<std::tuple<Named, Trouble>> {};

TEST_P(MockMatrix, EndsInTheRightClassAndGoesOn) {
  const auto [named, trouble] = GetParam();
  // All codes at once: they wait more than they work.
  std::vector<std::future<std::string>> outcomes;
  for (const Code& code : kCodes) {
    outcomes.push_back(
        std::async(std::launch::async, [request = named.request, trouble = trouble, &code] {
          return RunCombination(request, code, trouble);
        }));
  }
  for (std::size_t i = 0; i < kCodes.size(); ++i) {
    EXPECT_EQ(outcomes[i].get(), "") << named.name << ", " << rd_kafka_err2name(kCodes[i].code);
  }
}

std::string NameOf(const ::testing::TestParamInfo<MockMatrix::ParamType>& info) {
  constexpr std::array<const char*, 3> kNames = {"Error", "Disconnect", "Delay"};
  return fmt::format("{}_{}", std::get<0>(info.param).name,
                     kNames[static_cast<std::size_t>(std::get<1>(info.param))]);
}

INSTANTIATE_TEST_SUITE_P(All, MockMatrix,
                         ::testing::Combine(::testing::ValuesIn(kRequests),
                                            ::testing::Values(Trouble::kError, Trouble::kDisconnect,
                                                              Trouble::kDelay)),
                         NameOf);

}  // namespace
}  // namespace crawlsieve::consumer
