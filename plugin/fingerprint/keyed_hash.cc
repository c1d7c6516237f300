#include "plugin/fingerprint/keyed_hash.h"

#include "plugin/fingerprint/key.h"

#include <algorithm>
#include <string>

namespace crawlsieve {
KeyedHash::Keys KeyedHash::Derive(std::string_view key, std::string_view purpose) {
  Keys keys;
  const auto derive = [&](std::string_view part, auto& derived) {
    DeriveBytes(key, std::string(purpose).append(part),
                std::as_writable_bytes(std::span(&derived, 1)));
  };
  derive(" nh", keys.nh);
  derive(" length", keys.length);
  derive(" sip", keys.sip);
  derive(" aes", keys.aes);
  return keys;
}

KeyedHash::KeyedHash(std::string_view key, std::string_view purpose)
    : keys_(Derive(key, purpose)), aes_(keys_.aes) {}

inline NhValue KeyedHash::BlockOf(std::string_view bytes, const char* readable_end) const {
  return Nh(keys_.nh.data(), bytes, readable_end, {bytes.size(), keys_.length});
}

std::uint64_t KeyedHash::operator()(std::string_view bytes) {
  if (bytes.size() > kPieceBytes) return HashLong(bytes);
  NhValue block = BlockOf(bytes, bytes.data() + bytes.size());
  aes_.Encrypt(std::span(&block, 1));
  return block.low;
}

void KeyedHash::HashAll(std::span<const std::string_view> strings, const char* readable_end,
                        std::uint64_t* hashes) {
  std::array<NhValue, 64> blocks;
  while (!strings.empty()) {
    const std::size_t count = std::min(strings.size(), blocks.size());
    bool any_long = false;
    for (std::size_t i = 0; i < count; ++i) {
      const bool is_long = strings[i].size() > kPieceBytes;
      any_long |= is_long;
      const std::string_view bytes = strings[i].substr(0, is_long ? 0 : kPieceBytes);
      blocks[i] = BlockOf(bytes, readable_end);
    }
    aes_.Encrypt(std::span(blocks).first(count));
    for (std::size_t i = 0; i < count; ++i) hashes[i] = blocks[i].low;
    for (std::size_t i = 0; any_long && i < count; ++i) {
      if (strings[i].size() > kPieceBytes) hashes[i] = HashLong(strings[i]);
    }
    strings = strings.subspan(count);
    hashes += count;
  }
}

std::uint64_t KeyedHash::HashLong(std::string_view bytes) const {
  std::string message;
  const std::uint64_t size = bytes.size();
  for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), kPieceBytes))) {
    const std::string_view piece = bytes.substr(0, kPieceBytes);
    message += BytesOf(Nh(keys_.nh.data(), piece, piece.data() + piece.size()));
  }
  return SipHash(keys_.sip, message.append(BytesOf(size)));
}

}  // namespace crawlsieve
