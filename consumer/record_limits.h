#pragma once

#include <cstddef>

namespace crawlsieve::consumer {

// What a page record says of itself is repeated in its log entry and its verdict. These limits keep
// both below kMaxOwnRecordBytes whatever a crawler sends, because one that a topic doesn't take
// would stop the judge for good. docs/formats.md tells them to users.

/// `url` and `final_url`. A record over it has no identity: a dead letter, code `url_too_long`.
inline constexpr std::size_t kMaxUrlBytes = 16 << 10;
// Over these the page is judged all the same; its verdict leaves the field out and says so.
inline constexpr std::size_t kMaxIdBytes = 4 << 10;       ///< `id` and `crawl_id`
inline constexpr std::size_t kMaxKeyBytes = 16 << 10;     ///< of the input record
inline constexpr std::size_t kMaxAttrsBytes = 256 << 10;  ///< as JSON text without white space
inline constexpr std::size_t kMaxFileBytes = 1 << 10;     ///< name of a WARC file
/// Of all headers that are passed on, names and values, kHeaderOverheadBytes for each besides.
inline constexpr std::size_t kMaxHeaderBytes = 64 << 10;
inline constexpr std::size_t kHeaderOverheadBytes = 32;

/// Larger than every log entry and verdict, and not larger than what Kafka's topics take by default
/// (1,048,588) less what a batch has around its records.
inline constexpr std::size_t kMaxOwnRecordBytes = 1'000'000;

/// What a topic must take at least (max.message.bytes) if entries or verdicts are to be written to
/// it: the largest of them, or a batch of several (librdkafka's batch.size), and what is around it.
inline constexpr std::size_t kMinTopicMessageBytes = 1 << 20;

// A JSON string has at most six bytes for one (\u0001), a canonical URL three (%25). The verdict:
// four URLs (the match's, too), three ids, a file, the key, attrs and headers, and some fixed
// fields.
inline constexpr std::size_t kJsonExpansion = 6;
static_assert(kJsonExpansion * (4 * kMaxUrlBytes + 3 * kMaxIdBytes + kMaxFileBytes) + kMaxKeyBytes +
                  kMaxAttrsBytes + kMaxHeaderBytes + (16 << 10) <
              kMaxOwnRecordBytes);

}  // namespace crawlsieve::consumer
