#pragma once

namespace crawlsieve::consumer {

/// The names of the headers that a dead letter gets; see DeadLetterHeaderList.
enum class DeadLetterHeaders { kCrawlsieve, kConnect };

}  // namespace crawlsieve::consumer
