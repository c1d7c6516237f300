#include "tests/support/warc_builder.h"

namespace crawlsieve::testing {

std::string WriteWarc(const WarcRecord& record) {
  std::string out = record.version + "\r\n";
  const auto field = [&out](std::string_view name, const std::string& value) {
    if (!value.empty()) out.append(name).append(": ").append(value).append("\r\n");
  };
  field("WARC-Type", record.type);
  field("WARC-Target-URI", record.uri);
  field("WARC-Date", record.date);
  field("Content-Type", record.content_type);
  out += record.extra;
  field("Content-Length", std::to_string(record.block.size()));
  return out + "\r\n" + record.block + "\r\n\r\n";
}

std::string HttpMessage(std::string_view fields, std::string_view body) {
  return std::string("HTTP/1.1 200 OK\r\n").append(fields).append("\r\n").append(body);
}

std::string PageRecord(std::string_view uri, std::string_view html) {
  WarcRecord record;
  record.uri = uri;
  record.block = HttpMessage("Content-Type: text/html\r\n", html);
  return WriteWarc(record);
}

}  // namespace crawlsieve::testing
