#include "evaluation/crawl/sampled_texts.h"

#include "consumer/html/bounded_text.h"
#include "plugin/base/result.h"

#include <utility>

#include "evaluation/evaluation.h"

namespace crawlsieve::consumer {

Result<std::map<std::uint64_t, SampledText>> ReadTexts(FileReader& reader,
                                                       const ProcessorOptions& options,
                                                       const std::set<std::uint64_t>& wanted,
                                                       const std::function<void()>& on_record) {
  std::map<std::uint64_t, SampledText> texts;
  PageProcessor processor(options);
  auto next = wanted.begin();
  for (std::uint64_t number = 0; next != wanted.end(); ++number) {
    FileRecord record;
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto has_record, reader.Next(record));
    if (!has_record) break;
    on_record();
    if (number != *next) continue;
    ++next;
    SourceRecord source;
    source.record = std::move(record.record);
    source.format = record.format;
    SampledText sampled;
    const ProcessedRecord processed =
        processor.Process(std::move(source), Depth::kWhole, &sampled.text);
    const log::Page& page = processed.entry.page();
    if (processed.failure.has_value() || page.outcome() != log::OUTCOME_TEXT) continue;
    sampled.url = page.url();
    sampled.simhash = page.simhash();
    sampled.words = CountWords(sampled.text);
    sampled.text = BoundedText(sampled.text, SampledText::kMaxBytes);
    texts.emplace(number, std::move(sampled));
  }
  return texts;
}

}  // namespace crawlsieve::consumer
