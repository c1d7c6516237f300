#pragma once

namespace crawlsieve {

/// Has this thread, and programs that it starts, take the processors and the disk only where others
/// leave them. Does nothing where that isn't allowed.
void LowerThreadPriority();

}  // namespace crawlsieve
