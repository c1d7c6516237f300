// A packed WARC file put together of whole, cut and changed gzip members and of other bytes: each
// whole member's page is read, in order and as it was, whatever stands before it; and reading ends.
// Input: steps of three bytes, what to do, to which member, and with what.

#include "consumer/input/byte_stream.h"
#include "consumer/input/formats/input_format.h"
#include "consumer/input/record_source.h"
#include "tests/support/compress.h"
#include "tests/support/warc_builder.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <variant>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

namespace crawlsieve::consumer {
namespace {

constexpr std::size_t kMembers = 8;

void Require(bool condition, int line = __builtin_LINE()) {
  if (condition) return;
  std::fprintf(stderr, "line %d doesn't hold\n", line);
  std::abort();
}

std::string UrlOf(std::size_t member) { return "http://a.example/" + std::to_string(member); }

/// Pages that pack badly, well and into a member that packs nothing.
std::string BodyOf(std::size_t member) {
  switch (member % 4) {
    case 0:
      return testing::Noise(300 * (member + 1), member);
    case 1:
      return std::string(5000, 'x') + std::to_string(member);
    case 2:
      return testing::Base64(testing::Noise(200, member));
    default:
      return "";
  }
}

std::array<std::string, kMembers> PackMembers() {
  std::array<std::string, kMembers> members;
  for (std::size_t i = 0; i < kMembers; ++i) {
    members[i] = testing::Gzip(testing::PageRecord(UrlOf(i), BodyOf(i)));
  }
  return members;
}

/// Every reader passes over the field that a header announces, with the members that stand in it.
/// So no damaged header announces one.
void AnnounceNoField(std::string& member) {
  const std::string magic = "\x1f\x8b\x08";
  if (member == magic) member.pop_back();  // the next byte would be the flags
  if (member.starts_with(magic)) member[magic.size()] = '\0';
}

/// A file, and which members are whole in it.
struct MadeFile {
  std::string bytes;
  std::vector<std::size_t> whole;
};

MadeFile Make(const std::uint8_t* data, std::size_t size) {
  static const std::array<std::string, kMembers> members = PackMembers();
  MadeFile file;
  file.bytes = members[0];
  file.whole = {0};
  for (std::size_t i = 0; i + 2 < size && file.whole.size() < 100; i += 3) {
    const std::size_t index = data[i + 1] % kMembers;
    std::string member = members[index];
    const std::size_t at = data[i + 2] * member.size() / 256;
    switch (data[i] % 8) {
      case 0:
        member.resize(at);
        break;
      case 1:
        member[at] = static_cast<char>(~member[at]);
        break;
      case 2:
        member.erase(at, 1 + data[i + 1] / kMembers);
        break;
      case 3:
        member.assign(1 + data[i + 2], static_cast<char>(data[i + 1]));
        break;
      case 4:
        member = "\x1f\x8b\x08" + member.substr(at);
        break;
      default:
        file.whole.push_back(index);
    }
    AnnounceNoField(member);
    file.bytes += member;
  }
  return file;
}

}  // namespace
}  // namespace crawlsieve::consumer

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace crawlsieve::consumer;
  const MadeFile file = Make(data, size);
  const int descriptor = memfd_create("fuzz_packed", MFD_CLOEXEC);
  Require(descriptor >= 0);
  Require(write(descriptor, file.bytes.data(), file.bytes.size()) ==
          static_cast<ssize_t>(file.bytes.size()));
  auto stream =
      ByteStream::Open("/proc/self/fd/" + std::to_string(descriptor), ByteStream::Unpack::kYes);
  close(descriptor);
  Require(stream.has_value());

  RecordSource::Context context;
  const auto source = MakeWarcSource({"file", {}, file.bytes.size()}, **stream, context);
  std::size_t next = 0;
  for (FileRecord record; source->Next(record);) {
    const Decoded decoded = Decode(std::move(record.record), record.format, {});
    const auto* page = std::get_if<crawlsieve::extract::Page>(&decoded);
    if (page == nullptr || !page->body_problem.empty()) continue;
    // Damage may leave a page as it is, so pages between the whole ones are allowed.
    if (next == file.whole.size() || page->url != UrlOf(file.whole[next])) continue;
    Require(page->body == BodyOf(file.whole[next]));
    ++next;
  }
  Require(next == file.whole.size());
  Require((*stream)->status().has_value());
  Require(context.counts.damaged_files <= 1);
  Require(context.counts.lost_stretches == context.warnings.size());
  return 0;
}
