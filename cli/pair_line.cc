#include "cli/pair_line.h"

#include "plugin/base/hex.h"

#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

using Json = nlohmann::ordered_json;

Json PairEnd(const IndexEntry& entry) {
  Json end{{"fingerprint", Hex(entry.fingerprint.bits)}};
  if (entry.document.sequence != 0) end["sequence"] = entry.document.sequence;
  return end;
}

}  // namespace

std::string PairLine(const NearPair& pair) {
  return Json{{"a", PairEnd(pair.a)}, {"b", PairEnd(pair.b)}, {"distance", pair.distance}}.dump();
}

}  // namespace crawlsieve::consumer
