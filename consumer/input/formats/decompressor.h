#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace crawlsieve::consumer {

/// Undoes one compression piece by piece, in memory bounded by the format's window.
///
/// Takes any bytes. Thread-compatible.
class Decompressor {
 public:
  enum class State {
    kRunning,  ///< wants more input or more room
    kEnd,      ///< a member (gzip) or frame (zstd) ended and its checksum was right
    kBad,      ///< not of this compression, or damaged; what was produced before stands
  };
  struct Step {
    std::size_t consumed = 0;
    std::size_t produced = 0;
    State state = State::kRunning;
  };

  virtual ~Decompressor() = default;

  /// Takes bytes off `in` and puts bytes into `out` until one is used up or the state changes.
  /// A step that neither consumes nor produces wants more input.
  virtual Step Run(std::string_view in, std::span<char> out) = 0;

  /// Makes ready for the next member after kEnd.
  virtual void Restart() = 0;

  /// Whether `rest`, which follows a member that ended, may start another one.
  [[nodiscard]] virtual bool StartsMember(std::string_view rest) const = 0;
};

[[nodiscard]] std::unique_ptr<Decompressor> MakeGzipDecompressor();
[[nodiscard]] std::unique_ptr<Decompressor> MakeZlibDecompressor();
[[nodiscard]] std::unique_ptr<Decompressor> MakeDeflateDecompressor();  ///< without any header
[[nodiscard]] std::unique_ptr<Decompressor> MakeBrotliDecompressor();
/// `max_window_log`: a frame that wants a window over 2^max_window_log bytes is kBad. `dictionary`
/// is that of all frames; empty: none. One that can't be used is as none.
[[nodiscard]] std::unique_ptr<Decompressor> MakeZstdDecompressor(int max_window_log,
                                                                 std::string_view dictionary = {});

/// Size with its head of the skippable frame in which a .warc.zst file brings its dictionary, where
/// `bytes` begin with one (https://iipc.github.io/warc-specifications, "Zstandard Compression");
/// else 0.
[[nodiscard]] std::size_t ZstdDictionaryFrameSize(std::string_view bytes);

/// The dictionary in such a frame, which may be packed itself; empty: there is none, it is damaged,
/// or larger than kMaxZstdDictionaryBytes.
[[nodiscard]] std::string ReadZstdDictionary(std::string_view frame);
inline constexpr std::size_t kMaxZstdDictionaryBytes = 16 << 20;

/// Checksum of bytes that follow those of `so_far`, 0 in front: CRC-32 as gzip and ZIP have it.
[[nodiscard]] std::uint32_t Crc32(std::uint32_t so_far, std::string_view bytes);

/// By the first bytes: a gzip member, a zstd frame.
[[nodiscard]] bool LooksLikeGzip(std::string_view bytes);
[[nodiscard]] bool LooksLikeZstd(std::string_view bytes);

}  // namespace crawlsieve::consumer
