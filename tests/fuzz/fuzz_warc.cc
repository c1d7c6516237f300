#include "tests/fuzz/check_decode.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  crawlsieve::consumer::CheckDecode(crawlsieve::consumer::FormatKind::kWarc, data, size);
  return 0;
}
