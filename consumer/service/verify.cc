#include "consumer/service/verify.h"

#include "consumer/service/brokers/kafka_log.h"
#include "consumer/service/brokers/kafka_log_source.h"
#include "plugin/judge/refold.h"
#include "plugin/judge/state_hash.h"

#include <memory>
#include <utility>

namespace crawlsieve::consumer {

Result<StateComparison> CompareWithRefold(const KafkaOptions& kafka, Store& state, Store& scratch,
                                          const IndexFactory& make_index, const std::string& scheme,
                                          const std::function<void(std::int64_t)>& progress) {
  StateComparison comparison;
  {
    auto detector = Detector::Open(state, make_index, scheme);
    if (!detector) return tl::unexpected(detector.error());
    comparison.offset = (*detector)->position().offset;
  }
  auto detector = Detector::Open(scratch, make_index, scheme);
  if (!detector) return tl::unexpected(detector.error());
  const auto open = [&kafka]() -> BrokerResult<std::unique_ptr<LogSource>> {
    auto source = KafkaLogSource::Make(kafka, LoggingCallbacks("verify"));
    if (!source) return FinalError(std::move(source.error()));
    return std::unique_ptr<LogSource>(std::move(*source));
  };
  DetectorFold fold(**detector);
  auto folded = Refold(LogOf(kafka), open, comparison.offset, fold, progress);
  if (!folded) return tl::unexpected(folded.error());

  const auto hash = StateHash(state);
  if (!hash) return tl::unexpected(hash.error());
  const auto refold_hash = StateHash(scratch);
  if (!refold_hash) return tl::unexpected(refold_hash.error());
  comparison.state = *hash;
  comparison.refold = *refold_hash;
  return comparison;
}

}  // namespace crawlsieve::consumer
