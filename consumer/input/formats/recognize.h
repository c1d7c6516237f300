#pragma once

#include "consumer/input/formats/json_format.h"

#include <span>
#include <variant>

namespace crawlsieve::consumer {

/// The one of `formats` that the members of `record` fit, or why none does.
///
/// A record fits a format if it has all that one of its shapes needs, and no name that only
/// records of another format have. So a record that lost a field never passes for one of another
/// format. Where several fit, the first counts. Failures: those of JsonRecord::ForEachMember;
/// `unrecognized_format`, which names the nearest format and the field that keeps the record from
/// being one of its records.
[[nodiscard]] std::variant<const JsonFormat*, DecodeFailure> Recognize(
    std::span<const JsonFormat* const> formats, JsonRecord& record);

}  // namespace crawlsieve::consumer
