#pragma once

#include "plugin/base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace crawlsieve::consumer {

/// A file inside a ZIP file.
struct ZipEntry {
  std::string name;
  std::uint64_t begin = 0;          ///< of its bytes, in the ZIP file
  std::uint64_t size = 0;           ///< of its bytes as they lie there
  std::uint64_t unpacked_size = 0;  ///< as the directory has it
  std::uint32_t checksum = 0;       ///< CRC-32 of what is unpacked
  enum class Packing { kStored, kDeflated, kOther };
  Packing packing = Packing::kOther;  ///< other methods than these two, or encryption
};

/// The files inside a ZIP file, ZIP64 too, in the order of its directory. Unpacks nothing. No two
/// entries share bytes, so together they are no larger than the file: a directory in which they do,
/// as ZIP bombs have it, is refused. So is one of more than 100,000 entries or of more than 32 MiB.
/// Errors: kIo; kCorruption (no ZIP file, cut, damaged, refused), with the path.
[[nodiscard]] Result<std::vector<ZipEntry>> ReadZipDirectory(const std::filesystem::path& path);

}  // namespace crawlsieve::consumer
