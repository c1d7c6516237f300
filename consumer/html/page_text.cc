#include "consumer/html/page_text.h"

#include "consumer/html/bounded_text.h"
#include "consumer/observability/html_escape.h"
#include "consumer/observability/printable.h"

#include <cstddef>

namespace crawlsieve::consumer {
namespace {

constexpr std::size_t kMaxText = 500;  ///< bytes of a text that nothing else bounds

}  // namespace

std::string PageText(std::string_view text) {
  return EscapeHtml(Printable(BoundedText(text, kMaxText)));
}

}  // namespace crawlsieve::consumer
