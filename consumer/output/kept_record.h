#pragma once

#include "consumer/input/formats/input_format.h"
#include "consumer/kafka/record.h"
#include "plugin/log/entry.pb.h"
#include "plugin/verdict/verdict.h"

#include <cstddef>
#include <string_view>
#include <vector>

namespace crawlsieve::consumer {

// docs/formats.md, "Kept pages", tells these to users.

/// The last header of every record of the topic. What a page record itself brings under this name
/// stands in front of it.
inline constexpr std::string_view kKeptHeader = "crawlsieve-kept";

/// Values of kKeptHeader: the record is the page's own, or a marker in place of one that can't be
/// had, and why.
inline constexpr std::string_view kKeptRecord = "record";
inline constexpr std::string_view kKeptExpired = "expired";
inline constexpr std::string_view kKeptRemoved = "removed";
inline constexpr std::string_view kKeptLost = "lost";
inline constexpr std::string_view kKeptOther = "other_record";
inline constexpr std::string_view kKeptTooLarge = "too_large";

/// What is added to the page record's own headers: where it came from and why it was kept.
[[nodiscard]] std::vector<Header> KeptHeaderList(const log::Page& page, const Verdict& verdict);

/// Adds `added` and the last header to a record that has key, value and headers of a page record.
/// Where it is larger than `limit` then, a marker takes its place (MakeKeptMarker). Returns the
/// value of the last header. Keeps views of `added` and `page` in `record`.
std::string_view CompleteKept(const log::Page& page, const std::vector<Header>& added,
                              std::size_t limit, RecordView& record);

/// Makes `record` the marker of a page that can't be had: the verdict's key, an empty value,
/// `added` and the last header. Not a null value, which would delete the page from a compacted
/// topic.
void MakeKeptMarker(const log::Page& page, const std::vector<Header>& added, std::string_view why,
                    RecordView& record);

}  // namespace crawlsieve::consumer
