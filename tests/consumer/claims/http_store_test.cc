#include "consumer/claims/http_store.h"

#include "tests/support/http_server.h"

#include <atomic>
#include <chrono>
#include <ctime>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

namespace crawlsieve::consumer {
namespace {

using crawlsieve::testing::HttpPeer;
using crawlsieve::testing::HttpRequest;
using crawlsieve::testing::HttpServer;
using crawlsieve::testing::RangeAnswer;
using ::testing::HasSubstr;
using ::testing::Not;
using Kind = StoreFailure::Kind;
using Clock = std::chrono::steady_clock;

constexpr auto kLong = std::chrono::seconds(60);

std::string HttpDate(std::time_t time) {
  char text[64];
  std::tm parts{};
  ::gmtime_r(&time, &parts);
  std::strftime(text, sizeof(text), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  return text;
}

class HttpStoreTest : public ::testing::Test {
 protected:
  HttpStoreTest() {
    options_.allow_private_addresses = true;
    options_.timeout = kLong;
    options_.url = server_.url() + "b/";
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

  /// What reading four bytes from byte 3 on comes to if the server sends `answer` and closes: the
  /// bytes in brackets, or the kind and message of the failure.
  std::string Outcome(const std::string& answer, std::uint64_t offset = 3) {
    server_.SetAnswer([answer](const HttpRequest&, HttpPeer& peer) {
      peer.Send(answer);
      return false;
    });
    const auto read = Read("x", offset, 4);
    if (read) return (read->may_grow ? "growing [" : "[") + read->bytes + "]";
    const std::string& message = read.error().message;
    EXPECT_TRUE(message.starts_with("x: ")) << message;
    switch (read.error().kind) {
      case Kind::kUnavailable:
        return "unavailable, " + message.substr(3);
      case Kind::kNotFound:
        return "not found, " + message.substr(3);
      case Kind::kRefused:
        return "refused, " + message.substr(3);
    }
    return "";
  }

  Mutex mutex_;
  HttpRequest last_ GUARDED_BY(mutex_);
  /// Of files `b/x` and `b/new.open`, 10 bytes each.
  HttpServer server_{[this](const HttpRequest& request, HttpPeer& peer) {
    const MutexLock lock(mutex_);
    last_ = request;
    const std::string path = request.target.substr(0, request.target.find('?'));
    const bool is_there = path == "/b/x" || path == "/b/new.open";
    return peer.Send(is_there ? RangeAnswer(request, "0123456789")
                              : "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
  }};
  ClaimOptions options_;
  std::unique_ptr<HttpStore> store_;
};

TEST_F(HttpStoreTest, ReadsRangesOverOneConnection) {
  EXPECT_EQ(Read("x", 0, 100)->bytes, "0123456789");
  EXPECT_EQ(Read("x", 3, 4)->bytes, "3456");
  {
    const MutexLock lock(mutex_);
    EXPECT_EQ(last_.Field("range"), "bytes=3-6");
    EXPECT_EQ(last_.Field("accept-encoding"), "identity");
    EXPECT_EQ(last_.Field("authorization"), "");
  }
  EXPECT_EQ(Read("x", 8, 4)->bytes, "89");
  EXPECT_EQ(Read(options_.url + "x", 8, 1)->bytes, "8");
  EXPECT_EQ(Read("x", 10, 1)->bytes, "");
  EXPECT_EQ(server_.connections(), 1);
}

TEST_F(HttpStoreTest, LooksForWhatIsStillWritten) {
  EXPECT_EQ(Read("new", 3, 4)->bytes, "3456");
  EXPECT_EQ(Read("no").error().kind, Kind::kNotFound);
}

TEST_F(HttpStoreTest, EveryAnswerHasItsOutcome) {
  const std::string ok = "HTTP/1.1 206 Partial Content\r\nContent-Length: 4\r\n";
  const std::string range = "Content-Range: bytes 3-6/10\r\n";
  EXPECT_EQ(Outcome(ok + range + "\r\n3456"), "[3456]");
  EXPECT_EQ(Outcome(ok + "content-range: BYTES 3-6/*\r\n\r\n3456"), "[3456]");
  EXPECT_EQ(Outcome("HTTP/1.1 103 Early Hints\r\nContent-Range: bytes 1-2/10\r\n\r\n" + ok + range +
                    "\r\n3456"),
            "[3456]");
  EXPECT_EQ(Outcome("HTTP/1.1 206 x\r\nTransfer-Encoding: chunked\r\n" + range +
                    "\r\n2\r\n34\r\n2\r\n56\r\n0\r\n\r\n"),
            "[3456]");
  EXPECT_EQ(Outcome("HTTP/1.0 206 x\r\n" + range + "\r\n3456"), "[3456]");
  // The range is at the end of the file.
  EXPECT_EQ(Outcome("HTTP/1.1 206 x\r\nContent-Length: 2\r\nContent-Range: bytes 3-4/5\r\n\r\n34"),
            "[34]");
  // A file that is marked as packed is stored so.
  EXPECT_EQ(Outcome(ok + range + "Content-Encoding: gzip\r\n\r\n\x1f\x8bxx"), "[\x1f\x8bxx]");

  const std::string other = "unavailable, the server answers with another range";
  for (const char* wrong : {"bytes 0-3/10", "bytes 4-7/10", "bytes 3-/10", "bytes -4/10", "bytes x",
                            "bytes 3-6", "bytes 3-6/", "bytes 6-3/10", "bytes 3-9/10",
                            "lines 3-6/10", "bytes */10", "bytes 3-18446744073709551620/10", ""}) {
    EXPECT_EQ(Outcome(ok + "Content-Range: " + wrong + "\r\n\r\n3456"), other) << wrong;
  }
  EXPECT_EQ(Outcome(ok + "\r\n3456"), other);
  EXPECT_EQ(Outcome("HTTP/1.1 206 x\r\nContent-Type: multipart/byteranges; boundary=b\r\n"
                    "Content-Length: 7\r\n\r\n--b\r\n\r\n"),
            other);
  const std::string size = "unavailable, the answer has fewer or more bytes than its range";
  EXPECT_EQ(Outcome("HTTP/1.1 206 x\r\nContent-Length: 3\r\n" + range + "\r\n345"), size);
  EXPECT_EQ(Outcome("HTTP/1.1 206 x\r\nContent-Length: 5\r\n" + range + "\r\n34567"), size);
  EXPECT_EQ(Outcome("HTTP/1.0 206 x\r\n" + range + "\r\n34"), size);
  EXPECT_EQ(Outcome("HTTP/1.1 206 x\r\nContent-Length: 2\r\nContent-Range: bytes 3-4/10\r\n\r\n34"),
            "unavailable, the server answers with a part of the range");

  const std::string whole = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n";
  EXPECT_EQ(Outcome(whole + "\r\n0123456789"), "unavailable, the server serves no ranges");
  EXPECT_EQ(Outcome(whole + "\r\n0123456789", 0), "[0123]");
  EXPECT_EQ(Outcome("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n01", 0), "[01]");
  EXPECT_EQ(Outcome("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n01\r\n0\r\n\r\n", 0),
            "[01]");
  EXPECT_EQ(Outcome(whole + "Content-Encoding: gzip\r\n\r\n\x1f\x8bxxxxxxxx", 0),
            "unavailable, the server compresses its answer");
  EXPECT_EQ(Outcome("HTTP/1.0 200 OK\r\n\r\n01", 0),
            "unavailable, the answer may be cut: it doesn't say where it ends");
}

TEST_F(HttpStoreTest, OnlyWhatTheServerSaysIsMissingIsNotFound) {
  const auto status = [](int code, const std::string& body = "") {
    return fmt::format("HTTP/1.1 {} x\r\nLocation: /b/y\r\nContent-Length: {}\r\n\r\n{}", code,
                       body.size(), body);
  };
  EXPECT_EQ(Outcome(status(404)), "not found, HTTP 404");
  EXPECT_EQ(Outcome(status(410)), "not found, HTTP 410");
  EXPECT_EQ(Outcome(status(416)), "[]");
  EXPECT_EQ(Outcome(status(404, "<Error><Code>NoSuchKey</Code></Error>")), "not found, HTTP 404");
  EXPECT_EQ(Outcome(status(404, "<Error><Code>NoSuchBucket</Code></Error>")),
            "unavailable, no such bucket");
  EXPECT_EQ(Outcome(status(404, std::string(1 << 20, 'x'))), "not found, HTTP 404");
  EXPECT_EQ(Outcome(status(414)), "refused, HTTP 414");
  EXPECT_EQ(Outcome(status(400, "<Code>KeyTooLongError</Code>")), "refused, HTTP 400");
  EXPECT_EQ(Outcome(status(400, "<Code>InvalidURI</Code>")), "refused, HTTP 400");
  for (const int code : {201, 202, 204, 400, 401, 403, 405, 407, 408, 409,
                         412, 425, 429, 500, 501, 502, 503, 504, 509, 599}) {
    EXPECT_EQ(Outcome(status(code)), fmt::format("unavailable, HTTP {}", code));
  }
  for (const int code : {300, 301, 302, 303, 304, 307, 308}) {
    const int before = server_.requests();
    EXPECT_EQ(Outcome(status(code)),
              fmt::format("unavailable, HTTP {}: redirects aren't followed", code));
    EXPECT_EQ(server_.requests(), before + 1);
  }
}

TEST_F(HttpStoreTest, GarbageAndEarlyEndsAreOutages) {
  for (const std::string& answer : std::vector<std::string>{
           "", "H", "garbage\r\n\r\n0123", "HTTP/1.1 206", "HTTP/9.9 206 x\r\n\r\n",
           "HTTP/1.1 206 x\r\nContent-Length: 4\r\nContent-Range: bytes 3-6/10\r\n\r\n34",
           "HTTP/1.1 206 x\r\nContent-Length: 4\r\nContent-Range: bytes 3-6/10\r\n\r\n",
           "HTTP/1.1 206 x\r\nContent-Length: 4\r\nContent-Range: bytes 3-6/10\r\n",
           "HTTP/1.1 206 x\r\nTransfer-Encoding: chunked\r\nContent-Range: bytes 3-6/10\r\n\r\n"
           "2\r\n34\r\n",
           "HTTP/1.1 206 x\r\nTransfer-Encoding: chunked\r\nContent-Range: bytes 3-6/10\r\n\r\n"
           "zz\r\n3456\r\n0\r\n\r\n",
           "HTTP/1.1 206 x\r\nContent-Length: -4\r\nContent-Range: bytes 3-6/10\r\n\r\n3456",
           "HTTP/1.1 404 x\r\nContent-Length: 400\r\n\r\ncut", std::string("\0\0\0\0\r\n\r\n", 8),
           std::string(300'000, 'x')}) {
    EXPECT_THAT(Outcome(answer), ::testing::StartsWith("unavailable, ")) << answer.substr(0, 100);
  }
}

TEST_F(HttpStoreTest, AHeaderWithoutEndIsAnOutageAndTakesNoMemory) {
  server_.SetAnswer([](const HttpRequest&, HttpPeer& peer) {
    peer.Send("HTTP/1.1 206 x\r\n");
    peer.SendForever("A: b\r\n", 100'000'000);
    return false;
  });
  const auto read = Read("x");
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().message, "x: the header of the answer is too large");
  server_.SetAnswer([](const HttpRequest&, HttpPeer& peer) {
    peer.SendForever("HTTP/1.1 103 x\r\nA: b\r\n\r\n", 100'000'000);
    return false;
  });
  EXPECT_EQ(Read("x").error().message, "x: the header of the answer is too large");
}

TEST_F(HttpStoreTest, TakesNoMoreThanItAskedForOfABodyWithoutEnd) {
  for (const char* head :
       {"HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n"}) {
    server_.SetAnswer([head](const HttpRequest&, HttpPeer& peer) {
      peer.Send(head);
      peer.SendForever(std::string(1000, 'x'), 100'000'000);
      return false;
    });
    const auto read = Read("x", 0, 70'000);
    ASSERT_TRUE(read.has_value()) << read.error().message;
    EXPECT_EQ(read->bytes, std::string(70'000, 'x'));
    EXPECT_LE(read->bytes.capacity(), 70'001U);
  }
  server_.SetAnswer([](const HttpRequest&, HttpPeer& peer) {
    peer.Send("HTTP/1.1 206 x\r\nContent-Range: bytes 0-69999/70000\r\n\r\n");
    peer.SendForever(std::string(1000, 'x'), 100'000'000);
    return false;
  });
  EXPECT_EQ(Read("x", 0, 70'000).error().message,
            "x: the answer has fewer or more bytes than its range");
  server_.SetAnswer([](const HttpRequest&, HttpPeer& peer) {
    peer.Send("HTTP/1.1 404 x\r\n\r\n");
    peer.SendForever(std::string(1000, 'x'), 100'000'000);
    return false;
  });
  EXPECT_EQ(Read("x", 0, 70'000).error().kind, Kind::kNotFound);
}

TEST_F(HttpStoreTest, AnAnswerInPiecesIsTakenWhole) {
  server_.SetAnswer([](const HttpRequest& request, HttpPeer& peer) {
    for (const char byte : RangeAnswer(request, "0123456789")) {
      if (!peer.Send({&byte, 1})) return false;
    }
    return true;
  });
  EXPECT_EQ(Read("x", 3, 4)->bytes, "3456");
}

TEST_F(HttpStoreTest, AServerThatDoesNotAnswerInTimeIsAnOutage) {
  options_.timeout = std::chrono::milliseconds(200);
  for (const char* begin : {"", "HTTP/1.1 206 x\r\nContent-Range: bytes 0-9/10\r\n\r\n01"}) {
    server_.SetAnswer([begin](const HttpRequest&, HttpPeer& peer) {
      peer.Send(begin);
      peer.WaitForClose();
      return false;
    });
    const auto start = Clock::now();
    EXPECT_EQ(Read("x").error().kind, Kind::kUnavailable);
    EXPECT_LT(Clock::now() - start, kLong / 2);
  }
}

TEST_F(HttpStoreTest, AStopEndsARequest) {
  std::stop_source stop;
  server_.SetAnswer([&stop](const HttpRequest&, HttpPeer& peer) {
    stop.request_stop();
    peer.WaitForClose();
    return false;
  });
  const auto start = Clock::now();
  EXPECT_EQ(Read("x", 0, 10, stop.get_token()).error().kind, Kind::kUnavailable);
  EXPECT_LT(Clock::now() - start, kLong / 2);
}

TEST_F(HttpStoreTest, NobodyListeningIsAnOutage) {
  {
    const HttpServer gone([](const HttpRequest&, HttpPeer&) { return false; });
    options_.url = gone.url();
  }
  EXPECT_EQ(Read("x").error().kind, Kind::kUnavailable);
}

TEST_F(HttpStoreTest, AConnectionThatWasClosedMeanwhileIsMadeAnew) {
  server_.SetAnswer([](const HttpRequest& request, HttpPeer& peer) {
    peer.Send(RangeAnswer(request, "0123456789"));
    return false;
  });
  for (int i = 0; i < 5; ++i) EXPECT_EQ(Read("x", 3, 4)->bytes, "3456");
  EXPECT_GT(server_.connections(), 1);
}

TEST_F(HttpStoreTest, ReadsAtATimeHaveConnectionsOfTheirOwnAndKeepThem) {
  constexpr int kReaders = 6;
  std::atomic<int> waiting = 0;
  server_.SetAnswer([&waiting](const HttpRequest& request, HttpPeer& peer) {
    // Nobody is answered before all have asked.
    ++waiting;
    const auto end = Clock::now() + kLong;
    while (waiting < kReaders && Clock::now() < end) std::this_thread::yield();
    return peer.Send(RangeAnswer(request, "0123456789"));
  });
  auto store = HttpStore::Make(options_);
  ASSERT_TRUE(store.has_value());
  for (int round = 0; round < 5; ++round) {
    waiting = 0;
    std::vector<std::jthread> readers;
    for (int i = 0; i < kReaders; ++i) {
      readers.emplace_back([&] { EXPECT_EQ((*store)->Read("x", 3, 4, {})->bytes, "3456"); });
    }
  }
  EXPECT_EQ(server_.connections(), kReaders);
}

TEST_F(HttpStoreTest, AddressesThatAreNotPublicAreNotConnectedTo) {
  options_.allow_private_addresses = false;
  for (const std::string& host :
       {std::string("127.0.0.1"), std::string("localhost"), std::string("0.0.0.0"),
        std::string("[::1]"), std::string("[::ffff:127.0.0.1]"), std::string("2130706433"),
        std::string("0x7f.1")}) {
    store_.reset();
    const std::string port = server_.url().substr(std::string("http://127.0.0.1:").size());
    options_.url = "http://" + host + ":" + port + "b/";
    const auto read = Read("x");
    ASSERT_FALSE(read.has_value()) << host;
    EXPECT_EQ(read.error().kind, Kind::kUnavailable) << host;
    EXPECT_THAT(read.error().message, HasSubstr("not public")) << host;
  }
  EXPECT_EQ(server_.connections(), 0);
}

TEST_F(HttpStoreTest, AsksNoProxy) {
  for (const char* name : {"http_proxy", "all_proxy", "ALL_PROXY"}) {
    ::setenv(name, "http://127.0.0.1:1/", 1);
  }
  EXPECT_EQ(Read("x")->bytes, "0123456789");
  for (const char* name : {"http_proxy", "all_proxy", "ALL_PROXY"}) ::unsetenv(name);
}

TEST_F(HttpStoreTest, SecretsStayOutOfMessages) {
  const std::string missing = Read(options_.url + "y?X-Amz-Signature=secret").error().message;
  {
    const MutexLock lock(mutex_);
    EXPECT_THAT(last_.target, HasSubstr("secret")) << "it was asked for";
  }
  EXPECT_EQ(missing, options_.url + "y: HTTP 404");
  server_.SetAnswer([](const HttpRequest&, HttpPeer&) { return false; });
  for (const std::string& file :
       {options_.url + "x?secret", std::string("http://me:secret@127.0.0.1/b/x?secret"),
        std::string("http://elsewhere/?secret"), options_.url + "x#secret"}) {
    const auto read = Read(file);
    ASSERT_FALSE(read.has_value()) << file;
    EXPECT_THAT(read.error().message, Not(HasSubstr("secret")));
  }
}

TEST_F(HttpStoreTest, AFileThatWasChangedLatelyMayGrow) {
  options_.growing = std::chrono::minutes(10);
  const std::string now = "Last-Modified: " + HttpDate(std::time(nullptr)) + "\r\n";
  const std::string before = "Last-Modified: " + HttpDate(std::time(nullptr) - 1200) + "\r\n";
  const std::string part = "HTTP/1.1 206 x\r\nContent-Length: 2\r\nContent-Range: bytes 3-4/5\r\n";
  EXPECT_EQ(Outcome(part + now + "\r\n34"), "growing [34]");
  EXPECT_EQ(Outcome(part + before + "\r\n34"), "[34]");
  EXPECT_EQ(Outcome(part + "Last-Modified: lately\r\n\r\n34"), "[34]");
  const std::string behind = "HTTP/1.1 416 x\r\nContent-Length: 0\r\n";
  EXPECT_EQ(Outcome(behind + now + "\r\n"), "growing []");
  EXPECT_EQ(Outcome(behind + before + "\r\n"), "[]");
}

TEST(HttpStore, RefusesWrongOptions) {
  ClaimOptions options;
  options.url = "https://s.example/";
  EXPECT_TRUE(HttpStore::Make(options).has_value());
  options.s3_secret_key = "secret";
  auto made = HttpStore::Make(options);
  ASSERT_FALSE(made.has_value());
  EXPECT_THAT(made.error().message, Not(HasSubstr("\"secret\"")));
  options.s3_access_key = "key";
  EXPECT_TRUE(HttpStore::Make(options).has_value());
  for (const char* region : {"", "a:b", "a b"}) {
    options.s3_region = region;
    EXPECT_FALSE(HttpStore::Make(options).has_value()) << region;
  }
  EXPECT_FALSE(HttpStore::Make({}).has_value());
}

}  // namespace
}  // namespace crawlsieve::consumer
