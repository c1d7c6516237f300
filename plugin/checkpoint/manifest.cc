#include "plugin/checkpoint/manifest.h"

#include "plugin/checkpoint/digest.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crawlsieve {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;
constexpr const char* kDigest = "sha256";
constexpr std::size_t kDigestDigits = 64;
constexpr std::size_t kMostNameBytes = 200;

bool IsHex(std::string_view text, std::size_t digits) {
  return text.size() == digits && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

/// Whether a file may have this name: RocksDB's and ours do. None leads out of the directory.
bool IsFileName(std::string_view name) {
  return !name.empty() && name.size() <= kMostNameBytes && name.front() != '.' &&
         std::ranges::all_of(name, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                  c == '.' || c == '_' || c == '-';
         });
}

Json WithoutDigest(const CheckpointManifest& manifest) {
  Json files = Json::array();
  for (const CheckpointFile& file : manifest.files) {
    files.push_back({{"name", file.name}, {"bytes", file.bytes}, {kDigest, file.sha256}});
  }
  return {{"format", kFormat},
          {"log_offset", manifest.log_offset},
          {"sequence", manifest.sequence},
          {"entry_checksum", manifest.entry_checksum},
          {"state_format", manifest.state_format},
          {"fold_version", manifest.fold_version},
          {"scheme", manifest.scheme},
          {"parameters_sha256", manifest.parameters_sha256},
          {"created", FormatRfc3339(manifest.created)},
          {"uploaded", manifest.uploaded},
          {"files", std::move(files)}};
}

std::string Dump(const Json& json) {
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

/// Members of an object, by their types. One that is missing, or of another type, is remembered.
class Members {
 public:
  explicit Members(const Json& object) : object_(object) {}

  template <typename Number>
  void Read(const char* name, Number& number) {
    const Json* member = Find(name);
    if (member != nullptr && member->is_number_integer()) {
      number = member->get<Number>();
    } else {
      is_whole_ = false;
    }
  }
  void Read(const char* name, std::string& text) {
    const Json* member = Find(name);
    if (member != nullptr && member->is_string()) {
      text = member->get<std::string>();
    } else {
      is_whole_ = false;
    }
  }
  void Read(const char* name, bool& flag) {
    const Json* member = Find(name);
    if (member != nullptr && member->is_boolean()) {
      flag = member->get<bool>();
    } else {
      is_whole_ = false;
    }
  }

  [[nodiscard]] const Json* Find(const char* name) const {
    const auto found = object_.is_object() ? object_.find(name) : object_.end();
    return object_.is_object() && found != object_.end() ? &*found : nullptr;
  }
  [[nodiscard]] bool is_whole() const { return is_whole_; }

 private:
  const Json& object_;
  bool is_whole_ = true;
};

/// nullopt: not what this version writes.
std::optional<CheckpointManifest> FromJson(const Json& json) {
  CheckpointManifest manifest;
  Members members(json);
  members.Read("log_offset", manifest.log_offset);
  members.Read("sequence", manifest.sequence);
  members.Read("entry_checksum", manifest.entry_checksum);
  members.Read("state_format", manifest.state_format);
  members.Read("fold_version", manifest.fold_version);
  members.Read("scheme", manifest.scheme);
  members.Read("parameters_sha256", manifest.parameters_sha256);
  members.Read("uploaded", manifest.uploaded);
  std::string created;
  members.Read("created", created);
  const auto time = ParseRfc3339(created);
  const Json* files = members.Find("files");
  if (!members.is_whole() || !time.has_value() || files == nullptr || !files->is_array()) return {};
  manifest.created = *time;
  for (const Json& json_file : *files) {
    CheckpointFile file;
    Members of_file(json_file);
    of_file.Read("name", file.name);
    of_file.Read("bytes", file.bytes);
    of_file.Read(kDigest, file.sha256);
    if (!of_file.is_whole() || !IsFileName(file.name) || !IsHex(file.sha256, kDigestDigits)) {
      return {};
    }
    manifest.files.push_back(std::move(file));
  }
  const bool in_order =
      std::ranges::is_sorted(manifest.files, std::ranges::less_equal(), &CheckpointFile::name);
  return in_order ? std::optional(std::move(manifest)) : std::nullopt;
}

}  // namespace

std::string CheckpointFile::StoredName() const { return fmt::format("{}-{}", sha256, bytes); }

std::uint64_t CheckpointManifest::bytes() const {
  return std::accumulate(
      files.begin(), files.end(), std::uint64_t{0},
      [](std::uint64_t sum, const CheckpointFile& file) { return sum + file.bytes; });
}

std::string RenderManifest(const CheckpointManifest& manifest) {
  Json json = WithoutDigest(manifest);
  const std::string digest = HexSha256(Dump(json));
  json[kDigest] = digest;
  return Dump(json);
}

std::string ManifestNameOf(std::string_view rendered) {
  const Json json = Json::parse(rendered, nullptr, false);
  std::int64_t offset = 0;
  std::string digest;
  Members members(json);
  members.Read("log_offset", offset);
  members.Read(kDigest, digest);
  return fmt::format("{:020}-{}", offset, digest.substr(0, 16));
}

Result<CheckpointManifest> ParseManifest(std::string_view text, std::string_view where) {
  const auto damaged = [where](std::string_view what) {
    return MakeError(ErrorCode::kCorruption,
                     fmt::format("{}: {}: the manifest is damaged; use another checkpoint, or "
                                 "fetch the file again from where it was uploaded",
                                 where, what));
  };
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return damaged("not a JSON object");
  int format = 0;
  Members members(json);
  members.Read("format", format);
  if (format > kFormat) {
    return MakeError(ErrorCode::kMismatch,
                     fmt::format("{}: a checkpoint of format {}; this version knows up to {}: use "
                                 "the version that made it, or a later one",
                                 where, format, kFormat));
  }
  std::string digest;
  members.Read(kDigest, digest);
  if (format != kFormat || !members.is_whole()) return damaged("no format or no checksum");
  auto manifest = FromJson(json);
  if (!manifest.has_value()) return damaged("a member is missing or can't be used");
  // Also what JSON leaves open, such as spaces, is as it was written.
  if (RenderManifest(*manifest) != text) return damaged("its checksum is another");
  return *std::move(manifest);
}

}  // namespace crawlsieve
