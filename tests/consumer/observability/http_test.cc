#include "consumer/observability/http.h"

#include "consumer/observability/http_client.h"
#include "consumer/observability/logging.h"

#include <atomic>
#include <thread>

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace crawlsieve::consumer {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

/// A connection without a client's manners.
class RawClient {
 public:
  explicit RawClient(std::uint16_t port) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    sockaddr generic;
    static_assert(sizeof(generic) == sizeof(address));
    std::memcpy(&generic, &address, sizeof(address));
    connected_ = connect(socket_, &generic, sizeof(generic)) == 0;
  }
  ~RawClient() { close(socket_); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  [[nodiscard]] bool connected() const { return connected_; }

  /// false once the server has gone.
  bool Send(std::string_view bytes) {
    return send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(bytes.size());
  }

  /// All that comes until the server closes.
  std::string ReadAll() {
    std::string all;
    char buffer[4096];
    for (ssize_t count = 0; (count = recv(socket_, buffer, sizeof(buffer), 0)) > 0;) {
      all.append(buffer, static_cast<std::size_t>(count));
    }
    return all;
  }

 private:
  int socket_;
  bool connected_ = false;
};

HttpOptions AtPort(std::uint16_t port, const std::string& address = "127.0.0.1") {
  HttpOptions options;
  options.address = address;
  options.port = port;
  return options;
}

class HttpServerTest : public ::testing::Test {
 protected:
  void SetUp() override { Start(AtPort(0)); }

  void Start(const HttpOptions& options) {
    auto server = HttpServer::Start(
        options, {.version = "1.2<3",
                  .commit = "0123456789ab-dirty",
                  .health =
                      [this] {
                        return Health{live_, ready_, ready_ && live_ ? "" : "restoring <state>"};
                      },
                  .metrics =
                      [this] {
                        if (throws_) throw std::runtime_error("secret detail");
                        return metrics_;
                      },
                  .status_page = [] { return std::string("<p>page"); },
                  .status_json = [] { return std::string("{}"); },
                  .answer = [this](const HttpQuestion& question) { return Answer(question); },
                  .question_paths = {"/ask"}});
    ASSERT_TRUE(server) << server.error().message;
    server_ = *std::move(server);
  }

  httplib::Result Get(const std::string& path) {
    httplib::Client client("127.0.0.1", server_->port());
    return client.Get(path);
  }

  /// Says what it was asked, and waits while it is held.
  HttpAnswer Answer(const HttpQuestion& question) {
    ++asked_;
    while (held_) std::this_thread::sleep_for(milliseconds(1));
    std::string text = question.path + (question.is_post ? " posted " + question.body : "");
    for (const auto& [name, value] : question.parameters) text += " " + name + "=" + value;
    return {question.parameters.contains("busy") ? 503 : 200, "text/plain", text};
  }

  httplib::Result Post(const std::string& path, const std::string& body,
                       const httplib::Headers& headers = {},
                       const char* type = "application/json") {
    httplib::Client client("127.0.0.1", server_->port());
    return client.Post(path, headers, body, type);
  }

  std::atomic<int> asked_{0};
  std::atomic<bool> held_{false};
  std::unique_ptr<HttpServer> server_;
  std::atomic<bool> live_{true};
  std::atomic<bool> ready_{true};
  std::atomic<bool> throws_{false};
  std::string metrics_ = "crawlsieve_up 1\n";
};

TEST_F(HttpServerTest, PicksAFreePort) {
  EXPECT_NE(server_->port(), 0);
  EXPECT_EQ(server_->url(), "http://127.0.0.1:" + std::to_string(server_->port()));
}

TEST_F(HttpServerTest, ServesMetrics) {
  const auto response = Get("/metrics");
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 200);
  EXPECT_EQ(response->body, "crawlsieve_up 1\n");
  EXPECT_THAT(response->get_header_value("Content-Type"), StartsWith("text/plain; version=0.0.4"));
}

TEST_F(HttpServerTest, AnswersQuestionsAtTheirPaths) {
  EXPECT_EQ(Get("/ask?b=%20x&a=1")->body, "/ask a=1 b= x");
  EXPECT_EQ(Post("/ask", "{\"a\": 1}")->body, "/ask posted {\"a\": 1}");
  EXPECT_EQ(Get("/asked")->status, 404);
  const auto busy = Get("/ask?busy");
  EXPECT_EQ(busy->status, 503);
  EXPECT_EQ(busy->get_header_value("Retry-After"), "1");
}

TEST_F(HttpServerTest, TakesABodyOfAMiBAndNoMore) {
  const std::string large(1'000'000, 'x');
  EXPECT_EQ(Post("/ask", large)->body.size(), large.size() + 12);
  const int asked = asked_;
  const auto too_large = Post("/ask", std::string((1 << 20) + 1, 'x'));
  EXPECT_TRUE(!too_large || too_large->status == 413);
  EXPECT_EQ(asked_, asked) << "the question didn't come through";
}

TEST_F(HttpServerTest, TakesNoBodyThatIsPackedOrElsewhere) {
  EXPECT_EQ(Post("/ask", "{}", {{"Content-Encoding", "gzip"}})->status, 415);
  EXPECT_EQ(Post("/ask", "a=b", {}, "application/x-www-form-urlencoded")->status, 415);
  EXPECT_EQ(Post("/metrics", "{}")->status, 405);
  EXPECT_EQ(asked_, 0);
}

TEST_F(HttpServerTest, AnswersTwoQuestionsAtATimeAndAlwaysTheOthers) {
  held_ = true;
  std::vector<std::jthread> askers;
  for (int i = 0; i < 2; ++i) {
    askers.emplace_back([this] { EXPECT_EQ(Get("/ask")->status, 200); });
  }
  while (asked_ < 2) std::this_thread::sleep_for(milliseconds(1));
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(Get("/ask")->status, 503);
    EXPECT_EQ(Post("/ask", "{}")->status, 503);
    EXPECT_EQ(Get("/livez")->status, 200);
  }
  EXPECT_EQ(asked_, 2);
  held_ = false;
  askers.clear();
  EXPECT_EQ(Get("/ask")->status, 200) << "the places are given back";
}

TEST_F(HttpServerTest, IsReadyOrSaysWhyNot) {
  EXPECT_EQ(Get("/readyz")->status, 200);
  ready_ = false;
  EXPECT_EQ(Get("/readyz")->status, 503);
  EXPECT_EQ(Get("/readyz")->body, "restoring <state>\n");
  EXPECT_EQ(Get("/livez")->status, 200);
  ready_ = true;
  live_ = false;
  EXPECT_EQ(Get("/readyz")->status, 503);
}

TEST_F(HttpServerTest, IsLiveOrSaysWhyNot) {
  EXPECT_EQ(Get("/livez")->status, 200);
  live_ = false;
  EXPECT_EQ(Get("/livez")->status, 503);
  EXPECT_EQ(Get("/livez")->body, "restoring <state>\n");
}

TEST_F(HttpServerTest, ServesItsVersionAsJson) {
  const auto response = Get("/version");
  EXPECT_EQ(response->get_header_value("Content-Type"), "application/json");
  const auto json = nlohmann::json::parse(response->body);
  EXPECT_EQ(json["name"], "crawlsieve");
  EXPECT_EQ(json["version"], "1.2<3");
  EXPECT_EQ(json["commit"], "0123456789ab-dirty");
}

TEST_F(HttpServerTest, ServesTheStatusPageThatMayFetchNothing) {
  const auto response = Get("/");
  EXPECT_EQ(response->status, 200);
  EXPECT_EQ(response->body, "<p>page");
  EXPECT_EQ(response->get_header_value("Content-Type"), "text/html; charset=utf-8");
  EXPECT_EQ(response->get_header_value("Content-Security-Policy"),
            "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
            "form-action 'none'; frame-ancestors 'none'");
  EXPECT_EQ(response->get_header_value("X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(response->get_header_value("Referrer-Policy"), "no-referrer");
}

TEST_F(HttpServerTest, ServesItsStatusForPrograms) {
  const auto response = Get("/status.json");
  EXPECT_EQ(response->status, 200);
  EXPECT_EQ(response->body, "{}\n");
  EXPECT_EQ(response->get_header_value("Content-Type"), "application/json");
}

TEST_F(HttpServerTest, IsReadByOurClient) {
  const auto body = HttpGet(server_->url() + "/status.json", seconds(5));
  ASSERT_TRUE(body) << body.error().message;
  EXPECT_EQ(*body, "{}\n");
  const auto missing = HttpGet(server_->url() + "/nope", seconds(5));
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("answers with status 404"));
  metrics_ = std::string(5 << 20, 'x');
  const auto too_long = HttpGet(server_->url() + "/metrics", seconds(5));
  ASSERT_FALSE(too_long);
  EXPECT_THAT(too_long.error().message, HasSubstr("more than"));
  const std::string url = server_->url();
  server_.reset();
  const auto gone = HttpGet(url, seconds(5));
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().code, ErrorCode::kIo);
}

TEST(HttpGet, TakesHttpOnly) {
  for (const char* url :
       {"", "http://", "https://", "ftp://127.0.0.1/", "file:///etc/passwd", "127.0.0.1"}) {
    const auto body = HttpGet(url, milliseconds(10));
    ASSERT_FALSE(body) << url;
    EXPECT_EQ(body.error().code, ErrorCode::kInvalidInput) << url;
  }
}

TEST_F(HttpServerTest, HasNoOtherPages) {
  for (const char* path : {"/nope", "/metrics/", "/metrics/../version", "//", "/%2e%2e/etc"}) {
    const auto response = Get(path);
    ASSERT_TRUE(response) << path;
    EXPECT_EQ(response->status, 404) << path;
    EXPECT_EQ(response->body, "HTTP 404\n") << path;
  }
}

TEST_F(HttpServerTest, AnswersHeadWithoutABody) {
  httplib::Client client("127.0.0.1", server_->port());
  const auto response = client.Head("/metrics");
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 200);
  EXPECT_EQ(response->body, "");
  EXPECT_EQ(response->get_header_value("Content-Length"), "16");
}

TEST_F(HttpServerTest, RefusesOtherMethods) {
  httplib::Client client("127.0.0.1", server_->port());
  for (const auto& response :
       {client.Post("/metrics", "x", "text/plain"), client.Put("/", "x", "text/plain"),
        client.Delete("/"), client.Options("/"), client.Patch("/", "x", "text/plain")}) {
    ASSERT_TRUE(response);
    EXPECT_EQ(response->status, 405);
    EXPECT_EQ(response->get_header_value("Allow"), "GET, HEAD");
  }
}

TEST_F(HttpServerTest, ClosesAfterOneRequest) {
  RawClient client(server_->port());
  ASSERT_TRUE(client.Send("GET /livez HTTP/1.1\r\nHost: x\r\n\r\nGET /version HTTP/1.1\r\n\r\n"));
  const std::string answer = client.ReadAll();
  EXPECT_THAT(answer, AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("Connection: close"),
                            HasSubstr("live\n"), Not(HasSubstr("version"))));
}

TEST_F(HttpServerTest, GivesThePageOnceHoweverManyRangesAreAsked) {
  metrics_ = std::string(10'000, 'm');
  httplib::Client client("127.0.0.1", server_->port());
  std::string ranges = "bytes=0-";
  for (int i = 0; i < 500; ++i) ranges += ",0-";
  const auto response = client.Get("/metrics", {{"Range", ranges}});
  ASSERT_TRUE(response);
  EXPECT_LE(response->body.size(), 10'000U);
}

TEST_F(HttpServerTest, CompressesWithGzipOnly) {
  metrics_ = std::string(100'000, 'x');
  for (const auto& [accepted, used] :
       {std::pair("br", ""), std::pair("identity", ""), std::pair("gzip", "gzip"),
        std::pair("gzip, deflate, br, zstd", "gzip")}) {
    httplib::Client client("127.0.0.1", server_->port());
    const auto response = client.Get("/metrics", {{"Accept-Encoding", accepted}});
    ASSERT_TRUE(response);
    EXPECT_EQ(response->get_header_value("Content-Encoding"), used) << accepted;
    EXPECT_EQ(response->body, metrics_) << accepted;
  }
}

TEST_F(HttpServerTest, HidesWhatAFunctionThrows) {
  throws_ = true;
  const auto response = Get("/metrics");
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 500);
  EXPECT_EQ(response->body, "internal error\n");
  for (const auto& [name, value] : response->headers) EXPECT_THAT(value, Not(HasSubstr("secret")));
}

TEST_F(HttpServerTest, NamesRequestsInItsAnswersAndInTheLog) {
  const auto id_for = [this](const std::string& given) {
    httplib::Client client("127.0.0.1", server_->port());
    const auto response = client.Get("/livez", {{"X-Request-Id", given}});
    return response ? response->get_header_value("X-Request-Id") : "no answer";
  };
  EXPECT_EQ(id_for("a-Z_0.9:"), "a-Z_0.9:");
  const std::string made = Get("/livez")->get_header_value("X-Request-Id");
  EXPECT_THAT(made, MatchesRegex("[0-9a-f]{8}-[0-9]+"));
  EXPECT_NE(Get("/livez")->get_header_value("X-Request-Id"), made);
  for (const std::string& given : {std::string(65, 'x'), std::string("a b"), std::string("<x>")}) {
    EXPECT_THAT(id_for(given), MatchesRegex("[0-9a-f]{8}-[0-9]+")) << given;
  }

  throws_ = true;
  ::testing::internal::CaptureStderr();
  const std::string id = Get("/metrics")->get_header_value("X-Request-Id");
  server_->Stop();  // it has logged then
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              AllOf(HasSubstr(" error http.failed request_id=" + id + " path=/metrics"),
                    HasSubstr("error=\"secret detail\"")));
}

TEST_F(HttpServerTest, CutsOffRequestsWithoutEnd) {
  RawClient client(server_->port());
  ASSERT_TRUE(client.Send("GET /livez HTTP/1.1\r\n"));
  const auto begin = steady_clock::now();
  int lines = 0;
  while (client.Send("X-Header: " + std::string(100, 'x') + "\r\n") &&
         steady_clock::now() - begin < seconds(4)) {
    ++lines;
  }
  EXPECT_LT(steady_clock::now() - begin, seconds(4)) << lines << " lines were taken";
  EXPECT_EQ(Get("/livez")->status, 200);
}

TEST_F(HttpServerTest, SurvivesWhatIsNotHttp) {
  for (const std::string& bytes :
       {std::string("\r\n\r\n"), std::string("GET\r\n\r\n"), std::string(10'000, 'A') + "\r\n\r\n",
        std::string(1000, '\0'), std::string("\x16\x03\x01\x02\x00\x01\xff\r\n", 9),
        "GET /" + std::string(9000, 'a') + " HTTP/1.1\r\n\r\n",
        std::string("GET /%zz%00%ff HTTP/1.1\r\n\r\n"),
        std::string("GET / HTTP/1.1\r\nRange: bytes=9-1,-,x\r\n\r\n"),
        std::string("POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n"),
        std::string("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffff\r\n")}) {
    RawClient client(server_->port());
    client.Send(bytes);
  }
  EXPECT_EQ(Get("/livez")->status, 200);
}

TEST_F(HttpServerTest, AnswersBesideClientsThatSayNothing) {
  std::vector<std::unique_ptr<RawClient>> silent;
  for (int i = 0; i < 3; ++i) silent.push_back(std::make_unique<RawClient>(server_->port()));
  const auto begin = steady_clock::now();
  EXPECT_EQ(Get("/livez")->status, 200);
  EXPECT_LT(steady_clock::now() - begin, seconds(2));
}

TEST_F(HttpServerTest, AnswersBesideHundredsOfClientsThatSayNothingAndClosesTheOldest) {
  EndOutages(/*all=*/true);  // of a test before
  ::testing::internal::CaptureStderr();
  std::vector<std::unique_ptr<RawClient>> silent;
  for (int i = 0; i < 300; ++i) {
    silent.push_back(std::make_unique<RawClient>(server_->port()));
    ASSERT_TRUE(silent.back()->connected()) << i;
  }
  const auto begin = steady_clock::now();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(Get("/livez")->status, 200);
  EXPECT_EQ(silent.front()->ReadAll(), "") << "closed";
  EXPECT_LT(steady_clock::now() - begin, seconds(2));
  // The newest is still listened to.
  ASSERT_TRUE(silent.back()->Send("GET /livez HTTP/1.1\r\nHost: x\r\n\r\n"));
  EXPECT_THAT(silent.back()->ReadAll(), StartsWith("HTTP/1.1 200"));
  server_->Stop();
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              AllOf(HasSubstr(" warn  http.silent_clients client=127.0.0.1"),
                    HasSubstr("more than 64 connections send nothing")));
}

TEST_F(HttpServerTest, ClosesAClientThatSaysNothingFor5Seconds) {
  RawClient silent(server_->port());
  const auto begin = steady_clock::now();
  EXPECT_EQ(silent.ReadAll(), "");
  EXPECT_GT(steady_clock::now() - begin, seconds(4));
  EXPECT_LT(steady_clock::now() - begin, seconds(9));
  EXPECT_EQ(Get("/livez")->status, 200);
}

TEST_F(HttpServerTest, AnswersManyClientsAtOnce) {
  std::atomic<int> good = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 20; ++i) {
          const auto response = Get("/metrics");
          if (response && response->status == 200) ++good;
        }
      });
    }
  }
  EXPECT_EQ(good, 160);
}

TEST_F(HttpServerTest, StopsInTimeWithClientsHangingOn) {
  std::vector<std::unique_ptr<RawClient>> silent;
  for (int i = 0; i < 30; ++i) {
    silent.push_back(std::make_unique<RawClient>(server_->port()));
    silent.back()->Send("GET /livez HTTP/1.1\r\n");
  }
  const auto begin = steady_clock::now();
  server_->Stop();
  EXPECT_LT(steady_clock::now() - begin, seconds(2));
  EXPECT_FALSE(RawClient(server_->port()).connected());
  server_->Stop();
}

TEST_F(HttpServerTest, GivesThePortBack) {
  const std::uint16_t port = server_->port();
  EXPECT_EQ(Get("/livez")->status, 200);
  server_.reset();
  Start(AtPort(port));
  EXPECT_EQ(server_->port(), port);
  EXPECT_EQ(Get("/livez")->status, 200);
}

TEST_F(HttpServerTest, DoesNotShareAPort) {
  const auto second = HttpServer::Start(AtPort(server_->port()), {});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kIo);
  EXPECT_THAT(second.error().message, HasSubstr(std::to_string(server_->port())));
}

TEST_F(HttpServerTest, RefusesAnAddressThatIsNotOurs) {
  const auto server = HttpServer::Start(AtPort(0, "192.0.2.1"), {});
  ASSERT_FALSE(server);
  EXPECT_THAT(server.error().message, HasSubstr("192.0.2.1"));
}

}  // namespace
}  // namespace crawlsieve::consumer
