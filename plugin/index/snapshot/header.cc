#include "plugin/index/snapshot/header.h"

#include "plugin/fingerprint/checksum.h"

namespace crawlsieve {

std::uint64_t SnapshotHeader::ComputeChecksum() const {
  return SnapshotChecksum(this, offsetof(SnapshotHeader, checksum));
}

std::uint64_t SnapshotChecksum(const void* bytes, std::size_t size) {
  return RawChecksum({static_cast<const char*>(bytes), size}).low;
}

}  // namespace crawlsieve
