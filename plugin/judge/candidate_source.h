#pragma once

#include "plugin/base/doc_id.h"
#include "plugin/base/result.h"
#include "plugin/judge/fold_progress.h"
#include "plugin/judge/view.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace crawlsieve {

/// The part of the Hamming index that other processes hold. The fold then keeps only the documents
/// of the last `window` sequences in an index of its own, and asks this for the others.
///
/// Thread-compatible; NameDocuments may run on several threads beside itself.
class CandidateSource {
 public:
  virtual ~CandidateSource() = default;

  /// Completes the candidates of the page that will be document `page`. `matches` comes with the
  /// first `reach.limit` live documents of the fold's own index within reach of `query`, and leaves
  /// with the first ones of all documents, live ones only, by distance and sequence. Whether these
  /// are all, or `reach.limit` of them; if not, they are the first ones still, and what follows
  /// them isn't known yet. `rows`: as they are before the page. Errors: those of `rows`;
  /// kCorruption where an answer contradicts them.
  [[nodiscard]] virtual Result<bool> Complete(DocId page, Fingerprint query, const Reach& reach,
                                              RowReader& rows, std::vector<Match>& matches) = 0;

  /// Names documents whose rows Complete will read for this query; not necessarily all.
  virtual void NameDocuments(Fingerprint query, const Reach& reach,
                             const std::function<void(DocId)>& name) const = 0;

  /// The fold has committed up to `position`, which is entry `sequence`. From now on its own index
  /// has every live document with a number above `own_after`.
  virtual void OnCommitted(const LogPosition& position, std::uint64_t sequence,
                           std::uint64_t own_after) = 0;
};

/// Where the index is in other processes.
struct RemoteIndex {
  CandidateSource* source = nullptr;  ///< borrowed; null: the whole index is in this process
  /// So many sequences back the fold's own index reaches.
  std::uint64_t window = 0;
};

}  // namespace crawlsieve
