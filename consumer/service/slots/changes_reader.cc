#include "consumer/service/slots/changes_reader.h"

#include <string_view>

#include <fmt/format.h>

namespace crawlsieve::consumer {

using std::chrono::milliseconds;

namespace {

constexpr milliseconds kTimeout{10'000};
/// For a record in the middle of the topic. What doesn't come is taken for what lies behind the
/// place that is looked for: reading begins earlier then than it had to.
constexpr milliseconds kProbeTimeout{1'000};
/// Records that are read rather than searched.
constexpr std::int64_t kNear = 64;

}  // namespace

Result<std::unique_ptr<ChangesReader>> ChangesReader::Make(const KafkaOptions& options,
                                                           ClientCallbacks callbacks) {
  ClientRecipe recipe = JudgeConsumer(options);
  recipe.required["enable.partition.eof"] = "true";
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto consumer, Consumer::Make(recipe, options, std::move(callbacks)));
  return std::unique_ptr<ChangesReader>(
      new ChangesReader({options.slots.changes_topic, 0}, std::move(consumer)));
}

BrokerStatus ChangesReader::Seek(std::int64_t offset) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto ends, consumer_->QueryWatermarks(partition_, kTimeout));
  std::int64_t begin = ends.low;
  // Records rise with what they tell of.
  for (std::int64_t end = ends.high; end - begin > kNear;) {
    const std::int64_t middle = begin + (end - begin) / 2;
    CRAWLSIEVE_RETURN_IF_ERROR(consumer_->Assign({{partition_, middle}}));
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto found, Read(1, kProbeTimeout));
    const bool is_before = !found.empty() && found.front().after.position.offset < offset;
    (is_before ? begin : end) = middle;
  }
  return consumer_->Assign({{partition_, begin}});
}

BrokerResult<std::vector<ChangesRecord>> ChangesReader::Read(std::size_t most, milliseconds wait) {
  std::vector<ChangesRecord> records;
  while (records.size() < most) {
    auto polled = consumer_->Poll(records.empty() ? wait : milliseconds(0));
    if (!polled && polled.error().error_class != ErrorClass::kRetriable) {
      return tl::unexpected(std::move(polled.error()));
    }
    if (!polled || !polled->has_value()) break;
    auto record = ChangesRecord::Parse((*polled)->value().value_or(std::string_view()));
    if (!record) {
      return MakeBrokerError(
          ErrorClass::kRefused, record.error().code,
          fmt::format("record {} of topic {} (kafka.changes.topic): {}", (*polled)->offset(),
                      partition_.topic, record.error().message));
    }
    records.push_back(*std::move(record));
  }
  return records;
}

}  // namespace crawlsieve::consumer
