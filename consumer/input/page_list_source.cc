#include "consumer/input/record_source.h"

#include <utility>
#include <variant>

namespace crawlsieve::consumer {
namespace {

class PageListSource final : public RecordSource {
 public:
  PageListSource(std::unique_ptr<RecordSource> lines, ArchivedUrls& archived)
      : lines_(std::move(lines)), archived_(archived) {}

  bool Next(FileRecord& record) override {
    while (lines_->Next(record)) {
      const Decoded decoded = Decode(record.record, FormatKind::kBrowsertrix, {});
      const auto* page = std::get_if<extract::Page>(&decoded);
      if (page != nullptr && !archived_.Has(page->url)) {
        record.record.key = page->url;
        return true;
      }
      // What can't be read becomes a dead letter, which says why.
      if (std::holds_alternative<DecodeFailure>(decoded)) return true;
    }
    return false;
  }

 private:
  const std::unique_ptr<RecordSource> lines_;
  ArchivedUrls& archived_;
};

}  // namespace

std::unique_ptr<RecordSource> MakePageListSource(RecordSource::File file, ByteStream& stream,
                                                 ArchivedUrls& archived,
                                                 RecordSource::Context& context) {
  return std::make_unique<PageListSource>(
      MakeJsonLinesSource(std::move(file), FormatKind::kBrowsertrix, stream, context), archived);
}

}  // namespace crawlsieve::consumer
