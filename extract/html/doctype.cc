#include "extract/html/tree_builder.h"
#include "extract/text/ascii.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace crawlsieve::extract::html {
namespace {

// Public identifiers of documents in quirks mode, in lower case: whole ones, and how they begin.
constexpr std::array<std::string_view, 3> kPublicIds = {
    "-//w3o//dtd w3 html strict 3.0//en//", "-/w3c/dtd html 4.0 transitional/en", "html"};

constexpr std::array<std::string_view, 55> kPublicPrefixes = {
    "+//silmaril//dtd html pro v0r11 19970101//",
    "-//as//dtd html 3.0 aswedit + extensions//",
    "-//advasoft ltd//dtd html 3.0 aswedit + extensions//",
    "-//ietf//dtd html 2.0 level 1//",
    "-//ietf//dtd html 2.0 level 2//",
    "-//ietf//dtd html 2.0 strict level 1//",
    "-//ietf//dtd html 2.0 strict level 2//",
    "-//ietf//dtd html 2.0 strict//",
    "-//ietf//dtd html 2.0//",
    "-//ietf//dtd html 2.1e//",
    "-//ietf//dtd html 3.0//",
    "-//ietf//dtd html 3.2 final//",
    "-//ietf//dtd html 3.2//",
    "-//ietf//dtd html 3//",
    "-//ietf//dtd html level 0//",
    "-//ietf//dtd html level 1//",
    "-//ietf//dtd html level 2//",
    "-//ietf//dtd html level 3//",
    "-//ietf//dtd html strict level 0//",
    "-//ietf//dtd html strict level 1//",
    "-//ietf//dtd html strict level 2//",
    "-//ietf//dtd html strict level 3//",
    "-//ietf//dtd html strict//",
    "-//ietf//dtd html//",
    "-//metrius//dtd metrius presentational//",
    "-//microsoft//dtd internet explorer 2.0 html strict//",
    "-//microsoft//dtd internet explorer 2.0 html//",
    "-//microsoft//dtd internet explorer 2.0 tables//",
    "-//microsoft//dtd internet explorer 3.0 html strict//",
    "-//microsoft//dtd internet explorer 3.0 html//",
    "-//microsoft//dtd internet explorer 3.0 tables//",
    "-//netscape comm. corp.//dtd html//",
    "-//netscape comm. corp.//dtd strict html//",
    "-//o'reilly and associates//dtd html 2.0//",
    "-//o'reilly and associates//dtd html extended 1.0//",
    "-//o'reilly and associates//dtd html extended relaxed 1.0//",
    "-//sq//dtd html 2.0 hotmetal + extensions//",
    "-//softquad software//dtd hotmetal pro 6.0::19990601::extensions to html 4.0//",
    "-//softquad//dtd hotmetal pro 4.0::19971010::extensions to html 4.0//",
    "-//spyglass//dtd html 2.0 extended//",
    "-//sun microsystems corp.//dtd hotjava html//",
    "-//sun microsystems corp.//dtd hotjava strict html//",
    "-//w3c//dtd html 3 1995-03-24//",
    "-//w3c//dtd html 3.2 draft//",
    "-//w3c//dtd html 3.2 final//",
    "-//w3c//dtd html 3.2//",
    "-//w3c//dtd html 3.2s draft//",
    "-//w3c//dtd html 4.0 frameset//",
    "-//w3c//dtd html 4.0 transitional//",
    "-//w3c//dtd html experimental 19960712//",
    "-//w3c//dtd html experimental 970421//",
    "-//w3c//dtd w3 html//",
    "-//w3o//dtd w3 html 3.0//",
    "-//webtechs//dtd mozilla html 2.0//",
    "-//webtechs//dtd mozilla html//",
};

// ... and how they begin where there is no system identifier.
constexpr std::array<std::string_view, 2> kPublicPrefixesAlone = {
    "-//w3c//dtd html 4.01 frameset//", "-//w3c//dtd html 4.01 transitional//"};

constexpr std::string_view kSystemId = "http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd";

std::string_view TrimStart(std::string_view text) {
  while (!text.empty() && IsAsciiSpace(text.front())) text.remove_prefix(1);
  return text;
}

/// The quoted identifier that `text` begins with, taken from it; none where it isn't closed.
std::optional<std::string_view> TakeQuoted(std::string_view& text) {
  text = TrimStart(text);
  if (text.empty() || (text.front() != '"' && text.front() != '\'')) return std::nullopt;
  const std::size_t end = text.find(text.front(), 1);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view quoted = text.substr(1, end - 1);
  text.remove_prefix(end + 1);
  return quoted;
}

bool StartsWithOneOf(std::string_view id, const auto& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [id](std::string_view prefix) { return StartsWithNoCase(id, prefix); });
}

}  // namespace

bool IsQuirksDoctype(std::string_view doctype) {
  constexpr std::string_view kDoctype = "doctype";
  std::string_view rest = TrimStart(doctype.substr(kDoctype.size()));
  const auto* const name_end = std::find_if(rest.begin(), rest.end(), IsAsciiSpace);
  const std::string_view name(rest.begin(), static_cast<std::size_t>(name_end - rest.begin()));
  if (!EqualsNoCase(name, "html")) return true;
  rest = TrimStart(rest.substr(name.size()));
  if (rest.empty()) return false;

  constexpr std::size_t kKeyword = 6;
  std::optional<std::string_view> public_id;
  const bool is_public = StartsWithNoCase(rest, "public");
  if (!is_public && !StartsWithNoCase(rest, "system")) return true;
  rest.remove_prefix(kKeyword);
  if (is_public) {
    public_id = TakeQuoted(rest);
    if (!public_id) return true;
    rest = TrimStart(rest);
  }
  std::optional<std::string_view> system_id;
  if (!is_public || !rest.empty()) {
    system_id = TakeQuoted(rest);
    if (!system_id) return true;
  }
  if (system_id && EqualsNoCase(*system_id, kSystemId)) return true;
  if (!public_id) return false;
  return std::any_of(kPublicIds.begin(), kPublicIds.end(),
                     [&](std::string_view id) { return EqualsNoCase(*public_id, id); }) ||
         StartsWithOneOf(*public_id, kPublicPrefixes) ||
         (!system_id && StartsWithOneOf(*public_id, kPublicPrefixesAlone));
}

}  // namespace crawlsieve::extract::html
