#pragma once

#include "consumer/claims/body_store.h"
#include "consumer/claims/large_bodies.h"
#include "consumer/input/formats/body_ref.h"
#include "consumer/input/formats/input_format.h"

#include <stop_token>
#include <string>

#include <tl/expected.hpp>

namespace crawlsieve::consumer {

/// What was found where a reference leads.
struct StoredBody {
  std::string bytes;         ///< a whole WARC record, unpacked; or the body, as BodyRef::holds says
  std::string problem;       ///< a code of body.h; empty: none
  std::string message;       ///< of the problem, for a person; names no secret
  LargeBodies::Lease lease;  ///< what `bytes` take, where they are many
};

/// Why nothing can be said of a body now. Nothing is wrong with its page.
struct StoreOutage {
  enum class Kind {
    kStoreDown,    ///< the store didn't answer, or refuses
    kFileGrowing,  ///< the file doesn't hold the body yet
    kStopped,      ///< the caller was asked to stop
  };
  Kind kind = Kind::kStoreDown;
  std::string message;  ///< for a person; names no secret
};

/// Reads what `ref` refers to: the WARC record that begins at its offset, to the end of its gzip
/// member or zstd frame or of its Content-Length, or the body.
///
/// Memory: up to twice the limits of a body and a header, like a WARC record in Kafka, and pieces
/// of 1 MiB. More than LargeBodies::kFromBytes wait for a place in `large`. Longer records are
/// kBodyTooLarge. Other problems: kBadBodyRef, kBodyNotFound,
/// kBodyDamaged. What is missing or broken at the end of a file that may still grow is an outage.
/// Zstd frames with a dictionary can't be read: kBodyDamaged.
[[nodiscard]] tl::expected<StoredBody, StoreOutage> ReadStoredBody(BodyStore& store,
                                                                   const BodyRef& ref,
                                                                   const DecodeLimits& limits,
                                                                   LargeBodies& large,
                                                                   const std::stop_token& stop);

}  // namespace crawlsieve::consumer
