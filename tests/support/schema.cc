#include "tests/support/schema.h"

#include <exception>
#include <fstream>
#include <sstream>
#include <string>

#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

namespace crawlsieve {

::testing::AssertionResult ConformsTo(const nlohmann::json& json,
                                      const std::filesystem::path& schema_path) {
  std::ifstream file(schema_path);
  const nlohmann::json schema_json = nlohmann::json::parse(file, nullptr, false);
  if (schema_json.is_discarded()) {
    return ::testing::AssertionFailure() << schema_path << " can't be read or is not JSON";
  }
  valijson::Schema schema;
  try {
    const valijson::adapters::NlohmannJsonAdapter adapter(schema_json);
    valijson::SchemaParser().populateSchema(adapter, schema);
  } catch (const std::exception& e) {
    return ::testing::AssertionFailure() << schema_path << " is not a schema: " << e.what();
  }
  const valijson::adapters::NlohmannJsonAdapter target(json);
  valijson::ValidationResults results;
  if (valijson::Validator().validate(schema, target, &results)) {
    return ::testing::AssertionSuccess();
  }
  std::ostringstream violations;
  for (valijson::ValidationResults::Error error; results.popError(error);) {
    for (const std::string& step : error.context) violations << step;
    violations << ": " << error.description << "\n";
  }
  return ::testing::AssertionFailure() << "does not conform to " << schema_path << ":\n"
                                       << violations.str() << json.dump(2);
}

}  // namespace crawlsieve
