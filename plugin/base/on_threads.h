#pragma once

#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

namespace crawlsieve {

/// Calls work(0) to work(parts - 1), each once, on as many threads as that: the caller is one, and
/// waits for the others. Where the system has no more threads, parts are done one behind the other.
/// `work` must not throw.
template <typename Work>
void OnThreads(std::size_t parts, const Work& work) {
  if (parts == 0) return;
  std::vector<std::jthread> others;
  others.reserve(parts);
  try {
    while (others.size() + 1 < parts) {
      others.emplace_back([&work, part = others.size() + 1] { work(part); });
    }
  } catch (const std::system_error&) {
    // There are as many threads as this process may have.
  }
  work(0);
  for (std::size_t part = others.size() + 1; part < parts; ++part) work(part);
}

}  // namespace crawlsieve
