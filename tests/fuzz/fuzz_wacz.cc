// Any bytes as a WACZ file: what is read of it lies within it, and no more is unpacked than its
// directory says.

#include "consumer/input/byte_stream.h"
#include "consumer/input/record_source.h"
#include "consumer/input/wacz.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

namespace crawlsieve::consumer {
namespace {

/// Of all parts, for the fuzzer's time.
constexpr std::uint64_t kMostBytes = 4 << 20;

void Require(bool condition, int line = __builtin_LINE()) {
  if (condition) return;
  std::fprintf(stderr, "line %d doesn't hold\n", line);
  std::abort();
}

void ReadPart(const std::string& path, const WaczPart& part, ArchivedUrls& archived) {
  auto stream = ByteStream::Open(path, ByteStream::Unpack::kYes, part.slice);
  Require(stream.has_value());
  RecordSource::Context context;
  const RecordSource::File file = {part.name, {}, part.size};
  const auto source = part.content == WaczPart::Content::kWarc
                          ? MakeWarcSource(file, **stream, context)
                          : MakePageListSource(file, **stream, archived, context);
  for (FileRecord record; (*stream)->position() < kMostBytes && source->Next(record);) {
    Require((*stream)->file_bytes_read() <= part.size);
    if (record.record.key) archived.Add(*record.record.key);
  }
  Require((*stream)->status().has_value());
  Require(context.counts.lost_stretches <= context.warnings.size());
}

}  // namespace
}  // namespace crawlsieve::consumer

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace crawlsieve::consumer;
  const int descriptor = memfd_create("fuzz_wacz", MFD_CLOEXEC);
  Require(descriptor >= 0);
  Require(write(descriptor, data, size) == static_cast<ssize_t>(size));
  const std::string path = "/proc/self/fd/" + std::to_string(descriptor);
  const auto contents = ReadWacz(path);
  std::uint64_t stored = 0;
  ArchivedUrls archived;
  if (contents) {
    for (const WaczPart& part : contents->parts) {
      Require(part.slice.begin <= size && part.slice.size <= size - part.slice.begin);
      stored += part.slice.size;
      if (part.size <= kMostBytes) ReadPart(path, part, archived);
    }
  }
  close(descriptor);
  Require(stored <= size);
  return 0;
}
