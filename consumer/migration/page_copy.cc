#include "consumer/migration/page_copy.h"

#include <cstddef>
#include <queue>
#include <tuple>
#include <utility>

#include <fmt/format.h>

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
  std::uint64_t sequence = 0;  // of the records that come now; no sequence is 0
  bool is_copied = false;
  while (!heads.empty()) {
    const Head head = heads.top();
    heads.pop();
    if (head.sequence < sequence) {
      return MakeError(ErrorCode::kInvalidInput,
                       fmt::format("sequence {} comes behind {} in a topic of the shadow: it holds "
                                   "what was judged by more than one log",
                                   head.sequence, sequence));
    }
    if (head.sequence > sequence) {
      CRAWLSIEVE_RETURN_IF_ERROR(sink.EndPage());
      sequence = head.sequence;
      is_copied = false;
    }
    if (head.kind == OutputKind::kVerdict && !is_copied) {
      is_copied = is_wanted(*head.item->facts.source);
    } else if (head.kind == OutputKind::kVerdict) {
      return MakeError(ErrorCode::kInvalidInput,
                       fmt::format("two verdicts of the shadow have sequence {}: its topic holds "
                                   "what was judged by more than one log",
                                   sequence));
    }
    if (is_copied) {
      CRAWLSIEVE_RETURN_IF_ERROR(sink.Add(head.kind, head.item->record));
      ++copied[static_cast<std::size_t>(head.kind)];
    }
    CRAWLSIEVE_RETURN_IF_ERROR(advance(head.stream));
  }
  CRAWLSIEVE_RETURN_IF_ERROR(sink.EndPage());
  return copied;
}

}  // namespace crawlsieve::consumer
