#include "consumer/migration/judge_identity.h"

#include "consumer/kafka/admin.h"
#include "consumer/service/brokers/kafka_log.h"
#include "consumer/service/brokers/kafka_log_source.h"

#include <chrono>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

constexpr std::chrono::milliseconds kTimeout{10'000};
constexpr std::chrono::seconds kPatience{60};

}  // namespace

std::string JudgeIdentity(const KafkaOptions& kafka) { return kafka.group + ".judge"; }

Result<std::vector<std::string>> JudgesRunning(const KafkaOptions& kafka) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto admin, Admin::Make(kafka, LoggingCallbacks("migrate")));
  std::vector<std::string> members;
  const auto asked = Repeat(kPatience, [&]() -> BrokerStatus {
    CRAWLSIEVE_ASSIGN_OR_RETURN(members, admin->GroupMembers(JudgeIdentity(kafka), kTimeout));
    return {};
  });
  if (!asked) return tl::unexpected<Error>(asked.error());
  return members;
}

Result<std::unique_ptr<Producer>> TakeOver(const KafkaOptions& kafka) {
  // A record that isn't written fails its transaction.
  CRAWLSIEVE_ASSIGN_OR_RETURN(
      auto producer, Producer::Make(TransactionalProducer(kafka), kafka,
                                    LoggingCallbacks("migrate"), [](const DeliveryReport&) {}));
  const auto taken = Repeat(kPatience, [&] { return producer->InitTransactions(kTimeout); });
  if (!taken) return TakeOverError(kafka, taken.error());
  return producer;
}

tl::unexpected<Error> TakeOverError(const KafkaOptions& kafka, const BrokerError& error) {
  if (error.error_class != ErrorClass::kFenced) return tl::unexpected<Error>(error);
  return MakeError(ErrorCode::kBusy,
                   fmt::format("a judge of group {} runs and took its transactional id back: stop "
                               "all judges of that deployment, then run this again",
                               JudgeIdentity(kafka)));
}

}  // namespace crawlsieve::consumer
