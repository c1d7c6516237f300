#pragma once

#include <string>
#include <string_view>

namespace crawlsieve::testing {

/// What goes into one WARC record. Empty fields are left out of the head.
struct WarcRecord {
  std::string version = "WARC/1.0";
  std::string type = "response";
  std::string uri = "http://a.example/page";
  std::string date = "2024-05-06T07:08:09Z";
  std::string content_type = "application/http; msgtype=response";
  std::string extra;  ///< further fields, each with its line end
  std::string block;
};

/// The record with Content-Length and the two line ends behind its block.
[[nodiscard]] std::string WriteWarc(const WarcRecord& record);

/// "HTTP/1.1 200 OK", the header fields (each with its line end), an empty line, the body.
[[nodiscard]] std::string HttpMessage(std::string_view fields, std::string_view body);

/// A record that holds an HTTP response with an HTML page.
[[nodiscard]] std::string PageRecord(std::string_view uri, std::string_view html);

}  // namespace crawlsieve::testing
