#include "tests/support/compress.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <random>

#include <brotli/encode.h>
#include <zdict.h>
#include <zlib.h>
#include <zstd.h>

namespace crawlsieve::testing {
namespace {

std::string Deflate(std::string_view bytes, int window_bits) {
  z_stream stream{};
  if (deflateInit2(&stream, 9, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY) != Z_OK) abort();
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) abort();
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace

std::string Gzip(std::string_view bytes) { return Deflate(bytes, 15 + 16); }
std::string Zlib(std::string_view bytes) { return Deflate(bytes, 15); }
std::string RawDeflate(std::string_view bytes) { return Deflate(bytes, -15); }

std::string Brotli(std::string_view bytes) {
  std::size_t size = BrotliEncoderMaxCompressedSize(bytes.size()) + 16;
  std::string out(size, '\0');
  if (BrotliEncoderCompress(5, 22, BROTLI_MODE_GENERIC, bytes.size(),
                            reinterpret_cast<const std::uint8_t*>(bytes.data()), &size,
                            reinterpret_cast<std::uint8_t*>(out.data())) == BROTLI_FALSE) {
    abort();
  }
  out.resize(size);
  return out;
}

std::string ZstdDictionary(const std::vector<std::string>& samples) {
  std::string joined;
  std::vector<std::size_t> sizes;
  for (const std::string& sample : samples) {
    joined += sample;
    sizes.push_back(sample.size());
  }
  std::string dictionary(4096, '\0');
  const std::size_t size =
      ZDICT_trainFromBuffer(dictionary.data(), dictionary.size(), joined.data(), sizes.data(),
                            static_cast<unsigned>(sizes.size()));
  if (ZDICT_isError(size) != 0) abort();
  dictionary.resize(size);
  return dictionary;
}

std::string ZstdDictionaryFrame(std::string_view content) {
  std::string frame = "\x5D\x2A\x4D\x18";
  for (int shift = 0; shift < 32; shift += 8) {
    frame += static_cast<char>(content.size() >> shift & 0xFF);
  }
  return frame.append(content);
}

std::string Zstd(std::string_view bytes, int window_log, std::string_view dictionary) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_loadDictionary(context, dictionary.data(), dictionary.size());
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
  ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  // Written as a stream of unknown size, so that the frame names its window.
  ZSTD_outBuffer output{out.data(), out.size(), 0};
  ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
  ZSTD_compressStream2(context, &output, &input, ZSTD_e_continue);
  if (ZSTD_compressStream2(context, &output, &input, ZSTD_e_end) != 0) abort();
  ZSTD_freeCCtx(context);
  out.resize(output.pos);
  return out;
}

std::string Base64(std::string_view bytes) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      bits = bits << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0u);
    }
    const std::size_t digits = std::min<std::size_t>(bytes.size() - i, 3) + 1;
    for (std::size_t j = 0; j < 4; ++j) {
      out += j < digits ? kAlphabet[bits >> (18 - 6 * j) & 63] : '=';
    }
  }
  return out;
}

std::string Noise(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string out(count, '\0');
  std::generate(out.begin(), out.end(), [&random] { return static_cast<char>(random()); });
  return out;
}

}  // namespace crawlsieve::testing
