#include "consumer/input/record_source.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

std::string FileUrl(const std::string& path) {
  const std::string absolute = std::filesystem::absolute(path).lexically_normal().native();
  std::string url = "file://";
  for (const char c : absolute) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~/").find(c) != std::string_view::npos;
    if (plain) {
      url += c;
    } else {
      url += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return url;
}

class PageSource final : public RecordSource {
 public:
  PageSource(File file, std::string_view content_type, bool packed, ByteStream& stream,
             Context& context)
      : file_(std::move(file)),
        content_type_(content_type),
        packed_(packed),
        stream_(stream),
        context_(context) {}

  bool Next(FileRecord& record) override {
    if (done_) return false;
    done_ = true;
    const std::size_t limit = context_.options.max_record_bytes;
    const std::string_view bytes = stream_.Peek(limit + 1);
    record.format = FormatKind::kRaw;
    record.origin = file_.path;
    record.record = {};
    record.record.key = FileUrl(file_.path);
    record.record.value = bytes.substr(0, limit);
    record.record.timestamp = file_.modified;
    record.record.headers = {{"url", *record.record.key},
                             {"content-type", content_type_},
                             {"fetch-time", FormatRfc3339(file_.modified)}};
    if (packed_) record.record.headers.push_back({"content-encoding", "gzip"});
    if (bytes.size() > limit) {
      const std::uint64_t size = std::max<std::uint64_t>(file_.size, bytes.size());
      record.record.headers.push_back({"content-length", std::to_string(size)});
      context_.warnings.push_back(fmt::format(
          "{}: {} bytes, over the limit of {}: the page is truncated", file_.path, size, limit));
    }
    return true;
  }

 private:
  const File file_;
  const std::string content_type_;
  const bool packed_;
  ByteStream& stream_;
  Context& context_;
  bool done_ = false;
};

}  // namespace

std::unique_ptr<RecordSource> MakePageSource(RecordSource::File file, std::string_view content_type,
                                             bool packed, ByteStream& stream,
                                             RecordSource::Context& context) {
  return std::make_unique<PageSource>(std::move(file), content_type, packed, stream, context);
}

}  // namespace crawlsieve::consumer
