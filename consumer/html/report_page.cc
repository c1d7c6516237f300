#include "consumer/html/report_page.h"

#include "consumer/html/design.h"
#include "consumer/observability/html_escape.h"

#include <array>

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/sha.h>

namespace crawlsieve::consumer {
namespace {

/// As content security policies name an element's text.
std::string PolicyHash(std::string_view text) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  std::array<unsigned char, 4 * ((SHA256_DIGEST_LENGTH + 2) / 3) + 1> encoded{};
  EVP_EncodeBlock(encoded.data(), digest.data(), static_cast<int>(digest.size()));
  return fmt::format("'sha256-{}'", reinterpret_cast<const char*>(encoded.data()));
}

}  // namespace

std::string RenderReport(const ReportPage& page) {
  std::string html = fmt::format(
      R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; style-src {}; script-src {}">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
<title>{}</title>
<style>{}</style>
</head>
<body>
<header>
<h1>{}</h1>
<p class="answer" id="answer">{}</p>
</header>
<main>
)",
      PolicyHash(Design()), page.script.empty() ? "'none'" : PolicyHash(page.script),
      EscapeHtml(page.title), Design(), EscapeHtml(page.title), EscapeHtml(page.answer));
  html += page.body;
  html += "</main>\n";
  if (!page.script.empty()) html += fmt::format("<script>{}</script>\n", page.script);
  return html + "</body>\n</html>\n";
}

}  // namespace crawlsieve::consumer
