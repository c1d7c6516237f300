#include "plugin/fingerprint/random_hash.h"

#include "plugin/fingerprint/key.h"
#include "plugin/fingerprint/sha256.h"

#include <span>

namespace crawlsieve {
RandomHash::RandomHash() { FillRandom(std::as_writable_bytes(std::span(key_))); }

Checksum RandomHash::operator()(std::string_view bytes, std::string_view label) const {
  const char* const end = bytes.data() + bytes.size();
  Sha256 sha256;
  const std::array<std::uint64_t, 2> sizes = {bytes.size(), label.size()};
  sha256.Add(BytesOf(sizes)).Add(label);
  // As many pieces at a time as make it worth while to call SHA-256.
  std::array<NhValue, 32> values;
  for (std::size_t count = 0; !bytes.empty(); count = 0) {
    for (; !bytes.empty() && count < values.size(); ++count) {
      const std::string_view piece = bytes.substr(0, kPieceBytes);
      values[count] = Nh(key_.data(), piece, end);
      bytes.remove_prefix(piece.size());
    }
    sha256.Add({reinterpret_cast<const char*>(values.data()), count * sizeof(values[0])});
  }
  return sha256.FinishChecksum();
}

}  // namespace crawlsieve
