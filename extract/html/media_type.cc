#include "extract/html/media_type.h"

#include "extract/html/encoding.h"
#include "extract/text/ascii.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

namespace crawlsieve::extract {
namespace {

using namespace std::string_view_literals;

/// What the standard calls the resource header.
constexpr std::size_t kHeaderBytes = 1445;

/// Signatures of formats that no text begins with.
constexpr std::array kBinarySignatures = {
    "%PDF-"sv,
    "%!PS-Adobe-"sv,
    "\x89PNG\r\n\x1A\n"sv,
    "\xFF\xD8\xFF"sv,  // JPEG
    "GIF87a"sv,
    "GIF89a"sv,
    "BM"sv,            // BMP; counts only with binary bytes behind, see below
    "\0\0\1\0"sv,      // icon
    "\0\0\2\0"sv,      // cursor
    "PK\3\4"sv,        // zip, and with it office documents, EPUB, JAR
    "\x1F\x8B\x08"sv,  // gzip
    "Rar!\x1A\x07"sv,
    "7z\xBC\xAF\x27\x1C"sv,
    "\x28\xB5\x2F\xFD"sv,  // zstd
    "\xFD"
    "7zXZ\0"sv,
    "BZh"sv,               // bzip2; as with BMP
    "\x1A\x45\xDF\xA3"sv,  // WebM, Matroska
    "OggS\0"sv,
    "fLaC"sv,
    "ID3"sv,  // MP3; as with BMP
    "MThd\0\0\0\6"sv,
    "RIFF"sv,  // WAVE, AVI, WebP; as with BMP
    "FORM"sv,  // AIFF; as with BMP
    "wOFF"sv,
    "wOF2"sv,
    "OTTO"sv,
    "\0\1\0\0"sv,  // TrueType
    "\0asm"sv,
    "\x7F"
    "ELF"sv,
    "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"sv,  // old office documents
};

/// What the standard takes as the beginning of HTML. A space or '>' has to follow.
constexpr std::array kHtmlTags = {
    "<!doctype html"sv,
    "<html"sv,
    "<head"sv,
    "<script"sv,
    "<iframe"sv,
    "<h1"sv,
    "<div"sv,
    "<font"sv,
    "<table"sv,
    "<a"sv,
    "<style"sv,
    "<title"sv,
    "<b"sv,
    "<body"sv,
    "<br"sv,
    "<p"sv,
};

bool IsBinaryByte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte <= 0x08 || byte == 0x0B || (byte >= 0x0E && byte <= 0x1A) ||
         (byte >= 0x1C && byte <= 0x1F);
}

bool LooksBinary(std::string_view header) {
  const bool binary_bytes = std::any_of(header.begin(), header.end(), IsBinaryByte);
  // The standard asks four of these signatures for more bytes than letters; whether binary bytes
  // follow tells the same ("BMW ..." and "FORMS" are text).
  return binary_bytes ||
         std::any_of(kBinarySignatures.begin(), kBinarySignatures.end(), [&](std::string_view s) {
           const bool only_letters = std::all_of(
               s.begin(), s.end(), [](char c) { return IsAsciiAlpha(c) || IsAsciiDigit(c); });
           return header.starts_with(s) && (!only_letters || s.starts_with("GIF8"));
         });
}

std::string_view SkipSpace(std::string_view text) {
  while (!text.empty() && IsAsciiSpace(text.front())) text.remove_prefix(1);
  return text;
}

bool LooksLikeHtml(std::string_view header) {
  const std::string_view text = SkipSpace(header);
  if (text.starts_with("<!--")) return true;
  return std::any_of(kHtmlTags.begin(), kHtmlTags.end(), [&](std::string_view tag) {
    if (!StartsWithNoCase(text, tag) || text.size() == tag.size()) return false;
    const char next = text[tag.size()];
    return IsAsciiSpace(next) || next == '>';
  });
}

/// Whether the first element of an XML document is <html>: skips the declaration, processing
/// instructions, comments and the document type.
bool IsXhtml(std::string_view header) {
  std::string_view text = SkipSpace(header);
  while (text.starts_with("<?") || text.starts_with("<!")) {
    const std::string_view end = text.starts_with("<?")     ? "?>"
                                 : text.starts_with("<!--") ? "-->"
                                                            : ">";
    if (StartsWithNoCase(text, "<!doctype html")) return true;
    const std::size_t at = text.find(end);
    if (at == std::string_view::npos) return false;
    text = SkipSpace(text.substr(at + end.size()));
  }
  return StartsWithNoCase(text, "<html");
}

/// "type/subtype" in lower case; empty when the label has no such form.
std::string Essence(std::string_view content_type) {
  const std::string_view essence = TrimAscii(content_type.substr(0, content_type.find(';')));
  const std::size_t slash = essence.find('/');
  if (slash == 0 || slash == std::string_view::npos || slash + 1 == essence.size()) return {};
  return AsciiLower(essence);
}

bool SaysNothing(std::string_view essence) {
  return essence.empty() || essence == "unknown/unknown" || essence == "application/unknown" ||
         essence == "*/*";
}

}  // namespace

MediaKind ClassifyMedia(std::string_view content_type, std::string_view body) {
  const std::string essence = Essence(content_type);
  const bool unknown = SaysNothing(essence);
  const bool html = essence == "text/html" || essence == "application/xhtml+xml";
  const bool plain = essence == "text/plain";
  const bool xml =
      essence == "text/xml" || essence == "application/xml" || essence.ends_with("+xml");
  if (!unknown && !html && !plain && !xml) return MediaKind::kOther;
  if (body.empty())
    return plain ? MediaKind::kPlain : xml && !html ? MediaKind::kOther : MediaKind::kHtml;

  // UTF-16 is full of bytes that are binary elsewhere; without its zeros it reads like ASCII.
  std::string header(body.substr(0, kHeaderBytes));
  const ByteOrderMark mark = FindByteOrderMark(body);
  const Encoding* labelled = FindEncoding(FindCharsetParameter(content_type));
  const Encoding* encoding = mark.encoding != nullptr ? mark.encoding : labelled;
  header.erase(0, mark.bytes);
  if (encoding != nullptr && encoding->family == EncodingFamily::kUtf16) std::erase(header, '\0');

  if (html) {
    // A stray control character doesn't make a page binary when it starts as a page.
    return LooksLikeHtml(header) || !LooksBinary(header) ? MediaKind::kHtml : MediaKind::kOther;
  }
  if (xml) return IsXhtml(header) ? MediaKind::kHtml : MediaKind::kOther;
  if (unknown && (LooksLikeHtml(header) || (header.starts_with("<?xml") && IsXhtml(header)))) {
    return MediaKind::kHtml;
  }
  if (LooksBinary(header) || (unknown && header.starts_with("<?xml"))) return MediaKind::kOther;
  return MediaKind::kPlain;
}

}  // namespace crawlsieve::extract
