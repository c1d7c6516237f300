#include "plugin/log/links.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

#include <zlib.h>

namespace crawlsieve::log {
namespace {

constexpr int kLevel = 6;
// A window of 4 KiB holds the links of most pages, and costs less to begin with.
constexpr int kWindowBits = 12;
constexpr int kMemoryLevel = 5;

Bytef* BytesOf(std::string& text) { return reinterpret_cast<Bytef*>(text.data()); }
/// zlib reads what it is given, and takes no pointers to const.
Bytef* BytesOf(std::string_view text) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
}
uInt SizeOf(std::string_view text) { return static_cast<uInt>(text.size()); }

/// "https://example.org" of "https://example.org/a".
std::string_view OriginOf(std::string_view url) {
  const std::size_t host = url.find("://");
  if (host == std::string_view::npos) return {};
  return url.substr(0, std::min(url.find_first_of("/?", host + 3), url.size()));
}

/// The last bytes of the page's URL: zlib looks at no more, and takes none where there are more.
std::string_view DictionaryOf(std::string_view page_url) {
  constexpr std::size_t kLongest = (std::size_t{1} << kWindowBits) - 512;
  return page_url.substr(page_url.size() - std::min(page_url.size(), kLongest));
}

std::string Deflate(std::string_view text, std::string_view dictionary) {
  z_stream stream{};
  if (deflateInit2(&stream, kLevel, Z_DEFLATED, -kWindowBits, kMemoryLevel, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    return {};
  }
  deflateSetDictionary(&stream, BytesOf(dictionary), SizeOf(dictionary));
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = BytesOf(text);
  stream.avail_in = SizeOf(text);
  stream.next_out = BytesOf(packed);
  stream.avail_out = SizeOf(packed);
  const bool is_done = deflate(&stream, Z_FINISH) == Z_STREAM_END;
  packed.resize(is_done ? stream.total_out : 0);
  deflateEnd(&stream);
  return packed;
}

/// False for anything but a whole stream of at most kMaxLinksBytes.
bool Inflate(std::string_view packed, std::string_view dictionary, std::string& text) {
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return false;
  inflateSetDictionary(&stream, BytesOf(dictionary), SizeOf(dictionary));
  stream.next_in = BytesOf(packed);
  stream.avail_in = SizeOf(packed);
  std::array<char, 4096> piece;
  int state = Z_OK;
  while (state == Z_OK && text.size() <= kMaxLinksBytes) {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = piece.size();
    state = inflate(&stream, Z_NO_FLUSH);
    text.append(piece.data(), piece.size() - stream.avail_out);
  }
  const bool is_whole = state == Z_STREAM_END && stream.avail_in == 0;
  inflateEnd(&stream);
  return is_whole && text.size() <= kMaxLinksBytes;
}

}  // namespace

PackedLinks PackLinks(std::span<const std::string> main_text,
                      std::span<const std::string> elsewhere, std::string_view page_url) {
  PackedLinks packed;
  const std::string_view origin = OriginOf(page_url);
  std::string lines;
  std::size_t taken = 0;
  const auto take = [&](std::span<const std::string> links) {
    for (const std::string& link : links) {
      std::string_view line = link;
      if (!origin.empty() && line.starts_with(origin) &&
          line.substr(origin.size()).starts_with('/')) {
        line.remove_prefix(origin.size());
      }
      if (lines.size() + line.size() + sizeof("1000000\n") > kMaxLinksBytes) {
        ++packed.left_out;
        continue;
      }
      lines.append(line).push_back('\n');
      ++taken;
    }
  };
  take(main_text);
  const std::size_t in_main_text = taken;
  take(elsewhere);
  if (taken == 0) return packed;
  packed.bytes = Deflate(std::to_string(in_main_text) + '\n' + lines, DictionaryOf(page_url));
  return packed;
}

Result<Links> UnpackLinks(std::string_view bytes, std::string_view page_url) {
  Links links;
  if (bytes.empty()) return links;
  const auto damaged = [] {
    return MakeError(ErrorCode::kCorruption, "the links of a page can't be read");
  };
  std::string text;
  if (!Inflate(bytes, DictionaryOf(page_url), text)) return damaged();
  std::size_t in_main_text = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), in_main_text);
  if (error != std::errc() || end == text.data() + text.size() || *end != '\n') return damaged();
  std::string_view rest =
      std::string_view(text).substr(static_cast<std::size_t>(end - text.data()) + 1);
  const std::string_view origin = OriginOf(page_url);
  while (!rest.empty()) {
    const std::size_t size = rest.find('\n');
    if (size == std::string_view::npos || size == 0) return damaged();
    const std::string_view line = rest.substr(0, size);
    rest.remove_prefix(size + 1);
    std::vector<std::string>& list =
        links.main_text.size() < in_main_text ? links.main_text : links.elsewhere;
    list.emplace_back(line.front() == '/' ? origin : std::string_view()).append(line);
  }
  if (links.main_text.size() != in_main_text) return damaged();
  return links;
}

}  // namespace crawlsieve::log
