#include "consumer/claims/http_store.h"

#include "consumer/claims/address.h"
#include "consumer/claims/body_fetcher.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <netinet/in.h>
#include <stdlib.h>

namespace crawlsieve::consumer {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Kind = StoreFailure::Kind;
using Clock = std::chrono::steady_clock;

constexpr const char* kBase = "https://s.example/bucket/";

std::string Below(const std::string& file, const std::string& base = kBase) {
  return UrlBelow(base, file).value_or("refused");
}

TEST(UrlBelow, PutsNamesBehindTheBase) {
  EXPECT_EQ(Below("x.warc.gz"), "https://s.example/bucket/x.warc.gz");
  EXPECT_EQ(Below("a/b~c/x-1_2.gz"), "https://s.example/bucket/a/b~c/x-1_2.gz");
  EXPECT_EQ(Below("/a/x"), "https://s.example/bucket/a/x");
  EXPECT_EQ(Below("a b?c#d%25\xff"), "https://s.example/bucket/a%20b%3Fc%23d%2525%FF");
  EXPECT_EQ(Below("user@host:80"), "https://s.example/bucket/user%40host%3A80");
}

TEST(UrlBelow, TakesUrlsBelowTheBaseOnly) {
  EXPECT_EQ(Below("https://s.example/bucket/x?X-Amz-Signature=1"),
            "https://s.example/bucket/x?X-Amz-Signature=1");
  for (const char* file :
       {"https://s.example/other/x", "https://s.example/bucket", "https://s.example/bucket/",
        "https://s.example/bucket/?x", "http://s.example/bucket/x", "https://S.example/bucket/x",
        "https://me:secret@s.example/bucket/x", "https://s.example@evil.example/bucket/x",
        "https://s.example:8443/bucket/x", "https://s.example/bucket/../x",
        "https://s.example/bucket/%2e%2E/x", "https://s.example/bucket/.%2e/x",
        "https://s.example/bucket/a%2f..%2fx", "https://s.example/bucket/..\\x",
        "https://s.example/bucket/a b", "https://s.example/bucket/a\r\nX: y",
        "https://s.example/bucket/x#y", "ftp://s.example/bucket/x", "gopher://x/", "://"}) {
    EXPECT_EQ(Below(file), "refused") << file;
  }
}

TEST(UrlBelow, RefusesNamesThatLeadUp) {
  for (const std::string& file :
       {std::string(".."), std::string("../x"), std::string("a/../../x"), std::string("./x"),
        std::string("a/%2e%2e/x"), std::string("a\\..\\x"), std::string(), std::string("/"),
        std::string("file:///etc/passwd"), std::string("file:x"), std::string("a\0b", 3),
        std::string(9000, 'x')}) {
    EXPECT_EQ(Below(file), "refused") << file.substr(0, 50);
  }
}

TEST(UrlBelow, KnowsItsBucket) {
  EXPECT_EQ(Below("s3://bucket/a/x"), "https://s.example/bucket/a/x");
  EXPECT_EQ(Below("s3://bucket/a/x", "https://bucket.s3.example/"), "https://bucket.s3.example/a/x");
  for (const char* file : {"s3://other/x", "s3://bucket", "s3://bucket/", "s3:///x", "s3://buck/x",
                           "s3://bucket/../x", "s3://s.example/x"}) {
    EXPECT_EQ(Below(file), "refused") << file;
  }
}

bool IsPublic(const std::string& text) {
  sockaddr_storage storage{};
  auto* const v4 = reinterpret_cast<sockaddr_in*>(&storage);
  auto* const v6 = reinterpret_cast<sockaddr_in6*>(&storage);
  if (::inet_pton(AF_INET, text.c_str(), &v4->sin_addr) == 1) {
    storage.ss_family = AF_INET;
  } else {
    EXPECT_EQ(::inet_pton(AF_INET6, text.c_str(), &v6->sin6_addr), 1) << text;
    storage.ss_family = AF_INET6;
  }
  return IsPublicAddress(reinterpret_cast<const sockaddr&>(storage));
}

TEST(Address, IsPublicOrNot) {
  for (const char* text : {"1.1.1.1", "8.8.8.8", "172.15.255.255", "172.32.0.0", "100.63.255.255",
                           "100.128.0.0", "223.255.255.255", "198.17.255.255", "2600::1",
                           "2a00:1450::1", "2001:4860:4860::8888"}) {
    EXPECT_TRUE(IsPublic(text)) << text;
  }
  for (const char* text :
       {"0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "127.255.0.1", "169.254.169.254",
        "172.16.0.1", "172.31.255.255", "192.168.1.1", "198.18.0.1", "198.19.255.255", "224.0.0.1",
        "255.255.255.255", "::", "::1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "64:ff9b::7f00:1",
        "fc00::1", "fd12::1", "fe80::1", "ff02::1", "2001:db8::1", "2002:7f00:1::", "2001::1"}) {
    EXPECT_FALSE(IsPublic(text)) << text;
  }
  EXPECT_FALSE(IsPublicAddress(sockaddr{AF_UNIX, {}}));
}

/// A server on this machine.
class HttpStoreTest : public ::testing::Test {
 protected:
  HttpStoreTest() {
    options_.allow_private_addresses = true;
    options_.timeout = std::chrono::seconds(20);
    server_.Get("/b/(.*)", [this](const httplib::Request& request, httplib::Response& response) {
      ++requests_;
      range_ = request.get_header_value("Range");
      authorization_ = request.get_header_value("Authorization");
      target_ = request.target;
      if (answer_) {
        answer_(response);
      } else if (request.matches[1] == "x") {
        response.set_content("0123456789", "application/octet-stream");
      } else {
        response.status = 404;
      }
    });
    port_ = server_.bind_to_any_port("127.0.0.1");
    options_.url = "http://127.0.0.1:" + std::to_string(port_) + "/b/";
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();
  }
  ~HttpStoreTest() override {
    server_.stop();
    thread_.join();
  }

  tl::expected<StoredBytes, StoreFailure> Read(const std::string& file, std::uint64_t offset = 0,
                                               std::size_t count = 100,
                                               const std::stop_token& stop = {}) {
    if (store_ == nullptr) {
      auto made = HttpStore::Make(options_);
      EXPECT_TRUE(made.has_value()) << made.error().message;
      store_ = std::move(*made);
    }
    return store_->Read(file, offset, count, stop);
  }

  /// The kind of failure when the server answers like this.
  Kind KindOf(std::function<void(httplib::Response&)> answer, std::uint64_t offset = 3) {
    answer_ = std::move(answer);
    const auto read = Read("x", offset, 4);
    EXPECT_FALSE(read.has_value());
    if (read.has_value()) return Kind::kRefused;
    message_ = read.error().message;
    return read.error().kind;
  }

  httplib::Server server_;
  int port_ = 0;
  std::thread thread_;
  std::atomic<int> requests_ = 0;
  std::string range_;
  std::string authorization_;
  std::string target_;
  std::string message_;
  std::function<void(httplib::Response&)> answer_;
  ClaimOptions options_;
  std::unique_ptr<HttpStore> store_;
};

TEST_F(HttpStoreTest, ReadsRanges) {
  EXPECT_EQ(Read("x", 0, 100)->bytes, "0123456789");
  EXPECT_EQ(Read("x", 3, 4)->bytes, "3456");
  EXPECT_EQ(range_, "bytes=3-6");
  EXPECT_EQ(Read("x", 8, 4)->bytes, "89");
  EXPECT_EQ(Read(options_.url + "x", 8, 1)->bytes, "8");
}

TEST_F(HttpStoreTest, SaysWhatIsNotThere) {
  EXPECT_EQ(Read("no").error().kind, Kind::kNotFound);
  for (const int status : {404, 410, 416}) {
    EXPECT_EQ(KindOf([status](httplib::Response& response) { response.status = status; }),
              Kind::kNotFound)
        << status;
  }
}

TEST_F(HttpStoreTest, EveryOtherAnswerIsAnOutage) {
  for (const int status : {204, 301, 302, 307, 400, 401, 403, 407, 408, 429, 500, 502, 503, 504}) {
    EXPECT_EQ(KindOf([status](httplib::Response& response) {
                response.status = status;
                response.set_header("Location", "/b/x");
              }),
              Kind::kUnavailable)
        << status;
    EXPECT_THAT(message_, HasSubstr(std::to_string(status)));
  }
}

TEST_F(HttpStoreTest, FollowsNoRedirect) {
  EXPECT_EQ(KindOf([](httplib::Response& response) { response.set_redirect("/b/y"); }),
            Kind::kUnavailable);
  EXPECT_EQ(requests_, 1);
}

TEST_F(HttpStoreTest, AnotherRangeThanAskedForIsAnOutage) {
  for (const char* range : {"bytes 0-3/10", "bytes 3-5/10", "bytes 3-/10", "bytes x", ""}) {
    EXPECT_EQ(KindOf([range](httplib::Response& response) {
                response.status = 206;
                if (*range != '\0') response.set_header("Content-Range", range);
                response.set_content_provider(
                    4, "text/plain", [](std::size_t at, std::size_t size, httplib::DataSink& sink) {
                      sink.write(std::string("3456").data() + at, size);
                      return true;
                    });
              }),
              Kind::kUnavailable)
        << range;
  }
}

TEST_F(HttpStoreTest, AnAnswerThatIsCutIsAnOutage) {
  EXPECT_EQ(KindOf(
                [](httplib::Response& response) {
                  response.set_content_provider(
                      1000, "text/plain",
                      [](std::size_t at, std::size_t, httplib::DataSink& sink) {
                        if (at > 0) return false;
                        sink.write("some", 4);
                        return true;
                      });
                },
                0),
            Kind::kUnavailable);
}

TEST_F(HttpStoreTest, AServerThatDoesNotAnswerInTimeIsAnOutage) {
  options_.timeout = std::chrono::milliseconds(300);
  const auto begin = Clock::now();
  std::atomic<bool> done = false;
  EXPECT_EQ(KindOf([&done](httplib::Response&) {
              const auto end = Clock::now() + std::chrono::seconds(20);
              while (!done && Clock::now() < end) std::this_thread::yield();
            }),
            Kind::kUnavailable);
  done = true;
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(15));
}

TEST_F(HttpStoreTest, AStopEndsARequest) {
  std::stop_source stop;
  std::atomic<bool> done = false;
  answer_ = [&](httplib::Response&) {
    stop.request_stop();
    const auto end = Clock::now() + std::chrono::seconds(18);
    while (!done && Clock::now() < end) std::this_thread::yield();
  };
  const auto begin = Clock::now();
  EXPECT_FALSE(Read("x", 0, 10, stop.get_token()).has_value());
  done = true;
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(15));
}

TEST_F(HttpStoreTest, NobodyListeningIsAnOutage) {
  server_.stop();
  EXPECT_EQ(Read("x").error().kind, Kind::kUnavailable);
}

TEST_F(HttpStoreTest, AddressesThatAreNotPublicAreRefused) {
  options_.allow_private_addresses = false;
  const auto read = Read("x");
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().kind, Kind::kUnavailable);
  EXPECT_THAT(read.error().message, HasSubstr("not public"));
  EXPECT_EQ(requests_, 0);
}

TEST_F(HttpStoreTest, AsksNoProxy) {
  ::setenv("http_proxy", "http://127.0.0.1:1/", 1);
  ::setenv("ALL_PROXY", "http://127.0.0.1:1/", 1);
  EXPECT_EQ(Read("x")->bytes, "0123456789");
  ::unsetenv("http_proxy");
  ::unsetenv("ALL_PROXY");
}

TEST_F(HttpStoreTest, TakesNoMoreThanItAskedFor) {
  answer_ = [](httplib::Response& response) {
    response.set_content(std::string(50 << 20, 'x'), "text/plain");
  };
  // httplib cuts the range out of it; a server that ignores ranges is one that answers 200.
  const auto read = Read("x", 0, 10);
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(read->bytes, "xxxxxxxxxx");
}

TEST_F(HttpStoreTest, SecretsStayOutOfMessages) {
  const std::string url = options_.url + "y?X-Amz-Signature=secret";
  const auto read = Read(url);
  ASSERT_FALSE(read.has_value());
  EXPECT_THAT(target_, HasSubstr("secret")) << "it was asked for";
  EXPECT_THAT(read.error().message, Not(HasSubstr("secret")));
  const auto refused = Read("http://me:secret@127.0.0.1/b/x?secret");
  EXPECT_EQ(refused.error().kind, Kind::kRefused);
  EXPECT_THAT(refused.error().message, Not(HasSubstr("secret")));
}

TEST_F(HttpStoreTest, SignsWhereThereAreCredentials) {
  EXPECT_TRUE(Read("x").has_value());
  EXPECT_EQ(authorization_, "");
  options_.s3_access_key = "AKIDEXAMPLE";
  options_.s3_secret_key = "wJalrXUtnFEMI";
  options_.s3_region = "eu-central-1";
  store_.reset();
  EXPECT_TRUE(Read("x").has_value());
  EXPECT_THAT(authorization_, HasSubstr("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/"));
  EXPECT_THAT(authorization_, HasSubstr("/eu-central-1/s3/aws4_request"));
  EXPECT_THAT(authorization_, Not(HasSubstr("wJalrXUtnFEMI")));
}

TEST_F(HttpStoreTest, AFileThatWasChangedLatelyMayGrow) {
  EXPECT_FALSE(Read("x")->may_grow);
  answer_ = [](httplib::Response& response) {
    const std::time_t now = std::time(nullptr);
    char text[64];
    std::tm parts{};
    ::gmtime_r(&now, &parts);
    std::strftime(text, sizeof(text), "%a, %d %b %Y %H:%M:%S GMT", &parts);
    response.set_header("Last-Modified", text);
    response.set_content("x", "text/plain");
  };
  EXPECT_TRUE(Read("x")->may_grow);
}

TEST(HttpStore, RefusesBasesThatAreNone) {
  for (const char* url : {"ftp://x/", "x", "https://", "https:///x", "https://me:secret@x/",
                          "https://x/?y", "https://x/#y", "file:///x/"}) {
    ClaimOptions options;
    options.url = url;
    const auto made = HttpStore::Make(options);
    ASSERT_FALSE(made.has_value()) << url;
    EXPECT_THAT(made.error().message, Not(HasSubstr("secret")));
  }
}

}  // namespace
}  // namespace crawlsieve::consumer
