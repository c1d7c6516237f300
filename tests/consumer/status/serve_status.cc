// Serves the status page of a made-up process, for a browser: serve_status tame|hostile|restoring.
// Prints its address on a line and ends with its input.

#include "consumer/observability/http.h"
#include "consumer/status/status_page.h"
#include "tests/consumer/status/sample_process.h"

#include <chrono>
#include <cstdio>
#include <string_view>

#include <fmt/format.h>

namespace {

using crawlsieve::testing::SampleProcess;
namespace consumer = crawlsieve::consumer;

int Serve(std::string_view kind) {
  const auto now = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  SampleProcess process(now,
                        {.is_hostile = kind == "hostile", .is_restoring = kind == "restoring"});
  consumer::HttpOptions options;
  options.port = 0;
  const auto server = consumer::HttpServer::Start(
      options, {.version = "0.1.0",
                .commit = "0123456789ab",
                .health =
                    [] {
                      return consumer::Health{true, true, ""};
                    },
                .metrics = [&] { return process.metrics().PrometheusText(); },
                .status_page = [&] { return consumer::StatusPage(process.Report()); },
                .status_json = [&] { return consumer::ToJson(process.Report()); }});
  if (!server) {
    fmt::print(stderr, "{}\n", server.error().message);
    return 1;
  }
  fmt::print("{}\n", (*server)->url());
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return Serve(argc > 1 ? argv[1] : "tame"); }
