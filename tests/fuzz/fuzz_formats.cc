#include "tests/fuzz/check_decode.h"

#include <array>

namespace crawlsieve::consumer {
namespace {

constexpr std::array kKinds = {
    FormatKind::kScrapyCluster, FormatKind::kNutch,       FormatKind::kNorconex,
    FormatKind::kAche,          FormatKind::kKatana,      FormatKind::kJson,
    FormatKind::kHeritrix,      FormatKind::kCommonCrawl, FormatKind::kCanonical,
    FormatKind::kAuto,          FormatKind::kBrowsertrix, FormatKind::kCorpus,
};

DecodeOptions Options() {
  DecodeOptions options;
  options.json.url = JsonPath::Parse("$.request.url").value();
  options.json.response_headers = JsonPath::Parse("$.response.headers").value();
  options.json.body = JsonPath::Parse("$.pages[1].html").value();
  options.json.text = JsonPath::Parse("$.pages").value();
  return options;
}

}  // namespace
}  // namespace crawlsieve::consumer

/// The first byte chooses the format, the others are the record.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace crawlsieve::consumer;
  static const DecodeOptions options = Options();
  if (size == 0) return 0;
  CheckDecode(kKinds[data[0] % kKinds.size()], data + 1, size - 1, options);
  std::string record(reinterpret_cast<const char*>(data + 1), size - 1);
  (void)IgnoredMembers(std::move(record), kKinds[data[0] % kKinds.size()], options);
  (void)JsonPath::Parse(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
