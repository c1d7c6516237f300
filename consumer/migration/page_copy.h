#pragma once

#include "consumer/kafka/record.h"
#include "consumer/migration/output_record.h"
#include "plugin/base/result.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace crawlsieve::consumer {

/// A record of a judge's output. The view is valid until its stream's next Next.
struct OutputItem {
  OutputFacts facts;
  RecordView record;
};

/// The records of one partition of an output topic, in its order, in which sequences rise.
class OutputStream {
 public:
  virtual ~OutputStream() = default;

  /// The next record that is about a page; nullptr at the end.
  [[nodiscard]] virtual Result<const OutputItem*> Next() = 0;
};

/// Where pages are copied to.
class OutputCopySink {
 public:
  virtual ~OutputCopySink() = default;

  /// The next Add belongs to another page. Called for pages that aren't copied, too.
  [[nodiscard]] virtual Status EndPage() = 0;
  [[nodiscard]] virtual Status Add(OutputKind kind, const RecordView& record) = 0;
};

/// Records copied, by kind.
using CopiedRecords = std::array<std::uint64_t, kOutputKinds>;

struct OutputStreamOf {
  OutputKind kind = OutputKind::kVerdict;
  std::unique_ptr<OutputStream> stream;
};

/// Copies all records of the pages whose verdicts `is_wanted` takes, in the order of sequences: of
/// each page the verdict, the kept page, the scores. What is about a page without a verdict among
/// `streams` is left out. `is_wanted` is asked once for each verdict, before its page is copied.
/// Errors: kInvalidInput, where the sequences of a stream don't rise; those of the streams and of
/// `sink`.
[[nodiscard]] Result<CopiedRecords> CopyPages(
    std::vector<OutputStreamOf> streams,
    const std::function<bool(const InputRecordAt& source)>& is_wanted, OutputCopySink& sink);

}  // namespace crawlsieve::consumer
