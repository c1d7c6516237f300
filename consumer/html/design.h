#pragma once

#include <string_view>

namespace crawlsieve::consumer {

/// The style sheet of every page that a person reads: status page and reports. One design, without
/// anything from elsewhere: light and dark as the reader's system asks, from 320 to 1,600 pixels,
/// and on paper. Figures never depend on colour alone.
[[nodiscard]] std::string_view Design();

}  // namespace crawlsieve::consumer
