#include "consumer/service/verify.h"

#include "consumer/service/brokers/kafka_log.h"
#include "consumer/service/brokers/kafka_log_source.h"
#include "plugin/base/result.h"
#include "plugin/judge/refold.h"
#include "plugin/judge/state_hash.h"

#include <memory>
#include <utility>

namespace crawlsieve::consumer {

Result<StateComparison> CompareWithRefold(
    const KafkaOptions& kafka, Store& state, Store& scratch, const IndexFactory& make_index,
    const std::string& scheme, const std::function<void(std::int64_t, std::int64_t)>& progress) {
  StateComparison comparison;
  {
    CRAWLSIEVE_ASSIGN_OR_RETURN(auto detector, Detector::Open(state, make_index, scheme));
    comparison.offset = detector->position().offset;
  }
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto detector, Detector::Open(scratch, make_index, scheme));
  const auto open = [&kafka]() -> BrokerResult<std::unique_ptr<LogSource>> {
    auto source = KafkaLogSource::Make(kafka, LoggingCallbacks("verify"));
    if (!source) return FinalError(std::move(source.error()));
    return std::unique_ptr<LogSource>(std::move(*source));
  };
  DetectorFold fold(*detector);
  const auto folded = [&](std::int64_t entries) { progress(entries, comparison.offset + 1); };
  CRAWLSIEVE_RETURN_IF_ERROR(Refold(LogOf(kafka), open, comparison.offset, fold, folded));

  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto hash, StateHash(state));
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto refold_hash, StateHash(scratch));
  comparison.state = hash;
  comparison.refold = refold_hash;
  return comparison;
}

}  // namespace crawlsieve::consumer
