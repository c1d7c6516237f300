#pragma once

#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace crawlsieve {

/// Whether `json` is what the JSON Schema in the file `schema_path` describes; every violation with
/// its place where it isn't. A schema that can't be read is a failure as well.
///
/// Formats (`date-time`) are annotations to the validator; schemas of ours that mean them say so
/// with a `pattern`.
::testing::AssertionResult ConformsTo(const nlohmann::json& json,
                                      const std::filesystem::path& schema_path);

}  // namespace crawlsieve
