#include "consumer/status/count_table.h"

#include "consumer/html/charts.h"
#include "consumer/html/page_text.h"
#include "consumer/status/quantities.h"

#include <fmt/format.h>

namespace crawlsieve::consumer {

std::string CountTable(std::string_view id, std::string_view name, std::string_view count,
                       std::span<const HeavyHitters::Item> items, std::uint64_t total) {
  const auto as_double = [](std::uint64_t value) { return static_cast<double>(value); };
  std::string html = fmt::format(
      "<div class=\"wide\"><table id=\"{}\"><tr><th>{}</th><th></th><th class=\"n\">{}</th>"
      "<th class=\"n\">share</th></tr>\n",
      id, name, count);
  bool is_estimated = false;
  for (const HeavyHitters::Item& item : items) {
    const std::string most = LongCount(item.count);
    is_estimated = is_estimated || item.error > 0;
    html += fmt::format(
        "<tr><td><code>{}</code></td><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>"
        "</tr>\n",
        PageText(item.name), Bar(as_double(item.count), as_double(items.front().count), false),
        item.error > 0 ? fmt::format("{} to {}", LongCount(item.count - item.error), most) : most,
        ShareText(as_double(item.count), as_double(total)));
  }
  html += "</table></div>\n";
  if (is_estimated) {
    html += fmt::format(
        "<p class=\"soft\">Ranges: more {}s than are counted apart at a time. Every {} above the "
        "lowest figure is in the list.</p>\n",
        name, name);
  }
  return html;
}

}  // namespace crawlsieve::consumer
