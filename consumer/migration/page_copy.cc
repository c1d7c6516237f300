#include "consumer/migration/page_copy.h"

#include <cstddef>
#include <queue>
#include <tuple>
#include <utility>

namespace crawlsieve::consumer {
namespace {

/// The next record of a stream, by what records are ordered.
struct Head {
  std::uint64_t sequence = 0;
  OutputKind kind = OutputKind::kVerdict;
  std::size_t stream = 0;
  const OutputItem* item = nullptr;

  friend bool operator>(const Head& left, const Head& right) {
    return std::tie(left.sequence, left.kind, left.stream) >
           std::tie(right.sequence, right.kind, right.stream);
  }
};

}  // namespace

Result<CopiedRecords> CopyPages(std::vector<OutputStreamOf> streams,
                                const std::function<bool(const InputRecordAt& source)>& is_wanted,
                                OutputCopySink& sink) {
  std::priority_queue<Head, std::vector<Head>, std::greater<>> heads;
  const auto advance = [&](std::size_t i) -> Status {
    CRAWLSIEVE_ASSIGN_OR_RETURN(const OutputItem* item, streams[i].stream->Next());
    if (item != nullptr) heads.push({item->facts.sequence, streams[i].kind, i, item});
    return {};
  };
  for (std::size_t i = 0; i < streams.size(); ++i) CRAWLSIEVE_RETURN_IF_ERROR(advance(i));
  CopiedRecords copied{};
  std::uint64_t page = 0;  // that is being copied; no sequence is 0
  while (!heads.empty()) {
    const Head head = heads.top();
    heads.pop();
    if (head.sequence != page && page != 0) {
      CRAWLSIEVE_RETURN_IF_ERROR(sink.EndPage());
      page = 0;
    }
    if (head.kind == OutputKind::kVerdict && is_wanted(*head.item->facts.source)) {
      page = head.sequence;
    }
    if (head.sequence == page) {
      CRAWLSIEVE_RETURN_IF_ERROR(sink.Add(head.kind, head.item->record));
      ++copied[static_cast<std::size_t>(head.kind)];
    }
    CRAWLSIEVE_RETURN_IF_ERROR(advance(head.stream));
  }
  if (page != 0) CRAWLSIEVE_RETURN_IF_ERROR(sink.EndPage());
  return copied;
}

}  // namespace crawlsieve::consumer
