#include "bench/pages.h"

#include <fstream>
#include <memory>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <zstd.h>

namespace crawlsieve::bench {
namespace {

Result<std::string> ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  if (!file) return MakeError(ErrorCode::kIo, fmt::format("{}: can't be read", path.string()));
  return std::move(bytes).str();
}

Result<std::string> Decompress(const std::string& compressed, const std::string& name) {
  constexpr int kMaxWindowLog = 27;
  const std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(),
                                                                        ZSTD_freeDCtx);
  ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, kMaxWindowLog);
  std::string text;
  std::vector<char> chunk(ZSTD_DStreamOutSize());
  ZSTD_inBuffer input{compressed.data(), compressed.size(), 0};
  std::size_t rest = 0;
  do {
    ZSTD_outBuffer output{chunk.data(), chunk.size(), 0};
    rest = ZSTD_decompressStream(context.get(), &output, &input);
    if (ZSTD_isError(rest) != 0) {
      return MakeError(ErrorCode::kCorruption,
                       fmt::format("{}: {}", name, ZSTD_getErrorName(rest)));
    }
    text.append(chunk.data(), output.pos);
    if (output.pos == 0 && input.pos == input.size) break;
  } while (rest != 0 || input.pos < input.size);
  if (rest != 0) return MakeError(ErrorCode::kCorruption, fmt::format("{}: cut off", name));
  return text;
}

/// A field of text; empty when it isn't there or is something else.
std::string TextField(const nlohmann::json& object, const char* name) {
  const auto field = object.find(name);
  return field != object.end() && field->is_string() ? field->get<std::string>() : std::string();
}

}  // namespace

Status ForEachPageRecord(const std::filesystem::path& path,
                         const std::function<void(PageRecord&&)>& take) {
  Result<std::string> text = ReadFile(path);
  if (text && path.extension() == ".zst") text = Decompress(*text, path.string());
  if (!text) return tl::unexpected(text.error());
  std::istringstream lines(*std::move(text));
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    const nlohmann::json json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!json.is_object() || !json.contains("url") || !json.contains("body") ||
        !json["url"].is_string() || !json["body"].is_string()) {
      return MakeError(
          ErrorCode::kInvalidInput,
          fmt::format("{}:{}: no page record with url and body", path.string(), number));
    }
    PageRecord record;
    record.page.url = json["url"];
    record.page.body = json["body"];
    record.page.content_type = TextField(json, "content_type");
    if (const auto attrs = json.find("attrs"); attrs != json.end() && attrs->is_object()) {
      record.main_html = TextField(*attrs, "main_content_html");
      record.kind = TextField(*attrs, "kind");
      const auto soft_404 = attrs->find("soft_404");
      record.soft_404 = soft_404 != attrs->end() && soft_404->is_boolean() && soft_404->get<bool>();
    }
    if (const auto status = json.find("status_code");
        status != json.end() && status->is_number_integer()) {
      record.page.status_code = *status;
    }
    if (const auto links = json.find("links"); links != json.end() && links->is_array()) {
      record.links.emplace();
      for (const nlohmann::json& link : *links) {
        if (link.is_string()) record.links->push_back(link);
      }
    }
    take(std::move(record));
  }
  return {};
}

Result<std::vector<PageRecord>> LoadPageRecords(const std::filesystem::path& path) {
  std::vector<PageRecord> records;
  const Status read =
      ForEachPageRecord(path, [&](PageRecord&& record) { records.push_back(std::move(record)); });
  if (!read) return tl::unexpected(read.error());
  return records;
}

}  // namespace crawlsieve::bench
