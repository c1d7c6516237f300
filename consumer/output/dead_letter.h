#pragma once

#include "consumer/formats/input_format.h"
#include "consumer/options.h"
#include "plugin/log/entry.pb.h"

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

}  // namespace crawlsieve::consumer
