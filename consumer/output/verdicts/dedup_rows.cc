#include "consumer/output/verdicts/dedup_rows.h"

#include "consumer/output/scores/rendering.h"

#include <chrono>
#include <string>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

/// As a literal of SQL.
std::string Quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted.append(c == '\'' ? 2 : 1, c);
  return quoted + "'";
}

}  // namespace

RenderedVerdict RenderDedupRow(const VerdictFacts& verdict) {
  // The program itself takes no empty payload for a repetition.
  if (!verdict.kept || !IsRenderable(verdict.url)) return {};
  if (verdict.payload.has_value() && verdict.payload->bytes == 0) return {};
  if (!verdict.payload.has_value() || verdict.payload->sha1.empty()) return {{}, "a SHA-1"};
  const Timestamp second = std::chrono::floor<std::chrono::seconds>(verdict.payload->fetched);
  return {fmt::format("insert or ignore into dedup (digest_key, url, date, id) values "
                      "({}, {}, {}, null);\n",
                      Quoted(verdict.payload->sha1), Quoted(verdict.url),
                      Quoted(FormatRfc3339(second))),
          {}};
}

}  // namespace crawlsieve::consumer
