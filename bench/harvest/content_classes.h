#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve::bench {

/// The words of an HTML page in the plainest way, without anything that the detector uses: comments
/// and the elements script, style, head, nav, footer and form go out with their content, then all
/// tags; what is left is cut into runs of letters, digits and bytes above ASCII, in lower case.
/// Entities stay as they are, which gives words such as "nbsp" on all pages alike.
[[nodiscard]] std::vector<std::string> CrudeWords(std::string_view html);

/// Hashes of all runs of four words, distinct, ascending; of fewer words one hash of them all.
[[nodiscard]] std::vector<std::uint64_t> CrudeShingles(const std::vector<std::string>& words);

/// For each page its class: the number of the first page of the class. A page belongs to the class
/// of the first earlier page whose set of shingles resembles its own by at least `threshold`
/// (Jaccard), else to its own. Exact: no sketches. Sets are ascending and not empty.
[[nodiscard]] std::vector<std::size_t> ContentClasses(
    const std::vector<std::vector<std::uint64_t>>& shingles, double threshold);
inline constexpr double kClassResemblance = 0.82;

}  // namespace crawlsieve::bench
