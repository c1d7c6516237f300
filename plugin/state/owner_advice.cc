#include "plugin/state/owner_advice.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace crawlsieve {

std::string OwnerAdvice(const std::filesystem::path& directory) {
  const uid_t user = ::geteuid();
  struct stat status {};
  std::string owner = "a file in the directory is of another user";
  if (::stat(directory.c_str(), &status) == 0 && status.st_uid != user) {
    owner = fmt::format("the directory is of user {}", status.st_uid);
  }
  return fmt::format("; {}, and this process of user {}: chown -R {} {}, or name another directory",
                     owner, user, user, directory.string());
}

}  // namespace crawlsieve
