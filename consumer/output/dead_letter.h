#pragma once

#include "consumer/input/formats/input_format.h"
#include "consumer/kafka/record.h"
#include "consumer/output/dead_letter_headers.h"
#include "plugin/log/entry.pb.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve::consumer {

/// Who writes a dead letter.
struct DeadLetterWriter {
  std::string instance;
  std::string version;
  std::string group;
};

/// The headers that are added to a record on its way to the dead letters: where it came from and
/// why. All are UTF-8 text under `__crawlsieve.errors.`, or under `__connect.errors.` with the
/// names of Kafka Connect, so that tools made for it can read them.
///
/// `id` is the same each time the same record is written: a crash may write it twice.
[[nodiscard]] std::vector<Header> DeadLetterHeaderList(const log::Source& source,
                                                       const DecodeFailure& failure,
                                                       const DeadLetterWriter& writer,
                                                       DeadLetterHeaders style);

/// Makes `letter` a dead letter of at most `limit` bytes: puts `added`, which must outlive it,
/// behind its headers, takes its value away if it would be larger, and then its key and its own
/// headers too. A header `omitted` says what was taken: "value" or "value,key,headers". A topic
/// that doesn't take the whole record must not hold up the records behind it.
void CompleteDeadLetter(const std::vector<Header>& added, DeadLetterHeaders style,
                        std::size_t limit, RecordView& letter);

}  // namespace crawlsieve::consumer
