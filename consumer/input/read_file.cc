#include "consumer/input/read_file.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const {
    if (file != stdin) (void)std::fclose(file);
  }
};

tl::unexpected<Error> CannotRead(const std::filesystem::path& path) {
  return MakeError(ErrorCode::kIo, fmt::format("{} can't be read: {}", path.native(),
                                               std::generic_category().message(errno)));
}

}  // namespace

Result<std::string> ReadWholeFile(const std::filesystem::path& path) {
  const std::unique_ptr<std::FILE, CloseFile> file(path == "-" ? stdin
                                                               : std::fopen(path.c_str(), "rbe"));
  if (!file) return CannotRead(path);
  std::string text;
  std::array<char, 64 << 10> piece;
  std::size_t count = 0;
  while ((count = std::fread(piece.data(), 1, piece.size(), file.get())) > 0) {
    text.append(piece.data(), count);
  }
  // Folders can be opened; the first read says what they are.
  if (std::ferror(file.get()) != 0) return CannotRead(path);
  return text;
}

}  // namespace crawlsieve::consumer
