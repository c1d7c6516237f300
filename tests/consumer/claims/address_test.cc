#include "consumer/claims/address.h"

#include <string>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace crawlsieve::consumer {
namespace {

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

TEST(Address, OfThePublicInternetIsPublic) {
  for (const char* text :
       {"1.1.1.1",         "8.8.8.8",     "9.255.255.255",   "11.0.0.0",
        "100.63.255.255",  "100.128.0.0", "126.255.255.255", "128.0.0.0",
        "169.253.255.255", "169.255.0.0", "172.15.255.255",  "172.32.0.0",
        "192.167.255.255", "192.169.0.0", "198.17.255.255",  "198.20.0.0",
        "223.255.255.255", "2600::1",     "2a00:1450::1",    "2001:4860:4860::8888",
        "3ffe::1"}) {
    EXPECT_TRUE(IsPublic(text)) << text;
  }
}

TEST(Address, OfOtherUsesIsNotPublic) {
  for (const char* text : {"0.0.0.0",
                           "10.0.0.0",
                           "10.255.255.255",
                           "100.64.0.0",
                           "100.127.255.255",
                           "127.0.0.1",
                           "127.255.255.255",
                           "169.254.169.254",
                           "172.16.0.0",
                           "172.31.255.255",
                           "192.0.0.8",
                           "192.168.0.0",
                           "192.168.255.255",
                           "198.18.0.0",
                           "198.19.255.255",
                           "224.0.0.1",
                           "255.255.255.255",
                           "::",
                           "::1",
                           "::ffff:127.0.0.1",
                           "::ffff:8.8.8.8",
                           "::127.0.0.1",
                           "64:ff9b::7f00:1",
                           "fc00::1",
                           "fd12::1",
                           "fe80::1",
                           "fec0::1",
                           "ff02::1",
                           "2001:db8::1",
                           "2002:7f00:1::",
                           "2001::1",
                           "3fff::1",
                           "4000::1"}) {
    EXPECT_FALSE(IsPublic(text)) << text;
  }
  EXPECT_FALSE(IsPublicAddress(sockaddr{AF_UNIX, {}}));
}

}  // namespace
}  // namespace crawlsieve::consumer
