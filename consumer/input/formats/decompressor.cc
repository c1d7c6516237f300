#include "consumer/input/formats/decompressor.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <new>

#include <brotli/decode.h>
#include <zlib.h>
#include <zstd.h>

namespace crawlsieve::consumer {
namespace {

// A magic number and a size.
constexpr std::size_t kSkippableHeadBytes = 8;

// zlib counts in unsigned int.
constexpr std::size_t kMaxZlibBytes = std::size_t{1} << 30;

class ZlibDecompressor final : public Decompressor {
 public:
  /// `window_bits` as inflateInit2 takes them: they select gzip, zlib or bare deflate.
  explicit ZlibDecompressor(int window_bits) : gzip_(window_bits > 15) {
    if (inflateInit2(&stream_, window_bits) != Z_OK) throw std::bad_alloc();
  }
  ~ZlibDecompressor() override { inflateEnd(&stream_); }
  ZlibDecompressor(const ZlibDecompressor&) = delete;
  ZlibDecompressor& operator=(const ZlibDecompressor&) = delete;

  Step Run(std::string_view in, std::span<char> out) override {
    const std::size_t in_size = std::min(in.size(), kMaxZlibBytes);
    const std::size_t out_size = std::min(out.size(), kMaxZlibBytes);
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    stream_.avail_in = static_cast<uInt>(in_size);
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(out_size);
    const int code = inflate(&stream_, Z_NO_FLUSH);
    Step step{in_size - stream_.avail_in, out_size - stream_.avail_out, State::kBad};
    if (code == Z_STREAM_END) step.state = State::kEnd;
    if (code == Z_OK || code == Z_BUF_ERROR) step.state = State::kRunning;
    if (code == Z_MEM_ERROR) throw std::bad_alloc();
    return step;
  }

  void Restart() override { inflateReset(&stream_); }

  [[nodiscard]] bool StartsMember(std::string_view rest) const override {
    return gzip_ && LooksLikeGzip(rest);
  }

 private:
  z_stream stream_{};
  const bool gzip_;
};

class BrotliDecompressor final : public Decompressor {
 public:
  Step Run(std::string_view in, std::span<char> out) override {
    std::size_t in_left = in.size();
    std::size_t out_left = out.size();
    const auto* next_in = reinterpret_cast<const std::uint8_t*>(in.data());
    auto* next_out = reinterpret_cast<std::uint8_t*>(out.data());
    const BrotliDecoderResult code = BrotliDecoderDecompressStream(state_.get(), &in_left, &next_in,
                                                                   &out_left, &next_out, nullptr);
    Step step{in.size() - in_left, out.size() - out_left, State::kRunning};
    if (code == BROTLI_DECODER_RESULT_SUCCESS) step.state = State::kEnd;
    if (code == BROTLI_DECODER_RESULT_ERROR) step.state = State::kBad;
    return step;
  }

  void Restart() override { state_ = Make(); }

  [[nodiscard]] bool StartsMember(std::string_view) const override { return false; }

 private:
  struct Deleter {
    void operator()(BrotliDecoderState* state) const { BrotliDecoderDestroyInstance(state); }
  };
  using StatePtr = std::unique_ptr<BrotliDecoderState, Deleter>;

  static StatePtr Make() {
    StatePtr state(BrotliDecoderCreateInstance(nullptr, nullptr, nullptr));
    if (!state) throw std::bad_alloc();
    return state;
  }

  StatePtr state_ = Make();
};

class ZstdDecompressor final : public Decompressor {
 public:
  ZstdDecompressor(int max_window_log, std::string_view dictionary) : context_(ZSTD_createDCtx()) {
    if (!context_) throw std::bad_alloc();
    ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, max_window_log);
    // Frames that need it are kBad without it.
    ZSTD_DCtx_loadDictionary(context_.get(), dictionary.data(), dictionary.size());
  }

  Step Run(std::string_view in, std::span<char> out) override {
    ZSTD_inBuffer input{in.data(), in.size(), 0};
    ZSTD_outBuffer output{out.data(), out.size(), 0};
    const std::size_t code = ZSTD_decompressStream(context_.get(), &output, &input);
    Step step{input.pos, output.pos, State::kRunning};
    if (code == 0) step.state = State::kEnd;
    if (ZSTD_isError(code) != 0) step.state = State::kBad;
    return step;
  }

  void Restart() override { ZSTD_DCtx_reset(context_.get(), ZSTD_reset_session_only); }

  [[nodiscard]] bool StartsMember(std::string_view rest) const override {
    return LooksLikeZstd(rest);
  }

 private:
  struct Deleter {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };
  std::unique_ptr<ZSTD_DCtx, Deleter> context_;
};

}  // namespace

std::unique_ptr<Decompressor> MakeGzipDecompressor() {
  return std::make_unique<ZlibDecompressor>(15 + 16);
}
std::unique_ptr<Decompressor> MakeZlibDecompressor() {
  return std::make_unique<ZlibDecompressor>(15);
}
std::unique_ptr<Decompressor> MakeDeflateDecompressor() {
  return std::make_unique<ZlibDecompressor>(-15);
}
std::unique_ptr<Decompressor> MakeBrotliDecompressor() {
  return std::make_unique<BrotliDecompressor>();
}
std::unique_ptr<Decompressor> MakeZstdDecompressor(int max_window_log,
                                                   std::string_view dictionary) {
  return std::make_unique<ZstdDecompressor>(max_window_log, dictionary);
}

std::size_t ZstdDictionaryFrameSize(std::string_view bytes) {
  if (bytes.size() < kSkippableHeadBytes || !bytes.starts_with("\x5D\x2A\x4D\x18")) return 0;
  std::size_t size = 0;
  for (std::size_t i = kSkippableHeadBytes; i-- > 4;) {
    size = size << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return kSkippableHeadBytes + size;
}

std::string ReadZstdDictionary(std::string_view frame) {
  constexpr std::string_view kDictionaryMagic = "\x37\xA4\x30\xEC";
  constexpr std::string_view kFrameMagic = "\x28\xB5\x2F\xFD";
  if (frame.size() < kSkippableHeadBytes) return {};
  frame.remove_prefix(kSkippableHeadBytes);
  if (frame.size() > kMaxZstdDictionaryBytes) return {};
  if (frame.starts_with(kDictionaryMagic)) return std::string(frame);
  if (!frame.starts_with(kFrameMagic)) return {};
  constexpr int kMaxWindowLog = 24;
  ZstdDecompressor decompressor(kMaxWindowLog, {});
  std::string dictionary;
  std::array<char, 64 << 10> piece;
  while (dictionary.size() <= kMaxZstdDictionaryBytes) {
    const Decompressor::Step step = decompressor.Run(frame, piece);
    frame.remove_prefix(step.consumed);
    dictionary.append(piece.data(), step.produced);
    if (step.state == Decompressor::State::kEnd) {
      return dictionary.starts_with(kDictionaryMagic) ? dictionary : std::string();
    }
    const bool is_stuck = step.consumed == 0 && step.produced == 0;
    if (step.state == Decompressor::State::kBad || is_stuck) break;
  }
  return {};
}

std::uint32_t Crc32(std::uint32_t so_far, std::string_view bytes) {
  return static_cast<std::uint32_t>(
      ::crc32_z(so_far, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

bool LooksLikeGzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

bool LooksLikeZstd(std::string_view bytes) {
  if (bytes.starts_with("\x28\xb5\x2f\xfd")) return true;
  // A skippable frame: 0x184D2A50 to 0x184D2A5F, least significant byte first.
  return bytes.size() >= 4 && (bytes[0] & 0xF0) == 0x50 && bytes.substr(1, 3) == "\x2a\x4d\x18";
}

}  // namespace crawlsieve::consumer
