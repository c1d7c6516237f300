// Renderings of verdicts for other programs: never more than one line, one statement or one record,
// whatever a verdict says.

#include "consumer/output/verdicts/surt.h"
#include "consumer/output/verdicts/verdict_format.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace crawlsieve::consumer {
namespace {

void Require(bool condition) {
  if (!condition) std::abort();
}

bool IsVisible(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7F; });
}

void CheckLine(std::string_view line) {
  Require(line.empty() || line.find('\n') == line.size() - 1);
}

}  // namespace
}  // namespace crawlsieve::consumer

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace crawlsieve::consumer;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Require(IsVisible(Surt(text)));
  auto verdict = ParseVerdictRecord(text);
  if (!verdict) {
    // Its URL then, of a verdict that is sound.
    verdict = VerdictFacts();
    verdict->url = text;
    verdict->kept = true;
    verdict->reason = "gone";
    verdict->payload = PayloadFacts();
    verdict->payload->sha1 = "sha1:A";
    verdict->payload->bytes = 1;
    verdict->payload->file = text;
  }
  CheckLine(FindVerdictFormat("cdxj")->render(*verdict).bytes);
  CheckLine(FindVerdictFormat("heritrix")->render(*verdict).bytes);
  // What Nutch reads says itself how long it is.
  const auto record = FindVerdictFormat("nutch")->render(*verdict).bytes;
  Require(record.empty() || record.size() > verdict->url.size());
  return 0;
}
