#pragma once

#include "consumer/kafka/record.h"
#include "consumer/kafka/record_reader.h"
#include "consumer/output/kept_record.h"
#include "consumer/service/brokers/contact.h"
#include "consumer/service/options.h"
#include "plugin/base/broker_error.h"
#include "plugin/verdict/verdict.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace crawlsieve::consumer {

/// The page records of verdicts that say keep, read again where the log says that they were.
/// Borrows `options` and `contact`. Thread-compatible.
class KeptPages {
 public:
  /// `limit`: bytes of a record that the topic of kept pages takes.
  KeptPages(const KafkaOptions& options, std::uint64_t limit, BrokerContact& contact)
      : options_(options), limit_(limit), contact_(contact) {}

  /// Makes `record` what is to be published for a kept page: its record, or a marker in its place.
  /// Returns the value of its last header (consumer/output/kept_record.h). `record` views what
  /// lives until the next call. Errors: kRetriable, kRefused, kFatal, as RecordReader::Read.
  [[nodiscard]] BrokerResult<std::string_view> Read(const log::Page& page, const Verdict& verdict,
                                                    RecordView& record);

 private:
  const KafkaOptions& options_;
  const std::uint64_t limit_;
  BrokerContact& contact_;
  std::unique_ptr<RecordReader> reader_;  ///< made for the first page
  std::vector<Header> added_;             ///< headers of the last record
  std::optional<ConsumedRecord> last_;    ///< gone before the reader
};

}  // namespace crawlsieve::consumer
