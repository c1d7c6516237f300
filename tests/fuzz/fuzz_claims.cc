#include "consumer/claims/http_answer.h"
#include "consumer/claims/store_url.h"

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace crawlsieve::consumer {
namespace {

constexpr std::string_view kRoot = "https://bucket.example/crawls/";

void Require(bool condition) {
  if (!condition) std::abort();
}

/// Up to the next line end, which is taken too.
std::string_view TakeLine(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

/// A URL that was let through lies below the root, by its spelling alone.
void CheckUrl(const std::string& url) {
  Require(url.starts_with(kRoot) && url.size() > kRoot.size());
  for (const char c : url) Require(c > ' ' && c < 0x7F && c != '#');
  std::string path = url.substr(0, url.find('?'));
  Require(path.find('\\') == std::string::npos);
  const std::string canonical = WithCanonicalPath(path);
  Require(WithCanonicalPath(canonical) == canonical);
  Require(canonical.starts_with(kRoot));
  // It spells dots as dots.
  path = canonical.substr(kRoot.size() - 1) + "/";
  Require(path.find("/../") == std::string::npos && path.find("/./") == std::string::npos);
  Require(path.find("%00") == std::string::npos && path.find("%5C") == std::string::npos);
}

void CheckAnswer(long status, std::string_view range, std::string_view bytes) {
  constexpr std::uint64_t kOffset = 3;
  constexpr std::size_t kCount = 8;
  HttpAnswer answer;
  answer.status = status;
  answer.content_range = range;
  answer.bytes = bytes.substr(0, kCount);
  answer.has_more = bytes.size() > kCount;
  answer.has_end = true;
  const auto read = ReadAnswer(answer, kOffset, kCount, "file");
  if (!read) return Require(read.error().message.starts_with("file: "));
  Require(read->bytes.size() <= kCount);
  if (status == 206) Require(!answer.has_more && !read->bytes.empty());
}

}  // namespace
}  // namespace crawlsieve::consumer

/// A line with a reference, one with a Content-Range, and a body.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace crawlsieve::consumer;
  static const StoreUrl root = StoreUrl::Parse(kRoot).value();
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  const std::string file(TakeLine(rest));
  if (const auto url = root.Below(file)) CheckUrl(*url);
  (void)StoreUrl::Parse(file);
  const std::string_view range = TakeLine(rest);
  for (const long status : {200L, 206L, 400L, 404L, 416L, 500L}) CheckAnswer(status, range, rest);
  return 0;
}
