#pragma once

#include "extract/page.h"

#include <cstdint>
#include <optional>
#include <string>

namespace crawlsieve::consumer {

/// A claim check: where the body of a page lies, as its record says. Nothing of it is believed.
struct BodyRef {
  /// What lies there.
  enum class Holds {
    kWarcRecord,  ///< one WARC record, packed or not
    kBody,        ///< the body and nothing else
  };

  std::string file;                     ///< a path below the configured root, or a URL; not empty
  std::uint64_t offset = 0;             ///< of the first byte
  std::optional<std::uint64_t> length;  ///< bytes as stored; nullopt: to where it ends by itself
  /// Of the payload, as WARC-Payload-Digest writes it: `sha1:` or `sha256:` and base32 or hex; a
  /// bare SHA-1 in base32 too. Empty: none.
  std::string digest;
  Holds holds = Holds::kWarcRecord;

  friend bool operator==(const BodyRef&, const BodyRef&) = default;
};

/// A page whose body must be fetched first. `page.body` is empty.
struct ClaimedPage {
  extract::Page page;  ///< what the record itself says
  BodyRef ref;
};

/// Where the WARC record of a page lies, for an index of archives.
struct RecordPlace {
  std::string file;          ///< its name or its path below a root
  std::uint64_t offset = 0;  ///< of the first byte of the record, or of what it is packed in
  std::uint64_t length = 0;  ///< bytes as stored; 0: not known
};

/// `file` for messages and logs: without query, fragment and user info, where secrets may be.
[[nodiscard]] std::string ShownFile(const std::string& file);

}  // namespace crawlsieve::consumer
