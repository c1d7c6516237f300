#include "plugin/index/snapshot/info.h"

namespace crawlsieve {

const char* SnapshotKindName(SnapshotKind kind) {
  switch (kind) {
    case SnapshotKind::kArchive:
      return "archive";
    case SnapshotKind::kSearchable:
      return "searchable";
    case SnapshotKind::kRestart:
      return "restart";
  }
  return "unknown";
}

}  // namespace crawlsieve
