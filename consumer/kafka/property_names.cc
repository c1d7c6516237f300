#include "consumer/kafka/property_names.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <numeric>

#include <librdkafka/rdkafka.h>

namespace crawlsieve::consumer {
namespace {

std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace

bool IsSecret(std::string_view property) {
  constexpr std::array<std::string_view, 6> kParts = {"password", "secret", "key.pem",
                                                      "jaas",     "token",  "oauthbearer.config"};
  return std::any_of(kParts.begin(), kParts.end(), [property](std::string_view part) {
    return property.find(part) != std::string_view::npos;
  });
}

std::vector<std::string> KnownProperties() {
  // The only list that has the properties without a default: a table for people, with the name in
  // the first column.
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* const stream = open_memstream(&text, &size);
  if (stream == nullptr) throw std::bad_alloc();
  rd_kafka_conf_properties_show(stream);
  (void)std::fclose(stream);
  std::vector<std::string> names;
  for (std::string_view rest(text, size); !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const std::size_t end = line.find_first_of(" |");
    const bool is_name =
        end != std::string_view::npos && line.find('|') != std::string_view::npos &&
        line.substr(0, end).find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789._") ==
            std::string_view::npos;
    if (!is_name || end == 0) continue;
    names.emplace_back(line.substr(0, end));
    if (IsSecret(names.back())) names.push_back(names.back() + std::string(kSecretFileSuffix));
  }
  std::free(text);  // NOLINT: open_memstream's
  return names;
}

std::string NearestName(std::string_view name, const std::vector<std::string>& names) {
  std::size_t nearest = std::max<std::size_t>(2, name.size() / 4) + 1;
  std::string found;
  for (const std::string& known : names) {
    const std::size_t distance = EditDistance(name, known);
    if (distance >= nearest) continue;
    nearest = distance;
    found = known;
  }
  return found;
}

}  // namespace crawlsieve::consumer
