#include "cli/migration_pair.h"

#include "consumer/migration/pair.h"
#include "consumer/observability/printable.h"

#include <cstdio>
#include <string>
#include <utility>

#include "cli/common.h"
#include <fmt/format.h>

namespace crawlsieve::consumer {

std::optional<MigrationPair> LoadPair(const MigrateArguments& arguments) {
  auto before = LoadOrReport(arguments.before);
  auto after = LoadOrReport(arguments.after);
  if (!before.has_value() || !after.has_value()) return std::nullopt;
  const auto problems =
      PairProblems({before->kafka, before->service}, {after->kafka, after->service});
  for (const std::string& problem : problems) {
    fmt::print(stderr, "{}\n", Printable(problem));
  }
  if (!problems.empty()) return std::nullopt;
  return MigrationPair{*std::move(before), *std::move(after)};
}

}  // namespace crawlsieve::consumer
