#pragma once

#include "plugin/base/result.h"
#include "plugin/judge/revisit.h"
#include "plugin/judge/rows.h"
#include "plugin/judge/view.h"
#include "plugin/log/entry.pb.h"
#include "plugin/site/mirrors.h"
#include "plugin/state/state.pb.h"
#include "plugin/verdict/parameters.h"
#include "plugin/verdict/verdict.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve {

// What pages say of two hosts with the same pages under the same paths (plugin/site/mirrors.h). It
// is kept in the row of the page's host, or where its latest pages are, and only informs: no score
// and no verdict depends on it, so that nobody can lower another's pages by copying them.

/// Of a page's bytes, for comparison with another's; never 0. 0: they aren't known. One in 16,383
/// pages with other bytes has the same.
[[nodiscard]] std::uint32_t ByteMarkOf(const log::Page& page);

/// What was found out about a page, for what is learned of mirrors.
struct MirrorFacts {
  const log::Page& page;
  const Verdict& verdict;        ///< match and cluster are set
  const state::Document* match;  ///< the row of the verdict's match; nullptr: there is none
  bool first_fetch = false;      ///< as PageFacts::first_fetch
  bool is_unchanged = false;     ///< the content is what the fetch before had
  const ShownTimes& shown;       ///< of the page's URL
  Scope scope = Scope::kGlobal;
};

/// Takes a page into what the row of its host says of mirrors. Returns whether the host has come to
/// be a mirror of another one, or is one no more. Reads a row of each host that it is compared
/// with, at most. Errors: kIo, kCorruption.
[[nodiscard]] Result<bool> LearnOfMirrors(const MirrorFacts& facts, state::Host& host,
                                          RowReader& rows);

/// Names the rows that LearnOfMirrors may read of a page, `host` being the row that it changes.
void NameMirrorRows(const log::Page& page, const state::Host& host, Scope scope,
                    const std::function<void(Table table, std::string_view key)>& name);

/// A host that another one was compared with.
struct MirrorReport {
  std::string origin;
  bool in_use = false;
  site::MirrorEvidence evidence;
};

/// What is known of a host's mirrors, by what came to both sides. `host`: of its URLs, with its
/// port. The ones in use first, then those with the most pages in common. Errors: kIo, kCorruption.
[[nodiscard]] Result<std::vector<MirrorReport>> MirrorsOf(std::string_view host,
                                                          const state::Host& record,
                                                          RowReader& rows);

}  // namespace crawlsieve
