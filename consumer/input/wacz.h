#pragma once

#include "consumer/input/file_bytes.h"
#include "plugin/base/result.h"
#include "plugin/fingerprint/random_hash.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve::consumer {

/// A file inside a WACZ file that is read.
struct WaczPart {
  enum class Content { kWarc, kPageList };
  Content content = Content::kWarc;
  std::string name;  ///< "archive/data.warc.gz"
  std::uint64_t size = 0;
  FileSlice slice;
};

struct WaczContents {
  std::vector<WaczPart> parts;        ///< WARC files, behind them lists of pages
  std::vector<std::string> warnings;  ///< each of files inside that aren't read
};

/// What a WACZ file holds (https://specs.webrecorder.net/wacz/1.1.1/): the WARC files in its folder
/// archive/ and the lists of pages in pages/. Parts that are neither stored nor deflated are not
/// read, nor are those that claim to unpack to more than 1 MiB and 200 times their size.
/// Errors: kIo; kCorruption: those of ReadZipDirectory.
[[nodiscard]] Result<WaczContents> ReadWacz(const std::filesystem::path& path);

/// URLs of one WACZ file's archives, without fragments, as hashes of eight bytes each. The hash is
/// this object's own (RandomHash): nobody can make a page that is taken for another's.
class ArchivedUrls {
 public:
  void Add(std::string_view url);
  void Clear();
  /// Not to be mixed with Add: the first call behind one sorts.
  [[nodiscard]] bool Has(std::string_view url);

 private:
  [[nodiscard]] std::uint64_t HashOf(std::string_view url) const;

  const RandomHash hash_;
  std::vector<std::uint64_t> hashes_;
  bool is_sorted_ = true;
};

}  // namespace crawlsieve::consumer
