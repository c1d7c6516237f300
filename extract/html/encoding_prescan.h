#pragma once

#include "extract/html/encoding.h"
#include "extract/html/options.h"

#include <string_view>

namespace crawlsieve::extract {

/// The encoding that a page declares in its first 1,024 bytes: the prescan of the HTML standard
/// (section "Determining the character encoding") for <meta charset> and <meta http-equiv>, and
/// before it the encoding of an XML declaration. UTF-16 named there means UTF-8, as the standard
/// says: the prescan could not have read it otherwise. nullptr: none.
[[nodiscard]] const Encoding* PrescanForEncoding(std::string_view bytes);

/// The encoding that a page declares in a <meta> further on, for which a browser's parser starts
/// anew (the standard's "Changing the encoding while parsing"). Text of scripts and the like
/// declares nothing. nullptr: none.
[[nodiscard]] const Encoding* FindLateDeclaration(std::string_view bytes,
                                                  Revision revision = Revision::k4);

}  // namespace crawlsieve::extract
