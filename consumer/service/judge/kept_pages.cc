#include "consumer/service/judge/kept_pages.h"

#include "consumer/service/brokers/kafka_log.h"

#include <chrono>
#include <utility>
#include <variant>

namespace crawlsieve::consumer {
namespace {

/// Reading takes at most four times as long, within a transaction.
constexpr std::chrono::milliseconds kPatience{1'500};

std::string_view NameOf(MissingRecord missing) {
  switch (missing) {
    case MissingRecord::kExpired:
      return kKeptExpired;
    case MissingRecord::kRemoved:
      return kKeptRemoved;
    case MissingRecord::kBeyond:
      break;
  }
  return kKeptLost;
}

}  // namespace

BrokerResult<std::string_view> KeptPages::Read(const log::Page& page, const Verdict& verdict,
                                               RecordView& record) {
  if (reader_ == nullptr) {
    auto made = RecordReader::Make(KeptPageReader(options_), options_,
                                   contact_.Listen(LoggingCallbacks("judge"), "kept pages"));
    if (!made) return FinalError(std::move(made.error()));
    reader_ = std::move(*made);
  }
  last_.reset();
  added_ = KeptHeaderList(page, verdict);
  const log::Source& source = page.source();
  CRAWLSIEVE_ASSIGN_OR_RETURN(
      auto answer, reader_->Read({source.topic(), source.partition()}, source.offset(), kPatience));
  if (const auto* missing = std::get_if<MissingRecord>(&answer)) {
    MakeKeptMarker(page, added_, NameOf(*missing), record);
    return NameOf(*missing);
  }
  last_ = std::move(std::get<ConsumedRecord>(answer));
  // The topic was made anew, and has other records by now. A log entry has the record's time.
  if (last_->timestamp().time_since_epoch().count() != source.timestamp_ms()) {
    MakeKeptMarker(page, added_, kKeptOther, record);
    return kKeptOther;
  }
  record.key = last_->key();
  record.value = last_->value();
  record.headers = last_->headers();
  return CompleteKept(page, added_, limit_, record);
}

}  // namespace crawlsieve::consumer
