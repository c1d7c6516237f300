#include "tests/support/http_server.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

// An HTTP server of the files below a folder, by ranges, from memory. Prints its URL and ends with
// its standard input.
//
//   range_server FOLDER

int main(int count, char** arguments) {
  namespace fs = std::filesystem;
  if (count != 2) {
    std::fputs("usage: range_server FOLDER\n", stderr);
    return 2;
  }
  std::map<std::string, std::string> files;
  const fs::path folder = arguments[1];
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    files["/" + entry.path().lexically_relative(folder).string()] = {
        std::istreambuf_iterator<char>(in), {}};
  }
  using crawlsieve::testing::HttpPeer;
  using crawlsieve::testing::HttpRequest;
  const crawlsieve::testing::HttpServer server([&](const HttpRequest& request, HttpPeer& peer) {
    const auto file = files.find(request.target);
    return peer.Send(file == files.end() ? "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
                                         : RangeAnswer(request, file->second));
  });
  std::printf("%s\n", server.url().c_str());
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
  return 0;
}
