#pragma once

#include "plugin/base/result.h"

#include <filesystem>

namespace crawlsieve {

/// The file that makes a database of RocksDB's files: it is made last and opened first.
inline constexpr const char* kCurrentFile = "CURRENT";

/// Folders of a state directory that is being filled from elsewhere. A state is put together in the
/// first one. With the second name it is whole, and it is in its place once the folder is gone.
inline constexpr const char* kRestoringFolder = "restoring";
inline constexpr const char* kRestoredFolder = "restored";

/// Moves the files of a whole state from the folder `restored` to `directory`, and removes the
/// folder; does nothing where there is none. The file that makes a state of them is the last, so
/// whoever was killed in the middle calls this again. The caller holds the directory's lock.
/// Errors: kIo.
[[nodiscard]] Status MoveRestoredIn(const std::filesystem::path& directory);

}  // namespace crawlsieve
