// Encryption and tokens of the HTTP server, and our client of both.
#include "consumer/observability/access_token.h"
#include "consumer/observability/http.h"
#include "consumer/observability/http_client.h"
#include "consumer/observability/logging.h"
#include "tests/support/temporary_directory.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>
#include <unistd.h>

namespace crawlsieve::consumer {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kToken = "0123456789abcdef-token";

/// Replaces a file as tools that rotate secrets do: by a rename.
void Replace(const std::filesystem::path& file, const std::string& content) {
  const std::filesystem::path made = file.native() + ".new";
  std::ofstream(made, std::ios::binary) << content;
  std::filesystem::rename(made, file);
}

/// A self-signed certificate for `names`, such as "IP:127.0.0.1", and its key.
struct Certificate {
  std::string certificate;
  std::string key;
};

std::string TextOf(BIO* memory) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(memory, &data);
  std::string text(data, static_cast<std::size_t>(size));
  BIO_free(memory);
  return text;
}

Certificate MakeCertificate(const std::string& names, const char* password = nullptr) {
  EVP_PKEY* key = EVP_EC_gen("P-256");
  X509* x509 = X509_new();
  X509_set_version(x509, X509_VERSION_3);
  std::random_device random;
  ASN1_INTEGER_set_uint64(X509_get_serialNumber(x509), random());
  X509_gmtime_adj(X509_getm_notBefore(x509), -3600);
  X509_gmtime_adj(X509_getm_notAfter(x509), 3600);
  X509_set_pubkey(x509, key);
  X509_NAME* name = X509_get_subject_name(x509);
  const std::string subject = fmt::format("test {}", random());
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(subject.c_str()), -1, -1, 0);
  X509_set_issuer_name(x509, name);
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, x509, x509, nullptr, nullptr, 0);
  for (const auto& [id, value] : {std::pair<int, std::string>{NID_subject_alt_name, names},
                                  {NID_basic_constraints, "critical,CA:TRUE"}}) {
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, id, value.c_str());
    X509_add_ext(x509, extension, -1);
    X509_EXTENSION_free(extension);
  }
  X509_sign(x509, key, EVP_sha256());
  Certificate made;
  BIO* memory = BIO_new(BIO_s_mem());
  PEM_write_bio_X509(memory, x509);
  made.certificate = TextOf(memory);
  memory = BIO_new(BIO_s_mem());
  PEM_write_bio_PrivateKey(memory, key, password != nullptr ? EVP_aes_128_cbc() : nullptr, nullptr,
                           0, nullptr, const_cast<char*>(password));
  made.key = TextOf(memory);
  X509_free(x509);
  EVP_PKEY_free(key);
  return made;
}

class HttpAccessTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Use(MakeCertificate("IP:127.0.0.1,DNS:localhost"));
    std::ofstream(File("token")) << kToken << '\n';
    options_.port = 0;
  }

  [[nodiscard]] std::string File(const std::string& name) const {
    return (directory_.path() / name).native();
  }

  void Use(const Certificate& made) {
    Replace(File("key.pem"), made.key);
    Replace(File("certificate.pem"), made.certificate);
  }

  void WithTls() { options_.tls = {File("certificate.pem"), File("key.pem")}; }
  void WithToken() { options_.token_file = File("token"); }

  Status Start() {
    CRAWLSIEVE_ASSIGN_OR_RETURN(
        server_, HttpServer::Start(options_, {.version = "1",
                                              .commit = "unknown",
                                              .health =
                                                  [] {
                                                    return Health{true, true, ""};
                                                  },
                                              .metrics = [this] { return metrics_; },
                                              .status_page = [] { return std::string("<p>page"); },
                                              .status_json = [] { return std::string("{}"); }}));
    return {};
  }

  [[nodiscard]] Result<std::string> Get(const std::string& path, const HttpAccess& access) const {
    return HttpGet(server_->url() + path, seconds(5), access);
  }

  [[nodiscard]] HttpAccess Trusting() const {
    return {.token = "", .ca_file = File("certificate.pem")};
  }

  /// Status of a GET with this Authorization; empty: without one.
  [[nodiscard]] int StatusWith(const std::string& authorization,
                               const std::string& path = "/metrics") const {
    httplib::Client client("127.0.0.1", server_->port());
    httplib::Headers headers;
    if (!authorization.empty()) headers.emplace("Authorization", authorization);
    const auto response = client.Get(path, headers);
    return response ? response->status : -1;
  }

  /// All that the server answers to these bytes until it closes.
  [[nodiscard]] std::string Raw(const std::string& bytes) const {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(server_->port());
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    EXPECT_EQ(send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL), std::ssize(bytes));
    shutdown(socket, SHUT_WR);
    std::string all;
    char buffer[4096];
    for (ssize_t count = 0; (count = recv(socket, buffer, sizeof(buffer), 0)) > 0;) {
      all.append(buffer, static_cast<std::size_t>(count));
    }
    close(socket);
    return all;
  }

  crawlsieve::testing::TemporaryDirectory directory_;
  HttpOptions options_;
  std::string metrics_ = "crawlsieve_up 1\n";
  std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpAccessTest, AnAnswerOfMebibytesComesEncrypted) {
  WithTls();
  metrics_ = std::string(3 << 20, 'x');
  ASSERT_TRUE(Start());
  EXPECT_THAT(server_->url(), HasSubstr("https://127.0.0.1:"));
  const auto body = Get("/metrics", Trusting());
  ASSERT_TRUE(body) << body.error().message;
  EXPECT_TRUE(*body == metrics_);
}

TEST_F(HttpAccessTest, NothingIsSaidInTheClearOnAnEncryptedPort) {
  WithTls();
  ASSERT_TRUE(Start());
  EXPECT_THAT(Raw("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n"), Not(HasSubstr("crawlsieve_up")));
  EXPECT_THAT(Raw("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n"), Not(HasSubstr("HTTP/1.1")));
  const auto body = HttpGet(fmt::format("http://127.0.0.1:{}/", server_->port()), seconds(5));
  EXPECT_FALSE(body);
  EXPECT_TRUE(Get("/metrics", Trusting()));
}

TEST_F(HttpAccessTest, TheClientTrustsNoOtherSignerAndNoOtherName) {
  WithTls();
  ASSERT_TRUE(Start());
  const auto by_system = Get("/metrics", {});
  ASSERT_FALSE(by_system);
  EXPECT_THAT(by_system.error().message, HasSubstr("isn't signed by a trusted one"));
  std::ofstream(File("other.pem")) << MakeCertificate("IP:127.0.0.1").certificate;
  EXPECT_FALSE(Get("/metrics", {.token = "", .ca_file = File("other.pem")}));
  Use(MakeCertificate("DNS:other.example"));
  const auto by_name = Get("/metrics", Trusting());
  ASSERT_FALSE(by_name);
  EXPECT_THAT(by_name.error().message, HasSubstr("is of another host"));
}

TEST_F(HttpAccessTest, TheClientNamesAServerThatDoesNotEncrypt) {
  ASSERT_TRUE(Start());
  const auto body = HttpGet(fmt::format("https://127.0.0.1:{}/", server_->port()), seconds(5));
  ASSERT_FALSE(body);
  EXPECT_THAT(body.error().message, HasSubstr("the server speaks http"));
}

TEST_F(HttpAccessTest, ARotatedCertificateIsUsedFromTheNextConnectionOn) {
  WithTls();
  ASSERT_TRUE(Start());
  std::filesystem::copy_file(File("certificate.pem"), File("before.pem"));
  const HttpAccess before{.token = "", .ca_file = File("before.pem")};
  ASSERT_TRUE(Get("/metrics", before));
  Use(MakeCertificate("IP:127.0.0.1"));
  EXPECT_FALSE(Get("/metrics", before));
  EXPECT_TRUE(Get("/metrics", Trusting()));
}

TEST_F(HttpAccessTest, ACertificateWithoutItsKeyYetLeavesTheOneBefore) {
  WithTls();
  ASSERT_TRUE(Start());
  std::filesystem::copy_file(File("certificate.pem"), File("before.pem"));
  const Certificate next = MakeCertificate("IP:127.0.0.1");
  Replace(File("certificate.pem"), next.certificate);
  EXPECT_TRUE(Get("/metrics", {.token = "", .ca_file = File("before.pem")}));
  Replace(File("certificate.pem"), "no certificate");
  EXPECT_TRUE(Get("/metrics", {.token = "", .ca_file = File("before.pem")}));
  Use(next);
  EXPECT_TRUE(Get("/metrics", Trusting()));
}

TEST_F(HttpAccessTest, FilesThatCanNotServeAreNamedAtTheStart) {
  WithTls();
  const Certificate other = MakeCertificate("IP:127.0.0.1", "a password");
  for (const auto& [file, content, text] :
       {std::tuple<std::string, std::string, std::string>{"key.pem", other.key, "key.pem"},
        {"key.pem", MakeCertificate("IP:127.0.0.1").key, "with the certificate"},
        {"key.pem", "", "http.tls.key_file"},
        {"certificate.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n", "http.tls.certificate_file"}}) {
    Use(MakeCertificate("IP:127.0.0.1"));
    Replace(File(file), content);
    const auto started = Start();
    ASSERT_FALSE(started) << text;
    EXPECT_EQ(started.error().code, ErrorCode::kInvalidConfig);
    EXPECT_THAT(started.error().message, HasSubstr(text));
  }
  std::filesystem::remove(File("certificate.pem"));
  EXPECT_FALSE(Start());
}

TEST_F(HttpAccessTest, WhatIsNoTlsHarmsNobody) {
  WithTls();
  ASSERT_TRUE(Start());
  constexpr std::uint64_t kSeed = 20261;
  SCOPED_TRACE(kSeed);
  std::mt19937_64 random(kSeed);
  for (int i = 0; i < 100; ++i) {
    std::string bytes(random() % 300, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    // What looks like the head of a handshake is read further.
    if (i % 2 == 0 && bytes.size() > 5) bytes.replace(0, 5, std::string("\x16\x03\x01\x00\x40", 5));
    (void)Raw(bytes);
  }
  EXPECT_TRUE(Get("/metrics", Trusting()));
}

TEST_F(HttpAccessTest, AnswersManyEncryptedClientsAtOnce) {
  WithTls();
  ASSERT_TRUE(Start());
  std::vector<Result<std::string>> bodies(16);
  {
    std::vector<std::jthread> threads;
    for (Result<std::string>& body : bodies) {
      threads.emplace_back([&] { body = Get("/metrics", Trusting()); });
    }
  }
  for (const auto& body : bodies) ASSERT_TRUE(body) << body.error().message;
}

TEST_F(HttpAccessTest, ATokenIsNeededButForProbes) {
  WithToken();
  ASSERT_TRUE(Start());
  EXPECT_EQ(StatusWith("", "/livez"), 200);
  EXPECT_EQ(StatusWith("", "/readyz"), 200);
  EndOutages(/*all=*/true);  // those of other tests
  ::testing::internal::CaptureStderr();
  for (const char* path : {"/", "/metrics", "/version", "/status.json", "/nope", "/livez/",
                           "/livez/../metrics", "//livez", "/LIVEZ", "/readyz%2f"}) {
    EXPECT_EQ(StatusWith("", path), 401) << path;
  }
  const std::string lines = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(lines, HasSubstr(" warn  http.unauthorized "));
  EXPECT_THAT(lines, HasSubstr(" client=127.0.0.1 status=401 "));
  EXPECT_EQ(std::ranges::count(lines, '\n'), 1) << lines;
  EXPECT_EQ(StatusWith(fmt::format("Bearer {}", kToken)), 200);
  EXPECT_EQ(StatusWith(fmt::format("bearer   {}", kToken)), 200);
}

TEST_F(HttpAccessTest, WrongTokensAreRefused) {
  WithToken();
  ASSERT_TRUE(Start());
  const std::string token = kToken;
  for (const std::string& wrong :
       {std::string("x"), std::string("Bearer"), std::string("Bearer x"), token, "Basic " + token,
        "Bearer " + token + "x", "Bearer " + token.substr(1), "Bearer " + token + " " + token,
        "Bearer" + token, "Digest " + token, std::string("Basic !!!!"), std::string("Basic ===="),
        std::string("Basic Og=="), "Bearer " + std::string(8000, 'x')}) {
    EXPECT_EQ(StatusWith(wrong), 401) << wrong;
  }
}

TEST_F(HttpAccessTest, BrowsersAreAskedForAPasswordThatIsTheToken) {
  WithToken();
  ASSERT_TRUE(Start());
  httplib::Client client("127.0.0.1", server_->port());
  auto response = client.Get("/");
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 401);
  EXPECT_EQ(response->get_header_value("WWW-Authenticate"), "Basic realm=\"crawlsieve\"");
  for (const char* user : {"", "a", "ab", "abc"}) {  // all lengths of padding
    client.set_basic_auth(user, kToken);
    response = client.Get("/");
    ASSERT_TRUE(response);
    EXPECT_EQ(response->status, 200) << user;
  }
  client.set_basic_auth(kToken, "");
  response = client.Get("/");
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 401);
}

TEST_F(HttpAccessTest, ARotatedTokenCountsFromTheNextRequestOn) {
  WithToken();
  ASSERT_TRUE(Start());
  const std::string before = fmt::format("Bearer {}", kToken);
  Replace(File("token"), "another-token-of-32-characters--\n");
  EXPECT_EQ(StatusWith(before), 401);
  EXPECT_EQ(StatusWith("Bearer another-token-of-32-characters--"), 200);
  // A file that holds no token, or none at all, leaves the one before: never no token.
  Replace(File("token"), "");
  EXPECT_EQ(StatusWith(""), 401);
  EXPECT_EQ(StatusWith("Bearer another-token-of-32-characters--"), 200);
  std::filesystem::remove(File("token"));
  EXPECT_EQ(StatusWith("Bearer "), 401);
  EXPECT_EQ(StatusWith("Bearer another-token-of-32-characters--"), 200);
}

TEST_F(HttpAccessTest, OurClientBringsTheTokenAndSaysWhatItLacks) {
  WithToken();
  WithTls();
  ASSERT_TRUE(Start());
  HttpAccess access = Trusting();
  const auto without = Get("/status.json", access);
  ASSERT_FALSE(without);
  EXPECT_THAT(without.error().message, HasSubstr("wants a token"));
  access.token = "wrong-token-of-some-length";
  const auto wrong = Get("/status.json", access);
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, HasSubstr("another token"));
  EXPECT_THAT(wrong.error().message, Not(HasSubstr(access.token)));
  access.token = kToken;
  EXPECT_TRUE(Get("/status.json", access));
}

TEST(ReadTokenFile, TakesOneLineOfPrintableCharacters) {
  const crawlsieve::testing::TemporaryDirectory directory;
  const std::string file = (directory.path() / "token").native();
  const std::string token(16, 't');
  for (const std::string& content : {token, token + "\n", token + "\r\n", std::string(1024, 't')}) {
    Replace(file, content);
    const auto read = ReadTokenFile(file);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, content.substr(0, content.find_last_of('t') + 1));
  }
  for (const std::string& content :
       {std::string(), std::string("\n"), std::string(15, 't'), std::string(1025, 't'),
        token + "\n\n", token + "\nsecond", token + " x", token + '\0', token + "\xc3\xa9",
        std::string(5000, 't')}) {
    Replace(file, content);
    const auto read = ReadTokenFile(file);
    ASSERT_FALSE(read) << content.size();
    EXPECT_EQ(read.error().code, ErrorCode::kInvalidConfig);
    EXPECT_THAT(read.error().message, Not(HasSubstr(token)));
  }
  std::filesystem::remove(file);
  EXPECT_FALSE(ReadTokenFile(file));
}

}  // namespace
}  // namespace crawlsieve::consumer
