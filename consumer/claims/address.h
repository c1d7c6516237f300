#pragma once

struct sockaddr;

namespace crawlsieve::consumer {

/// Whether an address of IPv4 or IPv6 is one of the public Internet: not private, loopback,
/// link-local, shared (100.64.0.0/10), multicast, reserved, unspecified, or an IPv6 address that
/// stands for such an IPv4 address (mapped, translated, 6to4, Teredo). Addresses of other families
/// aren't.
[[nodiscard]] bool IsPublicAddress(const sockaddr& address);

}  // namespace crawlsieve::consumer
