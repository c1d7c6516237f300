#pragma once

#include "plugin/judge/changed_index.h"
#include "plugin/judge/decision.h"
#include "plugin/state/changes.h"

namespace crawlsieve {

/// Makes what Decide decided: in the rows of documents, contents, URLs and hosts, and in the index.
void Apply(const PageDecision& decision, Changes& rows, ChangedIndex& index);

}  // namespace crawlsieve
