#pragma once

#include "consumer/input/formats/input_format.h"

#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {

/// One record of tests/data/formats, with what it must become; see make.py there.
struct Golden {
  FormatKind format = FormatKind::kCanonical;
  nlohmann::json line;

  [[nodiscard]] InputRecord Record() const {
    InputRecord record;
    if (line.at("key").is_string()) record.key = line.at("key").get<std::string>();
    if (line.at("value").is_string()) record.value = line.at("value").get<std::string>();
    return record;
  }

  [[nodiscard]] std::string Name() const {
    return std::string(FormatName(format)) + ": " + line.at("name").get<std::string>();
  }
};

inline std::vector<Golden> GoldenRecords() {
  std::vector<Golden> records;
  for (const FormatKind format : AllFormats()) {
    std::ifstream file(std::string(CRAWLSIEVE_SOURCE_DIR "/tests/data/formats/")
                           .append(FormatName(format))
                           .append(".jsonl"));
    for (std::string line; std::getline(file, line);) {
      records.push_back({format, nlohmann::json::parse(line)});
    }
  }
  return records;
}

/// Options with which the golden records of format `json` can be read.
inline DecodeOptions GoldenOptions() {
  DecodeOptions options;
  options.json.url = JsonPath::Parse("$.request.url").value();
  options.json.final_url = JsonPath::Parse("$.request.loadedUrl").value();
  options.json.status_code = JsonPath::Parse("$.response.status").value();
  options.json.response_headers = JsonPath::Parse("$.response.headers").value();
  options.json.fetch_time = JsonPath::Parse("$['savedAt']").value();
  options.json.body = JsonPath::Parse("$.html").value();
  return options;
}

}  // namespace crawlsieve::consumer
