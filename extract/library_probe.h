#pragma once

#include "plugin/fingerprint/checksum.h"

#include <string>
#include <vector>

namespace crawlsieve::extract {

/// What a part of the libraries makes of a fixed input, as a checksum.
struct LibraryProbe {
  const char* name;
  Checksum result;
  Checksum known;  ///< the result of Debian 12's libraries
};

/// Probes of ICU, through what extraction asks of it: properties of all characters of Unicode 15.0,
/// normalisation, words and their dictionaries, encodings, domain names. Takes some 30 ms.
[[nodiscard]] std::vector<LibraryProbe> ProbeIcu();

/// Of the encodings that uchardet finds in sentences of 24 languages, in each that can hold them.
[[nodiscard]] LibraryProbe ProbeCharsetDetection();

/// Of the stems of some thousand words in each language that Snowball has.
[[nodiscard]] LibraryProbe ProbeStems();

/// Names for the scheme. As long as the probes have the known results they are the versions that
/// Debian 12 has, whatever versions these are: equal features have equal names. Made once.
struct LibraryNames {
  std::string icu;       ///< "icu=72.1 unicode=15.0"
  std::string uchardet;  ///< "uchardet-0.0.7"
  std::string stems;     ///< empty, or " stems=" and a checksum
};
[[nodiscard]] const LibraryNames& NamesOfLibraries();

/// The same of given results.
[[nodiscard]] LibraryNames NamesOf(const std::vector<LibraryProbe>& icu,
                                   const LibraryProbe& uchardet, const LibraryProbe& stems);

}  // namespace crawlsieve::extract
