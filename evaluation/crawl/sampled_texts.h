#pragma once

#include "consumer/input/file_reader.h"
#include "consumer/pipeline/page_processor.h"
#include "plugin/base/result.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>

namespace crawlsieve::consumer {

/// The words of a page that a scan has judged.
struct SampledText {
  static constexpr std::size_t kMaxBytes = 128 << 10;  ///< longer texts are cut

  std::string url{};
  std::uint64_t simhash = 0;
  std::size_t words = 0;  ///< of the whole text
  std::string text{};     ///< normalised words, one space between them
};

/// Reads the files of a scan again, and extracts the records with the numbers in `wanted`, from 0
/// on. Reading ends behind the last of them. Records that have no text, or no URL, are left out.
/// Calls `on_record` for each record that is read. Memory: kMaxBytes for each that is wanted.
/// Errors: those of the reader.
[[nodiscard]] Result<std::map<std::uint64_t, SampledText>> ReadTexts(
    FileReader& reader, const ProcessorOptions& options, const std::set<std::uint64_t>& wanted,
    const std::function<void()>& on_record);

}  // namespace crawlsieve::consumer
